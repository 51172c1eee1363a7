import Carnet
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

/// The names and values of a token exchange are those of RFC 8693, section 2.1.
@Suite("The tokens of people for programs behind a gateway")
struct ProgramTokenTests {
    private static let file =
        Stand.file.replacing(
            "headers:",
            with: """
                  - { path: /plain/**, allow: signed_in, token: access }
                  - { path: /id/**, allow: signed_in, token: { kind: id, header: X-Id-Token } }
                  - { path: /cluster/**, allow: signed_in, token: { kind: access, header: X-Token, audience: "https://cluster.example" } }
                headers:
                """)

    @Test("A route's program gets the token that the provider issued, and programs of other routes get none")
    func ownTokens() async throws {
        let (_, opened, endpoint) = try await Stand.signedIn(Self.file)
        var person = opened
        let issued = try #require(endpoint.exchanges("authorization_code").last)
        let plain = try await person.get("https://apps.example/plain/")
        #expect(plain["Authorization"] == "Bearer \(issued.token)")
        let id = try await person.get("https://apps.example/id/")
        #expect(id["X-Id-Token"] == issued.body["id_token"] && id["X-Id-Token"]?.isEmpty == false)
        #expect(id["Authorization"] == "")
        let other = try await person.get("https://apps.example/wiki")
        #expect(other["Authorization"] == "" && other["X-Token"] == "" && other["X-Id-Token"] == "")
        #expect(endpoint.exchanges().isEmpty)
    }

    @Test("A token for an audience is exchanged for the person's, once for half of its lifetime")
    func exchange() async throws {
        let (stand, opened, endpoint) = try await Stand.signedIn(Self.file)
        var person = opened
        let issued = try #require(endpoint.exchanges("authorization_code").last)
        let first = try await person.get("https://apps.example/cluster/pods")
        let exchange = try #require(endpoint.exchanges().last)
        #expect(exchange.form["audience"] == "https://cluster.example")
        #expect(exchange.form["subject_token"] == issued.token)
        #expect(exchange.form["subject_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
        #expect(first.status == 200 && first["X-Token"] == exchange.token && exchange.token != issued.token)
        #expect(first["Authorization"] == "", "the provider's own token goes to no program of another audience")
        _ = try await person.get("https://apps.example/cluster/nodes")
        #expect(endpoint.exchanges().count == 1)
        stand.clock.advance(by: .seconds(1801))
        let later = try await person.get("https://apps.example/cluster/pods")
        #expect(endpoint.exchanges().count == 2 && later["X-Token"] == endpoint.exchanges().last?.token)
    }

    @Test("A program whose token the provider refuses is not asked, and the log says why without the token")
    func refusal() async throws {
        let (stand, opened, endpoint) = try await Stand.signedIn(Self.file)
        var person = opened
        let issued = try #require(endpoint.exchanges("authorization_code").last)
        endpoint.change("token-exchange") { _ in
            .json(#"{"error":"invalid_target","error_description":"not for \#(issued.token)"}"#, status: 400)
        }
        let refused = try await person.get("https://apps.example/cluster/pods")
        #expect(refused.status == 503 && refused["X-Token"] == nil)
        let line = try #require(stand.log.entries.first { $0.contains("No token for the program") })
        #expect(
            line.contains("invalid_target") && line.contains("provider=acme") && line.contains("path=/cluster/pods"))
        #expect(!stand.log.entries.contains { $0.contains(issued.token) } && !refused.body.contains(issued.token))
        // Other routes work, and so does this one when the provider agrees again.
        #expect(try await person.get("https://apps.example/wiki").status == 200)
        endpoint.change("token-exchange", nil)
        // A refused exchange is not tried again at once.
        stand.clock.advance(by: .seconds(11))
        #expect(try await person.get("https://apps.example/cluster/pods").status == 200)
    }

    @Test("While a provider does not respond to a refresh, a program gets the token as long as it is valid")
    func slowRefresh() async throws {
        let (stand, opened, endpoint) = try await Stand.signedIn(Self.file)
        var person = opened
        let issued = try #require(endpoint.exchanges("authorization_code").last)
        var patience = Stand.patience
        patience.provider = .milliseconds(100)
        stand.site.replace(try stand.version(Self.file, patience: patience))
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        endpoint.change("refresh_token") { response in
            for await _ in gate {}
            return response
        }
        let key = try #require(try await stand.store.keys().first)
        let expiry = try await stand.store.load(key)?.connection.tokens.expiresAt
        stand.clock.advance(by: .seconds(try #require(expiry).timeIntervalSince(stand.clock.now) - 1))
        let held = try await person.get("https://apps.example/plain/")
        #expect(held["Authorization"] == "Bearer \(issued.token)", "\(held.head) \(stand.log.entries)")
        stand.clock.advance(by: .seconds(2))
        #expect(try await person.get("https://apps.example/plain/").status == 503)
        #expect(stand.log.entries.contains { $0.contains("the provider did not respond within 0.1") })
        open.finish()
    }

    /// As Authlib with SQLAlchemy responds when it cannot write the row: its message, the statement, the values.
    @Test("What a provider says of its database is in no log and on no page")
    func statementOfADatabase() async throws {
        let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
        let row = "0b2a4d6e-6f1c-4c58-9d0e-5d2a1c3b4f60"
        let description =
            "(sqlite3.IntegrityError) NOT NULL constraint failed: token.audience\n"
            + "[SQL: INSERT INTO token (id, access_token, audience) VALUES (?, ?, ?)]\n"
            + "[parameters: ('\(row)', '\(token)', None)]\n(Background on this error at: https://sqlalche.me/e/20/gkpj)"
        let text = String(
            decoding: try JSONSerialization.data(withJSONObject: [
                "error": "server_error", "error_description": description,
            ]), as: UTF8.self)
        let stand = try await Stand(Self.file) { transport in
            ScriptedTransport { request in
                String(decoding: request.body, as: UTF8.self).contains("authorization_code")
                    ? .json(text, status: 500) : try await transport.send(request, limits: TransportLimits())
            }
        }
        var person = Person(stand)
        let begun = try await person.get(
            "\(Stand.origin)/carnet/sign-in/acme", post: PercentEncoding.encode([(name: "return_to", value: "/")]))
        let callback = try await stand.sandbox.approve(authorizationURL: try #require(begun.location))
        let page = try await person.get(callback)
        #expect(page.status >= 400)
        let entries = stand.log.entries.filter { $0.contains("NOT NULL constraint failed") }
        #expect(entries.count == 1, "\(stand.log.entries)")
        for secret in ["INSERT INTO", "parameters", row, token, "eyJ"] {
            #expect(!stand.log.entries.contains { $0.contains(secret) }, "\(secret): \(stand.log.entries)")
            #expect(!page.body.contains(secret), "\(secret)")
        }
    }
}
