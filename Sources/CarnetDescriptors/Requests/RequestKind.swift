/// A request that the engine makes: its section, its endpoint, and the parameters that the standards define for it.
///
/// The engine takes names and grant types from this catalogue, the linter checks descriptors against it, and the
/// reference lists it. A test compares it with the requests that the engine makes.
package enum RequestKind: String, CaseIterable, Sendable {
    case authorization
    case pushedAuthorization = "pushed_authorization"
    case token
    case refresh
    case clientCredentials = "client_credentials"
    case device
    case deviceToken = "device.token"
    case tokenExchange = "token_exchange"
    case jwtBearer = "jwt_bearer"
    case profile
    case revocation
    case introspection
    case logout

    /// The path of the descriptor's section that shapes the request.
    package var section: String { self == .pushedAuthorization ? RequestKind.authorization.rawValue : rawValue }

    package var endpoint: EndpointName {
        switch self {
        case .authorization: .authorization
        case .pushedAuthorization: .pushedAuthorizationRequest
        // Refreshing and the device grant have endpoints of their own only where a descriptor names them.
        case .token, .refresh, .clientCredentials, .deviceToken, .tokenExchange, .jwtBearer: .token
        case .device: .deviceAuthorization
        case .profile: .userinfo
        case .revocation: .revocation
        case .introspection: .introspection
        case .logout: .endSession
        }
    }

    /// The HTTP method if the descriptor names none.
    package var method: RequestMethod {
        switch self {
        case .authorization, .profile, .logout: .get
        default: .post
        }
    }

    /// The standard's value of `grant_type`.
    package var grantType: String? {
        switch self {
        case .token: "authorization_code"
        case .refresh: "refresh_token"
        case .clientCredentials: "client_credentials"
        case .deviceToken: "urn:ietf:params:oauth:grant-type:device_code"
        case .tokenExchange: "urn:ietf:params:oauth:grant-type:token-exchange"
        case .jwtBearer: "urn:ietf:params:oauth:grant-type:jwt-bearer"
        default: nil
        }
    }

    /// The parameter that the request is about, which nothing replaces.
    package var credential: StandardParameter? {
        switch self {
        case .token: .code
        case .refresh: .refreshToken
        case .deviceToken: .deviceCode
        case .tokenExchange: .subjectToken
        case .jwtBearer: .assertion
        case .revocation, .introspection: .token
        default: nil
        }
    }

    /// Whether the section says what `token` says, where it says nothing itself.
    package var inheritsToken: Bool { grantType != nil && self != .token }

    /// How the server learns which client sends the request.
    package enum ClientIdentification: Sendable {
        /// The access token authenticates the client.
        case accessToken
        /// Only `client_id`: the request goes through a browser.
        case named
        case authenticated
        /// Client authentication, with `client_id` in the body even if a header contains it (RFC 8628, section 3.1;
        /// RFC 9126, section 2.1).
        case authenticatedAndNamed
    }

    package var client: ClientIdentification {
        switch self {
        case .profile: .accessToken
        case .authorization, .logout: .named
        case .device, .pushedAuthorization: .authenticatedAndNamed
        default: .authenticated
        }
    }

    package var authenticatesClient: Bool { client == .authenticated || client == .authenticatedAndNamed }
}
