/// A value that the host supplies at configuration time.
package struct InputRules: Sendable {
    package internal(set) var type = InputType.identifier
    package internal(set) var title: String?
    package internal(set) var example: String?
    package internal(set) var pattern: ValuePattern?
    package internal(set) var allowed: [String] = []
    package internal(set) var defaultValue: String?
    package internal(set) var isOptional = false

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

package enum InputType: String, DescriptorChoice, Sendable {
    /// Letters, digits, `-`, `.`, `_` and `~`.
    case identifier
    /// A DNS name, with a port if need be.
    case hostname
    /// Any text without control characters; for parameters, not for URLs.
    case text
}
