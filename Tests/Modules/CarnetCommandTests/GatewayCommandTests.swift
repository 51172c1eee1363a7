// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Some tests are named by the rows of the attack matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetServerTestSupport
import CarnetWeb
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
            let line = try await run.line(of: .standardOutput) { $0.contains("http://") }
            // With --json, the URL is in a document.
            let url = line.split(separator: "\"").first { $0.hasPrefix("http://") }
            port = try #require(try WebURL(url.map(String.init) ?? line).port)
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
        #expect(result.status == 0)
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
        #expect(try await gateway.send("GET /carnet/sign-in?return_to=%2F").body.contains("Sign in with Acme"))
        _ = try await gateway.run.line(of: .standardError) { $0.contains("sandbox") }
        try await gateway.signIn()
        let decided = try await gateway.decide("/wiki")
        #expect(decided.status == 200 && decided["X-Auth-User"]?.isEmpty == false)
        #expect(try await gateway.send("GET /carnet/ready").status == 200)
        gateway.run.send(signal: SIGTERM)
        let result = try await gateway.run.finish()
        #expect(result.status == 0, "\(result)")
    }

    @Test("With --sandbox, a sign-out there leads back if the file says that the provider does so")
    func sandboxLeadsBack() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        for (entry, back) in [("acme", nil), ("{ id: acme, post_logout_redirect: true }", "/carnet/signed-out?state=")]
        {
            try home.write(Self.file.replacing("[acme]", with: "[\(entry)]"), to: "gateway.yaml")
            let gateway = try await Running(home, ["gateway.yaml", "--sandbox", "--providers", "providers"])
            defer { gateway.run.stop() }
            try await gateway.signIn()
            let left = try await gateway.send(
                "POST /carnet/sign-out", form: "extent=everywhere", ["Sec-Fetch-Site: same-origin"])
            let page = try WebURL(try #require(left["Location"], "\(left.body)"))
            let location = try await gateway.send("GET \(page.target)", to: try #require(page.port))["Location"]
            let isRight = back.map { location?.hasPrefix("http://\(Self.host)\($0)") ?? false } ?? (location == nil)
            #expect(isRight, "\(entry): \(location ?? "no redirect")")
        }
    }

    @Test("With --json, each line of the log is a document with its time, whatever a client sends")
    func jsonLog() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file.replacing("signed_in }", with: "{ group: [ops] } }"), to: "gateway.yaml")
        let gateway = try await Running(home, ["gateway.yaml", "--sandbox", "--json", "--providers", "providers"])
        try await gateway.signIn()
        // Right-to-left overrides, a line separator, an escape of a terminal, quotation marks and what looks as another entry.
        let texts = ["a\u{202E}b", "a\u{2028}b", "a%1B[2J", #"a"b\"#, #"a","level":"notice"#, "%0A{}", "é"]
        for text in texts { #expect(try await gateway.decide("/\(text)").status != 200) }
        gateway.run.send(signal: SIGTERM)
        let result = try await gateway.run.finish()
        #expect(result.status == 0, "\(result)")
        let messages = try Self.log(result).map(\.message)
        #expect(messages.contains("Somebody signed in"))
        let refused = messages.filter { $0 == "A request is refused" || $0 == "The proxy's request cannot be used" }
        #expect(refused.count == texts.count, "\(messages)")
    }

    /// The entries of a log of JSON documents. With the output, each line is one.
    private static func log(_ result: CommandResult) throws -> [(level: String, message: String)] {
        for line in result.standardOutput.split(separator: "\n") { _ = try JSONValue(parsing: String(line)) }
        let start = try Date("2020-01-01T00:00:00Z", strategy: .iso8601)
        return try result.standardError.split(separator: "\n").map { line in
            let entry = try #require(
                try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String], "\(line)")
            #expect(try Date(try #require(entry["time"]), strategy: .iso8601) > start)
            let level = try #require(entry["level"])
            #expect(["notice", "warning", "error"].contains(level))
            return (level, try #require(entry["message"]))
        }
    }

    @Test("With --json, what lint finds at the start is an entry of the log with its level")
    func jsonStart() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        func start(_ file: String) async throws -> [(level: String, message: String)] {
            try home.write(file, to: "gateway.yaml")
            let arguments = [
                "gateway", "gateway.yaml", "--sandbox", "--json", "--providers", "providers", "--port", "0",
            ]
            let run = try home.start(arguments)
            if file.contains("signed_in") {
                _ = try await run.line(of: .standardError) { $0.contains("Ctrl-C") }
                run.send(signal: SIGTERM)
            }
            return try Self.log(try await run.finish())
        }
        let warned = try await start(Self.file + "session: { lifetime: 60, idle: 600 }\n")
        #expect(warned.contains { $0.level == "warning" && $0.message.contains("gateway.yaml:7:26") }, "\(warned)")
        #expect(!warned.contains { $0.level == "error" }, "\(warned)")
        let refused = try await start(Self.file.replacing("signed_in", with: "nobody"))
        #expect(refused.contains { $0.level == "error" && $0.message.contains("gateway.yaml:5:") }, "\(refused)")
        #expect(refused.allSatisfy { $0.level == "error" }, "\(refused)")
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
        // The mistake of a descriptor has its own place.
        try home.write(Sample.acme().replacing("issuer:", with: "isuer:"), to: "providers/acme.yaml")
        _ = try await gateway.run.line(of: .standardError) { $0.contains("providers/acme.yaml:4:1") }
        _ = try await gateway.run.line(of: .standardError) { $0.contains("acme.yaml has errors; the gateway goes on") }
        #expect(try await gateway.decide("/wiki").status == 200)
    }

    @Test("The printed address of the gateway is a URL")
    func address() {
        #expect(GatewayAddressOptions.url(of: "::1", 4180) == "http://[::1]:4180")
        #expect(GatewayAddressOptions.url(of: "10.0.0.5", 4180) == "http://10.0.0.5:4180")
    }

    /// A gateway with a store in files, somebody who signed in, and the sandbox that stands for the provider.
    private struct Stage {
        let home: CommandHome
        let gateway: Running
        let sandbox: CommandRun

        static let key = String(repeating: "1a", count: 32)
        static let other = String(repeating: "2b", count: 32)

        /// - Parameter rest: Of the gateway file.
        init(_ home: CommandHome, session: String, _ arguments: [String] = []) async throws {
            // The same provider for the sandbox, and as the gateway reaches it there.
            func descriptor(_ base: String) -> String {
                """
                carnet: 1
                id: acme
                name: Acme
                endpoints: { authorization: \(base)/authorize, token: \(base)/token, userinfo: \(base)/userinfo }
                scopes: { default: [profile, email] }

                """
            }
            let registration = [
                "CARNET_ACME_CLIENT_ID": "client",
                "CARNET_ACME_REDIRECT_URI": "http://\(host)/carnet/sign-in/acme/callback",
            ]
            try home.write(descriptor("https://id.acme.example"), to: "simulated/acme.yaml")
            sandbox = try home.start(["sandbox", "acme", "--providers", "simulated"], environment: registration)
            let address = try await sandbox.line(0, of: .standardOutput)
            try home.write(descriptor("\(address)/id.acme.example"), to: "providers/acme.yaml")
            try home.write(file + "session: { \(session) }\n", to: "gateway.yaml")
            gateway = try await Running(
                home, ["gateway.yaml", "--providers", "providers"] + arguments,
                environment: ["CARNET_ACME_CLIENT_ID": "client"])
            self.home = home
            try await gateway.signIn()
            #expect(try await gateway.decide("/").status == 200)
        }

        /// Writes a file that only its owner can read.
        func writeKey(_ text: String) throws { try Stage.writeKey(text, home) }

        static func writeKey(_ text: String, _ home: CommandHome) throws {
            let file = try home.write(text + "\n", to: "session.key")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }

        func end() {
            gateway.run.stop()
            sandbox.stop()
        }
    }

    @Test("Sessions are kept in the store, and can be listed and ended while the gateway runs")
    func sessions() async throws {
        let home = try CommandHome()
        let stage = try await Stage(home, session: "store: \"files:sessions\", lifetime: 3600")
        let gateway = stage.gateway
        let list = try await home.run("gateway", "sessions", "list", "gateway.yaml", "--json")
        let sessions = try #require(try JSONValue(parsing: list.standardOutput)["sessions"]?.array)
        #expect(sessions.count == 1 && sessions[0]["provider"]?.string == "acme")
        let subject = try #require(sessions[0]["subject"]?.string)
        let email = try #require(sessions[0]["email"]?.string)
        let text = try await home.run("gateway", "sessions", "list", "gateway.yaml")
        #expect(text.standardOutput.hasPrefix("ID ") && text.standardOutput.contains(email), "\(text)")
        let other = try await home.run("gateway", "sessions", "end", "gateway.yaml", "--subject", "nobody")
        #expect(other.status == 1)
        let stranger = try await home.run("gateway", "sessions", "end", "gateway.yaml", "--email", "x\(email)")
        #expect(stranger.status == 1)
        #expect(try await gateway.decide("/").status == 200)
        let ended = try await home.run("gateway", "sessions", "end", "gateway.yaml", "--email", email)
        #expect(ended.status == 0 && ended.standardOutput.contains("1 session ended"), "\(ended)")
        #expect(ended.standardError.contains("subject=\(subject)"), "\(ended)")
        #expect(try await gateway.decide("/").status == 302)
        stage.end()
    }

    @Test("A record with another key is counted, and ended with all")
    func unknownKey() async throws {
        let home = try CommandHome()
        try Stage.writeKey(Stage.key, home)
        let stage = try await Stage(home, session: "store: \"files:sessions\", key_file: session.key")
        try stage.writeKey(Stage.other)
        _ = try await stage.gateway.run.line(of: .standardError) {
            $0.contains("1 session cannot be read: its person has to sign in again")
        }
        _ = try await stage.gateway.run.line(of: .standardError) { $0.contains("was read again") }
        try await stage.gateway.signIn()
        let list = try await home.run("gateway", "sessions", "list", "gateway.yaml", "--json")
        let document = try JSONValue(parsing: list.standardOutput)
        #expect(list.status == 0 && document["sessions"]?.array?.count == 1, "\(list)")
        #expect(document["unreadable"]?.array?.count == 1)
        #expect(list.standardError.contains("1 record cannot be read, so nobody can use it"), "\(list)")
        let subject = try await home.run("gateway", "sessions", "end", "gateway.yaml", "--subject", "nobody")
        #expect(subject.status == 1)
        let ended = try await home.run("gateway", "sessions", "end", "gateway.yaml", "--all")
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.standardOutput.contains("1 session ended, and 1 that could not be read"), "\(ended)")
        #expect(try await stage.gateway.decide("/").status == 302)
        let empty = try await home.run("gateway", "sessions", "list", "gateway.yaml")
        #expect(empty.standardError.contains("nobody is signed in (store: files:sessions)"), "\(empty)")
        stage.end()
    }

    @Test("Records of expired sessions are removed, and a person is found by the address of the sign-in")
    func expiredSessions() async throws {
        let home = try CommandHome()
        try Stage.writeKey(Stage.key, home)
        let stage = try await Stage(home, session: "store: \"files:sessions\", key_file: session.key")
        defer { stage.end() }
        let list = try await home.run("gateway", "sessions", "list", "gateway.yaml", "--json")
        let first = try #require(try JSONValue(parsing: list.standardOutput)["sessions"]?.array?.first)
        let store = FileTokenStore(
            folder: home.folder.appending(path: "sessions").path, key: .keys(try KeyRing(text: Stage.key)))
        func change(_ key: ConnectionKey, _ body: (inout Connection) -> Void) async throws {
            var stored = try #require(try await store.load(key))
            body(&stored.connection)
            _ = try await store.save(stored.connection, replacing: nil)
        }
        // The provider refuses to say anything more about the person.
        let key = try #require(try await store.keys().first)
        try await change(key) { connection in
            connection.browser?.claims = KeptClaims(
                JSONObject(), names: [], issuedAt: .now, readAt: .now, isIncomplete: true)
        }
        let email = try #require(first["email"]?.string)
        let ended = try await home.run("gateway", "sessions", "end", "gateway.yaml", "--email", email)
        #expect(ended.status == 0 && ended.standardOutput.contains("1 session ended"), "\(ended)")
        #expect(try await store.keys().isEmpty)

        func leaveExpired() async throws {
            try await stage.gateway.signIn()
            let key = try #require(try await store.keys().first)
            try await change(key) { connection in
                connection.browser?.expiresAt = .now
                connection.tokens.issuedAt = .now - 4000
            }
            // What a further token set of another session leaves behind.
            try await change(key) { connection in
                connection.key = ConnectionKey(provider: "acme#user", account: "gone")
                connection.browser = nil
            }
            #expect(try await store.keys().count == 2)
        }
        try await leaveExpired()
        let all = try await home.run("gateway", "sessions", "end", "gateway.yaml", "--all")
        #expect(all.standardOutput.contains("0 sessions ended"), "\(all)")
        #expect(try await store.keys().isEmpty)
        try await leaveExpired()
        let again = try await Running(
            home, ["gateway.yaml", "--providers", "providers"], environment: ["CARNET_ACME_CLIENT_ID": "client"])
        _ = try await again.run.line(of: .standardError) { $0.contains("2 records of expired sessions removed") }
        #expect(try await store.keys().isEmpty)
        again.run.stop()
    }

    @Test("With a damaged key, the gateway goes on with the one before")
    func damagedKey() async throws {
        let home = try CommandHome()
        try Stage.writeKey(Stage.key, home)
        let stage = try await Stage(home, session: "store: \"files:sessions\", key_file: session.key")
        try stage.writeKey("no key")
        _ = try await stage.gateway.run.line(of: .standardError) { $0.contains("goes on with the version before") }
        #expect(try await stage.gateway.decide("/").status == 200)
        try stage.writeKey(Stage.other + "\n" + Stage.key)
        _ = try await stage.gateway.run.line(of: .standardError) { $0.contains("was read again") }
        #expect(try await stage.gateway.decide("/").status == 200, "a new key in front signs nobody out")
        stage.end()
    }

    @Test("A key file of the operator's own is not made, and the message has the command that makes it")
    func missingKey() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file + "session: { key_file: keys/none.key }\n", to: "gateway.yaml")
        let result = try await home.run(
            "gateway", "gateway.yaml", "--providers", "providers", environment: ["CARNET_ACME_CLIENT_ID": "client"])
        #expect(result.status == 2, "\(result)")
        #expect(result.standardError.contains("session.key_file: keys/none.key does not exist"), "\(result)")
        #expect(result.standardError.contains("openssl rand -base64 32 > keys/none.key"), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: home.folder.appending(path: "keys").path))
    }

    @Test("A key file may be as a container has it: a link to a file that is read-only", arguments: [0o400, 0o444])
    func mountedKey(mode: Int) async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file + "session: { key_file: secrets/session.key }\n", to: "gateway.yaml")
        let file = try home.write(Stage.key + "\n", to: "secrets/data/session.key")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        try FileManager.default.createSymbolicLink(
            atPath: home.folder.appending(path: "secrets/session.key").path, withDestinationPath: "data/session.key")
        let result = try await home.run(
            "gateway", "check", "gateway.yaml", "--providers", "providers",
            environment: ["CARNET_ACME_CLIENT_ID": "client"])
        #expect(result.status == 0, "\(result)")
        #expect(result.standardError.contains("readable by other users") == (mode == 0o444), "\(result)")
    }

    @Test("Who ends the sessions of an address learns of sessions whose address is not known")
    func unknownAddress() async throws {
        let home = try CommandHome()
        try Stage.writeKey(Stage.key, home)
        let file = try home.write(
            Self.file + "session: { store: \"files:sessions\", key_file: session.key }\n", to: "gateway.yaml")
        let rules = try #require(GatewayFile(try SourceFile(readingFrom: file.path)).rules)
        let store = try GatewayStore(
            rules.session, in: GatewayPlaces(file: file.path), HostEnvironment(home.environment)
        ).tokens
        let now = SystemWallClock().now
        for provider in ["acme", "globex"] {
            var connection = Connection(
                key: ConnectionKey(provider: provider, account: "0\(provider)"), clientID: "client",
                tokens: TokenSet(accessToken: Secret("token"), tokenType: "Bearer", scopes: [], issuedAt: now),
                subject: "1", binding: CredentialBinding(servers: [], resources: []))
            connection.browser = BrowserNote(name: nil, signedInAt: now, expiresAt: now + 3600)
            _ = try await store.save(connection, replacing: nil)
        }
        let ended = try await home.run(
            "gateway", "sessions", "end", "gateway.yaml", "--email", "ada@apps.example", "--provider", "acme")
        #expect(ended.status == 1 && ended.standardOutput.contains("0 sessions ended"), "\(ended)")
        #expect(ended.standardError.contains("1 session has no known address"), "\(ended)")
    }

    @Test("The key that a gateway keeps itself is named when it is made")
    func ownKey() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file, to: "gateway.yaml")
        let gateway = try await Running(
            home, ["gateway.yaml", "--providers", "providers"], environment: ["CARNET_ACME_CLIENT_ID": "client"])
        _ = try await gateway.run.line(of: .standardError) {
            $0.contains("made the key of the sessions: ") && $0.contains("gateway-key")
        }
        _ = try await gateway.run.line(of: .standardError) {
            $0.contains("origin http://127.0.0.1:9, providers acme, 1 route, store files:")
        }
        gateway.run.stop()
    }

    @Test("A list of sessions creates nothing, and names the store")
    func emptyList() async throws {
        let home = try CommandHome()
        try home.write(Self.file, to: "gateway.yaml")
        let list = try await home.run("gateway", "sessions", "list", "gateway.yaml")
        #expect(list.status == 0 && list.standardError.contains("(store: files:\(home.folder.path)/.local"), "\(list)")
        #expect(list.standardError.contains("--sandbox keeps its sessions to itself"))
        let names = try FileManager.default.contentsOfDirectory(atPath: home.folder.path)
        #expect(names == ["gateway.yaml"], "\(names)")
    }

    @Test(
        "Root reads and ends the sessions of another user, whose files stay that user's", .enabled(if: geteuid() == 0))
    func rootForAnotherUser() async throws {
        let home = try CommandHome()
        let stage = try await Stage(home, session: "lifetime: 3600")
        stage.end()
        _ = try? await stage.gateway.run.finish()
        let user = 65_534
        let folders = [".config", ".local/share"].map { home.folder.appending(path: "\($0)/carnet").path }
        // The folder above is open to root alone, as that of a systemd unit with DynamicUser is.
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.folder.path)
        func files(_ folder: String) throws -> [String] {
            [folder] + (FileManager.default.subpaths(atPath: folder) ?? []).map { "\(folder)/\($0)" }
        }
        for file in try folders.flatMap(files) {
            try FileManager.default.setAttributes(
                [.ownerAccountID: user, .groupOwnerAccountID: user], ofItemAtPath: file)
        }
        let list = try await home.run("gateway", "sessions", "list", "gateway.yaml", "--json")
        #expect(list.status == 0, "\(list)")
        #expect(try JSONValue(parsing: list.standardOutput)["sessions"]?.array?.count == 1, "\(list)")
        let ended = try await home.run("gateway", "sessions", "end", "gateway.yaml", "--all")
        #expect(ended.status == 0 && ended.standardOutput.contains("1 session ended"), "\(ended)")
        for file in try folders.flatMap(files) {
            let owner = try FileManager.default.attributesOfItem(atPath: file)[.ownerAccountID] as? NSNumber
            #expect(owner?.intValue == user, "\(file)")
        }
    }

    @Test("A metric says whether the gateway uses its file as it is")
    func brokenFile() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file, to: "gateway.yaml")
        let port = try Sample.freePort()
        let gateway = try await Running(
            home, ["gateway.yaml", "--sandbox", "--providers", "providers", "--metrics-port", "\(port)"])
        func state() async throws -> Bool {
            let page = try await gateway.send("GET /metrics", to: port).body
            #expect(page.contains("# TYPE carnet_gateway_file_ok gauge"), "\(page)")
            return page.contains("carnet_gateway_file_ok 1.0")
        }
        #expect(try await state())
        try home.write(Self.file.replacing("path: /**", with: "path: wiki"), to: "gateway.yaml")
        _ = try await gateway.run.line(of: .standardError) { $0.contains("the version before") }
        #expect(try await !state())
        try home.write(Self.file, to: "gateway.yaml")
        _ = try await gateway.run.line(of: .standardError) { $0.contains("was read again") }
        #expect(try await state())
        gateway.run.stop()
    }

    @Test("The metrics are at the address that is named, and at no other")
    func addressOfMetrics() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file, to: "gateway.yaml")
        let port = try Sample.freePort()
        let gateway = try await Running(
            home,
            [
                "gateway.yaml", "--sandbox", "--providers", "providers", "--metrics-port", "\(port)", "--metrics-bind",
                "127.0.0.2",
            ])
        let request = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.2\r\nConnection: close\r\n\r\n"
        let page = try await RawClient.exchange(request, port: port, host: "127.0.0.2")
        #expect(page.contains("carnet_gateway_file_ok 1.0"), "\(page)")
        await #expect(throws: (any Error).self) { try await gateway.send("GET /metrics", to: port) }
        gateway.run.stop()
        // An address for documents, which no machine has (RFC 5737, section 3), and a name that nobody can have (RFC 6761,
        // section 6.4).
        for place in ["192.0.2.7", "host.invalid"] {
            for options in [["--metrics-port", "\(port)", "--metrics-bind", place], ["--bind", place]] {
                let refused = try await home.start(
                    ["gateway", "gateway.yaml", "--sandbox", "--providers", "providers", "--port", "0"] + options
                ).finish()
                #expect(
                    refused.status == 1
                        && refused.standardError.contains("\(place) is no address of this machine"), "\(refused)")
            }
        }
        let useless = try await home.run("gateway", "gateway.yaml", "--sandbox", "--metrics-bind", "127.0.0.2")
        #expect(useless.status == 2 && useless.standardError.contains("--metrics-bind needs --metrics-port"))
    }

    @Test("What only a change of a file can repair is tried and reported once; what passes, until it has passed")
    func reloads() {
        var reloads = Reloads()
        func isDue(isAsked: Bool, isChanged: Bool) -> Bool { reloads.isDue(isAsked: isAsked, isChanged: isChanged) }
        func isNews(_ mistake: Failure) -> Bool { reloads.isNews(GatewayMistakes([mistake])) }
        #expect(!isDue(isAsked: false, isChanged: false))
        #expect(isDue(isAsked: false, isChanged: true))
        #expect(isNews(Failure(.usage, "a mistake")))
        #expect(!isDue(isAsked: false, isChanged: false))
        #expect(isDue(isAsked: true, isChanged: false))
        #expect(isNews(Failure(.usage, "a mistake")), "somebody asked")
        #expect(isDue(isAsked: false, isChanged: true))
        #expect(isNews(Failure(.failed, "no database")))
        for _ in 0..<3 {
            #expect(isDue(isAsked: false, isChanged: false))
            #expect(!isNews(Failure(.failed, "no database")))
        }
        #expect(isDue(isAsked: false, isChanged: false))
        reloads.hasSucceeded()
        #expect(!isDue(isAsked: false, isChanged: false))
    }

    @Test("An address that is not of this machine, and a socket in no folder, are named as such")
    func listeners() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file, to: "gateway.yaml")
        let common = ["gateway", "gateway.yaml", "--sandbox", "--providers", "providers"]
        let address = try await home.start(common + ["--bind", "192.0.2.1", "--port", "0"]).finish()
        #expect(address.status == 1 && address.standardError.contains("is no address of this machine"), "\(address)")
        let socket = try await home.start(common + ["--socket", "none/gateway.sock"]).finish()
        #expect(socket.status == 1 && socket.standardError.contains("the folder none does not exist"), "\(socket)")
    }

    @Test("HOST-17: A gateway takes no socket at which a program responds, and lets owner and group ask")
    func HOST_17_sockets() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write(Self.file, to: "gateway.yaml")
        let arguments = ["gateway", "gateway.yaml", "--sandbox", "--providers", "providers", "--socket", "g.sock"]
        let socket = home.folder.appending(path: "g.sock").path
        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
        }
        // In place of a file of another kind.
        try home.write("mine", to: "g.sock")
        let kind = try await home.start(arguments).finish()
        #expect(kind.status == 1 && kind.standardError.contains("a file of another kind is there"), "\(kind)")
        #expect(try String(contentsOfFile: socket, encoding: .utf8) == "mine")
        try FileManager.default.removeItem(atPath: socket)
        for _ in 0..<2 {
            let first = try home.start(arguments)
            _ = try await first.line(0, of: .standardOutput)
            #expect(try mode() == 0o660)
            let second = try await home.start(arguments).finish()
            #expect(second.status == 1 && second.standardError.contains("another program responds there"), "\(second)")
            #expect(try mode() == 0o660)
            // It leaves its socket behind, which the next one replaces.
            first.send(signal: SIGKILL)
            _ = try await first.finish()
        }
    }

    @Test("A misspelled word of the command has a suggestion")
    func misspelled() async throws {
        let home = try CommandHome()
        let check = try await home.run("gateway", "chek", "gateway.yaml")
        #expect(check.status == 2 && check.standardError.contains("did you mean check?"), "\(check)")
        let sessions = try await home.run("gateway", "sessions", "lst", "gateway.yaml")
        #expect(sessions.status == 2 && sessions.standardError.contains("did you mean list?"), "\(sessions)")
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
            ["gateway", "sessions", "gateway.yaml"], ["gateway", "sessions", "end", "gateway.yaml"],
            ["gateway", "a.yaml", "b.yaml"], ["gateway", "--sandbox", "check", "gateway.yaml"],
            ["gateway", "missing.yaml"], ["gateway", "check", "--sandbox", "gateway.yaml"],
        ])
    func usage(arguments: [String]) async throws {
        let run = try CommandHome().start(arguments)
        let result = try await run.finish()
        #expect(result.status == 2 && !result.standardError.isEmpty, "\(result)")
    }
}
