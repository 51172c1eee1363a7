/// Scopes: what is asked for and what each means (RFC 6749, section 3.3).
public struct ScopeRules: Sendable {
    package internal(set) var separator = " "
    public internal(set) var defaults: [String] = []
    package internal(set) var required: [String] = []
    package internal(set) var offline: [String] = []
    public internal(set) var catalog: [ScopeEntry] = []
    package internal(set) var extra = NamedList<[String]>()
    package internal(set) var whenEmpty = EmptyScopeRule.omit

    init() {}
}

extension ScopeRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("default", \.defaults, "asked for when the host names none"),
        Key("required", \.required, "always asked for"),
        Key("offline", \.offline, "added when a refresh token is wanted"),
        Key("catalog", \.catalog, "the scopes that the provider knows"),
        Key("separator", \.separator, "between scopes in requests and responses; a space if not said"),
        Key("extra", \.extra, "further scope parameter -> the scopes that are always sent in it"),
        Key("when_empty", \.whenEmpty, "what to do when no scope is asked for"),
    ]
}

package enum EmptyScopeRule: String, DescriptorChoice, Sendable {
    case omit
    case send
}

public struct ScopeEntry: Sendable {
    public internal(set) var id = ""
    public internal(set) var title: String?
    public internal(set) var implies: [String] = []

    init() {}
}

extension ScopeEntry: DescriptorSection {
    static let shorthand: String? = "id"

    static let keys: [Key<Self>] = [
        Key("id", \.id, isRequired: true, "the scope as it is sent"),
        Key("title", \.title, "what it allows, for people"),
        Key("implies", \.implies, "scopes that are granted with it"),
    ]
}
