import Testing

@testable import CarnetDescriptors

@Suite struct ValuePatternTests {
    @Test(arguments: [
        ("[0-9]+", "4620816", true), ("[0-9]+", "462x", false), ("[0-9]+", "", false),
        (#"[a-z0-9-]+\.shops\.example"#, "acme.shops.example", true),
        (#"[a-z0-9-]+\.shops\.example"#, "acme.shops.example.evil", false),
        (#"[a-z0-9-]+\.shops\.example"#, "acmexshopsxexample", false),
        ("(eu|us|com)", "com", true), ("(eu|us|com)", "euus", false), ("a{2,3}", "a", false), ("a{2,3}", "aaa", true),
        ("a{2,3}", "aaaa", false), ("a{2}b?", "aab", true), ("[^/]*", "a b", true), ("[^/]*", "a/b", false),
        (#"\d\w\s\."#, "1a .", true), ("(?:ab)*", "ababab", true), ("(a*)*", "aaa", true), ("{x}", "{x}", true),
        ("[]a]+", "]a", true), ("[a-]+", "a-", true), (".", "é", true), (".", "\n", false), ("", "", true),
    ])
    func `a pattern takes whole values alone`(pattern: String, value: String, isMatch: Bool) throws {
        #expect(try ValuePattern(pattern).matches(value) == isMatch)
    }

    @Test func `the first group is what is captured`() throws {
        #expect(try ValuePattern(#"https://www\.oddapis\.(.*)"#).capture(in: "https://www.oddapis.com.au") == "com.au")
        #expect(try ValuePattern("(a|ab)(c|bcd)").capture(in: "abcd") == "a")
        #expect(try ValuePattern("a+").capture(in: "aaa") == "aaa")
        #expect(try ValuePattern("(x)?y").capture(in: "y") == nil)
    }

    @Test(arguments: [
        "(", ")", "[a", "*", "a**", "a{3,2}", "a{65}", "^a", "a$", #"\q"#, #"(?=a)"#, "\\", "[z-a]",
        String(repeating: "a", count: 257), "(a{64}){64}", String(repeating: "(", count: 20),
    ])
    func `what cannot be bounded or understood is refused`(pattern: String) {
        #expect(throws: TemplateError.self) { try ValuePattern(pattern) }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["(a*)*b", "(a|a)*b", "(a+)+b", "(.*)(.*)(.*)(.*)b"])
    func `a hostile value takes no more time than a friendly one`(pattern: String) throws {
        #expect(try !ValuePattern(pattern).matches(String(repeating: "a", count: ValuePattern.longestValue)))
    }

    @Test func `a value beyond the limit is not looked at`() throws {
        #expect(try !ValuePattern("a*").matches(String(repeating: "a", count: ValuePattern.longestValue + 1)))
    }
}
