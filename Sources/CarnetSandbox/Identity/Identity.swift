import CarnetDescriptors
import CarnetFoundation

/// A user as one provider knows them.
struct Identity {
    /// The profile document, in the shape of the descriptor's sample.
    let profile: JSONValue
    let subject: String
    private let provider: Provider
    private let hasSample: Bool

    init(_ user: SandboxUser, at provider: Provider) {
        let sample = provider.sampleOfProfile
        var profile = sample ?? .object(JSONObject())
        // What the ID token of the sample says, the other responses about this person say, too.
        let statedInToken = provider.sampleClaims(of: \.idToken) ?? JSONObject()
        // Claims of additional requests are not in the first response.
        let later = Set(provider.profile.requests.flatMap { $0.claims.map(\.name) })
        // Where a template makes the subject, nobody says that the provider has the standard's members.
        let derived = provider.profile.derive
        let isDerived = provider.profile.subjectTemplate != nil
        let read = Set(derived.flatMap(\.value.references).filter { $0.origin == .claim }.map(\.name))
        let naming = provider.profile.subjectTemplate?.references ?? []
        // A body of another format is sent as it is.
        let isRead = sample?.string == nil
        for claim in provider.profile.ownClaims.items where isRead {
            guard let elements = claim.value.elements else { continue }
            let places = claim.value.pointers.below(provider.profile.root)
            if let place = places.first(where: { profile[$0] != nil }), let list = profile[place] {
                profile.set(elements.meeting(in: list), at: place)
            }
        }
        for claim in provider.profile.claims where isRead && !later.contains(claim.name) {
            if isDerived, !provider.profile.ownClaims.contains(claim.name), !read.contains(claim.name) { continue }
            let isSubject = claim.name == "subject"
            let pointers = claim.value.below(provider.profile.root)
            // The first value counts; a member that is null or empty says that this user has none.
            let place = pointers.first { profile[$0]?.isStated == true } ?? pointers.first { profile[$0] != nil }
            // A sample keeps its shape: only the subject is added to it.
            guard let target = place ?? (sample == nil || isSubject ? pointers.first : nil) else { continue }
            let present = place.flatMap { profile[$0] }
            let elements = provider.profile.ownClaims[claim.name]?.elements
            let standard = StandardClaim.all.first { $0.name == claim.name }
            let stated = Self.claim(claim.name, of: provider, in: .object(statedInToken))
            let isNaming = naming.contains(TemplateReference(.claim, claim.name))
            var example = isSubject ? StandardClaim.exampleSubject : standard?.example
            if isNaming { example = example ?? StandardClaim.exampleSubject }
            if let stated, !Self.isRedacted(stated) { example = stated }
            if let value = user.claims[claim.name] ?? (isNaming ? user.claims["subject"] : nil) {
                // The places of other claims are below an object.
                if present?.object != nil, value.scalarText != nil, elements?.isList != false { continue }
                profile.set(
                    provider.shaped(Self.value(value, inTheTypeOf: present), as: claim.name, present), at: target)
            } else if let example,
                present.map({ Self.isRedacted($0) || isSubject && !(elements.value(in: $0) ?? .null).isStated }) ?? true
            {
                let list = elements == nil ? nil : present
                profile.set(provider.shaped(example, as: claim.name, list), at: target)
            }
        }
        self.profile = profile
        self.provider = provider
        hasSample = sample != nil
        let stated = Self.subject(in: statedInToken) ?? StandardClaim.exampleSubject
        let other = isDerived ? user.claims["subject"] ?? stated : ""
        subject = (Self.claim("subject", of: provider, in: profile) ?? other).scalarText ?? ""
    }

    /// The subject of an ID token: the sample's `sub` (OpenID Connect Core, section 5.3.2), even if the descriptor maps
    /// another member.
    var subjectOfIDToken: String {
        let subject = subject.isEmpty ? StandardClaim.exampleSubject.scalarText ?? "" : subject
        let claims = provider.sampleClaims(of: \.idToken).map { JSONValue.object($0) }
        guard provider.profile.source != .tokenResponse, let sample = provider.sampleOfProfile ?? claims,
            let member = sample["sub"] ?? claims?["sub"], let stated = Self.stated(member)
        else { return subject }
        let mapped = Self.claim("subject", of: provider, in: sample)?.scalarText
        return mapped?.isSameBytes(as: stated) == true ? subject : stated
    }

    /// The `sub` of an access token: that of the sample for the person in it.
    static func subject(of user: SandboxUser, at provider: Provider, in sample: JSONObject?) -> JSONValue {
        if user.claims["subject"] == nil, let stated = sample.flatMap(subject(in:)) { return stated }
        return .string(Identity(user, at: provider).subject)
    }

