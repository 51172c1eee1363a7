import Carnet
import CarnetHTTP
import CarnetServerTestSupport
import CarnetTesting
import CarnetURLSession
import Testing

/// One at a time: on Linux all sessions share one queue, and the endless responses hold it up.
@Suite("URL session transport", .serialized)
struct URLSessionTransportTests {
    /// Foundation on Linux ends the process where a header breaks off (swift-corelibs-foundation, issue 5285), also that of
    /// a response that nobody waits for any more, and no code outside of it can prevent that.
    private static let checks = TransportConformance.allCases.filter { check in
        #if canImport(FoundationNetworking) && !compiler(>=6.4)
            check != .truncatedHeaderIsInterrupted && check != .slowHeaderTimesOut
        #else
            true
        #endif
    }

    @Test("Conforms to the protocol", arguments: checks)
    func conforms(to check: TransportConformance) async throws {
        try await check.run(on: URLSessionTransport(localAccess: .all))
    }

    @Test("Rejects self signed certificate")
    func refusesSelfSignedCertificate() async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let server = try await certificate.server()
        let transport = URLSessionTransport(localAccess: .all)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(.get(server.authority, scheme: "https"), limits: .init())
        }
        #expect(error?.kind == .tls)
        #expect(server.requestCount == 0)
        try await server.stop()
    }
}
