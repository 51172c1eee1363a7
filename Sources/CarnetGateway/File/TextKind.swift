import Carnet
import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// Why a string is not of its kind.
struct TextProblem: Error {
    var rule = DecoderRule.valueNotAllowed
    var message: String
    var help: String?
    /// What the author meant with certainty.
    var replacement: String?
    /// Whether the string may be a secret, which no report repeats.
    var hidesSpan = false
}

/// A kind of string in a gateway file: how it looks, and what is made of it.
struct TextKind<Value: Sendable>: Sendable {
    let phrase: String
    let pattern: String?
    let make: @Sendable (String) throws(TextProblem) -> Value

    init(_ phrase: String, pattern: String? = nil, _ make: @escaping @Sendable (String) throws(TextProblem) -> Value) {
        self.phrase = phrase
        self.pattern = pattern
        self.make = make
    }

    /// A subject or a client id of digits is not a number.
    var shape: Shape { .text(phrase, pattern: pattern, takesScalars: pattern == nil) }

    /// - Returns: `nil` when a diagnostic was reported.
    func read(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) -> Value? {
        guard let scalar = node.scalar, !scalar.isNull else {
            decoder.reportWrongType(node, expected: shape)
            return nil
        }
        guard !scalar.text.isEmpty else {
            decoder.report(
                .emptyValue, "the string is empty", at: node.span, help: "leave the key out if it is not needed")
            return nil
        }
        do throws(TextProblem) {
            return try make(scalar.text)
        } catch {
            let fix = error.replacement.map {
                Fix(summary: "write \($0)", applicability: .safe, edits: [.init(span: node.span, replacement: $0)])
            }
            decoder.report(
                error.rule, error.message, at: node.span, help: error.help, fix: fix, hidesSpan: error.hidesSpan)
            return nil
        }
    }

    func readAll(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) -> [Value] {
        guard let elements = node.elements else { return read(node, &decoder).map { [$0] } ?? [] }
        if elements.isEmpty {
            decoder.report(.emptyValue, "the list is empty", at: node.span, help: "leave the key out, or name a value")
        }
        return elements.compactMap { read($0, &decoder) }
    }
}

// MARK: - Kinds

extension TextKind<String> {
    static let string = TextKind("a string") { text throws(TextProblem) in text }

    /// A reason is a sentence for the next reader.
    static let reason = TextKind("the reason, as a sentence") { text throws(TextProblem) in
        guard text.utf8.count >= 8 else {
            throw TextProblem(
                rule: .missingReason, message: "\"\(text)\" is no reason", help: "say in a sentence why it is so")
        }
        return text
    }

    static let emailDomain = TextKind("a domain of e-mail addresses, such as example.com") { text throws(TextProblem) in
        guard RequestHost.isName(text.asciiLowercased) else {
            throw TextProblem(
                message: "\"\(text)\" is not a domain",
                help: text.holds(UInt8(ascii: "@"))
                    ? "write the part behind the @, or use the key email"
                    : "write a domain such as example.com; subdomains are domains of their own")
        }
        return text.asciiLowercased
    }

    static let email = TextKind("an e-mail address") { text throws(TextProblem) in
        guard !text.hasPrefix("*@") else {
            throw TextProblem(
                message: "\"\(text)\" is one address, and a star in it stands for nothing",
                help: "write email_domain: \(text.dropFirst(2))")
        }
        guard EmailAddress(text) != nil else {
            throw TextProblem(
                message: "\"\(text)\" is not an e-mail address",
                help: "write one address, or use email_domain for all addresses of a domain")
        }
        return text
    }

    static let scope = TextKind("a scope") { text throws(TextProblem) in
        guard ScopeRules.isToken(text) else {
            throw TextProblem(
                message: "\"\(text)\" is not a scope (RFC 6749, section 3.3)",
                help: text.holds(UInt8(ascii: " ")) ? "write a list: [\(text.replacing(" ", with: ", "))]" : nil)
        }
        return text
    }

