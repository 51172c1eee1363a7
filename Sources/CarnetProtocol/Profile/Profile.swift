package import CarnetDescriptors
public import CarnetFoundation

/// The claims of a user, under the names of the descriptor's map. Any claim may be missing.
public struct Profile: Sendable {
    /// The claims that were found, in the order of the map.
    package internal(set) var claims: [Named<JSONValue>]
    /// The subject before the descriptor made another one of it.
    private var subjectAsRead: JSONValue?
    /// The body with the claims of the first request. For a token response it contains only the mapped members.
    public let raw: JSONValue
    /// Errors of additional requests. The claims of the other requests are present.
    public var failures: [OAuthError] = []
    /// The claims whose request failed and may succeed later, and those that are made of them.
    private var unavailable: [String] = []

    package subscript(name: String) -> JSONValue? {
        claims.first { $0.name == name }?.value
    }

    /// The user's id at the provider, exactly as sent. A number keeps every digit.
    public var subject: String? { self["subject"]?.scalarText }
    public var name: String? { self["name"]?.scalarText }
    public var givenName: String? { self["given_name"]?.scalarText }
    public var familyName: String? { self["family_name"]?.scalarText }
    public var username: String? { self["username"]?.scalarText }
    public var email: String? { self["email"]?.scalarText }
    /// Whether the e-mail address is verified. `nil` means that the provider does not state it, which is not the same
    /// as `false`.
    public var isEmailVerified: Bool? { self["email_verified"]?.statedTruth }
    public var picture: String? { self["picture"]?.scalarText }
    public var locale: String? { self["locale"]?.scalarText }
}

extension Profile {
    /// Notes that the request for some claims failed.
    package mutating func note(_ failure: OAuthError, of names: [String]) {
        failures.append(failure)
        if failure.disposition == .tryLater { unavailable += names }
    }

    /// Whether a claim may be there later. An address and its verification belong together.
    package func isUnavailable(_ name: String) -> Bool {
        let pair = ["email", "email_verified"]
        let names = pair.containsBytes(of: name) ? pair : [name]
        return unavailable.contains { names.containsBytes(of: $0) }
    }

    /// The claims of the same profile that were read from another body.
    func reading(_ body: JSONValue, with provider: FilledProvider) -> Profile {
        var profile = Profile(mapping: body, with: provider)
        (profile.failures, profile.unavailable) = (failures, unavailable)
        return profile
    }
}

extension JSONValue {
    /// A boolean. Some servers send it as a string.
    package var statedTruth: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        default: nil
        }
    }

    /// The same for a decision: what is stated in another form is not stated to be true.
    package var decidedTruth: Bool? { isNull ? nil : statedTruth ?? false }
}

extension JSONObject {
    /// The claims that the provider left out because it has another place for them (OpenID Connect Core, section 5.6.2), as
    /// for many groups, or sets `hasgroups`.
    package var claimsElsewhere: [String]? {
        let names = self["_claim_names"]?.object?.members.map(\.name) ?? []
        let all = names + (self["hasgroups"] == nil ? [] : ["groups"])
        return all.isEmpty ? nil : all
    }

    /// The e-mail address of an ID token, if the provider has verified it (OpenID Connect Core, section 5.1).
    package var verifiedEmail: String? {
        guard self["email_verified"]?.statedTruth == true, let email = self["email"]?.string, !email.isEmpty else {
            return nil
        }
        return email
    }
}

extension Profile {
    init(mapping body: JSONValue, with provider: FilledProvider) {
        let root = body[provider.profile.root] ?? .null
        raw = body
        claims = provider.profile.claims.compactMap { claim in
            provider.profile.value(of: claim, below: root).flatMap { value in
                provider.profile.accepts(value, as: claim.name) ? Named(claim.name, value) : nil
            }
        }
        // The subject is that of one response; the other claims are derived once all are read. One that cannot be derived is
        // absent: the subject as it was read may be that of another account.
        guard provider.profile.subjectTemplate != nil else { return }
        subjectAsRead = self["subject"]
        if let subject = derived(at: provider).first(where: { $0.name == "subject" }) {
            set(subject)
        } else {
            claims.removeAll { $0.name == "subject" }
        }
    }

    private mutating func set(_ claim: Named<JSONValue>) {
        if let index = claims.firstIndex(where: { $0.name == claim.name }) {
            claims[index] = claim
        } else {
            claims.append(claim)
        }
    }

    /// The claims that templates make of those that were read.
    private func derived(at provider: FilledProvider) -> [Named<JSONValue>] {
        guard !provider.profile.derive.isEmpty, var values = values(at: provider) else { return [] }
        values.joinsWhatIsThere = true
        return provider.profile.derive.compactMap { rule in
            guard let value = values.fill(rule.value), !value.isSecret, !value.text.isEmpty else { return nil }
            let claim = JSONValue.string(value.text)
            return claim.canBe(rule.name) ? Named(rule.name, claim) : nil
        }
    }

    /// The further request with the claims that earlier responses have.
    package func filled(_ further: ProfileRequest, at provider: FilledProvider) -> ProfileRequest {
        guard further.takesClaims, let values = values(at: provider) else { return further }
        return further.filled(values, trusting: provider.trustedHosts)
    }

