import CarnetDescriptors
import Testing

@testable import CarnetLint

@Suite("Rule catalog")
struct DiagnosticCatalogTests {
    @Test("Codes and names are unique")
    func codesAndNamesAreUnique() {
        #expect(Set(DiagnosticCatalog.all.map(\.code)).count == DiagnosticCatalog.all.count)
        #expect(Set(DiagnosticCatalog.all.map(\.name)).count == DiagnosticCatalog.all.count)
    }

    @Test("A code is a family letter and three digits, a name is in kebab case", arguments: DiagnosticCatalog.all)
    func aCodeIsAFamilyLetter(rule: DiagnosticExplanation) {
        #expect(rule.code.wholeMatch(of: /[BDKESCTMR][0-9]{3}/) != nil)
        #expect(rule.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil)
        #expect(rule.summary.hasSuffix("."))
        #expect(!rule.rationale.isEmpty)
    }

    @Test("A rule is found by its code in any case, and by its name")
    func aRuleIsFound() throws {
        #expect(try DiagnosticCatalog.rule("e001").name == "insecure-url")
        #expect(try DiagnosticCatalog.rule("insecure-url").code == "E001")
    }

    @Test("An unknown code gets the nearest as a suggestion")
    func anUnknownCodeGetsAResponse() {
        #expect(throws: UnknownRuleError(name: "insecure-ur", nearest: ["insecure-url"])) {
            try DiagnosticCatalog.rule("insecure-ur")
        }
        #expect(
            UnknownRuleError(name: "E0011", nearest: ["E001"]).description
                == #"no rule is called "E0011"; did you mean E001?"#)
    }

    @Test("Every code that the reader and the decoder report has a page")
    func everyCodeThatTheReader() throws {
        for rule in DecoderDiagnostics.all + ReaderDiagnostics.all {
            #expect(try DiagnosticCatalog.rule(rule.code) == rule)
        }
    }
}