    static let method = TextKind("an HTTP method in upper case, such as GET") { text throws(TextProblem) in
        let upper = String(decoding: text.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
        let isName = !upper.isEmpty && upper.utf8.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "-") }
        guard isName, text == upper else {
            // Nobody means a method in lower case, which is another one (RFC 9110, section 9.1).
            throw TextProblem(
                message: "\"\(text)\" is not a method",
                help: isName
                    ? "did you mean \"\(upper)\"? methods are compared with their case"
                    : "write a method such as GET; without the key, a route is for every method",
                replacement: isName ? upper : nil)
        }
        return text
    }

    static let host = TextKind("a host name without a port, or *. and a domain") { text throws(TextProblem) in
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        guard RequestHost.isName(name.asciiLowercased) else {
            let help =
                if text.holds("://") {
                    "write the host alone, without the scheme"
                } else if text.holds(UInt8(ascii: "/")) {
                    "write the path into the key path"
                } else if text.holds(UInt8(ascii: ":")) {
                    "leave the port out: a browser chooses it, and the proxy may ignore it"
                } else {
                    "write a host such as wiki.apps.example, or *.apps.example for all hosts below a domain"
                }
            throw TextProblem(message: "\"\(text)\" is not a host", help: help)
        }
        return text.asciiLowercased
    }

    static let path = TextKind("a path such as /admin/**") { text throws(TextProblem) in
        // A star of its own is a character of a path; who writes it means more than one.
        let segments = text.utf8.split(separator: UInt8(ascii: "/"))
        guard segments.allSatisfy({ $0.elementsEqual("**".utf8) || !$0.contains(UInt8(ascii: "*")) }) else {
            throw TextProblem(
                message: "\"\(text)\" has a star that stands for nothing",
                help: "/** at the end stands for all below, and {name} for one segment")
        }
        do throws(RoutePatternProblem) {
            _ = try RoutePattern(path: text)
        } catch {
            throw TextProblem(
                message: "no request can have the path \"\(text)\": \(error.reason)",
                help: text.utf8.first == UInt8(ascii: "/")
                    ? "segments are literal or {name}, and /** at the end stands for all below"
                    : "a path begins with /; the host has a key of its own")
        }
        return text
    }

    static let variable = TextKind(
        "the name of an environment variable", pattern: "^[A-Za-z_][A-Za-z0-9_]*$"
    ) { text throws(TextProblem) in
        guard text.isVariableName else {
            throw TextProblem(
                message: "this key \(VariableError.noName)",
                help: text.nameOfVariable.map { "write the name alone: \($0)" }
                    ?? "put the secret into a variable, and write the variable's name", hidesSpan: true)
        }
        return text
    }

    /// The name of a claim, or a JSON Pointer to it.
    static let claim = TextKind("a claim, or a JSON Pointer such as /realm_access/roles") { text throws(TextProblem) in
        guard text.utf8.first != UInt8(ascii: "/") || JSONPointer(text) != nil else {
            throw TextProblem(
                rule: .badPointer, message: "\"\(text)\" is not a JSON Pointer", help: "write one such as /realm/roles")
        }
        return text
    }
}

extension TextKind<ProviderID> {
    static let provider = TextKind(
        "the id of a provider", pattern: "^[a-z0-9][a-z0-9-]{0,63}$"
    ) { text throws(TextProblem) in
        guard ProviderID.isValid(text) else {
            throw TextProblem(
                message: "\"\(text)\" is not an id", help: "an id has at most 64 lower-case letters, digits and hyphens"
            )
        }
        return ProviderID(rawValue: text)
    }
}

extension TextKind<WebURL> {
    static let origin = TextKind("an origin such as https://apps.example") { text throws(TextProblem) in
        let help = "write scheme and host, such as https://apps.example; http only on this machine"
        let url: WebURL
        do throws(WebURLError) {
            url = try WebURL(text)
        } catch {
            guard !["${", "$(", "#{", "{{"].contains(where: { text.contains($0) }) else {
                throw TextProblem(
                    message: "\"\(text)\" has a variable of another program",
                    help: "a gateway file has no variables: write the value, such as https://apps.example")
            }
            throw TextProblem(
                message: "\"\(text)\" is not an origin: \(error.reason)", help: text.adviceOnCurlyQuotes ?? help)
        }
        guard url.path == "/" || url.path.isEmpty, url.query == nil else {
            throw TextProblem(message: "\"\(text)\" is not an origin: it has a path", help: help)
        }
        return url
    }
}

extension TextKind<AddressRange> {
    static let address = TextKind("an address or a range such as 10.0.0.0/8") { text throws(TextProblem) in
        guard let range = AddressRange(text) else {
            let parts = text.split(separator: "/", maxSplits: 1)
            if parts.count == 2, AddressRange(String(parts[0])) != nil, let length = Int(parts[1]),
                (0..<(parts[0].contains(":") ? 128 : 32)).contains(length), parts[1] == String(length)
            {
                let numbers = parts[0].split(separator: ".").compactMap { UInt32($0) }
                let network = numbers.reduce(0) { $0 << 8 | $1 } & ~(UInt32.max >> UInt32(length))
                let meant = [24, 16, 8, 0].map { String(network >> $0 & 255) }.joined(separator: ".")
                throw TextProblem(
                    message: "\"\(text)\" is not a range: its address has bits after the first \(length)",
                    help: numbers.count == 4
                        ? "write \(meant)/\(length), or the address alone" : "set them to 0, or write the address alone"
                )
            }
            throw TextProblem(
                message: "\"\(text)\" is not an address or a range",
                help: "write an address such as 192.0.2.1 or a range such as 10.0.0.0/8 (RFC 4632), not a name")
        }
        return range
    }
}

extension TextKind<HTTPField.Name> {
    static let header = TextKind("the name of a header", HeaderNames.checked)
}

extension String {
    /// ASCII letters in lower case: `lowercased()` changes other letters too.
    var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
