package import CarnetDescriptors
import CarnetFoundation
package import HTTPTypes

/// The headers that identify the sender to the program behind the proxy.
package struct GatewayHeaders: Sendable {
    package internal(set) var all: [GatewayHeader] = []

    package init() {}
}

/// A header, and what is in it.
package struct GatewayHeader: Sendable {
    package let name: HTTPField.Name
    package let template: HeaderTemplate
    /// Where its name is.
    package let span: SourceSpan
}

extension GatewayHeaders: GatewayValue {
    static var shape: Shape { .map(of: HeaderTemplate.kind.shape) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let entries = node.entries else {
            decoder.reportWrongType(node, expected: Self.shape)
            return nil
        }
        if entries.isEmpty { decoder.report(.emptyValue, "the mapping is empty", at: node.span) }
        for entry in entries {
            let template = HeaderTemplate.kind.read(entry.value, &decoder)
            do throws(TextProblem) {
                let name = try HeaderNames.checked(entry.key)
                if all.contains(where: { $0.name == name }) {
                    throw TextProblem(
                        message: "the header \"\(entry.key)\" is set twice", help: "the names of headers have no case")
                }
                if let template { all.append(GatewayHeader(name: name, template: template, span: entry.keySpan)) }
            } catch {
                decoder.report(error.rule, error.message, at: entry.keySpan, help: error.help)
            }
        }
    }
}

/// The value of an identity header: text with places such as `{account.subject}`.
package struct HeaderTemplate: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case literal(String)
        case value(IdentityValue)
        case claim(String)

        var isLiteral: Bool { if case .literal = self { true } else { false } }
    }

    /// A value of an identity, by its name in a template.
    enum IdentityValue: String, CaseIterable, Hashable, Sendable {
        case id, provider, issuer, subject, name, email, groups, scopes
        case clientID = "client_id"

        static let prefix = "account."
    }

    let parts: [Part]

    static let kind = TextKind("a string with places such as {account.subject}") { text throws(TextProblem) in
        try HeaderTemplate(text)
    }

    private static func bad(_ message: String, help: String? = nil) -> TextProblem {
        TextProblem(rule: .badTemplate, message: message, help: help)
    }

    init(_ source: String) throws(TextProblem) {
        guard source.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            throw Self.bad("the value of a header is ASCII without control characters")
        }
        var parts: [Part] = []
        var rest = source.utf8[...]
        while let brace = rest.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) {
            guard rest[brace] == UInt8(ascii: "{"), let end = rest[brace...].firstIndex(of: UInt8(ascii: "}")) else {
                throw Self.bad("a brace has no partner", help: "write {account.subject}")
            }
            if brace > rest.startIndex { parts.append(.literal(String(decoding: rest[..<brace], as: UTF8.self))) }
            guard brace > rest.startIndex || parts.last?.isLiteral ?? true else {
                throw Self.bad(
                    "two places are adjacent, so nobody can see where the first ends",
                    help: "write a separator such as a colon between them, or use two headers")
            }
            let name = String(decoding: rest[rest.index(after: brace)..<end], as: UTF8.self)
            parts.append(try Self.place(name))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.literal(String(decoding: rest, as: UTF8.self))) }
        self.parts = parts
    }

    private static func place(_ name: String) throws(TextProblem) -> Part {
        if name.hasPrefix("claim."), name.utf8.count > "claim.".utf8.count {
            let claim = String(name.dropFirst("claim.".count))
            guard claim.utf8.first != UInt8(ascii: "/") || JSONPointer(claim) != nil else {
                throw bad("\"\(claim)\" is not a JSON Pointer", help: "write {claim./realm/roles}")
            }
            return .claim(claim)
        }
        if name.hasPrefix(IdentityValue.prefix),
            let value = IdentityValue(rawValue: String(name.dropFirst(IdentityValue.prefix.count)))
        {
            return .value(value)
        }
        let names = IdentityValue.allCases.map { IdentityValue.prefix + $0.rawValue }
        throw bad(
            "no value is called \"\(name)\"",
            help: nearestName(to: name, in: names).map { "did you mean {\($0)}?" }
                ?? "there are " + names.map { "{\($0)}" }.joined(separator: ", ") + " and {claim.NAME}")
    }
}

/// A signed JWT that identifies the sender to the program behind the proxy.
package struct GatewayIdentityToken: Sendable {
    package internal(set) var header = GatewayIdentityToken.defaultHeader
    /// In seconds.
    package internal(set) var lifetime = 60
    /// The private key; `nil` if the command makes and keeps one.
    package internal(set) var key: SecretPlace?
    /// The origin of each request if empty.
    package internal(set) var audiences: [String] = []
    let node: YAMLNode

    package func line(of key: String) -> Int { node.line(of: key) }

    private static let defaultHeader: HTTPField.Name = {
        guard let name = HTTPField.Name("X-Auth-Assertion") else { preconditionFailure("it is a name") }
        return name
    }()
}

extension GatewayIdentityToken: GatewaySection {
    init(at node: YAMLNode) { self.node = node }

    static let keys: [Key<Self>] =
        [
            Key("header", text: .header, \.header, "the header that has the token; default: X-Auth-Assertion"),
            Key("lifetime", within: 10...3_600, \.lifetime, "how long a token is valid, in seconds; default: 60"),
            Key(
                "audience", oneOrMore: .string, \.audiences,
                "the audience of the tokens, or a list; default: the origin of the request"),
        ]
        + SecretPlace.keys("key", \.key, "the private key that signs: PEM, a JWK or a JWK Set; not in this file itself")
}
