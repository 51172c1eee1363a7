import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetTestSupport
import Testing

/// The schema against the decoder, with a validator of another project as the reference.
@Suite("Schema of gateway files")
struct GatewaySchemaTests {
    private static func json(_ text: String) -> JSONValue? {
        let document = YAMLReader().read(SourceFile(path: "gateway.yaml", text: text))
        return document.diagnostics.isEmpty ? document.root.map { JSONValue($0) } : nil
    }

    private static func isReadable(_ text: String) -> Bool {
        GatewayFile(SourceFile(path: "gateway.yaml", text: text)).rules != nil
    }

    @Test("The schema accepts what the gateway reads, and most mistakes that concern one key do not fit")
    func schema() throws {
        let examples = GatewayRuleCatalog.explanations.flatMap { $0.good + $0.bad }.map { MarkedExample($0).text }
        let texts = [MutationTests.whole, GatewayExample.text] + examples + MutationTests.all.map(\.text)
        let cases = texts.compactMap { text in Self.json(text).map { (text, $0) } }
        let response = try SchemaValidator.validate(cases.map(\.1), against: GatewayFile.schema)
        #expect(response.schema == nil)
        try #require(response.instances.count == cases.count)
        var rejected = 0
        for ((text, _), reason) in zip(cases, response.instances) {
            guard let reason else { continue }
            rejected += 1
            #expect(!Self.isReadable(text), "the schema: \(reason)\n\(text)")
        }
        #expect(response.instances.prefix(2).allSatisfy { $0 == nil })
        #expect(rejected >= 400, "\(rejected) of \(cases.count)")
    }
}
