/// Who signed in: where the claims are and what they are called.
package struct ProfileRules: Sendable {
    package internal(set) var source: ProfileSource?
    package internal(set) var request = RequestRules()
    package internal(set) var root = JSONPointer(tokens: [])
    package internal(set) var claims = NamedList<PointerList>()
    package internal(set) var format = ResponseFormat.auto
    package internal(set) var tokenIn: TokenPlacement?
    package internal(set) var jwt: SignedAnswerRules?
    package internal(set) var requests: [ProfileRequestRules] = []
    package internal(set) var callback: CallbackClaims?
    package internal(set) var sources: [ClaimSourceRules] = []

    init() {}
}

extension ProfileRules: DescriptorSection {
    static let keys: [Key<Self>] =
        [
            Key("from", \.source, "where the claims are; the userinfo endpoint if there is one, else the ID token")
        ] + RequestRules.keys(in: .signedIn).map { $0.lifted(to: \.request) } + [
            Key("root", \.root, "the object that holds the claims, if it is not the whole body"),
            Key("claims", \.claims, "claim -> pointer below root; standard claims need no mention"),
            Key("format", \.format, "how the body is encoded; auto follows the content type"),
            Key("token_in", \.tokenIn, "where the access token goes in the profile's requests, if not as in api"),
            Key("jwt", \.jwt, "the JWT that the answer must be (OpenID Connect Core, section 5.3.2)"),
            Key("requests", \.requests, "further requests for claims that the first one does not bring"),
            Key("callback", \.callback, "a name that comes with the callback of the first sign-in and never again"),
            Key("sources", \.sources, "others whose signed claims are believed (OpenID Connect Core, section 5.6.2)"),
        ]
}

package enum ProfileSource: String, DescriptorChoice, Sendable {
    case userinfo
    case idToken = "id_token"
    case tokenResponse = "token"
}

extension ProfileRules {
    /// The standard claims (OpenID Connect Core, section 5.1) with the descriptor's own over them.
    package var effectiveClaims: [Named<[JSONPointer]>] {
        let standard: [Named<[JSONPointer]>] = Self.standardClaims.map { name, member in
            Named(name, claims[name]?.pointers ?? [JSONPointer(tokens: [member])])
        }
        let own = claims.items.filter { item in !Self.standardClaims.contains { $0.name == item.name } }
        return standard + own.map { Named($0.name, $0.value.pointers) }
    }

    /// Carnet's claim names with the standard's member names.
    package static let standardClaims: [(name: String, member: String)] = [
        ("subject", "sub"), ("name", "name"), ("given_name", "given_name"), ("family_name", "family_name"),
        ("username", "preferred_username"), ("email", "email"), ("email_verified", "email_verified"),
        ("picture", "picture"), ("locale", "locale"),
    ]
}
