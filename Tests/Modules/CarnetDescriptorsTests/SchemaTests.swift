import CarnetFoundation
import CarnetLint
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetDescriptors

/// The schema against the decoder, with a validator of another project as the reference.
@Suite("Schema")
struct SchemaTests {
    @Test("The shipped and the documented descriptors fit the schema")
    func theShippedAndTheDocumentedDescriptors() throws {
        let documents = try Repository.descriptors().map { DescriptorDocument($0) }
        #expect(documents.count >= 12)
        let response = try SchemaValidator.validate(try documents.map(json), against: DescriptorSchema.document)
        #expect(response.schema == nil)
        for (document, reason) in zip(documents, response.instances) {
            #expect(document.diagnostics.isEmpty && reason == nil, "\(document.file.path): \(reason ?? "")")
        }
    }

    @Test("The schema and the decoder accept the same value at every place", arguments: [false, true])
    func theSchemaAndTheDecoderAccept(isExtending: Bool) throws {
        let values: [JSONValue] = [
            nil, true, 7, -1, .number("1.5"), 400_000_000, "", "acme", "ACME", "-acme", "/acme", "/~1", "acme/", "/~2",
            "{acme}", "{input.acme}", "{}", "{", "acme}", "none", "required",
            .string(String(repeating: "a", count: 65)),
            [], [nil], [7], ["acme"], ["/acme", "acme"], [[]], [:], ["none": "acme"], ["none": ""], ["acme": [:]],
            ["acme": "acme"], ["acme": 7], ["acme": nil],
            ["name": "acme"], ["issuer": "acme"], ["issuer": nil], ["scopes": ["default": nil]],
            ["scopes": ["acme": nil]],
        ]
        let places = LanguagePlace.all
        #expect(places.count > 150)
        // All values at each place are tried at night.
        var random = SplitMix64(seed: Budget.seed)
        let cases = places.flatMap { place in
            values.shuffled(using: &random).prefix(5 * Budget.factor).map { value in
                var descriptor = place.descriptor(value)
                if isExtending, place.path != "extends", var object = descriptor.object, !place.path.isEmpty {
                    object["extends"] = "acme"
                    descriptor = .object(object)
                }
                return (place.path, value, descriptor)
            }
        }
        let response = try SchemaValidator.validate(cases.map(\.2), against: DescriptorSchema.document)
        #expect(response.instances.count == cases.count)
        for ((path, value, descriptor), reason) in zip(cases, response.instances) {
            let diagnostics = descriptor.document.diagnostics
            #expect(
                diagnostics.isEmpty == (reason == nil),
                "seed \(Budget.seed): \(path): \(value.jsonText()): the decoder: \(diagnostics), the schema: \(reason ?? "nothing")"
            )
        }
    }

    @Test("What the decoder rejects the schema rejects")
    func whatTheDecoderRefusesTheSchema() throws {
        let texts =
            DecoderDiagnostics.all.flatMap(\.bad).map { MarkedExample($0).text }
            + Self.bad.map { "carnet: 1\nid: acme\nname: Acme\n" + $0 } + Self.badWholes
        let documents = texts.map { DescriptorDocument(SourceFile(path: "bad.yaml", text: $0)) }
        let response = try SchemaValidator.validate(try documents.map(json), against: DescriptorSchema.document)
        #expect(response.instances.count == texts.count)
        for (document, reason) in zip(documents, response.instances) {
            #expect(
                document.descriptor == nil && reason != nil, "\(String(decoding: document.file.bytes, as: UTF8.self))")
        }
    }

    @Test("A resource map has a schema, which accepts what its reader accepts")
    func aResourceMapHasASchema() throws {
        let entry = "{ title: Mail, scope: mail, url: https://api.acme.example/mail }"
        let good = ["[]", "[\(entry), \(entry)]", "resources: [\(entry)]\n", "resources: []\n"]
        let bad = [
            "{}", "mail", "resources: {}\n", "resources: [{ title: Mail }]\n", "[{ titel: Mail }]", "[mail]",
            "{ resources: [], id: acme }", "[{ title: Mail, url: https://api.acme.example, method: get }]",
        ]
        let files = (good + bad).map { SourceFile(path: "map.yaml", text: $0) }
        let trees = try files.map { try json(DescriptorDocument($0)) }
        let response = try SchemaValidator.validate(trees, against: DescriptorSchema.resourceMap)
        #expect(response.schema == nil)
        #expect(response.instances.count == files.count)
        for (file, reason) in zip(files, response.instances) {
            let isGood = ResourceMapFile(file).diagnostics.isEmpty
            #expect(isGood == good.contains(file.text) && isGood == (reason == nil), "\(file.text): \(reason ?? "")")
        }
    }

    private static let badWholes = [
        "[]", "acme", "carnet: 1\nid: acme\n", "carnet: 2\nid: acme\nname: Acme\n", "carnet: 1\nid: 42\nname: Acme\n",
        "carnet: one\nid: acme\nname: Acme\n", "carnet: 1\nid: Acme\nname: Acme\n", "carnet: 1\nid: acme\nname:\n",
    ]

    private static let bad = [
        "issuer: null", "issuer: [https://id.acme.example]", "issuer: https://{id.acme.example",
        "docs: 12", "verified: { how: by hand }", "notes: { about: token, because: it is }",
        "notes: [{ about: token }]",
        "inputs: { tenant: { type: url } }", "inputs: { tenant: { optional: 1 } }", "inputs: [tenant]",
        "discovery: maybe", "endpoints: { device: https://acme.example }", "endpoints: https://acme.example",
        "client: { authentication: client_secret_basic }", "client: { authentication: [client_secret] }",
        "scopes: [openid]", "scopes: { catalog: [{ title: Mail }] }", "scopes: { separator: \"\" }",
        "authorization: { pkce: false }", "authorization: { pkce: { none: true } }",
        "authorization: { nonce: { none: because, of: course } }", "token: { body: xml }", "token: { method: get }",
        "token: { response: { root: data } }", "token: { response: { fields: { access_token: [token] } } }",
        "refresh: { margin: -1 }", "refresh: { margin: 315576001 }", "id_token: { clock_skew: 301 }",
        "id_token: { algorithms: [HS256] }", "profile: { claims: [/name] }", "resources: [{ title: Balance }]",
        "resources: { title: Balance, url: https://acme.example }", "samples: []",
    ]

    /// The tree of a file as JSON.
    private func json(_ document: DescriptorDocument) throws -> JSONValue {
        var decoder = DescriptorDecoder(file: document.file.path)
        let root = try #require(document.root)
        return try #require(JSONValue(root, &decoder))
    }
}
