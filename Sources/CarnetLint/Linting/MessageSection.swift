import CarnetDescriptors

/// A section that shapes one message of the protocol, of those that the file has.
final class MessageSection: Sendable {
    /// `nil` for the callback.
    let kind: RequestKind?
    let name: String
    /// How the request is sent; `nil` for the authorization request and the callback.
    let rules: Place<RequestRules>?
    /// What is sent or read in it under the standard's name.
    let parameters: Set<String>
    let headers: [YAMLEntry]
    /// The parameters that the descriptor adds.
    let added: [YAMLEntry]
    let rename: [YAMLEntry]
    let encode: [YAMLEntry]
    let omit: [YAMLNode]
    let queryParameters: [YAMLNode]
    /// The provider's name for the grant.
    let grantType: YAMLNode?

    /// The requests, in the order of a sign-in.
    static func requests(in places: Place<DescriptorRules>) -> [MessageSection] {
        RequestKind.allCases.compactMap { kind in
            switch kind {
            case .authorization: MessageSection(places.authorization, extra: places.scopes.extra)
            case .pushedAuthorization: nil
            default: MessageSection(kind, places)
            }
        }
    }

    private init?(_ kind: RequestKind, _ places: Place<DescriptorRules>) {
        guard let rules = places.rules(of: kind), rules.isWritten else { return nil }
        self.kind = kind
        name = kind.section
        self.rules = rules
        parameters = kind.parameterNames
        headers = rules.headers.entries
        added = rules.parameters.entries
        rename = rules.rename.entries
        encode = rules.encode.entries
        omit = rules.omit.elements
        queryParameters = rules.queryParameters.elements
        grantType = kind.grantType == nil ? nil : rules.grant.grantType.node
    }

    /// - Parameter extra: Further parameters with scopes.
    private init?(_ rules: Place<AuthorizationRules>, extra: Place<NamedList<[String]>>) {
        guard rules.isWritten || extra.isWritten else { return nil }
        (kind, self.rules) = (.authorization, nil)
        name = RequestKind.authorization.section
        parameters = RequestKind.authorization.parameterNames
        headers = []
        added =
            rules.parameters.entries + rules.offlineParameters.entries + rules.reconsentParameters.entries
            + extra.entries
        rename = rules.rename.entries
        encode = rules.encode.entries
        omit = rules.omit.elements
        queryParameters = []
        grantType = nil
    }

    /// The one message that comes to the client (RFC 6749, sections 4.1.2 and 4.1.2.1; RFC 9207).
    init?(callback rules: Place<CallbackRules>) {
        guard rules.isWritten else { return nil }
        (kind, self.rules) = (nil, nil)
        name = "callback"
        parameters = ["state", "code", "scope", "error", "error_description", "error_uri", "iss"]
        (headers, added, encode) = ([], [], [])
        rename = rules.rename.entries
        (omit, queryParameters) = ([], [])
        grantType = nil
    }

    var omittedNames: Set<String> { Set(omit.compactMap { $0.scalar?.text }) }
}
