package import CarnetFoundation

/// Who signed in: where the claims are and what they are called.
@usableFromInline
package struct ProfileRules: DescriptorSection, Sendable {
    package internal(set) var source: ProfileSource?
    package internal(set) var request = RequestRules()
    package internal(set) var root = JSONPointer(tokens: [])
    package internal(set) var claims = NamedList<ClaimPlace>()
    package internal(set) var derive = NamedList<DerivedClaim>()
    package internal(set) var subject: AbsentSubject?
    package internal(set) var format = ResponseFormat.auto
    package internal(set) var outcome = OutcomeRules()
    package internal(set) var tokenIn: TokenUse?
    package internal(set) var jwt: SignedResponseRules?
    package internal(set) var requests: [ProfileRequestRules] = []
    package internal(set) var callback: CallbackClaims?
    package internal(set) var sources: [ClaimSourceRules] = []

    static func elsewhere(_ name: String) -> String? {
        NamesElsewhere.url(name, of: .userinfo) ?? NamesElsewhere.endpointMeant(name)
    }

    static let keys: [Key<Self>] =
        [
            Key(
                "from", \.source,
                "the source of the claims; default: the userinfo endpoint if there is one, else the ID token")
        ] + RequestRules.ownKeys(in: .signedIn, inheriting: true).map { $0.lifted(to: \.request) }
        + OutcomeRules.keys.map { $0.lifted(to: \.outcome) } + [
            Key("root", \.root, "the object that contains the claims; default: the whole body"),
            Key(
                "claims", \.claims,
                "claim -> pointer below root; of several, the first with a value counts, not null and not an empty string; 'each' reads the values in a list's elements, 'first' one, and 'present' whether there is one; standard claims are mapped by default, and [] switches one off. An input in the pointer of subject must come from the configuration: a user who chose it could sign in as another user"
            ),
            Key(
                "derive", \.derive,
                "claim -> a template of other claims and of values of the sign-in; {claim.NAME} is a claim as it was read, and join leaves out what is missing"
            ),
            Key(
                "subject", \.subject, "{ none: REASON } if nothing identifies the user; the host then names the account"
            ),
            Key("format", \.format, ResponseFormat.summary),
            Key("token_in", \.tokenIn, "where the access token is sent in the profile's requests; default: as in api"),
            Key("jwt", \.jwt, "the rules if the response must be a JWT (OpenID Connect Core, section 5.3.2)"),
            Key("requests", \.requests, "additional requests for claims that the first response does not contain"),
            Key(
                "callback", \.callback,
                "the name in the callback of the first sign-in, for providers that send it only once"),
            Key(
                "sources", \.sources,
                "other issuers whose signed claims are accepted (OpenID Connect Core, section 5.6.2)"),
        ]
}

/// A claim that a template makes.
@dynamicMemberLookup
package struct DerivedClaim: ReferredSection, Sendable {
    package internal(set) var template = Template.empty
    package internal(set) var isForMissing = false

    static let shorthand: String? = "value"
    static let keys: [Key<Self>] = [
        Key("value", \.template, in: .claim, isRequired: true, "the template"),
        Key(
            "when_missing", \.isForMissing,
            "whether a claim that was read is kept; default: false. A name that is made of given_name and family_name was not read"
        ),
    ]

    package subscript<Value>(dynamicMember key: KeyPath<Template, Value>) -> Value { template[keyPath: key] }
}

/// That no response identifies the user.
package struct AbsentSubject: DescriptorSection, Sendable {
    package internal(set) var reason = ""

    static let keys: [Key<Self>] = [
        Key("none", \.reason, isRequired: true, "the reason why nothing identifies the user, with a link")
    ]
}

package enum ProfileSource: String, DescriptorChoice, Sendable {
    case userinfo
    case idToken = "id_token"
    case tokenResponse = "token"
}

extension ProfileRules {
    /// Whether the subject only says that there is one, or is switched off or mapped to a list while nothing else makes one.
    package var isWithoutSubject: Bool {
        guard let place = claims["subject"], !place.isPresence else { return claims["subject"] != nil }
        return (place.pointers.isEmpty || place.isList) && subject == nil && derive["subject"] == nil
    }

    /// Whether a value is not there yet when the subject names the account: the first response of the profile is all that is
    /// known of it then.
    package func isKnownAfterSubject(_ value: TemplateReference) -> Bool {
        switch value.origin {
        case .connection: true
        case .claim:
            !effectiveClaims.contains { $0.name == value.name && !$0.value.isEmpty }
                && requests.contains { $0.claims.contains(value.name) }
        default: false
        }
    }

    /// Whether a first request without the token has nothing of the user. What a callback says is not the server's word.
    fileprivate func namesNobody(at url: Template) -> Bool {
        guard subject == nil, source == nil || source == .userinfo else { return false }
        let templates = [url] + (request.headers.items + request.parameters.items).map(\.value)
        return !templates.flatMap(\.references).contains {
            [.token, .step, .connection].contains($0.origin) && $0.name != "scope"
        }
    }

