import CarnetTestSupport
import Foundation
import Testing

/// `==` of `String` is canonical equivalence: two subjects, clients or accounts with other bytes can be equal. Identifiers
/// from outside are compared by `isSameBytes(as:)`, and are keys of dictionaries as `ByteKey`. What does otherwise is listed
/// here with the reason why it may.
@Suite("Identifiers from outside")
struct ByteComparisonTests {
    /// Where such identifiers are. `CarnetDescriptors` and `CarnetLint` read what the host's own files say.
    private static let modules = [
        "Carnet", "CarnetFoundation", "CarnetProtocol", "CarnetWeb", "CarnetHummingbird", "CarnetResourceServer",
        "CarnetGateway",
        "CarnetStorage",
        "CarnetSQLite",
        "CarnetPostgreSQL", "CarnetCurl", "CarnetHTTP", "CarnetURLSession", "CarnetUserAgent", "CarnetOpenAPI",
        "CarnetDemo", "CarnetCommand",
    ]

    private static let names = [
        "issuer", "iss", "subject", "sub", "nonce", "state", "sid", "sessionID", "clientID", "client_id", "audience",
        "aud",
        "azp", "jti", "kid", "keyID", "account", "label", "inputs", "environment", "redirectURI", "connection", "acr",
        "email",
    ].joined(separator: "|")

    /// What stands in the line, and why it is no comparison of two strings from outside.
    private static let reviewed = [
        ("Secret(", "secrets are compared as bytes, in constant time"),
        (".map(Secret.init) == nonce", "secrets are compared as bytes, in constant time"),
        (".map { Secret($0) } == state", "secrets are compared as bytes, in constant time"),
        ("saved.connection != stored.connection", "whether anything is to be saved, of a copy of the same record"),
        ("connection != latest.connection", "whether anything is to be saved, of a copy of the same record"),
        ("removeAll { $0 == account }", "an account of the same cookie, by its random name"),
        ("account != accounts.first", "an account of the same cookie, by its random name"),
        ("\"other\": account != own.first", "an account of the same cookie, by its random name"),
        ("label == blocks.last?.label", "the lines of the host's own key"),
        ("key.label !=", "the lines of the host's own key"),
        ("block.label !=", "the lines of the host's own key"),
        ("SimulatedClient.clientID", "the host's own configuration"),
        ("clientID != simulated.clientID", "the host's own configuration"),
        ("$0.clientID == clientID", "the host's own configuration"),
        ("found != inputs", "the host's own files"),
        ("$0.state == state", "which sign-in a page of the demonstration draws"),
    ]

    /// Dictionaries and sets of strings, and why their keys need not be bytes.
    private static let reviewedKeys = [
        ("[String: ConnectionValue]", "the names are the descriptor's"),
        ("scopes: Set<String>", "scopes are ASCII (RFC 6749, section 3.3), and those of a rule are checked"),
        ("granted: Set<String>", "scopes are ASCII (RFC 6749, section 3.3), and those of a token are checked"),
        ("inputs: [String: String]", "the names are the descriptor's; values are compared by isSameBytes(as:)"),
        ("extraScopes: [String: [String]]", "the names are the descriptor's"),
        ("localHosts: Set<String>", "host names are ASCII by the time that they are looked up"),
        ("allowedHosts: Set<String>?", "host names are ASCII by the time that they are looked up"),
        ("proxies: [String: Result<Proxy", "the schemes http and https"),
        ("forms: Set<String>", "words in ASCII of a name that is only shown"),
        ("nouns: Set<String>", "words in ASCII of a name that is only shown"),
        ("codes: Set<String>", "words in ASCII of a name that is only shown"),
        ("keys: Set<String>", "words in ASCII of a name that is only shown"),
        ("unusable: Set<String>", "paths of the host's own files"),
        ("systemSchemes: Set<String>", "schemes in ASCII"),
        ("waiting: [String: [CheckedContinuation", "addresses of senders; one spelling shares one queue"),
        ("recordsByKeyID: [String: Int]", "hexadecimal digits"),
        ("values: [String: TemplateValue]", "the names are those of this package's templates"),
    ]

    /// Finds comparisons of what has one of the names.
    private struct Rules {
        private let rules: [Regex<AnyRegexOutput>]

        init() throws {
            let literal = #"(nil\b|\.\w|"|true\b|false\b|-?\d|\[\])"#
            rules = try [
                #"\b(\#(ByteComparisonTests.names))\b\)?[?!]? (==|!=) (?!\#(literal))"#,
                #"(==|!=) (?:[\w$]+[.?!]+)*\b(\#(ByteComparisonTests.names))\b(?!\s*[(.\w])"#,
                #"\b(\#(ByteComparisonTests.names))\b[^"]*\) (==|!=) \("#,
            ]
            // Otherwise `old.subject` is one word.
            .map { try Regex($0).wordBoundaryKind(.simple) }
        }

        func find(in line: Substring) -> Bool {
            (line.contains("==") || line.contains("!=")) && rules.contains { line.contains($0) }
        }
    }

    @Test("are compared byte for byte", arguments: modules)
    func comparisons(module: String) throws {
        let rules = try Rules()
        for (place, line) in try lines(of: module) where rules.find(in: line) {
            let isReviewed = Self.reviewed.contains { line.contains($0.0) }
            #expect(isReviewed, "\(place): compare with isSameBytes(as:), or say why not:\(line)")
        }
    }

    @Test("are keys as bytes", arguments: modules.dropLast(3))
    func keys(module: String) throws {
        let declared = try Regex(
            #"\b(let|var)\b[^=]*(Set<String>|\[String: )|=\s*(Set<String>\(|\[String: [^\]]*\]\()"#)
        for (place, line) in try lines(of: module) where line.contains("String") && line.contains(declared) {
            let isReviewed = Self.reviewedKeys.contains { line.contains($0.0) }
            #expect(isReviewed, "\(place): use ByteKey, or say why not:\(line)")
        }
    }

    @Test(
        "are found by these rules",
        arguments: [
            ("guard old.subject == subject else { return }", true),
            ("if connection.clientID != registration.clientID {", true),
            ("guard (issuer, subject) == (old.issuer, old.subject) else { return }", true),
            ("keys.first { $0.account == wanted }", true), ("keys.first { wanted == $0.account }", true),
            ("if issuer == nil || subject != nil {", false), ("guard nonce == .off else { return }", false),
            ("if state == \"ended\" {", false),
        ])
    func rules(line: String, isFound: Bool) throws {
        #expect(try Rules().find(in: line[...]) == isFound)
    }

    /// A cookie, a form and a path are split by bytes: a character may be more than a separator, and white space may be none.
    @Test("are not split or trimmed by characters in a web site's requests")
    func separators() throws {
        for (place, line) in try lines(of: "CarnetWeb") {
            for found in [".whitespace", "isWhitespace", "split(separator: \"", ".lowercased() =="] {
                #expect(!line.contains(found), "\(place) reads by characters: \(line)")
            }
        }
    }

    /// The lines of code of a module, with their places.
    private func lines(of module: String) throws -> [(String, Substring)] {
        try Repository.files("Sources/\(module)", "swift").flatMap { file in
            file.lines.filter { !$0.text.drop { $0 == " " }.hasPrefix("//") }
                .map { ("\(file.path):\($0.number)", $0.text) }
        }
    }
}
