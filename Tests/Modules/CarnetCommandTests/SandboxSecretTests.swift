// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetTesting
import Foundation
import Testing

/// A real registration at a sandbox, and files of it that others can read.
@Suite("Sandbox secret")
struct SandboxSecretTests {
    private static let secret = "the-real-s3cret-of-the-client"
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    @Test(
        "a configured client's secret is never sent to what listens at a sandbox's port", arguments: ["basic", "post"])
    func HOST_03_secretIsNotSent(method: String) async throws {
        try home.write(
            """
            carnet: 1
            id: acme
            name: Acme
            endpoints: { authorization: https://id.acme.example/a, token: https://id.acme.example/token }
            client: { authentication: [client_secret_\(method)] }
            scopes: { default: [read] }

            """, to: "providers/acme.yaml")
        let clients = try home.write("acme: { client_id: own, client_secret: \(Self.secret) }\n", to: "clients.yaml")
        let body = #"{"access_token":"a","token_type":"Bearer"}"#
        let listener = try RawServer([
            .send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            ),
            .endSending,
        ])
        let result = try await home.run(
            "token", "acme", "--client-credentials", "--clients", clients.path, "--sandbox",
            "http://\(listener.authority)")
        #expect(listener.requests.count == 1, "\(result)")
        let request = listener.requests.first ?? ""
        let basic = request.split(separator: "Basic ").last.flatMap { text in
            Data(base64Encoded: String(text.prefix { !$0.isWhitespace })).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(request.contains("own") || basic?.contains("own") == true, "\(request)")
        for text in [request, basic ?? ""] { #expect(!text.contains("s3cret"), "\(text)") }
        listener.stop()
    }

    private func claims(_ token: Substring) -> String {
        let part = token.split(separator: ".").dropFirst().first.map(String.init) ?? ""
        let base64 = part.replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return Data(base64Encoded: padded).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func writeKey() throws {
        let key = try #require(
            Bundle.module.url(forResource: "client-key", withExtension: "pem", subdirectory: "Fixtures"))
        let copy = try home.write(try String(contentsOf: key, encoding: .utf8), to: "key.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
    }

    /// A provider to which the client sends an assertion of its key, and an input that is secret.
    private func writeProviderWithAssertions() throws -> String {
        try writeKey()
        try home.write(
            """
            carnet: 1
            id: acme
            name: Acme
            issuer: https://id.acme.example
            discovery: none
            inputs: { api_key: { type: text, secret: true } }
            endpoints:
              authorization: https://id.acme.example/a
              token: https://id.acme.example/token
              jwks: https://id.acme.example/jwks
            client: { authentication: [private_key_jwt] }
            token: { headers: { X-Key: "{api_key}" } }
            scopes: { default: [openid] }

            """, to: "providers/acme.yaml")
        return try home.write(
            "acme: { client_id: own, client_key_file: key.pem, inputs: { api_key: \(Self.secret) } }\n",
            to: "clients.yaml"
        ).path
    }

    @Test(
        "an assertion for a sandbox is for no real server, and no secret input is sent",
        arguments: [["--client-credentials"], ["--jwt-bearer", "--subject", "ada"]])
    func HOST_03_assertionIsForTheSandbox(grant: [String]) async throws {
        let clients = try writeProviderWithAssertions()
        let body = #"{"access_token":"a","token_type":"Bearer"}"#
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let listener = try RawServer([.send(head + body), .endSending])
        let result = try await home.start(
            ["token", "acme", "--clients", clients, "--sandbox", "http://\(listener.authority)"] + grant
        ).finish()
        let request = try #require(listener.requests.first, "\(result)")
        let tokens = request.split { "=&".contains($0) }.filter { $0.hasPrefix("eyJ") }.map { claims($0) }
        #expect(!tokens.isEmpty, "\(request)")
        for token in tokens {
            #expect(token.contains(#""aud":"urn:carnet:sandbox""#) && !token.contains("id.acme.example"), "\(token)")
        }
        #expect(request.lowercased().contains("x-key: simulated-api_key") && !request.contains("s3cret"), "\(request)")
        listener.stop()
    }

    @Test("a signed authorization request for a sandbox is for no real server")
    func HOST_03_signedRequestIsForTheSandbox() async throws {
        let clients = try writeProviderWithAssertions()
        let result = try await home.run(
            "login", "acme", "--signed", "--no-browser", "--timeout", "1", "--clients", clients, "--sandbox",
            "http://127.0.0.1:9")
        let object = result.standardError.split { "=&\n".contains($0) }.first { $0.hasPrefix("eyJ") }
        let text = claims(try #require(object, "\(result)"))
        #expect(text.contains(#""aud":"urn:carnet:sandbox""#), "\(text)")
    }

    @Test("a sandbox knows the same client without its secrets, and refuses a token of another server")
    func HOST_03_bothSidesReplaceTheSecrets() async throws {
        let clients = try writeProviderWithAssertions()
        let sandbox = try await RunningSandbox(home, "acme", "--clients", clients)
        let login = try await home.logIn("acme", "--signed", "--clients", clients, "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
        let refresh = try await home.run("token", "acme", "--clients", clients, "--sandbox", sandbox.address)
        #expect(refresh.status == 0, "\(refresh)")
        let bearer = try await home.start(
            ["token", "acme", "--jwt-bearer", "--assertion-env", "A", "--sandbox", sandbox.address],
            environment: ["A": "eyJ.eyJ.very-secret"]
        ).finish()
        #expect(bearer.status != 0 && bearer.standardError.contains("never sent to a sandbox"), "\(bearer)")
        try home.write(
            Sample.acme() + "endpoints: { registration: 'https://id.acme.example/register' }\n",
            to: "providers/acme.yaml")
        let registered = try home.write(
            "acme: { client_id: a, registration_client_uri: 'https://id.acme.example/r', registration_access_token: t }\n",
            to: "registered.yaml")
        let read = try await home.run(
            "register", "acme", "--output", registered.path, "--read", "--sandbox", sandbox.address)
        #expect(read.status == 2 && read.standardError.contains("was not made at a sandbox"), "\(read)")
    }

    @Test("a sandbox is on this machine")
    func HOST_03_sandboxIsOnThisMachine() async throws {
        for address in ["https://sandbox.example", "https://10.0.0.7:8400", "http://127.0.0.1.evil.example"] {
            let result = try await home.run("login", "google", "--sandbox", address)
            #expect(result.status == 2, "\(result)")
            #expect(result.standardError.contains("--sandbox"), "\(result)")
        }
    }

    @Test("a client signs in at a sandbox that knows its registration, with a secret that protects nothing")
    func HOST_03_configuredClientSignsIn() async throws {
        try home.write(
            Sample.acme() + "client: { authentication: [client_secret_basic] }\n", to: "providers/acme.yaml")
        let clients = try home.write("acme: { client_id: own, client_secret: \(Self.secret) }\n", to: "clients.yaml")
            .path
        let sandbox = try await RunningSandbox(home, "acme", "--clients", clients)
        let login = try await home.logIn("acme", "--clients", clients, "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
    }

    @Test("a secret in a file of its own that others can read is warned of")
    func HOST_05_secretFileThatOthersCanRead() async throws {
        let file = try home.write(Self.secret, to: "secret.txt")
        try home.write("google: { client_id: x, client_secret_file: secret.txt }\n", to: "clients.yaml")
        for (mode, isTold) in [(0o644, true), (0o600, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            let result = try await home.run(
                "login", "google", "--clients", "clients.yaml", "--no-browser", "--timeout", "1")
            let words = "secret.txt contains a client secret and is readable by other users; run: chmod 600"
            #expect(result.standardError.contains(words) == isTold, "\(result)")
            #expect(!result.standardError.contains("s3cret"))
        }
    }
}
