import CarnetTestSupport
import Testing

@testable import CarnetDescriptors

@Suite("Value pattern")
struct ValuePatternTests {
    @Test(
        "A pattern takes whole values alone",
        arguments: [
            ("[0-9]+", "4620816", true), ("[0-9]+", "462x", false), ("[0-9]+", "", false),
            (#"[a-z0-9-]+\.shops\.example"#, "acme.shops.example", true),
            (#"[a-z0-9-]+\.shops\.example"#, "acme.shops.example.evil", false),
            (#"[a-z0-9-]+\.shops\.example"#, "acmexshopsxexample", false),
            ("(eu|us|com)", "com", true), ("(eu|us|com)", "euus", false), ("a{2,3}", "a", false),
            ("a{2,3}", "aaa", true),
            ("a{2,3}", "aaaa", false), ("a{2}b?", "aab", true), ("[^/]*", "a b", true), ("[^/]*", "a/b", false),
            (#"\d\w\s\."#, "1a .", true), ("(?:ab)*", "ababab", true), ("(a*)*", "aaa", true), ("{x}", "{x}", true),
            ("[]a]+", "]a", true), ("^[a-z]+$", "abc", true), ("^a|b$", "b", true), ("a^b", "ab", false),
            ("(^a)+", "aa", false),
            ("a$b?", "a", true), ("$^", "", true), ("[a-z]{1,128}", "abc", true), ("a{0,3}", "", true),
            ("a{3,}", "aaaa", true),
            ("a{3,}", "aa", false), (#"[\.-9]+"#, "./9", true), (#"[\w-]+"#, "a_-9", true), ("(?:)", "", true),
            ("(?:(?:)){3}a", "a", true), ("a(|b)c", "ac", true), ("{,3}", "{,3}", true), ("[a-]+", "a-", true),
            (".", "é", true), (".", "\n", false), ("", "", true),
        ])
    func aPatternTakesWholeValuesAlone(pattern: String, value: String, isMatch: Bool) throws {
        #expect(try ValuePattern(pattern).matches(value) == isMatch)
    }

    @Test("The first group is what is captured")
    func theFirstGroupIsWhat() throws {
        #expect(try ValuePattern(#"https://www\.oddapis\.(.*)"#).capture(in: "https://www.oddapis.com.au") == "com.au")
        #expect(try ValuePattern("(a|ab)(c|bcd)").capture(in: "abcd") == "a")
        #expect(try ValuePattern("a+").capture(in: "aaa") == "aaa")
        #expect(try ValuePattern("(x)?y").capture(in: "y") == nil)
    }

    @Test(
        "A value can be made up for a pattern",
        arguments: [
            ("[0-9]+", "1"), ("[0-9]*", "1"), ("(eu|us|com)", "eu"),
            (#"[a-z0-9-]+\.shops\.example"#, "a.shops.example"),
            ("a{2,3}", "aa"), ("[^a1A/]{2}", "!!"), ("é?x", "x"), ("(?:ab)*", "ab"), ("[é-ü]", "é"), ("a^b", nil),
            ("$^", nil),
        ] as [(String, String?)])
    func aValueCanBeMadeUp(pattern: String, value: String?) throws {
        #expect(try ValuePattern(pattern).shortestValue == value)
    }

    @Test(
        "What cannot be bounded or understood is rejected",
        arguments: [
            "(", ")", "[a", "*", "a**", "a{2}{3}", "a{3,2}", "a{0}", "a{0,0}", "a{1024}", "a{99999999999999999999}",
            "^*",
            "a$+",
            #"\q"#, #"(?=a)"#, "\\", "[z-a]", #"[a-\d]"#, #"a*?"#, #"(a)\1"#,
            String(repeating: "a", count: 257), "(a{64}){64}", String(repeating: "(", count: 20),
        ])
    func whatCannotBeBoundedOrUnderstood(pattern: String) {
        #expect(throws: TemplateError.self) { try ValuePattern(pattern) }
    }

    @Test(
        "A hostile value takes no more time than a friendly one", .timeLimit(.minutes(5)),
        arguments: ["(a*)*b", "(a|a)*b", "(a+)+b", "(.*)(.*)(.*)(.*)b"])
    func aHostileValueTakesNoMore(pattern: String) throws {
        #expect(try !ValuePattern(pattern).matches(String(repeating: "a", count: ValuePattern.longestValue)))
    }

    /// What is common to both dialects means the same in both: patterns that other tools check can be taken over.
    @Test("It takes the values that Swift's regular expressions take")
    func itTakesTheValuesThatSwifts() throws {
        var numbers = ChanceNumbers(state: Budget.seed)
        var passed = 0
        for _ in 0..<40 * Budget.factor {
            let source = numbers.pattern(depth: 2)
            // A longer one is rejected, which another test shows.
            guard source.count <= 256 else { continue }
            let pattern = try ValuePattern(source)
            let regex = try Regex(source)
            for _ in 0..<12 {
                let value = numbers.value()
                let isMatch = try regex.wholeMatch(in: value) != nil
                #expect(pattern.matches(value) == isMatch, "seed \(Budget.seed): \(source), \(value)")
                if isMatch { passed += 1 }
            }
        }
        #expect(passed > 20)
    }

    @Test("A value beyond the limit is not read")
    func aValueBeyondTheLimit() throws {
        #expect(try !ValuePattern("a*").matches(String(repeating: "a", count: ValuePattern.longestValue + 1)))
    }
}

/// Patterns and values by chance, the same for each seed.
private struct ChanceNumbers {
    var state: UInt64

    mutating func below(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % count
    }

    mutating func pick(_ texts: [String]) -> String { texts[below(texts.count)] }

    mutating func pattern(depth: Int) -> String {
        (0...below(3)).map { _ in atom(depth: depth) + pick(["", "", "*", "+", "?", "{2}", "{1,3}", "{2,}"]) }.joined()
    }

    private mutating func atom(depth: Int) -> String {
        guard depth > 0, below(2) == 0 else {
            return pick(["a", "b", "-", "[ab]", "[^a]", "[a-c1-]", ".", #"\d"#, #"\w"#, #"\."#, #"[\d-]"#, #"\D"#])
        }
        let inner = (0...below(2)).map { _ in pattern(depth: depth - 1) }.joined(separator: "|")
        return pick(["(", "(?:"]) + inner + ")"
    }

    mutating func value() -> String { (0..<below(7)).map { _ in pick(["a", "b", "-", "1", "."]) }.joined() }
}
