// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTesting
import CarnetTransport
import Foundation
import NIOSSL
import Testing

@Suite("HTTP: the server's certificate", .serialized, .searchedForSecrets)
struct CertificateAttackTests {
    private static let certificates = Result { try Certificates() }

    /// Exchanges a code at a server with such a certificate.
    private func exchange(
        _ identity: (certificate: String, key: String), over kind: NetworkTransport, maximumVersion: TLSVersion? = nil
    ) async throws -> (error: OAuthError?, requests: Int) {
        let server = try await TLSServer(
            certificate: identity.certificate, key: identity.key, maximumVersion: maximumVersion)
        server.respond("/token", with: Wire.good(.token))
        let authority = try Self.certificates.get().authority
        let scenario = Scenario(
            wire: kind.make(trusting: authority, localAccess: .all))
        let flow = Flow.plainSignIn.of(
            Flow.plain.replacingOccurrences(
                of: "token: https://id.acme.example", with: "token: https://\(server.authority)"))
        var failure: OAuthError?
        do {
            _ = try await flow.run(scenario) { _ in }
        } catch let error as OAuthError {
            failure = error
            scenario.output.hear(error)
        }
        try await server.stop()
        return (failure, server.requestCount)
    }

    /// The same client, at a server whose certificate is good.
    @Test("HTTP-01: Control", arguments: NetworkTransport.allCases)
    func HTTP_01_control(kind: NetworkTransport) async throws {
        let (error, requests) = try await exchange(try Self.certificates.get().issue(for: "IP:127.0.0.1"), over: kind)
        #expect(error == nil)
        #expect(requests == 1)
    }

    @Test(
        "HTTP-01: Name of another", arguments: NetworkTransport.allCases,
        ["DNS:other.example", "IP:127.0.0.2", "DNS:127.0.0.1.evil.example", "DNS:*"])
    func HTTP_01_nameOfAnother(kind: NetworkTransport, names: String) async throws {
        let (error, requests) = try await exchange(try Self.certificates.get().issue(for: names), over: kind)
        #expect(error?.kind == .transport)
        #expect(error?.message.hasSuffix("was issued for another host") == true, "\(String(describing: error))")
        #expect(requests == 0)
    }

    @Test(
        "HTTP-01: Certificate that nobody trusts", arguments: NetworkTransport.allCases,
        [(nil, 1), ("stranger", 1), ("ca", -1)] as [(String?, Int)])
    func HTTP_01_certificateThatNobodyTrusts(kind: NetworkTransport, made: (issuer: String?, days: Int)) async throws {
        let identity = try Self.certificates.get().issue(for: "IP:127.0.0.1", by: made.issuer, days: made.days)
        let (error, requests) = try await exchange(identity, over: kind)
        #expect(error?.kind == .transport)
        #expect(error?.message.contains("certificate") == true, "\(String(describing: error))")
        // The next step is an authority to trust or, for an old certificate, the clock.
        let steps = made.days < 0 ? ["its own authority", "check the clock"] : ["its own authority"]
        #expect(steps.contains { error?.hint?.contains($0) == true }, "\(String(describing: error?.hint))")
        #expect(requests == 0)
    }

    @Test("HTTP-02: Old TLS", arguments: NetworkTransport.allCases, [TLSVersion.tlsv1, .tlsv11])
    func HTTP_02_oldTLS(kind: NetworkTransport, version: TLSVersion) async throws {
        let identity = try Self.certificates.get().issue(for: "IP:127.0.0.1")
        let (error, requests) = try await exchange(identity, over: kind, maximumVersion: version)
        #expect(error?.kind == .transport)
        #expect(error?.message.contains("TLS handshake") == true)
        #expect(requests == 0)
        #expect(try await exchange(identity, over: kind, maximumVersion: .tlsv12).error == nil)
    }
}
