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
        [Key("url", \.url, isRequired: true, "what is asked; the access token is sent to it")]
        + RequestRules.keys.map { $0.lifted(to: \.request) } + [
            Key("format", \.format, "how the body is encoded; auto follows the content type"),
            Key("root", \.root, "the object or list that holds the claims, if it is not the whole body"),
            Key(
                "where", \.conditions,
                "member -> value: of the list at root, the first object with all of them holds the claims"),
            Key("claims", \.claims, isRequired: true, "claim -> pointer below root, or below the object of where"),
        ]
}

/// A further request of the profile with everything filled in.
package struct ProfileRequest: Sendable {
    package let url: WebURL
    package let request: ResolvedRequest
    package let format: ResponseFormat
    package let root: JSONPointer
    package let conditions: [Named<JSONValue>]
    package let claims: [Named<[JSONPointer]>]
}

extension ProfileRequest {
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
