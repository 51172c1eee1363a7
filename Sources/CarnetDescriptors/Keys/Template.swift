/// A text with `{name}` places that are filled from the declared inputs; `{issuer}` is the descriptor's own issuer.
public struct Template: Hashable, Sendable, CustomStringConvertible {
    enum Part: Hashable, Sendable {
        case literal(String)
        case input(String)
    }

    public static let issuerName = "issuer"

    public let source: String
    let parts: [Part]

    /// - Throws: `TemplateError` for a brace without its partner or a name that is not letters, digits and `_`.
    public init(_ source: String) throws(TemplateError) {
        self.source = source
        guard source.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
            parts = source.isEmpty ? [] : [.literal(source)]
            return
        }
        var parts: [Part] = []
        var literal = ""
        var rest = source[...]
        while let character = rest.popFirst() {
            switch character {
            case "{":
                guard let close = rest.firstIndex(of: "}") else { throw TemplateError(reason: "a { has no }") }
                var name = rest[..<close]
                if name.hasPrefix("input.") { name = name.dropFirst("input.".count) }
                guard Self.isName(name) else {
                    throw TemplateError(reason: "{\(rest[..<close])} does not name an input")
                }
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(.input(String(name)))
                rest = rest[rest.index(after: close)...]
            case "}":
                throw TemplateError(reason: "a } has no {")
            default:
                let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") } ?? rest.endIndex
                literal.append(character)
                literal += rest[..<end]
                rest = rest[end...]
            }
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.parts = parts
    }

    /// The names of the inputs that the template uses.
    public var inputNames: [String] {
        parts.compactMap { if case .input(let name) = $0 { name } else { nil } }
    }

    public var description: String { source }

    /// Fills the template; `nil` if an input has no value.
    func filled(_ value: (String) -> String?) -> String? {
        var output = ""
        for part in parts {
            switch part {
            case .literal(let text): output += text
            case .input(let name):
                guard let text = value(name) else { return nil }
                output += text
            }
        }
        return output
    }

    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
    }
}

public struct TemplateError: Error, Hashable, Sendable {
    public var reason: String
}

extension Template: DescriptorValue {
    static var shape: Shape {
        .text("a text, in which {name} stands for an input", pattern: pattern, takesScalars: true)
    }

    /// What `init(_:)` takes.
    static let pattern = #"^([^{}]|\{(input\.)?[A-Za-z0-9_]+\})*$"#

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let scalar = node.scalar, !scalar.isNull else {
            decoder.reportWrongType(node, expected: Self.shape)
            return nil
        }
        do throws(TemplateError) {
            try self.init(scalar.text)
        } catch {
            decoder.report(
                .badTemplate, error.reason, at: node.span, help: "write {name}, where inputs has the key name")
            return nil
        }
    }
}

/// Character classes of the protocols' ASCII grammars.
enum ASCII {
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }

    static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// The unreserved characters of RFC 3986, section 2.3.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isAlphanumeric(byte)
        }
    }
}
