import Foundation
import Testing

/// `carnet` and servers that nobody here wrote, with nothing between them but a descriptor dropped into a folder.
@Suite("Real server")
struct RealServerTests {
    @Test(
        "A few lines are enough to sign in, to stay signed in and to sign out", .timeLimit(.minutes(20)),
        arguments: Peer.Server.allCases)
    func aFewLinesAreEnough(_ server: Peer.Server) async throws {
        try await Peer.with(server) { peer in
            let home = try Self.home(for: peer)

            let providers = try await home.run("providers", "--json")
            let dropped = try providers.list("providers").filter { $0["id"] as? String == "peer" }
            #expect(dropped.map { $0["origin"] as? String } == ["folder"], "\(providers)")
            let lint = try await home.run("lint", ".config/carnet/providers")
            #expect(lint.status == 0, "\(lint)")

            let login = try home.start(["login", "peer", "--no-browser", "--clients", "clients.yaml"])
            let authorizationURL = try await login.line(of: .standardError) {
                $0.hasPrefix(peer.registration.issuer + "/")
            }
            #expect(try await peer.signIn(at: authorizationURL) == 200, "the page that the browser ends on")
            let loggedIn = try await login.finish()
            #expect(loggedIn.status == 0, "\(loggedIn)")

            let accounts = try await home.run("accounts", "--json")
            #expect(try accounts.list("accounts").map { $0["provider"] as? String } == ["peer"], "\(accounts)")
            let payload = try await home.run("token", "peer", "--payload", "--clients", "clients.yaml")
            if server.hasOpaqueTokens {
                #expect(payload.status == 1 && payload.standardOutput.isEmpty, "\(payload)")
            } else {
                #expect(try payload.json()["iss"] as? String == peer.registration.issuer, "\(payload)")
            }
            let profile = try await home.run("profile", "peer", "--clients", "clients.yaml")
            #expect(profile.standardOutput.contains("alice@example.org"), "\(profile)")

            let token = try await home.run("token", "peer", "--raw", "--clients", "clients.yaml")
            try await peer.settle()
            let refresh = try await home.run("refresh", "peer", "--clients", "clients.yaml")
            #expect(refresh.status == 0, "\(refresh)")
            let newToken = try await home.run("token", "peer", "--raw", "--clients", "clients.yaml")
            #expect(newToken.status == 0 && newToken.standardOutput != token.standardOutput)

            let logout = try await home.run("logout", "peer", "--clients", "clients.yaml")
            #expect(logout.status == 0, "\(logout)")
            #expect(try await home.run("accounts", "--json").list("accounts").isEmpty)

            for result in [loggedIn, accounts, profile, refresh, logout] {
                #expect(!"\(result)".contains(peer.registration.clientSecret))
            }
        }
    }

    /// A home with a descriptor of the server and the registration of its client.
    private static func home(for peer: Peer) throws -> CommandHome {
        let home = try CommandHome()
        try home.write(
            """
            carnet: 1
            id: peer
            name: Peer
            issuer: \(peer.registration.issuer)
            \(peer.lines)

            """,
            to: ".config/carnet/providers/peer.yaml"
        )
        try home.write(
            """
            peer:
              client_id: "\(peer.registration.clientID)"
              client_secret: "\(peer.registration.clientSecret)"
              redirect_uri: \(peer.registration.redirectURI)

            """,
            to: "clients.yaml"
        )
        return home
    }
}

extension Peer {
    /// What the server's descriptor says beyond the issuer.
    nonisolated var lines: String { server.lines.replacing("ISSUER", with: registration.issuer) }
}

extension Peer.Server {
    fileprivate var hasOpaqueTokens: Bool {
        switch self {
        case .djangoAllauth, .djangoOAuthToolkit, .djangoOIDCProvider, .oidcProviderMock: true
        case .canaille, .glewlwyd, .idpyoidc: false
        }
    }

    /// What a descriptor says beyond the issuer, for which `ISSUER` stands.
    var lines: String {
        switch self {
        case .canaille, .djangoAllauth, .djangoOIDCProvider, .oidcProviderMock:
            "scopes: { default: [openid, profile, email] }"
        // Its OpenID Connect metadata omits the endpoints of OAuth, which have a document of their own.
        case .djangoOAuthToolkit:
            """
            scopes: { default: [openid, profile, email] }
            endpoints:
              registration: ISSUER/register/
              introspection: ISSUER/introspect/
              revocation: ISSUER/revoke_token/
              device_authorization: ISSUER/device-authorization/
            """
        // It decodes no percent signs in the Basic header, and returns 403 without a code for a pushed authorization request. Its
        // logout tokens have no end.
        case .glewlwyd:
            """
            scopes: { default: [openid, profile, email], offline: [offline_access] }
            client: { basic_encoding: raw }
            logout: { missing_exp: its logout tokens have none }
            """
        // It gives a refresh token only to who asks for consent anew (OpenID Connect Core, section 11), and wants in the
        // URL what OpenID Connect Core, section 6.1 wants beside a request object, pushed or not.
        case .idpyoidc:
            """
            scopes: { default: [openid, profile, email], offline: [offline_access] }
            authorization:
              offline_parameters: { prompt: consent }
              pushed: { repeat: [response_type, scope, redirect_uri, prompt] }
            """
        }
    }
}

extension CommandResult {
    /// The objects of a list in the JSON document on standard output.
    fileprivate func list(_ name: String) throws -> [[String: Any]] {
        try #require(try json()[name] as? [[String: Any]], "\(self)")
    }
}