    /// The `sub` of the claims in a sample, unless it is taken out.
    private static func subject(in claims: JSONObject) -> JSONValue? {
        claims["sub"].flatMap { stated($0) == nil ? nil : $0 }
    }

    /// The user's name, else the username or the e-mail address.
    var name: String? {
        ["name", "username", "email"].lazy.compactMap { Self.claim($0, of: provider, in: profile)?.string }.first
    }

    var picture: String? { Self.claim("picture", of: provider, in: profile)?.string }

    func profile(ofSubject subject: String) -> JSONValue {
        var profile = profile
        let pointers = provider.profile.claims.first { $0.name == "subject" }?.value ?? []
        for pointer in pointers.below(provider.profile.root) {
            guard let present = profile[pointer] else { continue }
            profile.set(provider.shaped(.string(subject), as: "subject", present), at: pointer)
        }
        return profile
    }

    /// The profile of the userinfo endpoint: the complete sample, or the standard claims that the scopes allow.
    func userinfo(for scopes: Set<String>) -> JSONValue {
        guard !hasSample, provider.profile.root.tokens.isEmpty, var object = profile.object else { return profile }
        let claims = provider.profile.claims
        let withheld = StandardClaim.all.filter { claim in
            withholds(claim, from: scopes)
                && claims.contains { $0.name == claim.name && $0.value.first?.tokens == [claim.member] }
        }
        // Another claim may be read from the same member, such as the subject.
        let others = claims.filter { claim in !withheld.contains { $0.name == claim.name } }
        let kept = Set(others.compactMap { $0.value.first?.tokens.first })
        for claim in withheld where !kept.contains(claim.member) { object[claim.member] = nil }
        return .object(object)
    }

    /// Whether the scopes leave a claim out. What names the user, or is in a further request, comes with any scope.
    private func withholds(_ claim: StandardClaim, from scopes: Set<String>) -> Bool {
        let taken =
            (provider.profile.subjectTemplate?.references ?? []) + provider.profile.requests.flatMap(\.takenClaims)
        return !scopes.contains(claim.scope) && !taken.contains(TemplateReference(.claim, claim.name))
    }

    /// Adds the claims about the user, as far as the granted scopes go, to those of an ID token.
    func addClaims(to token: inout JSONValue, for scopes: Set<String>) {
        for claim in provider.profile.claims {
            let standard = StandardClaim.all.first { $0.name == claim.name }
            if let standard, withholds(standard, from: scopes) { continue }
            guard let value = Self.claim(claim.name, of: provider, in: profile) else { continue }
            let places = claim.value.below(provider.profile.root)
            let place = places.first { profile[$0] != nil } ?? places.first
            if provider.profile.source == .idToken, let place {
                token.set(provider.shaped(value, as: claim.name, token[place]), at: place)
            } else if let standard {
                token.set(value, at: JSONPointer(tokens: [standard.member]))
            }
        }
    }

    /// The claims of the first response.
    var claims: [Named<JSONValue>] {
        provider.profile.claims.compactMap { claim in
            Self.claim(claim.name, of: provider, in: profile).map { Named(claim.name, $0) }
        }
    }

    private static func claim(_ name: String, of provider: Provider, in profile: JSONValue) -> JSONValue? {
        guard let claim = provider.profile.claims.first(where: { $0.name == name }) else { return nil }
        return profile[provider.profile.root].flatMap { provider.profile.value(of: claim, below: $0) }
    }

    /// The text of a subject; `nil` if it is taken out or empty.
    private static func stated(_ subject: JSONValue) -> String? {
        isRedacted(subject) || subject == "" ? nil : subject.scalarText
    }

    /// Samples stand in square brackets where a value was taken out.
    static func isRedacted(_ value: JSONValue) -> Bool {
        value.string.map { $0.hasPrefix("[") && $0.hasSuffix("]") } ?? false
    }

    /// A numeric identifier stays a number.
    private static func value(_ value: JSONValue, inTheTypeOf present: JSONValue?) -> JSONValue {
        guard case .number = present, let text = value.string, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return value }
        return .number(text)
    }
}

extension ClaimOfElements? {
    fileprivate func value(in found: JSONValue) -> JSONValue? {
        if let self { self.value(in: found) } else { found }
    }
}

extension JSONValue {
    /// The time at which something became true, as servers keep it instead of a truth.
    var asTime: JSONValue { self == true ? "2026-01-01T00:00:00.000000Z" : self == false ? .null : self }
}

extension Provider {
    /// The value of a claim as it stands at its place, which may be a list.
    fileprivate func shaped(_ value: JSONValue, as claim: String, _ present: JSONValue? = nil) -> JSONValue {
        let place = self.profile.ownClaims[claim]
        let value = place?.isPresence == true ? value.asTime : value
        guard let elements = place?.elements else { return value }
        return elements.list(of: value, over: elements.isList ? nil : present)
    }

