import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// Keeps every text that a host could see.
private final class Listener: ExchangeObserver, Sendable {
    private let texts = Lock<[String]>([])
    let log = RecordedLog()

    var all: [String] { texts.withLock { $0 } + log.entries }

    func hear(_ value: some Any) {
        var dumped = ""
        dump(value, to: &dumped)
        texts.withLock { $0 += ["\(value)", String(reflecting: value), dumped] }
    }

    func willSend(_ request: RedactedRequest, step: OAuthError.Step) { hear(request) }
    func didReceive(_ response: RedactedResponse, step: OAuthError.Step) { hear(response) }
}

@Suite("Leak")
struct LeakTests {
    private let provider = ScriptedProvider()
    private let listener = Listener()
    private static let clientSecret = "client+secret/with=odd characters"

    private func client(_ authentication: String, store: any TokenStore) throws -> OAuthClient {
        return try OAuthClient(
            try Fixture.descriptor(Fixture.openID + "client: { authentication: [\(authentication)] }\n"),
            registration: ClientRegistration(
                clientID: "client",
                credentials: .secret(Secret(Self.clientSecret)),
                redirectURI: "com.example.app:/callback"
            ),
            transport: provider,
            store: store,
            clock: provider.clock,
            observer: listener,
            logger: listener.log.logger
        )
    }

    /// Every secret of the flow, in the forms in which it could be seen.
    private var forbidden: [String] {
        let verifiers = provider.forms("/token").compactMap { $0["code_verifier"] }
        let secrets = provider.secrets + verifiers + [Self.clientSecret]
        var forms: [String] = []
        for secret in secrets {
            forms += [
                secret, PercentEncoding.encode(secret), Data(secret.utf8).base64EncodedString(),
                secret.replacing("/", with: "\\/"),
            ]
            // LOG-03: the beginning of a token is a secret too. These begin alike by design and not by chance.
            if !["access-token", "refresh-token", "eyJ", "code-for"].contains(where: { secret.hasPrefix($0) }) {
                forms.append(String(secret.prefix(8)))
            }
        }
        forms.append(Data("client:\(PercentEncoding.encode(Self.clientSecret))".utf8).base64EncodedString())
        return forms
    }

    private func expectNoSecretHeard(sourceLocation: SourceLocation = #_sourceLocation) {
        let heard = listener.all.joined(separator: "\n")
        #expect(!heard.isEmpty, sourceLocation: sourceLocation)
        for secret in forbidden where heard.contains(secret) {
            Issue.record("a secret was seen: \(secret.prefix(20))", sourceLocation: sourceLocation)
        }
    }

    // LOG-01, LOG-03.
    @Test("Whole flow shows no secret", arguments: ["client_secret_post", "client_secret_basic"])
    func wholeFlowShowsNoSecret(_ authentication: String) async throws {
        let client = try client(authentication, store: MemoryTokenStore())
        let request = try await client.beginSignIn()
        listener.hear(request)
        let callback = provider.callback(request)
        listener.hear(callback)
        let session = try await client.completeSignIn(callback, for: request.pending)
        listener.hear(try await session.profile())
        listener.hear(try await session.refresh())
        provider.on("/x", response: .json(#"{"access_token":"access-token-1","ok":true}"#))
        _ = try? await session.send(HTTPRequest(url: "https://id.acme.example/x"))
        listener.hear(try await session.signOut(.everywhere))
        #expect(provider.secrets.count >= 10)
        expectNoSecretHeard()
        #expect(listener.all.contains { $0.contains("code_verifier=[redacted]") })
        #expect(listener.all.contains { $0.contains("Bearer [redacted]") })
    }

    // LOG-01: a hostile server that repeats whatever it was sent.
    @Test("Server that echoes shows no secret", arguments: ["client_secret_post", "client_secret_basic"])
    func serverThatEchoesShowsNoSecret(_ authentication: String) async throws {
        let store = MemoryTokenStore()
        let client = try client(authentication, store: store)
        let session = try await provider.signIn(client)
        let echo: ScriptedProvider.Handler = { provider, form in
            let sent = provider.requests.last
            let basic = sent?.head.headerFields[.authorization] ?? ""
            let words = form.map { "\($0.key)=\($0.value) \(PercentEncoding.encode($0.value))" }.joined(separator: " ")
            // The secret as it is, from a server that was sent it in Basic.
            let secret = form.isEmpty ? "" : Self.clientSecret
            let all = "\(words) \(basic) \(secret)".prefix(100_000)
            let body: JSONValue = [
                "error": .string(String(all)), "error_description": .string(String(all.reversed()) + all),
                "error_uri": .string(String(all)), "list": [.string(String(all))],
            ]
            var response = IncomingResponse.json(body.jsonText(), status: 400)
            response.head.headerFields[.wwwAuthenticate] = "Bearer error=\"\(all.replacing("\"", with: ""))\""
            return response
        }
        for path in ["/token", "/userinfo", "/revoke"] { provider.on(path, echo) }
        for attempt in 0..<4 {
            do {
                switch attempt {
                case 0: _ = try await provider.signIn(client)
                case 1: try await session.refresh()
                case 2: _ = try await session.profile()
                default:
                    for failure in try await session.signOut(.revoke).failures { listener.hear(failure) }
                    continue
                }
                Issue.record("no error was thrown")
            } catch {
                listener.hear(error)
            }
        }
        expectNoSecretHeard()
    }

    // LOG-01: what goes wrong on the way is said without what was on the way.
    @Test("Failures show no secret")
    func failuresShowNoSecret() async throws {
        let store = MemoryTokenStore()
        let client = try client("client_secret_post", store: store)
        let responses: [ScriptedProvider.Handler] = [
            { _, _ in throw TransportError(.timeout, "no response") },
            { provider, form in
                .canned("[\(try provider.tokens(for: form).jsonText())]", type: "text/html")
            },
            { provider, form in .json(try provider.tokens(for: form).jsonText() + "x") },
            { provider, form in .json(try provider.tokens(for: form).jsonText(), status: 400) },
            { provider, form in .json(try provider.tokens(for: form, claims: ["aud": "other"]).jsonText()) },
            { provider, form in .json(try provider.tokens(for: form, key: .otherRSA).jsonText()) },
            { provider, form in
                .json(try provider.tokens(for: form, members: ["token_type": "access-token-in-type"]).jsonText())
            },
            { provider, form in .json(try provider.tokens(for: form, members: ["expires_in": "soon"]).jsonText()) },
        ]
        for reply in responses {
            provider.on("/token", reply)
            do {
                _ = try await provider.signIn(client)
                Issue.record("no error was thrown")
            } catch {
                listener.hear(error)
            }
        }
        expectNoSecretHeard()
    }
}
