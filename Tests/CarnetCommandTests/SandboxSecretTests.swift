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
