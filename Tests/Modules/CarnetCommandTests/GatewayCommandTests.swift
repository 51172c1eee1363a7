import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetServerTestSupport
import Foundation
import Testing

@testable import CarnetCommand

@Suite("carnet gateway")
struct GatewayCommandTests {
    /// Where browsers would find the proxy, which the test takes the place of.
    private static let host = "127.0.0.1:9"

    private static let file = """
        gateway: 1
        origin: http://127.0.0.1:9
        providers: [acme]
        routes:
          - { path: /**, allow: signed_in }
        headers: { X-Auth-User: "{account.subject}" }

        """

    /// A response, as it arrived.
    private struct Reply {
        let status: Int
        let fields: [(name: String, value: String)]
        let body: String

        subscript(name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }
    }

    /// A running gateway, and a browser behind a proxy.
    private final class Running: Sendable {
        let run: CommandRun
        let port: Int
        private let cookies = Lock<[String: String]>([:])

        init(_ home: CommandHome, _ arguments: [String], environment: [String: String] = [:]) async throws {
            run = try home.start(["gateway"] + arguments + ["--port", "0"], environment: environment)
            let line = try await run.line(0, of: .standardOutput)
            port = try #require(try WebURL(line).port)
        }

        func send(_ head: String, to port: Int? = nil, form: String = "", _ fields: [String] = []) async throws -> Reply
        {
            let sent = cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
            var lines = ["\(head) HTTP/1.1", "Host: \(host)", "Connection: close", "Accept: text/html"] + fields
            if !sent.isEmpty { lines.append("Cookie: \(sent)") }
            if !form.isEmpty {
                lines += ["Content-Type: application/x-www-form-urlencoded", "Content-Length: \(form.utf8.count)"]
            }
            let text = try await RawClient.exchange(
                lines.joined(separator: "\r\n") + "\r\n\r\n" + form, port: port ?? self.port)
            let end = try #require(text.range(of: "\r\n\r\n"), "\(head): \(text)")
            let received = text[..<end.lowerBound].components(separatedBy: "\r\n")
            let pairs = received.dropFirst().compactMap { line -> (name: String, value: String)? in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (
                    line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                )
            }
            for pair in pairs where pair.name == "set-cookie" {
                let cookie = pair.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
                cookies.withLock { $0[cookie[0]] = cookie.count == 2 ? cookie[1] : nil }
            }
            return Reply(
                status: try #require(Int(received[0].dropFirst("HTTP/1.1 ".count).prefix(3))), fields: pairs,
                body: String(text[end.upperBound...]))
        }

        func decide(_ path: String) async throws -> Reply {
            try await send(
                "GET /carnet/decide",
                [
                    "X-Forwarded-Method: GET", "X-Forwarded-Proto: http", "X-Forwarded-Host: \(host)",
                    "X-Forwarded-Uri: \(path)",
                ])
        }

        /// Signs in, at a sandbox that agrees to everything.
        func signIn() async throws {
            let begun = try await send(
                "POST /carnet/sign-in/acme", form: "return_to=%2F", ["Sec-Fetch-Site: same-origin"])
            let page = try WebURL(try #require(begun["Location"], "\(begun.body)"))
            let approved = try await send("GET \(page.target)", to: try #require(page.port))
            let callback = try WebURL(try #require(approved["Location"], "\(approved.body)"))
            #expect(try await send("GET \(callback.target)")["Location"] == "/")
        }
    }

    @Test("Without a file, the command prints a small one that is valid")
    func sample() async throws {
        let result = try await CommandHome().run("gateway")
        #expect(result.status == 2)
        let read = GatewayFile(SourceFile(path: "gateway.yaml", text: result.standardOutput))
        #expect(read.diagnostics.isEmpty, "\(read.diagnostics)")
        #expect(result.standardError.contains("carnet gateway gateway.yaml --sandbox"))
    }

    @Test("A file with mistakes is not served, and each mistake has its line")
    func mistakes() async throws {
        let home = try CommandHome()
        try home.write(Self.file.replacing("allow: signed_in", with: "allow: nobody"), to: "gateway.yaml")
        let result = try await home.run("gateway", "gateway.yaml", "--sandbox", "--port", "0")
        #expect(result.status == 2)
        #expect(result.standardError.contains("gateway.yaml:5"), "\(result.standardError)")
    }

    @Test("With --sandbox somebody signs in without an account, and SIGTERM ends the gateway with 0")
    func sandbox() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file, to: "gateway.yaml")
        let gateway = try await Running(home, ["gateway.yaml", "--sandbox", "--providers", "providers"])
        let first = try await gateway.decide("/wiki")
        #expect(first.status == 302 && first["Location"] == "/carnet/sign-in?return_to=%2Fwiki")
        #expect(try await gateway.send("GET /carnet/sign-in").body.contains("Sign in with Acme"))
        _ = try await gateway.run.line(of: .standardError) { $0.contains("sandbox") }
        try await gateway.signIn()
        let decided = try await gateway.decide("/wiki")
        #expect(decided.status == 200 && decided["X-Auth-User"]?.isEmpty == false)
        #expect(try await gateway.send("GET /carnet/ready").status == 200)
        gateway.run.send(signal: SIGTERM)
        let result = try await gateway.run.finish()
        #expect(result.status == 0, "\(result)")
    }

