import CarnetFoundation

extension Template {
    static func shape(in place: TemplatePlace) -> Shape {
        .text(phrase(in: place), pattern: pattern(in: place), takesScalars: true)
    }

    static func phrase(in place: TemplatePlace) -> String {
        place.isConfiguration
            ? "a string, in which {name} stands for an input"
            : "a string, in which {name} stands for an input and {origin.name} for a value of "
                + place.origins.filter { $0 != .input }.map(\.rawValue).joined(separator: ", ")
    }

    static func pattern(in place: TemplatePlace) -> String {
        guard !place.isConfiguration else {
            let client = place.origins.contains(.client) ? #"client\.id|"# : ""
            return #"^([^{}]|\{(\#(client)(input\.)?[A-Za-z0-9_]+)\})*$"#
        }
        let origins = place.origins.map(\.rawValue).joined(separator: "|")
        let functions = TemplateParser.functionNames.joined(separator: "|")
        let value = #"((\#(origins))\.)?[A-Za-z0-9_]+"#
        let call = #"(\#(functions))\(([^{}']|'[^']*')*\)"#
        return #"^([^{}]|\{(\#(value)|\#(call))(\|[^{}]*)?\})*$"#
    }

    init?(_ node: YAMLNode, in place: TemplatePlace, _ decoder: inout DescriptorDecoder) {
        guard let scalar = decoder.expect(node.written, node, Self.shape(in: place)) else { return nil }
        let isShort = place.isURL || place.isConfiguration
        do throws(TemplateError) {
            guard !isShort || scalar.text.utf8.count <= Self.longestURL else {
                throw TemplateError(
                    reason: "it is longer than \(Self.longestURL) bytes", help: "no server accepts such a URL")
            }
            try self.init(scalar.text, in: place)
        } catch {
            decoder.report(
                .badTemplate, error.reason, at: node.span,
                help: scalar.text.holds("{{")
                    ? "write one brace on each side, such as {client.id}"
                    : Self.hasOtherBraces(scalar.text) && !place.isConfiguration
                        ? "put other braces between quotes in a function: {join('', '{ me { id } }')}"
                        : error.help ?? "write {name}, where inputs has the key name")
            return nil
        }
    }

    /// What goes into URLs may stand in front of many others, such as an issuer.
    private static let longestURL = 2048

    /// Whether a text has braces that begin no value, such as those of GraphQL or JSON.
    private static func hasOtherBraces(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.indices.contains { index in
            guard bytes[index] == UInt8(ascii: "{") else { return false }
            let next = bytes.index(after: index)
            return next == bytes.endIndex || !ASCII.isAlphanumeric(bytes[next]) && bytes[next] != UInt8(ascii: "_")
        }
    }

    /// The names of the inputs without which the template has no text: a default stands in for the others.
    package var requiredInputNames: [String] { requiredReferences.filter { $0.origin == .input }.map(\.name) }

    /// The values without which the template has no text.
    package var requiredReferences: [TemplateReference] {
        parts.flatMap { part in
            switch part {
            case .literal, .late(_, fallback: _?): [TemplateReference]()
            case .input(let name): [TemplateReference(.input, name)]
            case .late(let expression, fallback: nil): expression.requiredReferences
            }
        }
    }

    /// The run-time value at the start of a URL, or right behind the scheme; `nil` if anything else stands there.
    package var firstValue: (value: TemplateReference, followsScheme: Bool)? {
        switch (parts.first, parts.dropFirst().first) {
        case (.late(.value(let value), _), _): (value, false)
        case (.literal(let scheme), .late(.value(let value), _)) where scheme.hasSuffix("://"): (value, true)
        default: nil
        }
    }

    /// Whether the text is one input and nothing else.
    package var isInput: Bool {
        if parts.count == 1, case .input = parts[0] { true } else { false }
    }

