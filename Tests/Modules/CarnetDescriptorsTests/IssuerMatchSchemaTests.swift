import CarnetFoundation
import CarnetLint
import CarnetTestSupport
import Testing

@testable import CarnetDescriptors

/// The rules of `issuer_match` that a child lays over its parent's, before the decoder and the schema.
@Suite("Issuer match schema")
struct IssuerMatchSchemaTests {
    static let rules = [
        "{ template: null, none: each region names itself }",
        "{ claims: null, template: null, any_of: [https://a.example] }",
        "{ any_of: null, template: 'https://id.acme.example/{tid}' }", "{ none: null }", "{ template: null }", "{}",
        "{ claims: { tid: tenant } }", "{ claims: { tid: null } }", "null", "exact",
    ]

    @Test("The schema accepts what the decoder accepts")
    func theSchemaAcceptsWhatTheDecoder() throws {
        let documents = Self.rules.map { rule in
            DescriptorDocument(
                SourceFile(path: "acme.yaml", text: "carnet: 1\nid: acme\nname: A\nextends: b\nissuer_match: \(rule)\n")
            )
        }
        let trees = try documents.map { document -> JSONValue in
            var decoder = DescriptorDecoder(file: "acme.yaml")
            let root = try #require(document.root)
            return try #require(JSONValue(root, &decoder))
        }
        let response = try SchemaValidator.validate(trees, against: DescriptorSchema.document)
        for (rule, (document, reason)) in zip(Self.rules, zip(documents, response.instances)) {
            #expect(document.diagnostics.isEmpty && reason == nil, "\(rule): \(document.diagnostics) \(reason ?? "")")
        }
    }
}
