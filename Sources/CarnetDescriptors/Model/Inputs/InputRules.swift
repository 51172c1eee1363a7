/// A value that the host supplies at configuration time.
package struct InputRules: ReferredSection, Sendable {
    package internal(set) var type = InputType.identifier
    package internal(set) var title: String?
    package internal(set) var description: String?
    package internal(set) var example: String?
    package internal(set) var pattern: ValuePattern?
    package internal(set) var allowed: [String] = []
    package internal(set) var defaultValue: Template?
    package internal(set) var isOptional = false
    package internal(set) var isSecret = false

    /// Whether the default contains the client id, so that it has no value without a client.
    package var isOfClient: Bool { defaultValue?.isLate == true }

    static let keys: [Key<Self>] = [
        Key("type", \.type, "the kind of value; default: identifier"),
        Key("title", \.title, "the name to show to a person"),
        Key("description", \.description, "where a person finds the value, in a sentence"),
        Key("example", \.example, "an example; the sandbox uses it if the host gives no value"),
        Key("pattern", \.pattern, "a regular expression for the whole value"),
        Key("enum", \.allowed, "the allowed values"),
        Key(
            "default", \.defaultValue, in: .inputDefault,
            "the value if the host gives none; may use other inputs and {client.id}"),
        Key(
            "optional", \.isOptional,
            "whether the host may omit it; then parameters that use it are omitted too; default: false"),
        Key("secret", \.isSecret, "whether the value is a secret, such as an API key; default: false"),
    ]
}

package enum InputType: String, DescriptorChoice, Sendable {
    /// Letters, digits, `-`, `.`, `_` and `~`.
    case identifier
    /// A DNS name, optionally with a port.
    case hostname
    /// The same, optionally with a path, such as `example.com/tracker`.
    case hostPath = "host_path"
    /// Any string without control characters; for parameters, not for URLs.
    case text
}
