import Carnet
import CarnetHTTP
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTesting
import HTTPTypes
import NIOSSL
import Testing

@Suite struct AsyncHTTPTransportTests {
    @Test(arguments: TransportConformance.Check.allCases)
    func conforms(to check: TransportConformance.Check) async throws {
        try await TransportConformance { AsyncHTTPTransport(localAccess: .all) }.run(check)
    }

    @Test func returnsCompressedBodyAsItCame() async throws {
        let body: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0]
        let server = try RawServer([
            .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"), .send(body),
            .waitForHangUp,
        ])
        let response = try await AsyncHTTPTransport(localAccess: .all).send(.get(server.authority), limits: .init())
        #expect(response.body == body)
        #expect(response.head.headerFields[.contentEncoding] == "gzip")
    }

    @Test func headResponseMayAnnounceMoreThanTheCap() async throws {
        let server = try RawServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\nConnection: close\r\n\r\n")]
        )
        var request = OutgoingRequest.get(server.authority)
        request.head.method = .head
        let response = try await AsyncHTTPTransport(localAccess: .all).send(request, limits: .init())
        #expect(response.head.status == .ok)
        #expect(response.body.isEmpty)
    }

    @Test(arguments: ["Host", "content-length", "Transfer-Encoding", "Connection"])
    func refusesHeaderFieldsThatFrameTheMessage(name: String) async throws {
        var request = OutgoingRequest.get("127.0.0.1:1")
        request.head.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "1"))
        let error = await #expect(throws: TransportError.self) {
            try await AsyncHTTPTransport(localAccess: .all).send(request, limits: .init())
        }
        #expect(error?.kind == .unsupportedRequest)
    }

    @Test func failsAfterShutdown() async throws {
        let transport = AsyncHTTPTransport(localAccess: .all)
        await transport.shutdown()
        await transport.shutdown()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(.get("127.0.0.1:1"), limits: .init())
        }
        #expect(error == TransportError(.connection, "no connection to 127.0.0.1:1: the transport was shut down"))
    }
}

@Suite struct TransportTLSTests {
    @Test func refusesSelfSignedCertificate() async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let error = try await tlsError(certificate, transport: AsyncHTTPTransport(localAccess: .all))
        #expect(error.reason.hasPrefix("the certificate of 127.0.0.1:"))
        #expect(error.reason.hasSuffix(" is not trusted"))
    }

    @Test func acceptsCertificateOfGivenTrustRoot() async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let server = try await certificate.server()
        let transport = try AsyncHTTPTransport(additionalTrustRootsPEM: certificate.certificatePath, localAccess: .all)
        let response = try await transport.send(.get(server.authority, scheme: "https"), limits: .init())
        #expect(response.head.status == .ok)
        try await server.stop()
    }

    @Test func refusesCertificateOfAnotherHost() async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "DNS:other.example,IP:127.0.0.2")
        let transport = try AsyncHTTPTransport(additionalTrustRootsPEM: certificate.certificatePath, localAccess: .all)
        let error = try await tlsError(certificate, transport: transport)
        #expect(error.reason.hasSuffix(" was issued for another host"))
    }

    @Test func refusesExpiredCertificate() async throws {
        let certificate = try TestCertificate(
            subjectAlternativeName: "IP:127.0.0.1",
            validity: (start: "20200101000000Z", end: "20200102000000Z")
        )
        let transport = try AsyncHTTPTransport(additionalTrustRootsPEM: certificate.certificatePath, localAccess: .all)
        _ = try await tlsError(certificate, transport: transport)
    }

    @Test func refusesTLSBefore12() async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let transport = try AsyncHTTPTransport(additionalTrustRootsPEM: certificate.certificatePath, localAccess: .all)
        _ = try await tlsError(certificate, transport: transport, maximumTLSVersion: .tlsv11)
    }

    @Test func refusesTrustRootsThatCannotBeRead() {
        let error = #expect(throws: TransportError.self) {
            try AsyncHTTPTransport(additionalTrustRootsPEM: "/nonexistent/roots.pem")
        }
        #expect(error?.reason.contains("/nonexistent/roots.pem") == true)
    }

    /// The error that the transport ends with; no request may have come through.
    private func tlsError(
        _ certificate: TestCertificate,
        transport: some Transport,
        maximumTLSVersion: TLSVersion? = nil
    ) async throws -> TransportError {
        let server = try await certificate.server(maximumVersion: maximumTLSVersion)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(.get(server.authority, scheme: "https"), limits: .init())
        }
        #expect(error?.kind == .tls)
        #expect(server.requestCount == 0)
        try await server.stop()
        return try #require(error)
    }
}

extension OutgoingRequest {
    static func get(_ authority: String, scheme: String = "http") -> Self {
        Self(head: HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/"))
    }
}
