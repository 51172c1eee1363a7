// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import InMemoryTracing
import MetricsTestKit
import Testing

/// Every secret of a sign-in is a marker, at places that only the descriptor knows, and every later response repeats all
/// earlier markers under a harmless name.
@Suite("LOG: what the redacted copies show")
struct RedactionAttackTests {
    /// A server with random names of members.
    private final class MarkedServer: Transport {
        struct State {
            var dice: SplitMix64
            var markers: [String] = []
            var forgotten: Set<String> = []
        }

        let state: Lock<State>
        /// The names of the members, by use.
        let names: [String: String]

        init(seed: UInt64) {
            var dice = SplitMix64(seed: seed)
            var names: [String: String] = ["note": "note", "apikey": "apikey"]
            for use in ["root", "access", "refresh", "first", "jwt", "second", "third"] {
                let name = (0..<(3 + dice.below(5))).map { _ in String(dice.pick(Array("abdfghklmnprstuvz"))) }.joined()
                // Two uses never have one name.
                names[use] = use.prefix(1).uppercased() + name
            }
            // The two examples of the review.
            if seed == 0 { (names["jwt"], names["second"]) = ("jwt", "apikey") }
            self.names = names
            state = Lock(State(dice: dice))
        }

        func name(_ use: String) -> String { names[use, default: use] }

        func marker() -> String {
            state.withLock { state in
                let marker = String(state.dice.next(), radix: 36) + String(state.dice.next(), radix: 36)
                state.markers.append(marker)
                return marker
            }
        }

        var markers: [String] { state.withLock(\.markers) }
        var echo: String {
            state.withLock { state in
                "repeated: " + state.markers.filter { !state.forgotten.contains($0) }.joined(separator: " ")
            }
        }

        /// A saved sign-in keeps neither its code nor a token that an exchange step replaced.
        func forgetSpent() { state.withLock { $0.forgotten = Set($0.markers[1...2]) } }

        var descriptor: String {
            """
            carnet: 1
            id: odd
            name: Odd
            endpoints:
              authorization: https://odd.example/authorize
              token: https://odd.example/token
              userinfo: https://api.odd.example/me
            scopes: { default: [read] }
            client: { authentication: [client_secret_post] }
            profile: { claims: { subject: /id, name: /name } }
            token:
              response:
                root: /\(name("root"))
                fields: { access_token: /\(name("access")), refresh_token: /\(name("refresh")) }
                capture: { one: { from: /\(name("first")), secret: true }, plan: /plan }
            exchange:
              long:
                url: https://odd.example/exchange
                parameters: { t: "{token.access_token}" }
                response: { fields: { access_token: /\(name("jwt")) } }
                capture: { two: { from: /data/\(name("second")), secret: true } }
                sample: { x: redacted }
            connection:
              lookups:
                site:
                  url: https://api.odd.example/sites
                  value: /id
                  choose: first
                  capture: { three: { from: /\(name("third")), secret: true } }
                  sample: [{ id: 1 }]
            """
        }

        func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
            // What the server already saw; its own new secrets come on top.
            let before = echo
            func json(_ value: JSONValue, status: Int = 200) -> IncomingResponse {
                .json(value.jsonText(), status: status)
            }
            func object(_ known: JSONValue, _ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
                var object = known.object ?? JSONObject()
                for (use, value) in members { object[name(use)] = value }
                return .object(object)
            }
            let body = String(decoding: request.body, as: UTF8.self)
            switch request.head.path {
            case "/token" where body.contains("grant_type=refresh_token"):
                return json(["error": "temporarily_unavailable", "error_description": .string(before)], status: 400)
            case "/token":
                let fields = object(
                    [
                        "token_type": "Bearer", "expires_in": 3600, "scope": "read", "note": .string(before),
                        "access_token_expiration": 1_800_003_600,
                    ], ["access": .string(marker()), "refresh": .string(marker())])
                return json(object(["plan": "gold"], ["root": fields, "first": .string(marker())]))
            case "/exchange":
                let data = object([:], ["second": .string(marker())])
                return json(
                    object(
                        ["token_type": "Bearer", "count": 7, "scope": .string("read \(before)"), "data": data],
                        ["jwt": .string(marker())]))
            case "/sites":
                return json([object(["id": 7, "note": .string(before)], ["third": .string(marker())])])
            case "/me":
                return json([
                    "id": "u1", "name": "Ada", "note": .string(before), "zip_code": "94103", "promo_code": "SPRING",
                    "encoded_account_id": "QWRh",
                ])
            default: return json(["error": "x", "error_description": .string(before)], status: 500)
            }
        }
    }

    @Test("LOG-04: No marker is shown anywhere")
    func LOG_04_noMarkerIsShown() async throws {
        _ = TelemetryBackends.metrics
        var markers: [String] = []
        for seed in UInt64(0)..<40 { markers += try await markersOfASignIn(seed: seed) }
        #expect(Leaks(of: markers).found(in: TelemetryBackends.text).isEmpty)
    }

    /// What a sign-in must not show, and has not shown in logs, errors and events.
    private func markersOfASignIn(seed: UInt64) async throws -> [String] {
        let server = MarkedServer(seed: seed)
        let output = Output()
        let document = DescriptorDocument(SourceFile(path: "odd.yaml", text: server.descriptor))
        let descriptor = try #require(document.descriptor, "\(document.diagnostics)")
        let client = try OAuthClient(
            descriptor,
            registration: ClientRegistration(
                clientID: "client", credentials: .available(secret: Secret(server.marker())),
                redirectURI: Scenario.redirectURI),
            transport: server, clock: ManualClock(), observer: output, logger: output.logger)
        let request = try await client.beginSignIn()
        let callback = AuthorizationCallback(
            url: "\(Scenario.redirectURI)?code=\(server.marker())&state=\(request.pending.id.reveal())")
        let session = try await client.completeSignIn(callback, for: request.pending)
        server.forgetSpent()
        _ = try await session.profile()
        _ = try await session.send(HTTPRequest(url: "https://api.odd.example/me"))
        do {
            _ = try await session.refresh()
            Issue.record("the refresh was rejected")
        } catch { output.hear(error) }

        let said = output.text.joined(separator: "\n")
        #expect(server.markers.count == 8)
        for (index, marker) in server.markers.enumerated() {
            #expect(!said.contains(marker), "seed \(seed), marker \(index)")
        }
        // What is known to be harmless stays.
        for text in [
            "\"plan\":\"gold\"", "\"expires_in\":3600", "\"access_token_expiration\":1800003600", "\"count\":7",
            "\"id\":7",
            "\"name\":\"Ada\"", "\"zip_code\":\"94103\"", "\"promo_code\":\"SPRING\"",
            "\"encoded_account_id\":\"QWRh\"",
            "repeated: [redacted]",
        ] { #expect(said.contains(text), "\(text)") }
        return server.markers
    }
}
