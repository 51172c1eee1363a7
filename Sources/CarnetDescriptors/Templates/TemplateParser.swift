import CarnetFoundation

/// Reads what stands between two braces: `NAME`, `origin.NAME`, `function(arguments)`, and `|default` behind it.
struct TemplateParser {
    private static let greatestDepth = 8

    private var rest: Substring
    private let place: TemplatePlace
    private var depth = 0

    /// The functions by name.
    static let functionNames = functions.map(\.name)

    /// The arguments of each function, with an example.
    private static let functions: [(name: String, takes: String, example: String)] = [
        ("base64", "one value", "client.id"),
        ("base64url", "one value", "client.id"),
        ("capture", "a value and a quoted regular expression", "client.id, '[0-9]+'"),
        ("first", "two values or more", "client.id, 'none'"),
        ("hmac_sha256", "a key and a message", "client.secret, client.id"),
        ("join", "a separator and one value or more", "':', client.id, client.secret"),
        ("jwt_claim", "a token and a quoted JSON Pointer", "token.id_token, '/sub'"),
        ("lower", "one value", "client.id"),
        ("map", "a value and the quoted name of a table in tables", "client.id, 'hosts'"),
        ("now", "no argument, or one of 's', 'ms', 'iso8601'", "'ms'"),
        ("random", "no argument, or a number of bytes from '8' to '64'", "'16'"),
        ("sha256", "one value", "client.id"),
        ("urldecode", "one value", "client.id"),
        ("urlencode", "one value", "client.id"),
        ("uuid", "no argument", ""),
    ]

    /// - Parameter text: Everything behind the opening brace.
    init(_ text: Substring, in place: TemplatePlace) {
        rest = text
        self.place = place
    }

