// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("Attacks on the tokens of people for programs behind a gateway")
struct ProgramTokenAttackTests {
    private static let file = Stand.file.replacing(
        "headers:",
        with: """
              - { path: /cluster/**, allow: signed_in, token: { kind: access, header: X-Token, audience: cluster } }
              - { path: /id/**, allow: signed_in, token: { kind: id, header: X-Token } }
            headers:
            """)

    /// The response with another member.
    private static func setting(_ name: String, _ value: String?, in response: IncomingResponse) -> IncomingResponse {
        var object = (try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]) ?? [:]
        object[name] = value
        let text = (try? JSONSerialization.data(withJSONObject: object)).map { String(decoding: $0, as: UTF8.self) }
        return .json(text ?? "", status: response.status)
    }

    @Test("GW-45: No program gets the session, and each gets the cookies of others as they are")
    func GW_45_cookiesOfTheGateway() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki")
        let own = try #require(person.cookie("apps.example"))
        #expect(own.hasPrefix("__Host-carnet-session="))
        for (sent, expected) in [
            ([own], ""), (["a=1; \(own)"], "a=1"), (["\(own);a=1;  b=\"x y\"; c"], "a=1; b=\"x y\"; c"),
            (["a=1", own, "b=2"], "a=1; b=2"), (["a=1;\t\(own) ; __Host-carnet-pending-1=x; b==;"], "a=1; b=="),
            (
                ["carnet=1; __Host-carnet=2; x__Host-carnet-session=3; \(own)"],
                "carnet=1; __Host-carnet=2; x__Host-carnet-session=3"
            ),
            (["a=__Host-carnet-session; \(own)"], "a=__Host-carnet-session"),
        ] {
            for path in ["/wiki", "/public/a"] {
                let reply = try await stand.ask(
                    "https://apps.example\(path)", [.accept: "*/*"], adding: sent.map { ("Cookie", $0) })
                #expect(reply.status == 200 && reply["Cookie"] == expected, "\(sent): \(reply["Cookie"] ?? "none")")
            }
        }
        #expect(try await stand.ask("https://apps.example/public/a", [.accept: "*/*"])["Cookie"] == "")
    }

    @Test("GW-46: An exchanged token is for the person whose token was exchanged")
    func GW_46_equalTextOfAnotherProvider() async throws {
        let (stand, opened, endpoint) = try await Stand.signedIn(Self.file)
        var victim = opened
        let first = try await victim.get("https://apps.example/cluster/a")
        let exchanged = try #require(first["X-Token"])
        #expect(first.status == 200 && !exchanged.isEmpty && endpoint.exchanges().count == 1)
        let key = try #require(try await stand.store.keys().first)
        let token = try #require(try await stand.store.load(key)).connection.tokens.accessToken
        var attacker = Person(stand)
        _ = try await attacker.open("https://apps.example/wiki", with: "globex")
        let other = try #require(try await stand.store.keys().first { $0.provider == "globex" })
        let stored = try #require(try await stand.store.load(other))
        var connection = stored.connection
        connection.tokens.accessToken = token
        _ = try await stand.store.save(connection, replacing: stored.revision)
        let asked = try await attacker.get("https://apps.example/cluster/a")
        #expect(asked["X-Token"] != exchanged && endpoint.exchanges().count == 2, "\(asked.head)")
    }

    @Test(
        "GW-47: A token that is no access token for Bearer goes to no program",
        arguments: [
            ("issued_token_type", "urn:ietf:params:oauth:token-type:refresh_token"), ("token_type", "N_A"),
            ("token_type", "DPoP"), ("access_token", "a\r\nX-Auth-User: root"), ("access_token", "a b"),
            ("issued_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ])
    func GW_47_tokensOfAnotherKind(name: String, value: String) async throws {
        let (_, opened, endpoint) = try await Stand.signedIn(Self.file)
        var person = opened
        endpoint.change("token-exchange") { Self.setting(name, value, in: $0) }
        let reply = try await person.get("https://apps.example/cluster/a")
        #expect(reply.status == 503 && reply["X-Token"] == nil, "\(reply.head)")
        let exchange = try #require(endpoint.exchanges().first)
        #expect(exchange.form["requested_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
    }

    @Test("GW-47: Many requests of one person are one exchange, and those of another person another")
    func GW_47_oneExchangeForMany() async throws {
        let (stand, opened, endpoint) = try await Stand.signedIn(Self.file)
        endpoint.change("token-exchange") { response in
            try? await Task.sleep(for: .milliseconds(300))
            return response
        }
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<15 {
                group.addTask {
                    var person = opened
                    return try await person.get("https://apps.example/cluster/a")["X-Token"]
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(endpoint.exchanges().count == 1 && Set(tokens).count == 1 && tokens[0]?.isEmpty == false)
        var other = Person(stand)
        _ = try await other.open("https://apps.example/wiki")
        #expect(try await other.get("https://apps.example/cluster/a")["X-Token"] != tokens[0])
        #expect(endpoint.exchanges().count == 2)
    }

    @Test("GW-47: A provider that fails is asked again after a pause")
    func GW_47_failures() async throws {
        let (stand, opened, endpoint) = try await Stand.signedIn(Self.file)
        var person = opened
        endpoint.change("token-exchange") { _ in .json("{}", status: 500) }
        #expect(try await person.get("https://apps.example/cluster/a").status == 503)
        let count = endpoint.exchanges().count
        for _ in 0..<9 { #expect(try await person.get("https://apps.example/cluster/a").status == 503) }
        #expect(endpoint.exchanges().count == count)
        #expect(try await person.get("https://apps.example/wiki").status == 200)
        endpoint.change("token-exchange", nil)
        stand.clock.advance(by: .seconds(11))
        #expect(try await person.get("https://apps.example/cluster/a").status == 200)
    }

    @Test("GW-47: A provider that hangs holds no decision, and its late response is used")
    func GW_47_slowProvider() async throws {
        let (stand, opened, endpoint) = try await Stand.signedIn(Self.file)
        var person = opened
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        endpoint.change("token-exchange") { response in
            for await _ in gate {}
            return response
        }
        var patience = Stand.patience
        patience.provider = .milliseconds(100)
        stand.site.replace(try stand.version(Self.file, patience: patience))
        // It ends although the provider does not respond, and the next ones do not wait.
        for _ in 0..<3 { #expect(try await person.get("https://apps.example/cluster/a").status == 503) }
        open.finish()
        var reply = try await person.get("https://apps.example/cluster/a")
        for _ in 0..<200 where reply.status == 503 {
            try await Task.sleep(for: .milliseconds(50))
            reply = try await person.get("https://apps.example/cluster/a")
        }
        #expect(reply.status == 200 && reply["X-Token"]?.isEmpty == false)
        #expect(endpoint.exchanges().count == 1)
    }

    /// The ID token of a session that ended a minute ago, although the access token is still valid.
    private func expireIDToken(_ stand: Stand) async throws -> String {
        let key = try #require(try await stand.store.keys().first)
        let stored = try #require(try await stand.store.load(key))
        var connection = stored.connection
        var parts = try #require(connection.tokens.idToken).reveal().split(separator: ".").map(String.init)
        let payload = String(decoding: try #require(Base64URL.decode(parts[1].utf8)), as: UTF8.self)
        var claims = try #require(try JSONValue(parsing: payload).object)
        claims["exp"] = .number(String(Int(stand.clock.now.timeIntervalSince1970) - 60))
        parts[1] = Base64URL.encode(Array(JSONValue.object(claims).jsonText().utf8))
        let expired = parts.joined(separator: ".")
        connection.tokens.idToken = Secret(expired)
        _ = try await stand.store.save(connection, replacing: stored.revision)
        return expired
    }

    @Test("GW-47: No program gets an expired ID token: it is refreshed, or there is none", arguments: [true, false])
    func GW_47_expiredIDTokens(isRefreshed: Bool) async throws {
        let (stand, opened, endpoint) = try await Stand.signedIn(Self.file)
        var person = opened
        let valid = try await person.get("https://apps.example/id/")
        #expect(
            valid.status == 200 && valid["X-Token"]?.isEmpty == false && endpoint.exchanges("refresh_token").isEmpty)
        let expired = try await expireIDToken(stand)
        if !isRefreshed { endpoint.change("refresh_token") { Self.setting("id_token", nil, in: $0) } }
        for _ in 0..<3 {
            let reply = try await person.get("https://apps.example/id/")
            #expect(reply.status == (isRefreshed ? 200 : 302) && reply["X-Token"] != expired, "\(reply.head)")
            #expect((reply["X-Token"]?.isEmpty == false) == isRefreshed)
            // The page asks, although somebody is signed in: it leads straight back to nobody's dead end.
            #expect(isRefreshed || reply.location == "/carnet/sign-in?return_to=%2Fid%2F&choose=1")
        }
        #expect(endpoint.exchanges("refresh_token").count == 1)
    }
}
