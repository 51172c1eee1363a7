import CarnetDescriptors
import Testing

/// What the decoder says about values that almost fit.
@Suite struct DecoderMessageTests {
    private func finding(_ yaml: String) -> String? {
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: yaml))
        return document.diagnostics.first.map { "\($0.description); \($0.help ?? "")" }
    }

    @Test(arguments: [("42", "the number 42"), ("1.5", "the number 1.5"), ("true", "the boolean true")])
    func `a number where a text stands wants quotes`(written: String, found: String) {
        #expect(
            finding("carnet: 1\nid: \(written)\nname: Acme\n")
                == "acme.yaml:2:5: error: found \(found) [K002]; expected a text; "
                + "a text that looks like this stands between quotes"
        )
    }

    @Test func `nothing is no pointer`() {
        #expect(
            finding(ResolutionFixture.head + "profile:\n  root:\n")?.contains("found nothing [K002]") == true
        )
    }

    @Test func `what deletes is a key of the language too`() {
        let finding = finding(ResolutionFixture.head + "extends: other\nscoeps:\n")
        #expect(finding == "acme.yaml:5:1: error: unknown key \"scoeps\" [K001]; did you mean \"scopes\"?")
    }

    @Test func `a name is not inherited, so it cannot be deleted`() {
        #expect(finding("carnet: 1\nid: acme\nextends: other\nname:\n")?.contains("[K003]") == true)
    }

    @Test func `a safeguard shows how it is switched off`() {
        #expect(
            finding(ResolutionFixture.head + "authorization: { pkce: [] }\n")
                == "acme.yaml:4:24: error: found a list [K002]; expected required, or { off: REASON }"
        )
    }
}