    /// The sample that the profile is taken from; for an ID token, its claims if the sample is a JWT.
    fileprivate var sampleOfProfile: JSONValue? {
        switch self.profile.source {
        case .tokenResponse: self.sampleOfToken
        case .idToken:
            self.sampleClaims(of: \.idToken).map { JSONValue.object($0) } ?? sampleOfUserinfo
        case .userinfo, nil: sampleOfUserinfo ?? sampleOfLookup
        }
    }

    private var sampleOfUserinfo: JSONValue? {
        self.samples.userinfo.map { $0.read(as: self.profile.format) ?? $0 }
    }

    private var sampleOfToken: JSONValue? { self.samples.token?.read(as: self.token.response.format) }

    /// The sample of a lookup that requests the profile's own URL.
    private var sampleOfLookup: JSONValue? {
        guard let userinfo = self.endpoints[.userinfo] else { return nil }
        return self.connection.lookups.items.first { lookup in
            guard lookup.value.call.method ?? .get == .get else { return false }
            return (try? WebURL(lookup.value.call.url.source))?.receives(userinfo) ?? false
        }?.value.sample
    }

    /// A token in the sample of the token response.
    func sampleToken(_ field: KeyPath<ResponseFields, PointerList>) -> String? {
        guard let body = sampleOfToken else { return nil }
        let shape = TokenResponseShape(base: body, isSample: true, rules: self.token.response)
        return shape.place(of: field).flatMap { body[$0]?.string }
    }

    /// The scopes in the sample, which a client gets that asks for none (RFC 6749, section 3.3).
    var sampleScopes: [String] {
        let rules = self.token.response
        let stated = sampleOfToken?[rules.root]?.first(of: rules.fields.scope.pointers)
        let separator = rules.scopeSeparator ?? self.scopes.separator
        let all = stated?.array?.compactMap(\.string) ?? stated?.string?.split(separator: separator).map(String.init)
        // No ID token comes unasked.
        return (all ?? []).filter { $0 != "openid" }
    }

    /// The claims of a token in the sample, if it is a JWT.
    func sampleClaims(of field: KeyPath<ResponseFields, PointerList>) -> JSONObject? {
        sampleToken(field).flatMap { JSONWebToken.claims(of: $0) }?.object
    }
}

/// A claim of OpenID Connect Core, section 5.1, with the scope that asks for it (section 5.4).
struct StandardClaim: Sendable {
    /// The claim's name in descriptors.
    let name: String
    let member: String
    let scope: String
    let example: JSONValue

    static let all: [StandardClaim] = [
        Self(name: "name", member: "name", scope: "profile", example: "Ada Example"),
        Self(name: "given_name", member: "given_name", scope: "profile", example: "Ada"),
        Self(name: "family_name", member: "family_name", scope: "profile", example: "Example"),
        Self(name: "username", member: "preferred_username", scope: "profile", example: "ada"),
        Self(name: "picture", member: "picture", scope: "profile", example: "https://example.com/ada.png"),
        Self(name: "locale", member: "locale", scope: "profile", example: "en"),
        Self(name: "email", member: "email", scope: "email", example: "ada@example.com"),
        Self(name: "email_verified", member: "email_verified", scope: "email", example: true),
    ]

    static let exampleSubject: JSONValue = "100000000000000000001"
}

/// What the captured values that name the user are for one user. All other values are those of the samples.
struct Person {
    private let subject: String?
    private let naming: [TemplateReference]
    private let samples: Samples

    /// - Parameter user: `nil` for nobody, as for the one in the samples.
    init(_ user: SandboxUser?, at provider: Provider) {
        subject = user?.claims["subject"]?.scalarText
        naming = provider.profile.subjectTemplate?.references ?? []
        samples = provider.samples
    }

    init(of grant: Grant?, at provider: Provider) {
        self.init(grant?.extensionGrant == nil ? grant?.user : nil, at: provider)
    }

    func value(of capture: Named<CallbackCapture>) -> String {
        own(TemplateReference(.callback, capture.name), capture.value.pattern)
            ?? capture.example(in: samples)
    }

    /// - Returns: `nil` if the value is that of the sample.
    func value(of capture: Named<ResponseCapture>, _ origin: TemplateOrigin) -> String? {
        own(TemplateReference(origin, capture.name), capture.value.pattern)
    }

    private func own(_ reference: TemplateReference, _ pattern: ValuePattern?) -> String? {
        guard naming.contains(reference), let subject, pattern?.matches(subject) ?? true else { return nil }
        return subject
    }
}
