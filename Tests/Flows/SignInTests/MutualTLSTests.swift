import Carnet
import CarnetSandbox
import CarnetSimulation
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// Clients that prove themselves by a certificate, and tokens that are bound to it (RFC 8705), against the sandbox.
@Suite("Mutual TLS")
struct MutualTLSTests {
    private static func provider(_ more: String = "") -> String {
        """
        carnet: 1
        id: bank
        name: Bank
        issuer: https://id.bank.example
        endpoints:
          mtls_endpoint_aliases:
            token: https://mtls.bank.example/token
            userinfo: https://mtls.bank.example/userinfo
            revocation: https://mtls.bank.example/revoke
        client: { authentication: [self_signed_tls_client_auth], tls_client_certificate_bound_access_tokens: true }
        scopes: { default: [openid, profile], offline: [offline_access] }
        resources: [{ id: accounts, title: Accounts, scope: openid, url: "https://api.bank.example/accounts" }]
        \(more)

        """
    }

    private func fixture() throws -> SignInFixture {
        try SignInFixture(
            try descriptor(Self.provider()), certificate: SimulatedCertificate.certificate)
    }

    private func certificate(of request: SandboxRequest) -> String? {
        HTTPField.Name("Client-Cert").flatMap { request.headers[$0] }
    }

    // MTLS-01, MTLS-02.
    @Test("A whole sign-in presents one certificate, at the aliases")
    func aWholeSignInPresentsOne() async throws {
        let fixture = try fixture()
        let session = try await fixture.signIn()
        #expect(try await session.profile().name != nil)
        try await session.refresh()
        let resource = try #require(try await session.resourceMap().resources.first)
        #expect(try await session.call(resource).status == 200)
        #expect(try await session.signOut(.revoke).isRevoked)
        let hosts = try await fixture.sandbox.requests.map { try #require(URLComponents(string: $0.url)?.host) }
        let presented = await fixture.sandbox.requests.map { certificate(of: $0) }
        for (host, certificate) in zip(hosts, presented) {
            let isForClients = ["mtls.bank.example", "api.bank.example"].contains(host)
            #expect((certificate != nil) == isForClients, "\(host)")
        }
        #expect(Set(presented.compactMap { $0 }).count == 1)
        #expect(hosts.contains("api.bank.example"))
    }

    // MTLS-03: metadata and keys are public, and the browser has no certificate.
    @Test("What everybody may ask for is asked for without it")
    func whatEverybodyMayAsk() async throws {
        let fixture = try fixture()
        _ = try await fixture.signIn()
        let plain = await fixture.sandbox.requests.filter { $0.url.hasPrefix("https://id.bank.example") }
        #expect(plain.count >= 3)
        #expect(plain.allSatisfy { certificate(of: $0) == nil })
    }

    @Test("Another certificate is rejected")
    func anotherCertificateIsRefused() async throws {
        let fixture = try fixture()
        let (other, _) = try Self.otherCertificate()
        var registration = fixture.client.registration
        registration.certificate = other
        let client = try OAuthClient(
            try descriptor(Self.provider()), registration: registration,
            transport: SandboxTransport(fixture.sandbox), clock: fixture.clock)
        let request = try await client.beginSignIn()
        let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
        let error = await #expect(throws: OAuthError.self) {
            try await client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        }
        #expect(error?.server?.code == "invalid_client")
    }

    // MTLS-02: a token is worth nothing with another certificate, or without any.
    @Test("A token that was stolen is rejected")
    func aTokenThatWasStolen() async throws {
        let fixture = try fixture()
        let session = try await fixture.signIn()
        let token = try await session.tokens().accessToken.reveal()
        let (_, der) = try Self.otherCertificate()
        for field in [Sandbox.certificateField(der), nil] {
            var head = HTTPRequest(
                method: .get, scheme: "https", authority: "api.bank.example", path: "/accounts",
                headerFields: [.authorization: "Bearer \(token)"])
            if let field { head.headerFields.append(field) }
            #expect(await fixture.sandbox.respond(to: head, body: []).0.status == .unauthorized)
        }
    }

    @Test("A registration without a certificate is reported before anything is sent")
    func aRegistrationWithoutACertificate() async throws {
        let fixture = try SignInFixture(try descriptor(Self.provider()))
        let error = await #expect(throws: OAuthError.self) { try await fixture.client.beginSignIn() }
        #expect(error?.kind == .missingClientCertificate)
    }

    /// One of which nobody has the key here; the sandbox speaks no TLS.
    private static func otherCertificate() throws -> (ClientCertificate, [UInt8]) {
        let simulated = try #require(SimulatedCertificate.certificate)
        let der = simulated.chain[0].dropLast() + [0]
        let text = """
            -----BEGIN CERTIFICATE-----
            \(Data(der).base64EncodedString())
            -----END CERTIFICATE-----
            """
        return (
            try ClientCertificate(pem: Secret(text), privateKeyPEM: simulated.privateKeyPEM), Array(der)
        )
    }
}
