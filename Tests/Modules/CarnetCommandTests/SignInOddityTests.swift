import CarnetTesting
import Foundation
import Testing

/// Sign-ins that succeed at a server with an odd response, which the command says.
@Suite("Sign-in oddities")
struct SignInOddityTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private func server(_ body: String, _ status: String = "200 OK", _ header: String = "") throws -> RawServer {
        let head = "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(header)"
        return try RawServer([.send("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"), .endSending])
    }

    /// - Parameter rest: What follows the endpoints, and further ones.
    private func write(token: String, _ rest: String) throws {
        let start = """
            carnet: 1
            id: acme
            name: Acme
            endpoints:
              authorization: https://acme.example/authorize
              token: \(token)

            """
        try home.write(start + rest, to: "providers/acme.yaml")
    }

    /// Signs in at a token endpoint, with a profile at another server if there is one.
    private func signIn(token: String, profile: RawServer? = nil) async throws -> CommandResult {
        let listener = try server(token)
        defer { listener.stop() }
        let userinfo = profile.map { "  userinfo: http://\($0.authority)/me\n" } ?? ""
        try write(
            token: "http://\(listener.authority)/token",
            """
            \(userinfo)profile: { claims: { subject: /id } }
            scopes: { default: [openid, profile] }
            id_token: { none: "Acme has no ID tokens." }

            """)
        let run = try home.start(["login", "acme", "--client-id", "x", "--paste", "--providers", "providers"])
        let address = try await run.line(of: .standardError) { $0.hasPrefix("http") }
        let state = try #require(address.firstMatch(of: /state=([^&]+)/)?.output.1)
        run.send("http://127.0.0.1/callback?code=x&state=\(state)")
        return try await run.finish()
    }

    private static let token = #"{"access_token":"a","token_type":"Bearer","scope":"openid profile"}"#

    @Test(
        "Without a subject, the warning has the members of the profile",
        arguments: [
            (#"{"uid":"u-1"}"#, "its members are uid"), (#"{"data":{"id":"u-1"}}"#, "its members are data"),
            ("[1]", "the body is no JSON object"), (#"{"ok":false,"error":"missing_scope"}"#, "missing_scope"),
        ])
    func noSubject(_ body: String, _ words: String) async throws {
        let profile = try server(body)
        defer { profile.stop() }
        let result = try await signIn(token: Self.token, profile: profile)
        #expect(result.standardOutput.contains("signed in to Acme as default"), "\(result)")
        for text in ["does not say who signed in: ", words, "profile", "--account NAME"] {
            #expect(result.standardError.contains(text), "\(text): \(result)")
        }
    }

    @Test("If the profile is refused, the warning has the server's error")
    func refusedProfile() async throws {
        let challenge = #"WWW-Authenticate: Bearer error="insufficient_scope", scope="profile:read""#
        let profile = try server("{}", "403 Forbidden", challenge + "\r\n")
        defer { profile.stop() }
        let result = try await signIn(token: Self.token, profile: profile)
        for text in ["does not say who signed in: ", "insufficient_scope", "403", "--account NAME"] {
            #expect(result.standardError.contains(text), "\(text): \(result)")
        }
    }

    @Test("Scopes that the response separates by commas lead to the separator")
    func commas() async throws {
        let result = try await signIn(
            token: #"{"access_token":"a","token_type":"Bearer","scope":"openid,profile"}"#)
        let advice = "the response separates scopes by commas: set token.response.scope_separator\n"
        #expect(result.standardError.contains(advice), "\(result)")
        #expect(!result.standardError.contains("not granted"), "\(result)")
        let partly = try await signIn(
            token: #"{"access_token":"a","token_type":"Bearer","scope":"openid,email"}"#)
        #expect(partly.standardError.contains(advice), "\(partly)")
        #expect(partly.standardError.contains("not granted: profile\n"), "\(partly)")
    }

    @Test("An option with several scopes says how to name several")
    func severalScopes() async throws {
        let result = try await home.run("login", "google", "--client-id", "x", "--scope", "openid,profile")
        #expect(result.status == 2, "\(result)")
        for text in ["--scope takes one scope; repeat it", "--scope openid --scope profile"] {
            #expect(result.standardError.contains(text), "\(text): \(result)")
        }
    }

    @Test("Scopes in one element of a list are granted like those in a string")
    func scopesInOneElement() async throws {
        let result = try await signIn(
            token: #"{"access_token":"a","token_type":"Bearer","scope":["openid profile"]}"#)
        #expect(result.status == 0 && !result.standardError.contains("not granted"), "\(result)")
    }

    @Test("If a registration is refused because of the redirect URI, the next step names another one")
    func refusedRedirect() async throws {
        let listener = try server(#"{"error":"invalid_redirect_uri"}"#, "400 Bad Request")
        defer { listener.stop() }
        try write(
            token: "https://acme.example/token",
            "  registration: http://\(listener.authority)/register\nscopes: { default: [read] }\n")
        let result = try await home.run("register", "acme", "--output", "new.yaml", "--providers", "providers")
        #expect(result.status == 1, "\(result)")
        #expect(
            result.standardError.contains("add --redirect-uri http://localhost/callback"), "\(result)")
    }

    @Test("The end of a registered secret is said")
    func endOfSecret() async throws {
        let listener = try server(
            #"{"client_id":"c","client_secret":"s","client_secret_expires_at":4102444800,"token_endpoint_auth_method":"client_secret_basic"}"#,
            "201 Created")
        defer { listener.stop() }
        try write(
            token: "https://acme.example/token",
            "  registration: http://\(listener.authority)/register\nscopes: { default: [read] }\n")
        let result = try await home.run(
            "register", "acme", "--confidential", "--output", "new.yaml", "--providers", "providers")
        #expect(result.status == 0, "\(result)")
        #expect(result.standardError.contains("the client secret expires at 2100-01-01T00:00:00Z"), "\(result)")
    }

    @Test("A point in time in place of a lifetime is warned of", arguments: ["1795948800", "1e999"])
    func pointInTime(_ expiresIn: String) async throws {
        let result = try await signIn(
            token: #"{"access_token":"a","token_type":"Bearer","scope":"openid profile","expires_in":\#(expiresIn)}"#)
        for text in ["expires_in", "looks like a point in time", "token.response.expires"] {
            #expect(result.standardError.contains(text), "\(text): \(result)")
        }
        let status = try await home.run("token", "acme", "--client-id", "x", "--providers", "providers")
        #expect(status.standardError.contains("looks like a point in time"), "\(status)")
        let usual = try await signIn(
            token: #"{"access_token":"a","token_type":"Bearer","scope":"openid profile","expires_in":31536000}"#)
        #expect(!usual.standardError.contains("point in time"), "\(usual)")
    }
}