    /// What stands around the only input, and its name if there is one; `nil` if something else is filled.
    static func aroundInput(of parts: [Part]) -> (start: String, input: String?, end: String)? {
        var (start, name, end) = ("", nil as String?, "")
        for part in parts {
            switch part {
            case .literal(let text) where name == nil: start += text
            case .literal(let text): end += text
            case .input(let input) where name == nil: name = input
            case .input, .late: return nil
            }
        }
        return (start, name, end)
    }

    /// The expressions that are filled at run time.
    package var expressions: [TemplateExpression] {
        parts.compactMap { if case .late(let expression, _) = $0 { expression } else { nil } }
    }

    /// The texts that stand in for missing values.
    package var defaults: [String] {
        expressions.flatMap(\.defaults)
            + parts.compactMap { if case .late(_, let fallback?) = $0 { fallback } else { nil } }
    }

    /// The values that are filled at run time.
    package var references: [TemplateReference] {
        expressions.flatMap(\.references).filter { $0.origin != .input }
    }

    /// Whether the registration knows all that is filled at run time.
    var isOfClient: Bool { isLate && references.allSatisfy { $0.origin == .client } }

    /// Whether a part is filled at run time.
    package var isLate: Bool {
        parts.contains { if case .late = $0 { true } else { false } }
    }

    /// Whether the text begins with a value that is filled at run time.
    package var startsLate: Bool {
        if case .late = parts.first { true } else { false }
    }

    /// The text with `{1}` for what is filled at run time.
    package var outline: String {
        parts.map { part in
            switch part {
            case .literal(let text): text
            case .input(let name): "{\(name)}"
            case .late: "{1}"
            }
        }.joined()
    }

    /// Whether the descriptor's author fixed the scheme and host of the URL.
    package var fixesHost: Bool {
        var before = ""
        for part in parts {
            switch part {
            case .literal(let text): before += text
            case .input: before += "1"
            case .late(let expression, _):
                if let scheme = before.firstRange(of: "://"),
                    before[scheme.upperBound...].contains(where: { "/?".contains($0) })
                {
                    return true
                }
                guard expression.isClosed else { return false }
                before += "1"
            }
        }
        return true
    }

    /// The template with the inputs in it; `nil` if one has no value.
    ///
    /// - Parameters:
    ///   - secrets: Inputs that stay, and are filled at run time.
    ///   - joinsWhatIsThere: Whether `join` leaves out what has no value.
    func fillingInputs(
        keeping secrets: Set<String> = [], joinsWhatIsThere: Bool = false, _ value: (String) -> String?
    ) -> Template? {
        var filled: [Part] = []
        for part in parts {
            switch part {
            case .literal: filled.append(part)
            case .input(let name) where secrets.contains(name):
                filled.append(.late(.value(TemplateReference(.input, name)), fallback: nil))
            case .input(let name):
                guard let text = value(name) else { return nil }
                filled.append(.literal(isJSON ? text.inJSON : text))
            case .late(let expression, let fallback):
                if let expression = expression.filled(
                    keeping: secrets, joinsWhatIsThere: joinsWhatIsThere, value)
                {
                    filled.append(.late(expression, fallback: fallback))
                } else if let fallback {
                    filled.append(.literal(isJSON ? fallback.inJSON : fallback))
                } else {
                    return nil
                }
            }
        }
        return Template(source, parts: filled, isJSON: isJSON)
    }

    /// This template with another one behind it.
    func appending(_ other: Template) -> Template {
        var parts = parts
        if case .literal(let text) = parts.last, text.hasSuffix("/"), other.source.hasPrefix("/") {
            parts[parts.count - 1] = .literal(String(text.dropLast()))
        }
        return Template(source + other.source, parts: parts + other.parts)
    }

    /// The tables of `tables` that the template uses.
    package var tables: [String] {
        func tables(_ expression: TemplateExpression) -> [String] {
            let inner = expression.operands.flatMap(tables)
            if case .mapped(_, let table) = expression { return [table] + inner }
            return inner
        }
        return expressions.flatMap(tables)
    }
}
