/// A value that the host supplies at configuration time.
public struct InputRules: Sendable {
    public internal(set) var type = InputType.identifier
    public internal(set) var title: String?
    public internal(set) var example: String?
    public internal(set) var pattern: InputPattern?
    public internal(set) var allowed: [String] = []
    public internal(set) var defaultValue: String?
    public internal(set) var isOptional = false

    init() {}
}

extension InputRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("type", \.type, "what the value may be; identifier if not said"),
        Key("title", \.title, "what to call it when a person is asked"),
        Key("example", \.example, "a value that would do; the sandbox uses it when none is given"),
        Key("pattern", \.pattern, "a regular expression for the whole value"),
        Key("enum", \.allowed, "the only values"),
        Key("default", \.defaultValue, "the value when the host gives none"),
        Key("optional", \.isOptional, "whether it may be left out; parameters that use it are then left out too"),
    ]
}

public enum InputType: String, DescriptorChoice, Sendable {
    /// Letters, digits, `-`, `.`, `_` and `~`.
    case identifier
    /// A DNS name, with a port if need be.
    case hostname
    /// Any text without control characters; for parameters, not for URLs.
    case text
}

/// A regular expression that was compiled once to see that it can be.
public struct InputPattern: Hashable, Sendable {
    public let source: String

    func matches(_ value: String) -> Bool {
        (try? Regex(source))?.wholeMatchExists(in: value) ?? false
    }
}

extension Regex<AnyRegexOutput> {
    fileprivate func wholeMatchExists(in text: String) -> Bool {
        (try? wholeMatch(in: text)) != nil
    }
}

extension InputPattern: DescriptorValue {
    static var shape: Shape { .text("a regular expression") }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let text = String(node, &decoder) else { return nil }
        do {
            _ = try Regex(text)
        } catch {
            decoder.report(.valueNotAllowed, "\"\(text)\" is not a regular expression", at: node.span)
            return nil
        }
        source = text
    }
}