    /// The expression, its default, and what stands behind the closing brace.
    mutating func parse() throws(TemplateError) -> (TemplateExpression, fallback: String?, rest: Substring) {
        let expression = try expression()
        var fallback: String?
        if takes("|") {
            fallback = String(take { $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "{") })
            guard !place.isConfiguration else {
                throw TemplateError(
                    reason: "set the default of an input in inputs", help: "write inputs: { NAME: { default: VALUE } }")
            }
        }
        guard !place.isURL || !expression.isSecret() || place.allowsTokens && expression.isMadeOfTokens else {
            let secret = expression.references.first(where: \.isAlwaysSecret)
            throw TemplateError(
                reason: "{\(secret.map(\.description) ?? "")} is secret and cannot be in a URL",
                help: "the authorization request is a URL, too; send it in a parameter or a header of another request")
        }
        guard takes("}") else { throw TemplateError(reason: "a { has no }") }
        return (expression, fallback, rest)
    }

    /// Whether the rest starts with a character, which is gone then.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard rest.utf8.first == UInt8(ascii: character) else { return false }
        rest = rest[rest.utf8.index(after: rest.startIndex)...]
        return true
    }

    /// The longest beginning of such bytes, which is gone then. It never ends inside a character that is not ASCII.
    private mutating func take(while belongs: (UInt8) -> Bool) -> Substring {
        let end = rest.utf8.firstIndex { !belongs($0) } ?? rest.endIndex
        defer { rest = rest[end...] }
        return rest[..<end]
    }

    private mutating func expression() throws(TemplateError) -> TemplateExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.greatestDepth else { throw TemplateError(reason: "the functions are nested too deeply") }
        skipSpaces()
        if rest.utf8.first == UInt8(ascii: "'") {
            guard depth > 1 else {
                throw TemplateError(
                    reason: "a quoted string can only be an argument of a function",
                    help: "write the text outside the braces, or {join('', 'the text')}")
            }
            return .literal(try quoted())
        }
        let word = take { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
        let result: TemplateExpression = takes("(") ? try call(String(word)) : .value(try reference(word))
        skipSpaces()
        return result
    }

    private mutating func skipSpaces() {
        if depth > 1 { skipInside() }
    }

    private mutating func quoted() throws(TemplateError) -> String {
        _ = takes("'")
        let text = take { $0 != UInt8(ascii: "'") }
        guard takes("'") else { throw TemplateError(reason: "a quoted string has no end") }
        skipSpaces()
        return String(text)
    }

    private func reference(_ word: Substring) throws(TemplateError) -> TemplateReference {
        if Template.isName(word) { return TemplateReference(.input, String(word)) }
        guard let dot = word.utf8.firstIndex(of: UInt8(ascii: ".")),
            let origin = TemplateOrigin(rawValue: String(word[..<dot])),
            case let name = word[word.utf8.index(after: dot)...], Template.isName(name)
        else {
            throw TemplateError(reason: "{\(word)} does not name an input", help: place.available)
        }
        let reference = TemplateReference(origin, String(name))
        guard place.origins.contains(origin) else {
            let allowed = place.origins.map(\.rawValue).joined(separator: ", ")
            throw TemplateError(
                reason: "{\(reference)} is not available here; available are values of: \(allowed)",
                help: reference == .clientID
                    ? "declare an input: inputs: { NAME: { default: '{client.id}' } }" : place.available)
        }
        let known = place.builtInNames(of: origin)
        let isParameter = origin == .request && StandardParameter(rawValue: reference.name) != nil
        if [.client, .request].contains(origin), !isParameter, !known.contains(reference.name) {
            let names = known.map { "\(origin.rawValue).\($0)" }.joined(separator: ", ")
            throw TemplateError(reason: "{\(reference)} does not exist; available: \(names)", help: place.available)
        }
        return reference
    }

    private mutating func call(_ name: String) throws(TemplateError) -> TemplateExpression {
        guard !place.isConfiguration else {
            throw TemplateError(reason: "only inputs can be used here, no functions")
        }
        var arguments: [TemplateExpression] = []
        skipInside()
        while rest.utf8.first != UInt8(ascii: ")") {
            arguments.append(try expression())
            skipInside()
            guard takes(",") else { break }
        }
        guard takes(")") else { throw TemplateError(reason: "\(name)( has no )") }
        return try Self.make(name, arguments)
    }

    private mutating func skipInside() { _ = take { $0 == UInt8(ascii: " ") } }

    private static func make(
        _ name: String, _ arguments: [TemplateExpression]
    ) throws(TemplateError) -> TemplateExpression {
        func literal(_ index: Int) -> String? {
            if index < arguments.count, case .literal(let text) = arguments[index] { text } else { nil }
        }
        switch (name, arguments.count) {
        case ("base64", 1): return .base64(arguments[0])
        case ("base64url", 1): return .base64url(arguments[0])
        case ("urlencode", 1): return .urlencode(arguments[0])
        case ("urldecode", 1): return .urldecode(arguments[0])
        case ("sha256", 1): return .sha256(arguments[0])
        case ("lower", 1): return .lower(arguments[0])
        case ("uuid", 0): return .uuid
        case ("hmac_sha256", 2): return .hmacSHA256(key: arguments[0], message: arguments[1])
        case ("now", 0): return .now(.seconds)
        case ("now", 1):
            if let form = literal(0).flatMap(TemplateExpression.TimeForm.init) { return .now(form) }
        case ("random", 0): return .random(32)
        case ("random", 1):
            if let count = literal(0).flatMap({ Int($0) }), (8...64).contains(count) { return .random(count) }
        case ("first", 2...16): return .first(arguments)
        case ("join", 2...16): return .join(separator: arguments[0], Array(arguments.dropFirst()))
        case ("jwt_claim", 2):
            if let pointer = literal(1).flatMap({ JSONPointer($0) }) { return .claim(arguments[0], pointer) }
        case ("capture", 2):
            if let pattern = literal(1) { return .capture(arguments[0], try ValuePattern(pattern)) }
        case ("map", 2):
            if let table = literal(1), Template.isName(table) { return .mapped(arguments[0], table: table) }
        default: break
        }
        guard let function = functions.first(where: { $0.name == name }) else {
            throw TemplateError(
                reason: "there is no function \(name)",
                help: nearestName(to: name, in: functionNames).map { "did you mean \($0)?" }
                    ?? "the functions are " + functionNames.joined(separator: ", "))
        }
        throw TemplateError(
            reason: "\(name) takes \(function.takes)", help: "for example {\(name)(\(function.example))}")
    }
}
