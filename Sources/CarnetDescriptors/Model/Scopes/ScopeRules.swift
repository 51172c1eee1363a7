/// The scopes: which are requested, and what each means (RFC 6749, section 3.3).
@usableFromInline
package struct ScopeRules: DescriptorSection, Sendable {
    package internal(set) var separator = " "
    package internal(set) var defaults: [String] = []
    package internal(set) var required: [String] = []
    package internal(set) var offline: [String] = []
    package internal(set) var catalog: [ScopeEntry] = []
    package internal(set) var extra = NamedList<[String]>()
    package internal(set) var whenEmpty = EmptyScopeRule.omit
    package internal(set) var grantedFrom = GrantedScopeSource.tokenResponse

    static let keys: [Key<Self>] = [
        Key("default", \.defaults, scopesIn: .authorization, "the scopes to request if the host names none"),
        Key("required", \.required, scopesIn: .authorization, "scopes that are always requested"),
        Key(
            "offline", \.offline, scopesIn: .authorization,
            "scopes that are added if a refresh token is requested; for offline_access in default, prompt=consent is added, too"
        ),
        Key("catalog", \.catalog, "the scopes of the provider"),
        Key("separator", \.separator, "the separator of scopes in requests and responses; default: a space"),
        Key(
            "extra", \.extra, scopesIn: .authorization,
            "another scope parameter -> the scopes that are always sent in it; a host may add others"),
        Key("when_empty", \.whenEmpty, "what to send if no scope is requested"),
        Key(
            "granted_from", \.grantedFrom,
            "the source of the granted scopes: token (default), or callback, if the token response has none"),
    ]
}

/// Where the provider says which scopes it granted. If it says nothing, they are the requested ones (RFC 6749, section
/// 5.1).
package enum GrantedScopeSource: String, DescriptorChoice, Sendable {
    case tokenResponse = "token"
    /// The parameter `scope` of the callback. It comes through the browser, so it can only make the requested ones fewer.
    case callback
}

package enum EmptyScopeRule: String, DescriptorChoice, Sendable {
    case omit, send
}

package struct ScopeEntry: DescriptorSection, Sendable {
    package internal(set) var id = ""
    package internal(set) var title: String?
    package internal(set) var implies: [String] = []

    static let shorthand: String? = "id"

    static let keys: [Key<Self>] = [
        Key("id", \.id, scopesIn: .authorization, isRequired: true, "the scope, exactly as it is sent"),
        Key("title", \.title, "what it allows, as shown to users"),
        Key("implies", \.implies, scopesIn: .authorization, "scopes that are granted with it"),
    ]
}