    /// What templates are filled with: the claims as they were read, besides the values of the sign-in.
    package func values(at provider: FilledProvider) -> TemplateValues? {
        guard var values = provider.profile.values else { return nil }
        let subject = subjectAsRead.map { [Named("subject", $0)] } ?? []
        for claim in claims.filter({ subject.isEmpty || $0.name != "subject" }) + subject {
            let reference = TemplateReference(.claim, claim.name)
            values.known[reference] = claim.value.scalarText.map { TemplateValues.Value($0) }
            if let elements = claim.value.array {
                values.lists[reference] = elements.filter(\.isStated).compactMap(\.scalarText)
            }
        }
        return values
    }

    /// The profile with the claims that are made of others, once all are read: those of `profile.derive`, and a name of its
    /// parts.
    package func derivingClaims(at provider: FilledProvider) -> Profile {
        var profile = self
        func isKept(_ name: String) -> Bool {
            provider.profile.rule(ofDerived: name)?.isForMissing == true && self[name] != nil
        }
        let derived = derived(at: provider).filter { $0.name != "subject" && !isKept($0.name) }
        // Who verified one address said nothing of another.
        if derived.contains(where: { $0.name == "email" && !$0.value.isAddress(self["email"]) }) {
            profile.claims.removeAll { $0.name == "email_verified" }
        }
        for claim in derived where !isDenied(claim) { profile.set(claim) }
        profile.unavailable += provider.profile.derive.filter { claim in
            !isKept(claim.name)
                && claim.value.references.contains { $0.origin == .claim && isUnavailable($0.name) }
        }.map(\.name)
        if Self.partsOfName.contains(where: isUnavailable) { profile.unavailable.append("name") }
        if profile["name"] == nil, !provider.profile.derive.contains(where: { $0.name == "name" }),
            let first = profile.claims.firstIndex(where: { Self.partsOfName.contains($0.name) })
        {
            let parts = Self.partsOfName.compactMap { profile[$0]?.string }
            if !parts.isEmpty {
                profile.claims.insert(Named("name", .string(parts.joined(separator: " "))), at: first)
            }
        }
        return profile
    }

    private static let partsOfName = ["given_name", "family_name"]

    /// Whether a template states that something is verified, and the provider that it is not.
    private func isDenied(_ derived: Named<JSONValue>) -> Bool {
        ProfileRules.verified(by: derived.name) != nil && derived.value.statedTruth == true
            && self[derived.name]?.statedTruth == false
    }
}

extension JSONValue {
    /// Whether two claims are one address or number, but for the case of ASCII letters.
    func isAddress(_ other: JSONValue?) -> Bool {
        func folded(_ text: String) -> [UInt8] { text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
        guard let own = scalarText, let other = other?.scalarText else { return false }
        return folded(own) == folded(other)
    }
}

extension Profile {
    /// The profile with values of the first sign-in's callback for claims that no other source has.
    ///
    /// - Parameter values: The captured values of the sign-in, by reference, e.g. `callback.user`.
    package func adding(_ values: [String: ConnectionValue], from provider: FilledProvider) -> Profile {
        guard let rules = provider.profile.callback, let text = values["callback.\(rules.capture)"]?.text,
            let said = try? JSONValue(parsing: text)
        else { return self }
        var profile = self
        profile.claims += rules.claims.compactMap { claim in
            self[claim.name] == nil ? said.firstStated(of: claim.value).map { Named(claim.name, $0) } : nil
        }
        return profile
    }
}

/// The source of the profile, and its request (OpenID Connect Core, section 5.3).
extension Profile {
    /// The descriptor's source; by default the userinfo endpoint if there is one, else the ID token.
    package static func source(at provider: some ProviderStage) -> ProfileSource {
        let shared = provider.shared
        if let source = shared.sections.profile.source { return source }
        // An unusable endpoint fails when it is requested.
        return shared.sections.endpoints.names(.userinfo) ? .userinfo : .idToken
    }

    /// The userinfo request. The access token is in the header, unless the descriptor says otherwise (RFC 6750,
    /// section 2).
    package static func request(_ tokens: TokenSet, at provider: FilledProvider) throws(OAuthError) -> PreparedRequest {
        try request(
            provider.profile.request, tokens, in: provider.profile.tokenIn, at: provider, section: "profile",
            key: "endpoints.userinfo",
            accept: provider.profile.jwt.isRequired ? "application/jwt" : "application/json"
        ) { () throws(OAuthError) in try provider.endpoint(.userinfo, for: .profile) }
    }

    static func request(
        _ rules: ResolvedRequest, _ tokens: TokenSet, in placement: TokenPlacement?, at provider: FilledProvider,
        section: String, key: String, accept: String = "application/json", to url: () throws(OAuthError) -> WebURL
    ) throws(OAuthError) -> PreparedRequest {
        var parameters = RequestParameters(.profile, .profile, rules)
        try parameters.addExtra(rules.parameters, key: "\(section).parameters", hidden: rules.late.hidden)
        let token = try placement.map { place throws(OAuthError) in
            try TokenCredential(tokens, in: place, at: provider, for: .profile)
        }
        return try PreparedRequest.make(
            parameters, to: try url(), key: key, rules: rules, token: token, accept: accept)
    }

