/// A further request of the profile, for claims that the first one does not bring.
package struct ProfileRequestRules: Sendable {
    package internal(set) var url = Template.empty
    package internal(set) var request = RequestRules()
    package internal(set) var format = ResponseFormat.auto
    package internal(set) var root = JSONPointer(tokens: [])
    package internal(set) var conditions = NamedList<JSONValue>()
    package internal(set) var claims = NamedList<PointerList>()

    init() {}
}

extension ProfileRequestRules: DescriptorSection {
    static let keys: [Key<Self>] =
        [Key("url", \.url, isRequired: true, "the URL, which receives the access token")]
        + RequestRules.keys(in: .signedIn).map { $0.lifted(to: \.request) } + [
            Key("format", \.format, "the format of the body; auto (default) follows the content type"),
            Key("root", \.root, "the object or list that contains the claims; default: the whole body"),
            Key(
                "where", \.conditions,
                "member -> value: the first object of the list at root that has all of them contains the claims"),
            Key("claims", \.claims, isRequired: true, "claim -> pointer below root, or below the object of where"),
        ]
}

/// A further request of the profile with everything filled in.
package struct ProfileRequest: Sendable {
    package let url: WebURL
    package fileprivate(set) var request: ResolvedRequest
    package let format: ResponseFormat
    package let root: JSONPointer
    package let conditions: [Named<JSONValue>]
    package let claims: [Named<[JSONPointer]>]
}

extension InputResolver {
    /// The further requests of the profile; one whose URL takes an optional input without a value is left out.
    func profileRequests(_ rules: [ProfileRequestRules]) throws(ResolutionError) -> [ProfileRequest] {
        var requests: [ProfileRequest] = []
        for (index, rules) in rules.enumerated() {
            let key = "profile.requests.\(index)"
            guard let url = try url(rules.url, key: "\(key).url") else { continue }
            requests.append(
                ProfileRequest(
                    url: url,
                    request: try rules.request.resolve(with: self, key: key, method: .get),
                    format: rules.format,
                    root: rules.root,
                    conditions: rules.conditions.items,
                    claims: rules.claims.items.map { Named($0.name, $0.value.pointers) }
                )
            )
        }
        return requests
    }
}

extension ProfileRequest {
    /// The request with what is known by now.
    func filled(_ values: TemplateValues) -> ProfileRequest {
        var filled = self
        filled.request = request.filled(values)
        return filled
    }

    /// The object that holds the claims.
    package func holder(in body: JSONValue) -> JSONValue? {
        guard let value = body[root], !conditions.isEmpty else { return body[root] }
        return value.array?.first { element in
            conditions.allSatisfy { condition in
                element[condition.name].map { $0 == condition.value || $0.hasText(of: condition.value) } ?? false
            }
        }
    }
}

extension JSONValue {
    fileprivate func hasText(of other: JSONValue) -> Bool {
        scalarText.map { $0 == other.scalarText } ?? false
    }
}
