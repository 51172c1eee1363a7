import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import Foundation
import HTTPTypes
import Testing

extension PeerTrial {
    /// The code flow, what a thief of a code gets, and the profile.
    mutating func tryCode() async throws {
        let client = try client()
        let (session, callback) = try await signIn(client)
        let tokens = try await session.storedTokens()
        note(.code, .passed("the ID token is signed with \(try algorithm(of: try #require(tokens.idToken)))"))
        let announces = metadata["authorization_response_iss_parameter_supported"]?.bool == true
        if !announces, query(of: callback)["iss"] != nil { note(.unannouncedIssuer) }

        let exchanged = try #require(transport.lastRequest(whoseFormHas: "grant_type=authorization_code"))
        let profile = try await session.profile()
        #expect(profile.email == "alice@example.org")
        note(.userinfo, .passed())
        if try await userinfoStatus("no-token-at-all") == 400 { note(.badRequestForBadToken) }
        if transport.last?.head.headerFields[.wwwAuthenticate]?.hasPrefix("error=") == true {
            note(.challengeWithoutScheme)
        }

        let again = try await transport.send(exchanged, limits: TransportLimits())
        #expect(again.status != 200, "a code was taken twice")
        let code = (try? JSONValue(parsing: again.body))?["error"]?.string
        if again.status != 400 || code != "invalid_grant" { note(.ownErrorCode) }
        if try await userinfoStatus(tokens.accessToken.reveal()) == 200 { note(.replayKeepsTokens) }

        try await tryWrongVerifier(client)
        try await tryRefusal(client, announcesIssuer: announces)
    }

    private mutating func tryWrongVerifier(_ client: OAuthClient) async throws {
        let wrong = String(repeating: "x", count: 43)
        do {
            _ = try await transport.changing({ $0.replace("code_verifier", with: wrong) }) { try await signIn(client) }
            note(.ignoresPKCE)
        } catch let error as OAuthError {
            #expect(error.step == .tokenRequest, "\(error)")
            if metadata["code_challenge_methods_supported"] == nil { note(.unannouncedPKCE) }
        }
    }

    /// A browser in which nobody is signed in, and a sign-in that may show nothing.
    private mutating func tryRefusal(_ client: OAuthClient, announcesIssuer: Bool) async throws {
        let request = try await client.beginSignIn(AuthorizationOptions(requestsRefreshToken: false, prompt: [.none]))
        let callback: String
        do {
            callback = try await peer.callback(of: request.url)
        } catch is CommandRun.Failure {
            note(.pageForSilentSignIn)
            return
        }
        let error = await #expect(throws: OAuthError.self) {
            try await client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        }
        #expect(error?.step == .callback, "\(String(describing: error))")
        if announcesIssuer, query(of: callback)["iss"] == nil { note(.errorWithoutIssuer) }
    }

    /// A refresh, and what becomes of the refresh token that it took.
    mutating func tryRefresh() async throws {
        let session = try await signIn(try client()).session
        guard let first = try await session.storedTokens().refreshToken else {
            note(.refresh, .lacking("no refresh token"))
            note(.rotation, .lacking("no refresh token"))
            return
        }
        try await peer.settle()
        let refreshed = try await session.refresh()
        #expect(try await session.profile().email == "alice@example.org")
        let isReplaced = refreshed.refreshToken != first
        note(.refresh, .passed(isReplaced ? "with a new refresh token" : "the refresh token stays valid"))
        guard isReplaced else {
            note(.rotation, .lacking("the token stays valid"))
            return
        }
        try await peer.settle()
        let used = try #require(transport.lastRequest(whoseFormHas: "grant_type=refresh_token"))
        let again = try await transport.send(used, limits: TransportLimits())
        note(.rotation, again.status == 200 ? .lacking("it is accepted again") : .passed())
    }

    /// The document of RFC 8414 beside that of OpenID Connect.
    mutating func tryOAuthMetadata() async throws {
        let url = try WebURL(peer.registration.issuer + "/.well-known/oauth-authorization-server")
        let head = HTTPRequest(method: .get, scheme: url.scheme, authority: url.authority, path: url.target)
        let response = try await transport.send(OutgoingRequest(head: head), limits: TransportLimits())
        guard response.status == 200, let other = try? JSONValue(parsing: response.body) else { return }
        let isElsewhere = [EndpointName.revocation, .introspection].contains { name in
            metadata[name.metadataName] == nil && other[name.metadataName] != nil
        }
        if isElsewhere { note(.endpointsElsewhere) }
    }

    /// The least that a descriptor can say: id, name, issuer and scopes.
    mutating func trySecret() async throws {
        let client = try client(lines: "scopes: { default: [openid, profile, email] }")
        let before = transport.count(whoseFormHas: "grant_type=authorization_code")
        do {
            _ = try await signIn(client)
            let attempts = transport.count(whoseFormHas: "grant_type=authorization_code") - before
            #expect((1...3).contains(attempts))
            let last = try #require(transport.lastRequest(whoseFormHas: "grant_type=authorization_code"))
            let isInBody = last.head.headerFields[.authorization] == nil
            note(
                .secret,
                .passed(
                    isInBody
                        ? "the server accepts it in the body only"
                        : attempts > 1 ? "the server does not decode it" : nil))
        } catch let error as OAuthError where error.step == .tokenRequest {
            note(.secret, .refused(words(of: error)))
        }
    }

    /// The same sign-in without the line of the descriptor that is there for one oddity.
    mutating func tryWhatStandsInTheDescriptor() async throws {
        guard let (lines, deviation) = peer.server.alternative else { return }
        do {
            let session = try await signIn(try client(lines: lines)).session
            if try await session.storedTokens().refreshToken == nil { note(deviation) }
        } catch let error as OAuthError {
            #expect([.tokenRequest, .callback].contains(error.step), "\(error)")
            note(deviation)
        } catch is CommandRun.Failure {
            // The server showed the user an error instead of sending the browser back.
            note(deviation)
        }
    }

    private func algorithm(of token: Secret) throws -> String {
        try #require(try segment(0, of: token)["alg"]?.string)
    }

    /// The header of a JWT, or its claims.
    func segment(_ index: Int, of token: Secret) throws -> JSONValue {
        let segments = token.reveal().split(separator: ".")
        return try JSONValue(parsing: try #require(Base64URL.decode(segments[index].utf8)))
    }

    private func query(of url: String) -> [String: String] {
        let items = URLComponents(string: url)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}

extension Peer.Server {
    private static func onlyBasic(_ encoding: String) -> String {
        "client: { authentication: [client_secret_basic], basic_encoding: \(encoding) }"
    }

    /// The descriptor without what it says about one oddity, or with the opposite.
    fileprivate var alternative: (lines: String, Deviation)? {
        let scopes = "scopes: { default: [openid, profile, email], offline: [offline_access] }"
        return switch self {
        case .canaille: (lines + "\n" + Self.onlyBasic("raw"), .encodedBasicOnly)
        case .djangoAllauth: (lines + "\n" + Self.onlyBasic("percent"), .rawBasicOnly)
        case .djangoOIDCProvider: (lines + "\n" + Self.onlyBasic("raw"), .noColonInBasic)
        case .djangoOAuthToolkit:
            ("scopes: { default: [openid, profile, email] }\n" + Self.onlyBasic("raw"), .encodedBasicOnly)
        case .glewlwyd: (scopes + "\n" + Self.onlyBasic("percent"), .rawBasicOnly)
        case .idpyoidc: (scopes, .consentForOfflineAccess)
        case .oidcProviderMock: nil
        }
    }
}