    @Test("A changed file counts at once, and one with mistakes changes nothing and is reported by its line")
    func reload() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file, to: "gateway.yaml")
        let gateway = try await Running(home, ["gateway.yaml", "--sandbox", "--providers", "providers"])
        #expect(try await gateway.decide("/wiki").status == 302)
        try home.write(Self.file.replacing("path: /**", with: "path: wiki"), to: "gateway.yaml")
        gateway.run.send(signal: SIGHUP)
        _ = try await gateway.run.line(of: .standardError) { $0.contains("gateway.yaml:5") }
        _ = try await gateway.run.line(of: .standardError) { $0.contains("the version before") }
        #expect(try await gateway.decide("/wiki").status == 302)
        try home.write(Self.file.replacing("allow: signed_in", with: "allow: anyone"), to: "gateway.yaml")
        _ = try await gateway.run.line(of: .standardError) { $0.contains("was read again") }
        #expect(try await gateway.decide("/wiki").status == 200)
    }

    @Test("Sessions are kept in the store, and can be listed and ended while the gateway runs")
    func sessions() async throws {
        let home = try CommandHome()
        // The same provider for the sandbox, and as the gateway reaches it there.
        func descriptor(_ base: String) -> String {
            """
            carnet: 1
            id: acme
            name: Acme
            endpoints: { authorization: \(base)/authorize, token: \(base)/token, userinfo: \(base)/userinfo }
            scopes: { default: [profile] }

            """
        }
        let registration = [
            "CARNET_ACME_CLIENT_ID": "client",
            "CARNET_ACME_REDIRECT_URI": "http://\(Self.host)/carnet/sign-in/acme/callback",
        ]
        try home.write(descriptor("https://id.acme.example"), to: "simulated/acme.yaml")
        let sandbox = try home.start(
            ["sandbox", "acme", "--providers", "simulated"], environment: registration)
        let address = try await sandbox.line(0, of: .standardOutput)
        try home.write(descriptor("\(address)/id.acme.example"), to: "providers/acme.yaml")
        try home.write(Self.file + "session: { store: \"files:sessions\", lifetime: 3600 }\n", to: "gateway.yaml")
        let gateway = try await Running(
            home, ["gateway.yaml", "--providers", "providers"], environment: ["CARNET_ACME_CLIENT_ID": "client"])
        try await gateway.signIn()
        #expect(try await gateway.decide("/").status == 200)
        let list = try await home.run("gateway", "sessions", "list", "gateway.yaml", "--json")
        let sessions = try #require(try JSONValue(parsing: list.standardOutput)["sessions"]?.array)
        #expect(sessions.count == 1 && sessions[0]["provider"]?.string == "acme")
        let subject = try #require(sessions[0]["subject"]?.string)
        let other = try await home.run("gateway", "sessions", "end", "gateway.yaml", "--subject", "nobody")
        #expect(other.status == 1)
        #expect(try await gateway.decide("/").status == 200)
        let ended = try await home.run("gateway", "sessions", "end", "gateway.yaml", "--subject", subject)
        #expect(ended.status == 0 && ended.standardOutput.contains("1 session ended"))
        #expect(try await gateway.decide("/").status == 302)
        gateway.run.stop()
        sandbox.stop()
    }

    @Test("A store that replicas share needs a key that they share")
    func sharedStore() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file + "session: { store: \"postgresql://db.example/carnet\" }\n", to: "gateway.yaml")
        let result = try await home.run("gateway", "gateway.yaml", "--providers", "providers")
        #expect(result.status == 2 && result.standardError.contains("session.key_env"))
    }

    @Test(
        "Wrong arguments are explained",
        arguments: [
            ["gateway", "sessions"], ["gateway", "sessions", "end", "gateway.yaml"], ["gateway", "a.yaml", "b.yaml"],
            ["gateway", "missing.yaml"],
        ])
    func usage(arguments: [String]) async throws {
        let run = try CommandHome().start(arguments)
        let result = try await run.finish()
        #expect(result.status == 2 && !result.standardError.isEmpty, "\(result)")
    }
}
