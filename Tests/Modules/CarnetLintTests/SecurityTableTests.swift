import CarnetDescriptors
import CarnetSimulation
import CarnetTestSupport
import Testing

@testable import CarnetLint

/// What stops a descriptor with an error of lint in a host without the linter, for every error.
@Suite("Table of protections without the linter")
struct SecurityTableTests {
    private static let rows: [(codes: String, protection: String)] = [
        ("E001, E002, E003, E004, E010, K101, K104, K107, T072", "`resolve` throws"),
        ("E007", "if the URL is known, `resolve` throws; a URL of run-time values is checked when it is filled"),
        (
            "K120",
            "for a value that no key keeps, a missing table, or a subject made of later values, `resolve` throws; a value that is not available yet counts as missing: its parameter is left out, and its URL is not requested"
        ),
        ("C005", "`resolve` throws; an omitted `nonce` makes every ID token invalid"),
        (
            "C003, C004, C006, E005",
            "a parameter that would be sent twice is not sent; `resolve` throws for `request` and `request_uri`"
        ),
        (
            "E030",
            "Carnet sends no request to a host that is known only at run time, unless `trusted_hosts` contains it"
        ),
        ("C008, C030, C031, C042, C045", "Carnet makes no request with such a header, flow, claim or algorithm"),
        ("C013, C016", "Carnet accepts no such redirect URI in a registration"),
        ("E006, E040", "no metadata document and no ID token has such an issuer, so every sign-in fails"),
        (
            "C044, S007, T010",
            "Carnet needs the issuer or the keys: without them it makes no request or rejects every response"
        ),
        ("T011, T050", "Carnet ignores such claims"),
        ("T009", "Carnet rejects line breaks in every header; the token goes to the same server"),
        ("C011, T006", "nothing, because a secret in a file is known to all its readers before a program loads it"),
        ("T080", "nothing: a part of the value becomes the name in the profile, which only the host program receives"),
        (
            "D022, D023",
            "nothing: such characters deceive only people who review the file, and every output of the command escapes them"
        ),
        (
            "T065",
            "a `false` of the provider stays, and a derived address is not verified by the statement about another; otherwise nothing, because a descriptor says what a provider's responses mean"
        ),
        ("M002", "the first file keeps the id, and the registry reports the other"),
    ]

    /// Errors of descriptors that do not work. They protect nothing.
    private static let others = """
        B001 to B013, C009, C012, C018, C021, C040, C051, C060, C080, D020, E008, E009, K103, K105, K108, K121, R002 to
        R005, S001, S002, S009, S014, T002 to T005, T008, T012, T070
        """

    /// The codes of a list, in which `R002 to R005` has those between, too.
    private static func codes(in text: String) -> [String] {
        let words = text.split { " ,\n|".contains($0) }.map(String.init)
        return words.indices.flatMap { index -> [String] in
            guard words[index] == "to" else { return words[index].count == 4 ? [words[index]] : [] }
            let (first, last) = (words[index - 1], words[index + 1])
            guard let low = Int(first.dropFirst()), let high = Int(last.dropFirst()), low < high else { return [] }
            return (low + 1..<high).map { number in
                let digits = String(number)
                return "\(first.prefix(1))\(String(repeating: "0", count: 3 - digits.count))\(digits)"
            }
        }
    }

    @Test("names every error of a rule once")
    func isComplete() {
        // What makes a file unusable is refused by the reader, with or without lint.
        let errors = DiagnosticCatalog.all
            .filter { $0.severity == .error && !["D00", "D01", "K0"].contains(where: $0.code.hasPrefix) }.map(\.code)
        let named = Self.rows.flatMap { Self.codes(in: $0.codes) } + Self.codes(in: Self.others)
        #expect(Set(errors).subtracting(named).isEmpty, "\(Set(errors).subtracting(named).sorted())")
        #expect(Set(named).subtracting(errors).isEmpty, "\(Set(named).subtracting(errors).sorted())")
        #expect(named.count == Set(named).count)
    }

    @Test("says truly where resolve throws")
    func isTrue() throws {
        let codes = Self.rows.filter { $0.protection.hasPrefix("`resolve` throws") }.flatMap {
            Self.codes(in: $0.codes)
        }
        #expect(codes.count > 8)
        for rule in LintRuleCatalog.all.map(\.explanation) where codes.contains(rule.code) {
            for example in rule.bad {
                let document = DescriptorDocument(MarkedExample(completing: example).file(named: "acme.yaml"))
                // The reader may refuse it already.
                guard let descriptor = document.descriptor else { continue }
                let inputs = descriptor.simulatedInputs().values
                let error = #expect(throws: ResolutionError.self, "\(rule.code): \(example)") {
                    try descriptor.resolve(inputs: inputs)
                }
                #expect(error?.summary.contains("has no value") == false, "\(rule.code): \(example)")
            }
        }
    }
}
