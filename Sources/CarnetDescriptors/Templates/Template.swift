import CarnetFoundation

/// A string with `{name}` places that are filled from the declared inputs, or from what is known at run time;
/// `{issuer}` is the descriptor's own issuer.
package struct Template: Hashable, Sendable, CustomStringConvertible {
    enum Part: Hashable, Sendable {
        case literal(String)
        case input(String)
        /// Filled at run time; the default replaces a missing value.
        case late(TemplateExpression, fallback: String?)
    }

    package static let issuerName = "issuer"

    /// What null stands for: nothing is sent, although another section says so. No string is read as it.
    static let removal = Template("null", parts: [])
    package var isRemoval: Bool { parts.isEmpty && self == .removal }

    package let source: String
    let parts: [Part]
    /// Whether the text is JSON, whose strings are templates. What is filled in is escaped.
    package let isJSON: Bool

    /// A template of inputs alone.
    ///
    /// - Throws: `TemplateError` for a brace without its partner or a name that is not letters, digits and `_`.
    package init(_ source: String) throws(TemplateError) {
        try self.init(source, in: .configuration)
    }

    init(_ source: String, parts: [Part], isJSON: Bool = false) {
        (self.source, self.parts, self.isJSON) = (source, parts, isJSON)
    }

    /// - Throws: `TemplateError`, also for a value that the place cannot have.
    package init(_ source: String, in place: TemplatePlace) throws(TemplateError) {
        self.source = source
        isJSON = false
        guard source.holds(UInt8(ascii: "{")) || source.holds(UInt8(ascii: "}")) else {
            parts = source.isEmpty ? [] : [.literal(source)]
            return
        }
        var parts: [Part] = []
        var rest = source[...]
        while let brace = rest.utf8.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) {
            guard rest.utf8[brace] == UInt8(ascii: "{") else { throw TemplateError(reason: "a } has no {") }
            if brace > rest.startIndex { parts.append(.literal(String(rest[..<brace]))) }
            rest = rest[rest.utf8.index(after: brace)...]
            // Nearly all are the name of an input and nothing else.
            if let end = rest.utf8.firstIndex(where: { !Self.isNameByte($0) }), end > rest.startIndex,
                rest.utf8[end] == UInt8(ascii: "}")
            {
                parts.append(.input(String(rest[..<end])))
                rest = rest[rest.utf8.index(after: end)...]
                continue
            }
            var parser = TemplateParser(rest, in: place)
            let parsed = try parser.parse()
            if case .value(let reference) = parsed.0, reference.origin == .input, parsed.fallback == nil {
                parts.append(.input(reference.name))
            } else {
                parts.append(.late(parsed.0, fallback: parsed.fallback))
            }
            rest = parsed.rest
        }
        if !rest.isEmpty { parts.append(.literal(String(rest))) }
        self.parts = parts
    }

    /// Whether the template may use an input; `false` for nearly all.
    package var usesInputs: Bool {
        parts.contains { if case .literal = $0 { false } else { true } }
    }

    /// Whether the text is more than one value, or has text of its own.
    package var isComposed: Bool { parts.count > 1 }

    /// The names of the inputs that the template uses.
    package var inputNames: [String] {
        guard usesInputs else { return [] }
        return parts.flatMap { part in
            switch part {
            case .literal: [String]()
            case .input(let name): [name]
            case .late(let expression, _): expression.references.filter { $0.origin == .input }.map(\.name)
            }
        }
    }

    /// The inputs that stand alone between their braces.
    package var plainInputNames: [String] {
        parts.compactMap { if case .input(let name) = $0 { name } else { nil } }
    }

    package var description: String { source }

    /// Fills the template; `nil` if an input has no value, if the text is too long, and for a removal.
    ///
    /// - Parameter clientID: The client id, for the default of an input.
    func filled(clientID: String? = nil, _ value: (String) -> String?) -> String? {
        guard !isRemoval else { return nil }
        var output = ""
        for part in parts {
            switch part {
            case .literal(let text): output += text
            case .input(let name):
                guard let text = value(name) else { return nil }
                output += isJSON ? text.inJSON : text
            case .late(.value(let reference), _) where reference == .clientID:
                guard let clientID else { return nil }
                output += isJSON ? clientID.inJSON : clientID
            case .late: return nil
            }
            guard output.utf8.count <= TemplateValues.longest else { return nil }
        }
        return output
    }

    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") }
}

package struct TemplateError: Error, Hashable, Sendable {
    package var reason: String
    /// What to write instead.
    package var help: String?
}

extension Template: DescriptorValue {
    static var shape: Shape { shape(in: .configuration) }

    /// The argument of `init(_:)`.
    static var pattern: String { pattern(in: .configuration) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        self.init(node, in: .configuration, &decoder)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        guard !isRemoval else { return .null }
        return filler(self).flatMap { isJSON ? try? JSONValue(parsing: $0) : .string($0) }
    }
}
