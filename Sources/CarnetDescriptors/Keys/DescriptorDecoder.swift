import CarnetFoundation

/// Collects what is wrong while a tree is read; reading goes on so that all problems are found in one pass.
package struct DescriptorDecoder {
    let file: String
    /// Whether the file holds secrets, so that no message may quote a value.
    private let hidesValues: Bool
    package private(set) var diagnostics: [Diagnostic] = []
    /// Whether a mapping is read that another one completes, so that nothing is missing from it yet.
    var isPartial = false

    /// The paths of a key in the whole language, for a key that is at the wrong place.
    var everywhere: (@Sendable (String) -> [String])?

    /// Whether the entry only deletes what is inherited.
    func deletes(_ entry: YAMLEntry) -> Bool { isPartial && entry.value.isNull }

    package init(file: String, hidesValues: Bool = false) {
        self.file = file
        self.hidesValues = hidesValues
    }

    package mutating func report(
        _ rule: DecoderRule, _ message: String, at span: SourceSpan, help: String? = nil, fix: Fix? = nil,
        hidesSpan: Bool = false
    ) {
        var found = Diagnostic(code: rule.rawValue, message: message, file: file, span: span, help: help, fix: fix)
        found.hidesSpan = hidesSpan
        diagnostics.append(found)
    }

    /// The value that was read of a node; without one, the wrong type is reported.
    mutating func expect<Value>(_ value: Value?, _ node: YAMLNode, _ shape: @autoclosure () -> Shape) -> Value? {
        if value == nil { reportWrongType(node, expected: shape()) }
        return value
    }

    /// The entries of a mapping with free names, without those that only delete what is inherited.
    ///
    /// - Returns: `nil` when a diagnostic was reported.
    mutating func named(
        _ node: YAMLNode, _ shape: @autoclosure () -> Shape, atMost limit: Int = .max
    ) -> [YAMLEntry]? {
        // Names are searched one by one.
        let limit = min(limit, 1000)
        guard let entries = expect(node.entries, node, shape()),
            allows(entries.count, atMost: limit, { entries[$0].keySpan })
        else { return nil }
        return entries.filter { !deletes($0) }
    }

    /// Reports a list or mapping with more than a number of values.
    mutating func allows(_ count: Int, atMost limit: Int, _ span: (Int) -> SourceSpan) -> Bool {
        guard count > limit else { return true }
        report(
            .valueNotAllowed, "there are \(count) values here", at: span(limit), help: "at most \(limit) are allowed")
        return false
    }

    /// Reads a mapping that is one value, which is not merged.
    ///
    /// - Returns: `nil` when a diagnostic was reported.
    mutating func whole<Section: DescriptorSection>(
        _ node: YAMLNode, _ shape: @autoclosure () -> Shape, mayBeEmpty: Bool = false
    ) -> Section? {
        guard expect(node.entries.flatMap { mayBeEmpty || !$0.isEmpty ? $0 : nil }, node, shape()) != nil else {
            return nil
        }
        let count = diagnostics.count
        let section = reading(aPart: false) { Section(node, &$0) }
        return diagnostics.count == count ? section : nil
    }

    /// Reads what another mapping completes, or what is whole.
    mutating func reading<Value>(aPart isPart: Bool, _ read: (inout Self) -> Value) -> Value {
        let wasPartial = isPartial
        isPartial = isPart
        defer { isPartial = wasPartial }
        return read(&self)
    }

    package mutating func reportWrongType(_ node: YAMLNode, expected: Shape) {
        var help = "expected \(expected)"
        if case .text = expected, !hidesValues {
            if let scalar = node.scalar, scalar.boolean != nil || scalar.number != nil {
                help += "; put a string that looks like this between quotes"
            } else if let entries = node.entries, entries.count == 1, entries[0].value.isNull {
                // To YAML, a template at the start of an unquoted string is a mapping.
                help += "; put a string that starts with { between quotes: '{\(entries[0].key)}'"
            }
        }
        if case .integer(let range) = expected, let text = node.scalar?.text, let seconds = Self.seconds(in: text),
            range.contains(seconds)
        {
            help += "; write the seconds without a unit: \(seconds)"
        }
        if case .section = expected, let elements = node.elements, !elements.isEmpty,
            elements.allSatisfy({ $0.entries != nil })
        {
            help += "; write its keys without dashes"
        } else if case .section(let section) = expected, section.name == "AbsentSubject", !hidesValues,
            let text = node.scalar?.text, text.hasPrefix("/")
        {
            help += "; for the place of the subject, write profile: { claims: { subject: \(text) } }"
        } else if case .list = expected, node.entries != nil {
            help += "; write a dash before each element"
        }
        let found = hidesValues ? node.kind : node.kindDescription
        report(
            .wrongType, "found \(found)", at: node.span, help: help,
            fix: hidesValues ? nil : Self.wrapping(node, as: expected))
    }

    /// The length of time that a person wrote with a unit, such as `5m` or `8 hours`.
    private static func seconds(in text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).trimming(\.isWhitespace).lowercased()
        guard let count = Int(digits), count < 1_000_000 else { return nil }
        switch unit {
        case "s", "sec", "second", "seconds": return count
        case "m", "min", "mins", "minute", "minutes": return count * 60
        case "h", "hour", "hours": return count * 3600
        case "d", "day", "days": return count * 86_400
        default: return nil
        }
    }

    /// A string as a list, or a list of scopes as the section of scopes.
    private static func wrapping(_ node: YAMLNode, as expected: Shape) -> Fix? {
        let text: String
        switch expected {
        case .list(of: .text(_, _, _)), .list(of: .choice(_)):
            guard let words = node.scalar?.text.split(whereSeparator: { " ,;".contains($0) }), !words.isEmpty,
                !node.isNull
            else { return nil }
            text = list(words.map(String.init))
        case .section(let section) where section.name == "ScopeRules":
            guard let scopes = node.elements?.compactMap({ $0.scalar?.text }), !scopes.isEmpty,
                scopes.count == node.elements?.count
            else { return nil }
            text = "{ default: \(list(scopes)) }"
        default: return nil
        }
        return Fix("write \(text)", .unsafe, at: node.span, writing: text)
    }

    private static func list(_ words: [String]) -> String {
        "[" + words.map { $0.isPlainInFlow ? $0 : JSONValue.string($0).jsonText() }.joined(separator: ", ") + "]"
    }

    package mutating func reportMissingKey(_ key: KeyDescription, in node: YAMLNode) {
        // The first line is enough to find the mapping; underlining all of it would bury the message.
        let span = node.entries?.first?.keySpan ?? node.span
        // The version is the only value that is certain, and a mapping between braces has no lines.
        let isVersion = key.name == "carnet" && span.start.column == 1 && node.entries?.isEmpty == false
        let start = SourceSpan(start: span.start, end: span.start)
        let fix = isVersion ? Fix("add the line carnet: 1", .unsafe, at: start, writing: "carnet: 1\n") : nil
        report(
            .missingKey, "the key \"\(key.name)\" is missing", at: span, help: "\(key.name): \(key.summary)", fix: fix)
    }

    /// In a file with very many unknown keys, suggestions would cost more than all else and help nobody.
    var hasRoomForSuggestions: Bool { diagnostics.count < 100 }

    /// What people write for a word of the language. To tools for YAML 1.1, `off` is false.
    static func synonym(of name: String, in allowed: [String]) -> String? {
        name == "off" && allowed.contains("none") ? "none" : nil
    }

    /// A protection that is switched off as a bare word.
    mutating func reportMissingReason(_ node: YAMLNode) {
        report(
            .missingReason, "a protection is off without a reason", at: node.span,
            help: "write { none: \"the reason, with a link\" }")
    }

    /// - Parameter shape: What else is allowed, if it is more than the words.
    package mutating func reportNotAllowed(_ node: YAMLNode, allowed: [String], shape: Shape? = nil) {
        let found = node.scalar?.text ?? ""
        let renamed = Self.synonym(of: found, in: allowed)
        // Another algorithm is no slip of the pen.
        let nearest = renamed ?? (found.isAlgorithm ? nil : nearestName(to: found, in: allowed))
        report(
            .valueNotAllowed, "\"\(found)\" is not allowed here", at: node.span,
            help: found.adviceOnCurlyQuotes ?? nearest.map { "did you mean \"\($0)\"?" }
                ?? "allowed: " + (shape?.description ?? allowed.joined(separator: ", ")),
            fix: renamed.map { Fix("replace \"\(found)\" by \"\($0)\"", .safe, at: node.span, writing: $0) })
    }
}

extension String {
    /// Whether it looks like the name of a signature algorithm, such as `HS256` (RFC 7518, section 3.1).
    fileprivate var isAlgorithm: Bool {
        utf8.count >= 5 && utf8.prefix(2).allSatisfy { (0x41...0x5A).contains($0) }
            && utf8.dropFirst(2).prefix(3).allSatisfy { ASCII.isDigit($0) }
    }

    /// Whether YAML reads it as a string inside brackets without quotes. Strings of other forms are quoted, to be safe.
    fileprivate var isPlainInFlow: Bool {
        guard let first = utf8.first, ASCII.isLetter(first) else { return false }
        let isPlain = utf8.dropLast().allSatisfy { ASCII.isAlphanumeric($0) || "._-/:".utf8.contains($0) }
        guard isPlain, let last = utf8.last, ASCII.isAlphanumeric(last) else { return false }
        return !["true", "false", "null", "yes", "no", "on", "off"].contains(lowercased())
    }
}
