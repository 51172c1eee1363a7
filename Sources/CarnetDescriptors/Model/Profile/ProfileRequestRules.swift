package import CarnetFoundation

/// A further request of the profile, for claims that the first one does not bring.
package struct ProfileRequestRules: Sendable {
    package internal(set) var url = Template.empty
    package internal(set) var request = RequestRules()
    package internal(set) var outcome = OutcomeRules()
    package internal(set) var format = ResponseFormat.auto
    package internal(set) var root = JSONPointer(tokens: [])
    package internal(set) var conditions = NamedList<Template>()
    package internal(set) var claims = NamedList<PointerList>()
    package internal(set) var sample: JSONValue?

    init() {}
}

extension ProfileRequestRules: DescriptorSection {
    static let keys: [Key<Self>] =
        [Key("url", \.url, isRequired: true, "the URL, which receives the access token")]
        + RequestRules.ownKeys(in: .signedIn, inheriting: true).map { $0.lifted(to: \.request) }
        + OutcomeRules.keys.map { $0.lifted(to: \.outcome) } + [
            Key("format", \.format, "the format of the body; auto (default) follows the content type"),
            Key("root", \.root, "the only candidate, or the list of candidates; default: the whole body"),
            Key("where", \.conditions, in: .signedIn, RequestRules.whereSummary),
            Key("claims", \.claims, isRequired: true, "claim -> its place in the first candidate"),
            Key("sample", \.sample, "a redacted response; the sandbox returns it"),
        ]
}

/// A further request of the profile with everything filled in.
package struct ProfileRequest: Sendable {
    package let url: WebURL
    package fileprivate(set) var request: ResolvedRequest
    /// The request without what it inherits from `api`.
    package let ownRequest: RequestRules
    package let outcome: OutcomeRules
    package let format: ResponseFormat
    package let root: JSONPointer
    package fileprivate(set) var conditions: [Named<String>]
    fileprivate let lateConditions: [Named<Template>]
    package let claims: [Named<[JSONPointer]>]
    package let sample: JSONValue?
}

extension InputResolver {
    /// The further requests of the profile; one whose URL takes an optional input without a value is left out.
    func profileRequests(
        _ rules: [ProfileRequestRules], api: APIRules
    ) throws(ResolutionError) -> [ProfileRequest] {
        var requests: [ProfileRequest] = []
        for (index, rules) in rules.enumerated() {
            let key = "profile.requests.\(index)"
            guard let url = try url(rules.url, key: "\(key).url") else { continue }
            requests.append(
                ProfileRequest(
                    url: url,
                    request: try rules.request.inheriting(api, at: rules.url)
                        .resolve(with: self, key: key, method: .get),
                    ownRequest: rules.request,
                    outcome: rules.outcome,
                    format: rules.format,
                    root: rules.root,
                    conditions: try named(rules.conditions, key: "\(key).where"),
                    lateConditions: try lateNamed(rules.conditions, key: "\(key).where"),
                    claims: rules.claims.items.map { Named($0.name, $0.value.pointers) },
                    sample: rules.sample
                )
            )
        }
        return requests
    }
}

extension ProfileRequest {
    /// The request with what is known by now.
    package func filled(_ values: TemplateValues) -> ProfileRequest {
        var filled = self
        filled.request = request.filled(values)
        filled.conditions += values.named(lateConditions)
        return filled
    }

    var isLate: Bool { request.isLate || !lateConditions.isEmpty }

    /// The object that holds the claims.
    package func holder(in body: JSONValue) -> JSONValue? {
        body.candidates(at: root)?.first { $0.meets(conditions) }
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
            let pointer = condition.name.hasPrefix("/") ? JSONPointer(condition.name) : nil
            guard let found = pointer.map({ self[$0] }) ?? self[condition.name] else { return false }
            return (found.array ?? [found]).contains { $0.scalarText?.isSameBytes(as: condition.value) ?? false }
        }
    }
}
