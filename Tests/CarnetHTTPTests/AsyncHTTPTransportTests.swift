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

    private func send(
        _ body: [UInt8], encoding: String, method: HTTPRequest.Method = .get, limits: TransportLimits = .init()
    ) async throws -> IncomingResponse {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(body.count)\r\n\r\n"
        let server = try RawServer([.send(head), .send(method == .head ? [] : body), .waitForHangUp])
        defer { server.stop() }
        var request = OutgoingRequest.get(server.authority)
        request.head.method = method
        return try await AsyncHTTPTransport(localAccess: .all).send(request, limits: limits)
    }

    @Test("unpacks a body that a server compresses without being asked")
    func unpacksBody() async throws {
        let body = Array(#"{"access_token": "a"}"#.utf8)
        for encoding in ["gzip", "GZIP", "x-gzip"] {
            let response = try await send(Gzip.stored(body), encoding: encoding)
            #expect(response.body == body)
            #expect(response.head.headerFields[.contentEncoding] == nil)
            #expect(response.head.headerFields[.contentLength] == nil)
        }
        #expect(try await send(Gzip.stored(body), encoding: "gzip", method: .head).body.isEmpty)
        #expect(try await send([], encoding: "gzip").body.isEmpty)
        #expect(try await send([1, 2], encoding: "br").body == [1, 2])
    }

    @Test("limits what an unpacked body has, and what its server sent for it")
    func limitsUnpackedBody() async throws {
        let large = Gzip.stored(Array(repeating: 0x20, count: 2000))
        let tooLarge = await #expect(throws: TransportError.self) {
            try await send(large, encoding: "gzip", limits: TransportLimits(maximumBodyBytes: 1999))
        }
        #expect(tooLarge?.kind == .responseTooLarge)
        let bomb = await #expect(throws: TransportError.self) {
            try await send(GzipSample.packed, encoding: "gzip", limits: TransportLimits(maximumBodyBytes: 500_000))
        }
        #expect(bomb?.kind == .responseTooLarge)
    }

    @Test("refuses a compressed body that is damaged", arguments: ["cut", "changed", "longer", "plain"])
    func refusesDamagedBody(damage: String) async throws {
        var packed = Gzip.stored(Array("some text".utf8))
        switch damage {
        case "cut": packed.removeLast(9)
        case "changed": packed[20] ^= 1
        case "longer": packed += [1, 2, 3]
        default: packed = Array("{}".utf8)
        }
        let error = await #expect(throws: TransportError.self) { try await send(packed, encoding: "gzip") }
        #expect(error?.kind == .interrupted)
        #expect(error?.reason.contains("a compressed response that is damaged or incomplete") == true)
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
