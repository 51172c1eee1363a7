import Testing

@testable import CarnetDescriptors

@Suite("Issuer match")
struct IssuerMatchTests {
    private static let tid = "3b6f2c1e-5a4d-4c8b-9e7f-0d1a2b3c4d5e"

    private func provider(_ rule: String, inputs: [String: String] = [:]) throws -> Provider {
        let yaml =
            "inputs: { region: { default: eu } }\nissuer: https://id.{region}.example/common\nissuer_match: \(rule)\n"
        return try ResolutionFixture.provider(yaml, inputs: inputs)
    }

    private static let template = "{ template: 'https://id.{region}.example/{tenantid}/v2', claims: { tenantid: tid } }"

    @Test("An issuer is exact unless said otherwise")
    func anIssuerIsExactUnlessSaidOtherwise() throws {
        let provider = try provider("exact")
        #expect(provider.shared.acceptsIssuer(inMetadata: "https://id.eu.example/common"))
        #expect(!provider.shared.acceptsIssuer(inMetadata: "https://id.eu.example/common/"))
        #expect(!provider.shared.acceptsIssuer("https://id.eu.example/common/") { _ in nil })
    }

    @Test("Metadata names the template as it is written")
    func metadataNamesTheTemplateAsItIsWritten() throws {
        let provider = try provider(Self.template)
        #expect(provider.shared.acceptsIssuer(inMetadata: "https://id.eu.example/{tenantid}/v2"))
        #expect(provider.shared.acceptsIssuer(inMetadata: "https://id.eu.example/common"))
        #expect(!provider.shared.acceptsIssuer(inMetadata: "https://id.us.example/{tenantid}/v2"))
        #expect(!provider.shared.acceptsIssuer(inMetadata: "https://id.eu.example/\(Self.tid)/v2"))
    }

    @Test(
        "An ID token is of the tenant that it names",
        arguments: [
            ("https://id.eu.example/\(tid)/v2", tid, true), ("https://id.eu.example/other/v2", tid, false),
            ("https://id.eu.example/{tenantid}/v2", tid, false), ("https://id.eu.example/common", tid, false),
            ("https://id.eu.example//v2", "", false), ("https://id.eu.example/a/b/v2", "a/b", false),
            ("https://id.us.example/\(tid)/v2", tid, false),
        ])
    func anIDTokenIsOfTheTenantThatItNames(issuer: String, claim: String, isAccepted: Bool) throws {
        let provider = try provider(Self.template)
        #expect(provider.shared.acceptsIssuer(issuer) { $0 == "tid" ? claim : nil } == isAccepted)
        #expect(!provider.shared.acceptsIssuer(issuer) { _ in nil })
    }

    @Test(
        "A callback names some tenant",
        arguments: [
            ("https://id.eu.example/\(tid)/v2", true), ("https://id.eu.example/common", true),
            ("https://id.eu.example/a/b/v2", false), ("https://id.eu.example//v2", false),
            ("https://id.eu.example/\(tid)/v2/", false), ("https://evil.example/\(tid)/v2", false),
        ])
    func aCallbackNamesSomeTenant(issuer: String, isAccepted: Bool) throws {
        #expect(try provider(Self.template).shared.acceptsIssuer(inCallback: issuer) == isAccepted)
    }

    @Test("A list is closed and filled")
    func aListIsClosedAndFilled() throws {
        let provider = try provider("{ any_of: ['https://{region}.example', id.example] }", inputs: ["region": "us"])
        for issuer in ["https://id.us.example/common", "https://us.example", "id.example"] {
            #expect(provider.shared.acceptsIssuer(inMetadata: issuer))
            #expect(provider.shared.acceptsIssuer(inCallback: issuer))
            #expect(provider.shared.acceptsIssuer(issuer) { _ in nil })
        }
        #expect(!provider.shared.acceptsIssuer("https://eu.example") { _ in nil })
    }

    @Test("An input may be an issuer that ends in a slash, or one that does not")
    func slashAtTheEnd() throws {
        let yaml = """
            inputs: { site: { type: host_path } }
            issuer: https://{site}
            issuer_match: { any_of: ["https://{site}/"] }

            """
        for site in ["id.example/a", "https://id.example/a/"] {
            let shared = try ResolutionFixture.provider(yaml, inputs: ["site": site]).shared
            for issuer in ["https://id.example/a", "https://id.example/a/"] {
                #expect(shared.acceptsIssuer(inMetadata: issuer) && shared.acceptsIssuer(inCallback: issuer))
                #expect(shared.acceptsIssuer(issuer) { _ in nil })
            }
            #expect(!shared.acceptsIssuer(inMetadata: "https://id.example/a//"))
        }
    }

    @Test("Off believes the metadata alone")
    func offBelievesTheMetadataAlone() throws {
        let provider = try provider("{ none: each region names itself }")
        #expect(provider.shared.acceptsIssuer(inMetadata: "https://any.example"))
        #expect(!provider.shared.acceptsIssuer("https://any.example") { _ in nil })
        #expect(!provider.shared.acceptsIssuer(inCallback: "https://any.example"))
    }

    @Test(
        "A mistake is found",
        arguments: [
            ("none", "K007"), ("some", "K004"), ("[exact]", "K002"), ("{}", "K004"), ("{ of: x }", "K001"),
            ("{ none: x, any_of: [y] }", "K004"), ("{ template: 'https://{a}{b}' }", "K005"),
        ])
    func aMistakeIsFound(rule: String, code: String) {
        let text = ResolutionFixture.head + "issuer: https://id.acme.example\nissuer_match: \(rule)\n"
        let document = DescriptorDocument(SourceFile(path: "a.yaml", text: text))
        #expect(document.diagnostics.first?.code == code)
    }
}