    /// The claims that are not there yet when a further request is made.
    package func claimsAfter(request index: Int) -> Set<TemplateReference> {
        let first = effectiveClaims.filter { !$0.value.isEmpty }.map(\.name)
        let known = first + requests[..<index].flatMap(\.claims.names)
        let later = requests[index...].flatMap(\.claims.names)
        return Set(later.filter { !known.contains($0) }.map { TemplateReference(.claim, $0) })
    }

    /// The standard claims (OpenID Connect Core, section 5.1) with the descriptor's own over them.
    package var effectiveClaims: [Named<[JSONPointer]>] {
        let standard: [Named<[JSONPointer]>] = Self.standardClaims.map { name, member in
            Named(name, claims[name]?.pointers ?? [JSONPointer(tokens: [member])])
        }
        let own = claims.items.filter { item in !Self.standardClaims.contains { $0.name == item.name } }
        let all = standard + own.map { Named($0.name, $0.value.pointers) }
        return subject == nil ? all : all.filter { $0.name != "subject" }
    }

    /// Carnet's claim names with the standard's member names.
    package static let standardClaims: [(name: String, member: String)] = [
        ("subject", "sub"), ("name", "name"), ("given_name", "given_name"), ("family_name", "family_name"),
        ("username", "preferred_username"), ("email", "email"), ("email_verified", "email_verified"),
        ("picture", "picture"), ("locale", "locale"),
    ]
}

@usableFromInline
@dynamicMemberLookup
package struct ResolvedProfile: Sendable {
    @usableFromInline package let described: ProfileRules
    /// The request without what it inherits from `api`.
    package var ownRequest: RequestRules { described.request }
    /// The claims that the descriptor itself maps.
    package var ownClaims: NamedList<ClaimPlace> { described.claims }
    /// Whether an account is refused that does not meet conditions.
    package var hasConditionalSubject: Bool { described.claims["subject"]?.isConditional == true }
    package private(set) var request: ResolvedRequest
    package private(set) var requests: [ProfileRequest]
    package let sources: [ClaimSource]
    /// The standard's claims and the descriptor's own.
    package let claims: [Named<[JSONPointer]>]
    /// Claims that are made of others.
    package let derive: [Named<Template>]
    /// What the descriptor says of one of them.
    package func rule(ofDerived name: String) -> DerivedClaim? { described.derive[name] }
    /// What makes the subject, if it is no member of a response: lint, the sandbox and the engine ask here.
    package var subjectTemplate: Template? { derive.first { $0.name == "subject" }?.value }
    /// What their templates are filled with.
    package private(set) var values: TemplateValues?
    /// Where the access token goes in the first request of the profile; `nil` if it has none.
    package let tokenIn: TokenPlacement?
    package var jwt: ResolvedSignedResponse

    /// - Parameter url: That of the userinfo endpoint.
    init(
        _ rules: ProfileRules, with resolver: InputResolver, api: APIRules, at url: Template?
    ) throws(ResolutionError) {
        guard !rules.isWithoutSubject else {
            throw resolver.error(
                .unprotected, "profile.claims.subject",
                "nothing would distinguish one user from another; use subject: { none: REASON } if that is so")
        }
        if let later = rules.derive["subject"]?.references.first(where: rules.isKnownAfterSubject) {
            throw resolver.error(
                .unknownValue, "profile.derive.subject",
                "the value {\(later)} is known only after the subject has named the account")
        }
        guard rules.derive["subject"]?.isForMissing != true else {
            throw resolver.error(
                .unprotected, "profile.derive.subject.when_missing",
                "the subject of one user could be made the same as that of another, which was read")
        }
        var rules = rules
        rules.outcome = rules.outcome.inheriting(api)
        described = rules
        // The metadata has a URL without values.
        let whole = url ?? (resolver.mayFindEndpoints || rules.source == .userinfo ? .empty : nil)
        if case .absent = rules.tokenIn, let whole, rules.namesNobody(at: whole) {
            throw resolver.error(
                .unprotected, "profile.token_in",
                "without the token, and without a value of its response in the URL, the profile is the same for everybody"
            )
        }
        tokenIn = rules.tokenIn.placement(else: api.tokenIn)
        let own = tokenIn == nil ? rules.request : rules.request.inheriting(api, at: url)
        request = try own.resolve(with: resolver, key: "profile", method: .get)
        requests = try resolver.profileRequests(rules.requests, api: api, tokenIn: tokenIn)
        sources = try resolver.claimSources(rules.sources)
        claims = rules.effectiveClaims
        let derived = rules.derive.items.map { Named($0.name, $0.value.template) }
        derive = try resolver.allNamed(NamedList(derived), joinsWhatIsThere: true, key: "profile.derive")
        jwt = ResolvedSignedResponse(rules.jwt)
    }

    @inlinable @inline(__always)
    package subscript<Value>(dynamicMember key: KeyPath<ProfileRules, Value>) -> Value { described[keyPath: key] }

    /// Fills what is known by now into the requests.
    mutating func fill(_ values: TemplateValues, trusting hosts: [HostPattern]) {
        if !derive.isEmpty || requests.contains(where: \.takesClaims) { self.values = values }
        request = request.filled(values)
        requests = requests.map { $0.takesClaims ? $0 : $0.filled(values, trusting: hosts) }
    }
}