    /// Validates the userinfo response.
    ///
    /// - Parameters:
    ///   - subject: The subject of the ID token. A profile of another subject is discarded (OpenID Connect Core,
    /// section 5.3.2).
    ///   - verification: The provider's keys, if `isSigned(_:from:)`.
    /// - Throws: `OAuthError` at step `profile`; of kind `unauthorized` if the access token is no longer valid.
    package init(
        validating response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider,
        subject: String?, verifyingBy verification: ResponseVerification? = nil
    ) throws(OAuthError) {
        let rules = provider.profile.outcome
        try rules.validate(status: response, to: request)
        let body = try Self.body(of: response, to: request, from: provider, by: verification)
        try rules.validate(body, of: response, to: request)
        self.init(mapping: body, with: provider)
        if let subject {
            let key = "profile.\(provider.profile.subjectTemplate == nil ? "claims" : "derive").subject"
            guard let own = self.subject else {
                throw OAuthError(
                    .profile, .missingField, "the profile has no sub" + response.told(instead: body, to: request),
                    descriptorKey: key, status: response.status)
            }
            guard own.isSameBytes(as: subject) else {
                throw OAuthError(
                    .profile, .subjectMismatch,
                    "the profile belongs to another user than the one who signed in: its subject is "
                        + "\"\(request.quotable(own, limit: 80))\", not \"\(subject.quotable(limit: 80))\"",
                    descriptorKey: key,
                    hint: provider.profile.subjectTemplate.map { _ in
                        "derive it with profile.from: id_token; or, if the provider issues no ID tokens, write id_token: "
                            + "{ none: REASON }"
                    })
            }
        }
    }

    /// Who signed in: the subject of the ID token, else that of a profile, else one that is derived of the tokens and the
    /// values of the sign-in alone. Lint, the engine and sites ask here.
    ///
    /// - Parameters:
    ///   - stated: The subject of the ID token, or of an earlier response.
    ///   - profile: What is known without a further request, or a response to one.
    ///   - provider: Filled with the tokens that the sign-in keeps.
    package static func subject(stated: String?, _ profile: Profile?, at provider: FilledProvider) -> String? {
        if let stated = stated ?? profile?.subject { return stated }
        guard let derived = provider.profile.subjectTemplate,
            !derived.references.contains(where: { $0.origin == .claim })
        else { return nil }
        return Profile(mapping: .null, with: provider).subject
    }

    /// The profile from the ID token's claims.
    package init(_ idToken: IDToken, from provider: FilledProvider) {
        self.init(mapping: .object(idToken.claims), with: provider)
    }
}

extension IDToken {
    /// Whether the profile is in the ID token.
    ///
    /// - Throws: `OAuthError` of kind `subjectMismatch` if a condition of the descriptor refuses the account.
    package func provesAccount(at provider: some ProviderStage) throws(OAuthError) -> Bool {
        let profile = provider.shared.sections.profile
        guard Profile.source(at: provider) == .idToken else { return false }
        guard profile.hasConditionalSubject else { return true }
        let root = JSONValue.object(claims)[profile.root] ?? .null
        let own = profile.claims.first { $0.name == "subject" }.flatMap { profile.value(of: $0, below: root) }
        guard own != nil else { throw .refusedByCondition(.idToken) }
        return true
    }
}

extension OAuthError {
    /// The account is none that a condition of the subject accepts.
    package static func refusedByCondition(_ step: Step) -> OAuthError {
        OAuthError(
            step, .subjectMismatch, "the account does not meet the conditions of the subject",
            descriptorKey: "profile.claims.subject", hint: "sign in with another account, or correct the condition")
    }
}

extension Profile {
    /// The profile that came with the tokens.
    package init(_ response: TokenResponse, from provider: FilledProvider) {
        self.init(mapping: response.profile, with: provider)
    }

    /// A stored profile, from its `raw` JSON.
    ///
    /// - Throws: `OAuthError` of kind `malformedBody`.
    package init(stored text: String, from provider: FilledProvider) throws(OAuthError) {
        guard let body = try? JSONValue(parsing: text) else {
            throw OAuthError(.profile, .malformedBody, "the stored profile is not JSON")
        }
        self.init(mapping: body, with: provider)
    }
}

extension ProviderSections {
    /// Whether a sign-in can have a profile: a plain OAuth 2.0 provider may have none.
    package var canHaveProfile: Bool {
        profile.source != nil || endpoints[.userinfo] != nil || endpoints.late[.userinfo] != nil || issuer != nil
            || needsMetadata
    }

    /// Why no site and no gateway lets people sign in with the provider; `nil` if they can.
    package var obstacleToSites: String? {
        guard hasSignInPage else {
            let grants = grantsWithoutPage.map(\.rawValue).joined(separator: ", ")
            return "no page to sign in at" + (grants.isEmpty ? "" : ", only the grants \(grants)")
        }
        return canHaveProfile ? nil : "no profile, which says who signed in"
    }
}
