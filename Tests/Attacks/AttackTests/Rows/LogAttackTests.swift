// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetStorage
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import InMemoryTracing
import MetricsTestKit
import Testing

/// Every row searches what its own flow said; these run whole flows with everything on, and search what else there is.
@Suite("LOG: what is said", .searchedForSecrets)
struct LogAttackTests {
    /// Whole lives of accounts, by every way that there is.
    private static let lives: [(name: String, flow: Flow)] = [
        ("a secret in the header", life),
        ("a secret in the body", life.registered { $0.authenticationMethod = .clientSecretPost }),
        ("no secret", life.registered { $0.clientSecret = nil }),
        ("a secret that signs", life.adding("client: { authentication: [client_secret_jwt] }")),
        ("a bound token", life.registered { $0.dpopBoundAccessTokens = true }.served(DPoPAttackTests.bound)),
        ("a device", .device), ("a client for itself", .clientCredentials),
        ("a registration", .register.served { $0.registration["registration_access_token"] = "{secret}" }),
    ]

    private static let life = Flow { scenario, outcome in
        let request = try await outcome.client.beginSignIn(AuthorizationOptions(delivery: .init(isPushed: true)))
        let callback = scenario.callback(request)
        scenario.output.hear(request)
        scenario.output.hear(callback)
        let session = try await outcome.client.completeSignIn(callback, for: request.pending)
        outcome.profile = try await session.profile()
        outcome.tokens = try await session.refresh()
        outcome.response = nil
        _ = try await session.send(HTTPRequest(url: "https://api.acme.example/resource"))
        scenario.output.hear(try await session.identity())
        scenario.output.hear(try await session.connectionValues())
        outcome.signOut = try await session.signOut(.everywhere)
    }

    @Test("LOG-01: Whole lives say nothing")
    func LOG_01_wholeLivesSayNothing() async throws {
        _ = TelemetryBackends.metrics
        var secrets: Set<String> = []
        for life in Self.lives { secrets.formUnion(try await secretsOfALife(life.flow)) }
        let telemetry = TelemetryBackends.text
        #expect(telemetry.contains("carnet.exchange"))
        #expect(Leaks(of: secrets).found(in: telemetry).isEmpty)
    }

    private func secretsOfALife(_ flow: Flow) async throws -> Set<String> {
        let scenario = Scenario()
        let outcome = try await flow.run(scenario) { _ in }
        for key in try await scenario.store.keys() {
            if let stored = try await scenario.store.load(key) { scenario.output.hear(stored) }
        }
        scenario.output.hear(outcome.profile as Any)
        scenario.output.hear(outcome.tokens as Any)
        scenario.output.hear(outcome.signOut as Any)
        scenario.output.hear(outcome.registered as Any)
        #expect(scenario.secrets.count >= 2)
        #expect(scenario.output.text.count >= 4)
        return Set(scenario.secrets)
    }

    /// A browser's whole life at a site: its cookies and the keys that encrypt them are secrets too.
    @Test("LOG-01: Site says nothing")
    func LOG_01_siteSaysNothing() async throws {
        let key = [UInt8](repeating: 0x5A, count: 32)
        let site = try Site(keys: KeyRing(EncryptionKey(key)))
        var browser = Browser(site)
        site.scenario.remember([Data(key).base64EncodedString()])
        let callback = try await browser.begin()
        site.scenario.remember(Array(browser.cookies.values))
        _ = try await browser.get(callback)
        site.scenario.remember(Array(browser.cookies.values))
        _ = try await browser.get(callback)
        _ = try await browser.get("/sign-in/acme/callback?code=x&state=y")
        site.scenario.output.hear(browser.session as Any)
        site.scenario.output.hear(site.web.clients)
        _ = try await browser.post("/sign-out", form: "extent=revoke")
        #expect(site.scenario.output.text.contains { $0.contains("A sign-in failed") })
    }

    /// A server that repeats all that it was sent.
    @Test(
        "LOG-01: Server that repeats everything",
        arguments: [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost, .clientSecretJWT])
    func LOG_01_serverThatRepeatsEverything(method: ClientAuthenticationMethod) async throws {
        let echo = Echo()
        let flow = Flow.signIn.registered { $0.authenticationMethod = method }
            .adding("client: { authentication: [\(method.rawValue)] }")
        let scenario = Scenario(gate: { scenario, request in
            guard request.path == "/token" else { return }
            let all = echo.add(request)
            scenario.change {
                $0.token = ServerResponse(["error": "invalid_request", "error_description": .string(all)], status: 400)
            }
        })
        let error = await expectRefusal(.serverError) { try await flow.run(scenario) { _ in } }
        #expect(error?.server?.message?.contains("[redacted]") == true)
        try await control(flow)
    }

    private struct Echo {
        func add(_ request: Scenario.Request) -> String {
            request.form.sorted { $0.key < $1.key }.map { "\($0.value) \(PercentEncoding.encode($0.value))" }
                .joined(separator: " ").prefix(400).description
        }
    }

    /// The search itself finds what it looks for, in each of its forms.
    @Test("LOG-03: Search finds beginnings")
    func LOG_03_searchFindsBeginnings() {
        let secret = "kX9_q/vT+2mB7wLs"
        let leaks = Leaks(of: [secret])
        for text in [
            secret, "token=\(PercentEncoding.encode(secret))&x", Data(secret.utf8).base64EncodedString(), "kX9_q/vT...",
            "\u{301}\(secret)\u{301}",
        ] { #expect(!leaks.found(in: "a \(text) b").isEmpty, "\(text)") }
        #expect(leaks.found(in: "kX9_q/v").isEmpty)
        let jwt = "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJlLW9mLWl0"
        #expect(Leaks(of: [jwt]).found(in: "eyJhbGciOiJI").isEmpty)
        #expect(!Leaks(of: [jwt]).found(in: "c2lnbmF0...").isEmpty)
    }
}
