import Foundation

/// A real authorization server on loopback, which nobody here wrote, with a client registered and a user who signs in.
actor Peer {
    enum Server: String, CaseIterable, Sendable, CustomStringConvertible {
        case canaille
        case djangoAllauth = "django-allauth"
        case djangoOAuthToolkit = "django-oauth-toolkit"
        case djangoOIDCProvider = "django-oidc-provider"
        case glewlwyd
        case idpyoidc
        case oidcProviderMock = "oidc-provider-mock"

        var description: String { rawValue }
    }

    /// The client that the server knows.
    struct Registration: Decodable, Sendable {
        let issuer: String
        let clientID: String
        let clientSecret: String
        let authMethod: String
        let redirectURI: String
        let postLogoutRedirectURI: String
        /// Another client, without a secret, if the server lets no other sign in with a device.
        let deviceClientID: String?

        private enum CodingKeys: String, CodingKey {
            case issuer
            case clientID = "client_id"
            case clientSecret = "client_secret"
            case authMethod = "auth_method"
            case redirectURI = "redirect_uri"
            case postLogoutRedirectURI = "post_logout_redirect_uri"
            case deviceClientID = "device_client_id"
        }
    }

    /// What came of a line that the server's user was given.
    private struct Answer: Decodable {
        let status: Int?
        let endedAt: String?
        let error: String?

        private enum CodingKeys: String, CodingKey {
            case status
            case endedAt = "ended_at"
            case error
        }
    }

    nonisolated let server: Server
    nonisolated let registration: Registration
    private let run: CommandRun
    private var responses = 0

    /// Starts the server, after its Python environment if that is not there yet, and ends it after the body.
    ///
    /// - Parameter arguments: Further ones for `Tests/Peers/peer.py`.
    static func with<Value>(
        _ server: Server, arguments: [String] = [], _ body: (Peer) async throws -> Value
    ) async throws -> Value {
        let peer = try await Peer(server, arguments)
        do {
            let value = try await body(peer)
            _ = try await peer.run.finish()
            return value
        } catch {
            _ = try? await peer.run.finish()
            throw error
        }
    }

    private init(_ server: Server, _ arguments: [String]) async throws {
        self.server = server
        let script = BuiltProduct.package.appending(path: "Tests/Peers/peer.py")
        run = try CommandRun(
            URL(filePath: "/usr/bin/env"),
            ["python3", script.path, server.rawValue] + arguments,
            environment: ProcessInfo.processInfo.environment,
            folder: BuiltProduct.package
        )
        // Long enough to download the server, which happens once.
        let line = try await run.line(0, of: .standardOutput, within: .seconds(900))
        registration = try JSONDecoder().decode(Registration.self, from: Data(line.utf8))
    }

    /// The user opens the authorization URL, signs in and consents, and the browser requests the redirect URI.
    ///
    /// Returns the status that the redirect URI returned to the browser.
    func signIn(at authorizationURL: String) async throws -> Int? {
        try await ask(authorizationURL).status
    }

    /// The same; the URL at which the browser stopped. With `--stop-at-redirect` that is the callback.
    func callback(of authorizationURL: String) async throws -> String {
        try await ask(authorizationURL).endedAt ?? ""
    }

    /// The user who signed in last opens the page that ends the session, and agrees.
    ///
    /// - Returns: Where the browser stopped.
    func endSession(at url: String) async throws -> String {
        try await ask("end \(url)").endedAt ?? ""
    }

    /// Waits until the server can issue one more token: some cannot issue two in one second.
    func settle() async throws {
        _ = try await ask("settle")
    }

    private func ask(_ line: String) async throws -> Answer {
        responses += 1
        run.send(line)
        let answer = try await run.line(responses, of: .standardOutput)
        let decoded = try JSONDecoder().decode(Answer.self, from: Data(answer.utf8))
        if let error = decoded.error {
            throw CommandRun.Failure(description: "the user could not sign in: \(error)")
        }
        return decoded
    }
}
