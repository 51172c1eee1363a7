/// What the provider expects of its one client: the variant that a module of the conformance suite runs with.
package struct Setup: Sendable {
    package enum Authentication: String, Sendable, CaseIterable {
        case none
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        case clientSecretJWT = "client_secret_jwt"
        case privateKeyJWT = "private_key_jwt"
        case tlsClientAuth = "tls_client_auth"
        case selfSignedTLSClientAuth = "self_signed_tls_client_auth"

        package var isMutualTLS: Bool { self == .tlsClientAuth || self == .selfSignedTLSClientAuth }
    }

    package enum Constraint: String, Sendable { case none, dpop, mtls }
    package enum AuthorizationRequest: String, Sendable {
        case plain = "plain_http_request"
        case requestObject = "request_object"
        case pushed = "unsigned"
        case pushedRequestObject = "signed_non_repudiation"

        package var isPushed: Bool { self == .pushed || self == .pushedRequestObject }
        package var isSigned: Bool { self == .requestObject || self == .pushedRequestObject }
    }
    package enum ResponseMode: String, Sendable {
        case query = "default"
        case formPost = "form_post"
        case jwt = "jarm"
    }

    package var issuer = "https://op.example"
    /// Where TLS asks for a certificate.
    package var certificateOrigin = "https://mtls.op.example"
    package var clientID = "client"
    package var clientSecret: String?
    /// The public keys of the client, each a JWK.
    package var clientKeys: [String] = []
    package var certificate: [UInt8]?
    package var redirectURI = "https://app.example/sign-in/op/callback"
    package var postLogoutRedirectURI: String?
    package var authentication = Authentication.clientSecretBasic
    /// The methods of the metadata; by default `authentication` alone.
    package var announced: [Authentication]?
    package var constraint = Constraint.none
    package var request = AuthorizationRequest.plain
    package var responseMode = ResponseMode.query
    /// Whether there are ID tokens and a userinfo endpoint.
    package var isOpenID = true
    /// Whether the rules of FAPI 2.0 apply: signatures by PS256, ES256 or EdDSA, the issuer as the one audience.
    package var isFAPI = false
    /// The type of the authorization details that the client must request (RFC 9396).
    package var detailsType: String?
    package var signature = "RS256"
    /// The algorithm of a signed userinfo response; `nil` for JSON.
    package var userinfoSignature: String?
    package var encryptsUserinfo = false
    package var hasCertificateAliases = false
    package var requiresDPoPNonce = false
    package var returnsRefreshToken = false
    /// Whether the client has to register itself first (RFC 7591).
    package var isDynamic = false
    /// Whether a refresh gets an ID token, too.
    package var refreshesIDToken = false

    package init() {}
}

/// What the provider does against the standards, and how.
package struct Deviation: Sendable {
    package typealias Change = @Sendable (inout Members) -> Void
    package enum Signature: Sendable {
        case valid, spoiled, none
        /// With the right key, and another algorithm.
        case with(String)
    }
    package enum Keys: Sendable { case usual, oneWithoutID, severalWithoutID }
    package enum Rotation: Sendable { case none, afterFirstSignIn, whileSigningSecond }

    package var metadata: Change = { _ in }
    package var idToken: Change = { _ in }
    package var idTokenSignature = Signature.valid
    package var refreshedIDToken: Change = { _ in }
    /// The parameters of the authorization response.
    package var response: Change = { _ in }
    /// The claims of a signed authorization response (JARM).
    package var signedResponse: Change = { _ in }
    package var responseSignature = Signature.valid
    /// The error that the authorization endpoint returns instead of a code.
    package var authorizationError: String?
    package var token: Change = { _ in }
    package var userinfo: Change = { _ in }
    /// Claims that the userinfo response has as a JWT of a claim source (OpenID Connect Core, section 5.6.2).
    package var aggregates: [String: String] = [:]
    package var keys = Keys.usual
    package var rotation = Rotation.none
    package var dpopScheme = "DPoP"
    package var logoutToken: Change = { _ in }
    package var logoutSignature = Signature.valid
    /// The query of the return from the logout page.
    package var logoutReturn: Change = { _ in }

    package init() {}
}
