package import CarnetFoundation

/// A further request of the profile, for claims that the first one does not bring.
package struct ProfileRequestRules: ReferredSection, Sendable {
    package internal(set) var url = Template.empty
    package internal(set) var request = RequestRules()
    package internal(set) var outcome = OutcomeRules()
    package internal(set) var format = ResponseFormat.auto
    package internal(set) var root = JSONPointer(tokens: [])
    package internal(set) var anyOf: [String] = []
    package internal(set) var conditions = NamedList<Template>()
    package internal(set) var claims = NamedList<ClaimPlace>()
    package internal(set) var isForMissing = false
    package internal(set) var tokenIn: TokenUse?
    package internal(set) var sample: JSONValue?

    static func elsewhere(_ name: String) -> String? {
        ["scope", "scopes", "all_of"].contains(name) ? "it is any_of, a list" : nil
    }

    static let keys: [Key<Self>] =
        [
            Key(
                "url", \.url, in: .furtherURL, isRequired: true,
                "the URL, which receives the access token; below api.base_url if it starts with /"),
            Key(
                "any_of", \.anyOf,
                "scopes of which one must be granted, otherwise the request is not sent; default: it is always sent"),
        ]
        + RequestRules.ownKeys(in: .furtherRequest, inheriting: true).map { $0.lifted(to: \.request) }
        + OutcomeRules.keys.map { $0.lifted(to: \.outcome) } + [
            Key("token_in", \.tokenIn, "where the access token is sent; default: as in profile"),
            Key("format", \.format, ResponseFormat.summary),
            Key("root", \.root, "the only candidate, or the list of candidates; default: the whole body"),
            Key("where", \.conditions, in: .furtherRequest, RequestRules.whereSummary),
            Key(
                "claims", \.claims, isRequired: true,
                "claim -> its place in the first candidate; 'present' reads whether it has a value, 'each' the values in all candidates"
            ),
            Key(
                "when_missing", \.isForMissing,
                "whether the request is made only for claims that are still missing, and fills only those; default: false"
            ),
            Key("sample", \.sample, "a redacted response; the sandbox returns it"),
        ]
}

/// A further request of the profile with everything filled in.
package struct ProfileRequest: Sendable {
    /// `nil` until all values that it takes are known.
    package fileprivate(set) var url: WebURL?
    package let lateURL: Template
    package fileprivate(set) var request: ResolvedRequest
    package let outcome: OutcomeRules
    package fileprivate(set) var conditions: [Named<String>]
    fileprivate var lateConditions: [Named<Template>]
    /// Where the access token goes; `nil` if the request has none.
    package let tokenIn: TokenPlacement?
    fileprivate let described: ProfileRequestRules

    /// The request without what it inherits from `api`.
    package var ownRequest: RequestRules { described.request }
    package var format: ResponseFormat { described.format }
    package var root: JSONPointer { described.root }
    /// The conditions whose value the descriptor itself states.
    package var fixedConditions: [Named<String>] { described.conditions.fixed }
    package var requirement: ScopeRequirement { ScopeRequirement(anyOf: described.anyOf) }
    package var claims: [Named<ClaimPlace>] { described.claims.items }
    package var isForMissing: Bool { described.isForMissing }
    package var sample: JSONValue? { described.sample }
}

extension InputResolver {
    /// The further requests of the profile; one whose URL takes an optional input without a value is left out.
    ///
    /// - Parameter placement: The place of the access token if a request does not say it.
    func profileRequests(
        _ rules: [ProfileRequestRules], api: APIRules, tokenIn placement: TokenPlacement?
    ) throws(ResolutionError) -> [ProfileRequest] {
        try rules.enumerated().collect { index, rules throws(ResolutionError) in
            let key = "profile.requests.\(index)"
            let whole = belowAPI(rules.url)
            guard let late = try lateURL(whole, key: "\(key).url") else { return nil }
            let tokenIn = rules.tokenIn.placement(else: placement)
            let own = tokenIn == nil ? rules.request : rules.request.inheriting(api, at: rules.url)
            let known = try named(rules.conditions, key: "\(key).where")
            let conditions = try conditions(rules.conditions, key: "\(key).where")
            return ProfileRequest(
                url: late.isLate ? nil : try url(whole, key: "\(key).url"), lateURL: late,
                request: try own.resolve(with: self, key: key, method: .get),
                outcome: rules.outcome.inheriting(api), conditions: known,
                lateConditions: conditions.filter { condition in !known.contains { $0.name == condition.name } },
                tokenIn: tokenIn, described: rules)
        }
    }
}

extension ProfileRequest {
    /// The request with what is known by now.
    package func filled(_ values: TemplateValues, trusting hosts: [HostPattern]) -> ProfileRequest {
        var filled = self
        filled.url = url ?? (try? values.url(lateURL, trusting: hosts))
        filled.request = request.filled(values)
        let known = values.named(lateConditions)
        filled.conditions += known
        filled.lateConditions.removeAll { condition in known.contains { $0.name == condition.name } }
        return filled
    }

    /// The claims of earlier responses that it waits for.
    package var takenClaims: [TemplateReference] {
        let templates = (request.late.parameters + request.late.headers + lateConditions).map(\.value) + [lateURL]
        return templates.flatMap(\.references).filter { $0.origin == .claim }
    }

    package var takesClaims: Bool { !takenClaims.isEmpty }

    /// The request at a URL that became known.
    package func at(_ url: WebURL?) -> ProfileRequest {
        var request = self
        request.url = url
        return request
    }

    var isLate: Bool { url == nil || request.isLate || !lateConditions.isEmpty }

    /// The objects that have the claims; `nil` if the body has no candidates.
    package func holders(in body: JSONValue) -> [JSONValue]? {
        // An object of another is not taken for want of what it must be.
        body.candidates(at: root)?.filter { lateConditions.isEmpty && $0.meets(conditions) }
    }

    /// How many values a list has at most; the others are left out.
    package static let longestList = 1000

    /// The value of a claim in the objects that have the claims.
    package func value(of place: ClaimPlace, in holders: [JSONValue]) -> JSONValue? {
        if place.isOfCandidates { return place.value(in: .array(holders)) }
        guard let holder = holders.first else { return nil }
        return holder.firstStated(of: place.pointers).map(place.value) ?? (place.isPresence ? false : nil)
    }

    package var hasList: Bool { claims.contains(where: \.value.isList) }

    /// Whether the request is for a host that wants these claims. A request that brings nothing but lists is for those who
    /// name one of them; `nil` for all claims.
    package func isFor(_ names: [String]?) -> Bool {
        guard let names else { return true }
        return claims.contains { !$0.value.isList || names.containsBytes(of: $0.name) }
    }
}

extension NamedList<Template> {
    /// Those without a value of the host or of a sign-in.
    var fixed: [Named<String>] {
        items.filter { !$0.value.source.holds(UInt8(ascii: "{")) }.map { Named($0.name, $0.value.source) }
    }
}

extension JSONValue {
    /// The elements of the list at a place, or the one value there; `nil` if there is none.
    package func candidates(at root: JSONPointer) -> [JSONValue]? {
        self[root].map { $0.array ?? [$0] }
    }

    /// Whether the members have these values, by bytes. A list has a value if one of its elements is it.
    package func meets(_ conditions: [Named<String>]) -> Bool {
        conditions.allSatisfy { condition in
            guard let found = self[JSONPointer(ofCondition: condition.name)] else { return false }
            return (found.array ?? [found]).contains { $0.scalarText?.isSameBytes(as: condition.value) ?? false }
        }
    }
}
