import CarnetDescriptors
import Testing

@testable import CarnetLint

@Suite("Rule catalog")
struct RuleCatalogTests {
    @Test("Codes and names are unique")
    func codesAndNamesAreUnique() {
        #expect(Set(RuleCatalog.all.map(\.code)).count == RuleCatalog.all.count)
        #expect(Set(RuleCatalog.all.map(\.name)).count == RuleCatalog.all.count)
    }

    @Test("A code is a family letter and three digits, a name is in kebab case", arguments: RuleCatalog.all)
    func aCodeIsAFamilyLetter(rule: RuleExplanation) {
        #expect(rule.code.wholeMatch(of: /[DKESCTMR][0-9]{3}/) != nil)
        #expect(rule.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil)
        #expect(rule.summary.hasSuffix("."))
        #expect(!rule.rationale.isEmpty)
    }

    @Test("A rule is found by its code in any case, and by its name")
    func aRuleIsFound() throws {
        #expect(try RuleCatalog.rule("e001").name == "insecure-url")
        #expect(try RuleCatalog.rule("insecure-url").code == "E001")
    }

    @Test("An unknown code is answered with the nearest")
    func anUnknownCodeIsAnswered() {
        #expect(throws: UnknownRuleError(name: "insecure-ur", nearest: ["insecure-url"])) {
            try RuleCatalog.rule("insecure-ur")
        }
        #expect(
            UnknownRuleError(name: "E0011", nearest: ["E001"]).description
                == #"no rule is called "E0011"; did you mean E001?"#)
    }

    @Test("Every code that the reader and the decoder report has a page")
    func everyCodeThatTheReader() throws {
        for rule in DecoderRules.all + ReaderRules.all { #expect(try RuleCatalog.rule(rule.code) == rule) }
    }
}
