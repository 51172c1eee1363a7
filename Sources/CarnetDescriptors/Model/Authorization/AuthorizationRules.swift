public import CarnetFoundation

/// The authorization request (RFC 6749, section 4.1.1).
@usableFromInline
package struct AuthorizationRules: DescriptorSection, Sendable {
    package internal(set) var parameters = NamedList<Template>()
    package internal(set) var offlineParameters = NamedList<Template>()
    package internal(set) var reconsentParameters = NamedList<Template>()
    package internal(set) var rename = NamedList<String>()
    package internal(set) var omit: [String] = []
    package internal(set) var encode = NamedList<ParameterEncoding>()
    package internal(set) var responseType = "code"
    package internal(set) var responseMode: ResponseMode?
    package internal(set) var state = StateRule.parameter
    package internal(set) var fragmentRoute: URLFragment?
    package internal(set) var fragment: URLFragment?
    package internal(set) var pkce = PKCERule.required(.base64url)
    package internal(set) var nonce = NonceRule.required
    package internal(set) var pushed = PushedAuthorizationRules()
    package internal(set) var requestObject = RequestObjectRules()
    package internal(set) var prefersEphemeralSession = false

    static func elsewhere(_ name: String) -> String? { NamesElsewhere.url(name, of: .authorization) }

    static let keys: [Key<Self>] = [
        Key("parameters", \.parameters, in: .authorization, takesJSON: true, "parameters of every request"),
        Key("offline_parameters", \.offlineParameters, "additional parameters if a refresh token is requested"),
        Key(
            "reconsent_parameters", \.reconsentParameters,
            "additional parameters that make the provider ask for consent again"),
        Key("rename", \.rename, "standard parameter name -> the provider's name for it"),
        Key("omit", \.omit, "standard parameters to omit"),
        Key("encode", \.encode, RequestRules.encodeSummary),
        Key("response_type", \.responseType, "the provider's name for the response type code"),
        Key(
            "response_mode", \.responseMode,
            "the response mode to request; with jwt the response is signed (JARM); default: none is requested"),
        Key("state", \.state, "where the state is sent; default: in its own parameter"),
        Key("fragment_route", \.fragmentRoute, "the route of a page that reads its parameters after #ROUTE?"),
        Key("fragment", \.fragment, "the fragment of the URL, after #"),
        Key("pkce", \.pkce, "whether and how PKCE with S256 is used (RFC 7636); default: required"),
        Key(
            "nonce", \.nonce,
            "whether a nonce is sent and required in the ID token (OpenID Connect Core, section 15.5.2); default: required"
        ),
        Key("pushed", \.pushed, "whether the parameters are pushed to the server before the sign-in (RFC 9126)"),
        Key("request_object", \.requestObject, "whether the client signs the parameters (RFC 9101)"),
        Key(
            "ephemeral_session", \.prefersEphemeralSession,
            "whether the sign-in sheet of Apple platforms shares no cookies; other browsers ignore it"),
    ]
}

@usableFromInline
@dynamicMemberLookup
package struct ResolvedAuthorization: Sendable {
    @usableFromInline let described: Shared<AuthorizationRules>
    package let parameters: [Named<String>]
    /// Parameters that are filled for each sign-in.
    package let lateParameters: [Named<Template>]
    package let offlineParameters: [Named<String>]
    package let reconsentParameters: [Named<String>]
    package var requestObject: ResolvedRequestObject
    /// Whether requests are pushed (RFC 9126), unless a sign-in says otherwise; also set by the metadata.
    package var isPushed: Bool

    init(
        _ rules: AuthorizationRules, with resolver: InputResolver, endpoints: ResolvedEndpoints
    ) throws(ResolutionError) {
        let key = "authorization"
        described = Shared(rules)
        for list in [rules.parameters, rules.offlineParameters, rules.reconsentParameters] {
            try resolver.refuseSecrets(in: list, key: "\(key).parameters")
        }
        parameters = try resolver.named(rules.parameters, key: "\(key).parameters")
        lateParameters = try resolver.lateNamed(rules.parameters, key: "\(key).parameters")
        offlineParameters = try resolver.named(rules.offlineParameters, key: "\(key).offline_parameters")
        reconsentParameters = try resolver.named(rules.reconsentParameters, key: "\(key).reconsent_parameters")
        requestObject = try ResolvedRequestObject(rules.requestObject, resolver)
        isPushed =
            rules.pushed.use == .always || rules.pushed.use == .auto && endpoints[.pushedAuthorizationRequest] != nil
    }

    @inlinable @inline(__always)
    package subscript<Value>(dynamicMember key: KeyPath<AuthorizationRules, Value>) -> Value {
        described.value[keyPath: key]
    }
}
