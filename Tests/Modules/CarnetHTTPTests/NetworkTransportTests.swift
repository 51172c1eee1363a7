import Carnet
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTesting
import CarnetTransport
import Foundation
import HTTPTypes
import NIOSSL
import Testing

@Suite("Network transport")
struct NetworkTransportTests {
    @Test("Conforms to the protocol", arguments: NetworkTransport.allCases, TransportConformance.allCases)
    func conforms(_ kind: NetworkTransport, to check: TransportConformance) async throws {
        try await check.run(on: kind.make(localAccess: .all))
    }

    private func send(
        _ body: [UInt8], encoding: String, over kind: NetworkTransport, method: HTTPRequest.Method = .get,
        limits: TransportLimits = .init()
    ) async throws -> IncomingResponse {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(body.count)\r\n\r\n"
        let server = try RawServer([.send(head), .send(method == .head ? [] : body), .waitForHangUp])
        defer { server.stop() }
        var request = OutgoingRequest.get(server.authority)
        request.head.method = method
        return try await kind.make(localAccess: .all).send(request, limits: limits)
    }

    @Test("unpacks a body that a server compresses without being asked", arguments: NetworkTransport.allCases)
    func unpacksBody(kind: NetworkTransport) async throws {
        let body = Array(#"{"access_token": "a"}"#.utf8)
        for encoding in ["gzip", "GZIP", "x-gzip"] {
            let response = try await send(Gzip.stored(body), encoding: encoding, over: kind)
            #expect(response.body == body)
            #expect(response.head.headerFields[.contentEncoding] == nil)
            #expect(response.head.headerFields[.contentLength] == nil)
        }
        #expect(try await send(Gzip.stored(body), encoding: "gzip", over: kind, method: .head).body.isEmpty)
        #expect(try await send([], encoding: "gzip", over: kind).body.isEmpty)
        #expect(try await send([1, 2], encoding: "br", over: kind).body == [1, 2])
    }

    @Test("limits what an unpacked body has, and what its server sent for it", arguments: NetworkTransport.allCases)
    func limitsUnpackedBody(kind: NetworkTransport) async throws {
        let large = Gzip.stored(Array(repeating: 0x20, count: 2000))
        let tooLarge = await #expect(throws: TransportError.self) {
            try await send(large, encoding: "gzip", over: kind, limits: TransportLimits(maximumBodyBytes: 1999))
        }
        #expect(tooLarge?.kind == .responseTooLarge)
        let bomb = await #expect(throws: TransportError.self) {
            try await send(
                GzipSample.packed, encoding: "gzip", over: kind, limits: TransportLimits(maximumBodyBytes: 500_000))
        }
        #expect(bomb?.kind == .responseTooLarge)
    }

    @Test(
        "refuses a compressed body that is damaged", arguments: NetworkTransport.allCases,
        ["cut", "changed", "longer", "plain"])
    func refusesDamagedBody(kind: NetworkTransport, damage: String) async throws {
        var packed = Gzip.stored(Array("some text".utf8))
        switch damage {
        case "cut": packed.removeLast(9)
        case "changed": packed[20] ^= 1
        case "longer": packed += [1, 2, 3]
        default: packed = Array("{}".utf8)
        }
        let error = await #expect(throws: TransportError.self) { try await send(packed, encoding: "gzip", over: kind) }
        #expect(error?.kind == .interrupted)
        #expect(error?.reason.contains("a compressed response that is damaged or incomplete") == true)
    }

    @Test("Head response may announce more than the cap", arguments: NetworkTransport.allCases)
    func headResponseMayAnnounceMoreThanTheCap(kind: NetworkTransport) async throws {
        let server = try RawServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\nConnection: close\r\n\r\n")]
        )
        var request = OutgoingRequest.get(server.authority)
        request.head.method = .head
        let response = try await kind.make(localAccess: .all).send(request, limits: .init())
        #expect(response.head.status == .ok)
        #expect(response.body.isEmpty)
    }

    @Test(
        "Rejects header fields that frame the message", arguments: NetworkTransport.allCases,
        ["Host", "content-length", "Transfer-Encoding", "Connection"])
    func refusesHeaderFieldsThatFrameTheMessage(kind: NetworkTransport, name: String) async throws {
        var request = OutgoingRequest.get("127.0.0.1:1")
        request.head.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "1"))
        let error = await #expect(throws: TransportError.self) {
            try await kind.make(localAccess: .all).send(request, limits: .init())
        }
        #expect(error?.kind == .unsupportedRequest)
    }

    @Test("sends nothing that was not given", arguments: NetworkTransport.allCases)
    func sendsNothingElse(kind: NetworkTransport) async throws {
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        let server = try RawServer([.send(ok)])
        defer { server.stop() }
        let transport = kind.make(localAccess: .all)
        for (method, body, length) in [
            (HTTPRequest.Method.get, "", nil), (.get, "a", "1"), (.head, "", nil), (.post, "", "0"), (.post, "a", "1"),
            (.put, "", "0"), (.patch, "ab", "2"), (.delete, "", nil), (.delete, "a", "1"),
        ] as [(HTTPRequest.Method, String, String?)] {
            var request = OutgoingRequest.get(server.authority)
            request.head.method = method
            request.head.headerFields = [.accept: "*/*", .contentLanguage: ""]
            request.head.path = "/a/../b/./c"
            request.body = Array(body.utf8)
            #expect(try await transport.send(request, limits: .init()).status == 200)
            let sent = try #require(server.requests.last)
            let lines = sent.components(separatedBy: "\r\n")
            #expect(lines.first == "\(method) /a/../b/./c HTTP/1.1")
            var expected = ["host: \(server.authority)", "accept: */*", "content-language: "]
            if let length { expected.append("content-length: \(length)") }
            var fields = lines.dropFirst().prefix { !$0.isEmpty }.map { $0.lowercased() }
            // One space behind the name is optional.
            if let empty = fields.firstIndex(of: "content-language:") { fields[empty] += " " }
            #expect(fields.sorted() == expected.sorted(), "\(method)")
            #expect(sent.hasSuffix("\r\n\r\n\(body)"))
        }
        let bare = OutgoingRequest(
            head: HTTPRequest(method: .post, scheme: "http", authority: server.authority, path: "/"), body: [0x61])
        #expect(try await transport.send(bare, limits: .init()).status == 200)
        let names = try #require(server.requests.last).components(separatedBy: "\r\n").dropFirst().prefix {
            !$0.isEmpty
        }
        .compactMap { $0.split(separator: ":").first?.lowercased() }
        #expect(names.sorted() == ["content-length", "host"])
    }

    @Test("sends no request again on another connection", arguments: NetworkTransport.allCases)
    func sendsOnce(kind: NetworkTransport) async throws {
        let ok = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        for end in [[], [.reset], [.endSending, .waitForHangUp]] as [[RawServer.Step]] {
            let server = try RawServer([ok, .readRequest] + end)
            defer { server.stop() }
            let transport = kind.make(localAccess: .all)
            var request = OutgoingRequest.get(server.authority)
            request.head.method = .post
            request.body = [0x61]
            #expect(try await transport.send(request, limits: .init()).status == 200)
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(request, limits: .init())
            }
            #expect(error?.kind == .interrupted)
            #expect(server.requests.count == 2)
        }
    }

    @Test("uses a connection again, but not one that its server has closed", arguments: NetworkTransport.allCases)
    func reusesConnections(kind: NetworkTransport) async throws {
        let ok = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let server = try RawServer([ok, .readRequest, ok, .readRequest, ok])
        defer { server.stop() }
        let transport = kind.make(localAccess: .all)
        for _ in 1...7 {
            let response = try? await transport.send(.get(server.authority), limits: .init())
            #expect(response == nil || response?.body == Array("ok".utf8))
        }
        #expect(server.connections < server.requests.count)
    }

    @Test("ends requests whose server sends interim responses without end", arguments: [NetworkTransport.libcurl])
    func boundsInterimResponses(kind: NetworkTransport) async throws {
        let server = try RawServer([.sendEndlessly(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8))])
        defer { server.stop() }
        let error = await #expect(throws: TransportError.self) {
            try await kind.make(localAccess: .all).send(.get(server.authority), limits: .init())
        }
        #expect(error?.kind == .responseTooLarge)
    }

    @Test("reads a response behind an interim one, and leaves its trailers", arguments: NetworkTransport.allCases)
    func readsFinalResponse(kind: NetworkTransport) async throws {
        let server = try RawServer([
            .send(
                "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 201 Made It\r\nX-A:  1\r\nX-A: 2 \r\nX-Empty:\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\nX-Trailer: 3\r\n\r\n"),
            .waitForHangUp,
        ])
        defer { server.stop() }
        let response = try await kind.make(localAccess: .all).send(.get(server.authority), limits: .init())
        #expect(response.head.status == HTTPResponse.Status(code: 201, reasonPhrase: "Made It"))
        #expect(response.body == Array("abc".utf8))
        let fields = response.head.headerFields.filter { $0.name != .transferEncoding }
        #expect(fields.map { "\($0.name.rawName)=\($0.value)" } == ["X-A=1", "X-A=2", "X-Empty="])
    }

    @Test("sends many at once, and ends those that are cancelled", arguments: NetworkTransport.allCases)
    func sendsMany(kind: NetworkTransport) async throws {
        let fast = try RawServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")])
        let silent = try RawServer([.waitForHangUp])
        defer {
            fast.stop()
            silent.stop()
        }
        let transport = kind.make(localAccess: .all)
        let stuck = (1...100).map { _ in
            Task { try await transport.send(.get(silent.authority), limits: .init()) }
        }
        await silent.waitForRequests(8)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...100 {
                group.addTask { try await transport.send(.get(fast.authority), limits: .init()).status }
            }
            for try await status in group { #expect(status == 200) }
        }
        stuck.forEach { $0.cancel() }
        for task in stuck {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(fast.requests.count == 100)
        await transport.shutdown()
    }

    @Test("keeps the connections of requests that ran at the same time", arguments: [NetworkTransport.libcurl])
    func keepsConnections(kind: NetworkTransport) async throws {
        let response: [RawServer.Step] = [
            .send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n"), .drip(Array("slow respon".utf8)), .send("s"),
        ]
        let server = try RawServer(response + [.readRequest] + response + [.readRequest] + response)
        defer { server.stop() }
        let transport = kind.make(localAccess: .all)
        for _ in 1...3 {
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 1...16 {
                    group.addTask { try await transport.send(.get(server.authority), limits: .init()).body }
                }
                for try await body in group { #expect(body == Array("slow respons".utf8)) }
            }
        }
        #expect(server.requests.count == 48)
        #expect(server.connections <= 16)
    }

    @Test("sends a request after its server has closed every kept connection", arguments: NetworkTransport.allCases)
    func sendsAfterServerHungUp(kind: NetworkTransport) async throws {
        let ok = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let transport = kind.make(localAccess: .all)
        let server = try RawServer([ok])
        defer { server.stop() }
        for count in 1...3 {
            #expect(try await transport.send(.get(server.authority), limits: .init()).status == 200)
            #expect(server.connections == count)
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    @Test("ends requests that are cancelled while they begin", arguments: NetworkTransport.allCases)
    func endsCancelledWhileBeginning(kind: NetworkTransport) async throws {
        let ok = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let server = try RawServer([ok] + (1...500).flatMap { _ in [.readRequest, ok] })
        defer { server.stop() }
        let transport = kind.make(localAccess: .all)
        for _ in 1...300 {
            let task = Task { try await transport.send(.get(server.authority), limits: .init()).status }
            if Bool.random() { await Task.yield() }
            task.cancel()
            switch await task.result {
            case .success(let status): #expect(status == 200)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
        #expect(try await transport.send(.get(server.authority), limits: .init()).status == 200)
    }

    @Test("begins no request that waited where it is shut down", arguments: [NetworkTransport.libcurl])
    func beginsNothingAtShutdown(kind: NetworkTransport) async throws {
        let server = try RawServer([.waitForHangUp])
        defer { server.stop() }
        let transport = kind.make(localAccess: .all)
        let tasks = (1...100).map { _ in
            Task { try await transport.send(.get(server.authority), limits: .init()) }
        }
        await server.waitForRequests(64)
        await transport.shutdown()
        for task in tasks {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.kind == .connection)
        }
        #expect(server.requests.count == 64)
    }

    @Test("ends what runs where it is shut down", arguments: [NetworkTransport.libcurl])
    func endsAtShutdown(kind: NetworkTransport) async throws {
        let server = try RawServer([.waitForHangUp])
        defer { server.stop() }
        let transport = kind.make(localAccess: .all)
        let task = Task { try await transport.send(.get(server.authority), limits: .init()) }
        await server.waitForRequests()
        await transport.shutdown()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.kind == .connection)
    }

    @Test("Fails after shutdown", arguments: NetworkTransport.allCases)
    func failsAfterShutdown(kind: NetworkTransport) async throws {
        let transport = kind.make(localAccess: .all)
        await transport.shutdown()
        await transport.shutdown()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(.get("127.0.0.1:1"), limits: .init())
        }
        #expect(error == TransportError(.connection, "no connection to 127.0.0.1:1: the transport was shut down"))
    }
}

@Suite("Transport TLS")
struct TransportTLSTests {
    @Test("Rejects self signed certificate", arguments: NetworkTransport.allCases)
    func refusesSelfSignedCertificate(kind: NetworkTransport) async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let error = try await tlsError(certificate, transport: kind.make(localAccess: .all))
        #expect(error.reason.hasPrefix("the certificate of 127.0.0.1:"))
        #expect(error.reason.contains(" is not trusted"))
    }

    @Test("Accepts certificate of given trust root", arguments: NetworkTransport.allCases)
    func acceptsCertificateOfGivenTrustRoot(kind: NetworkTransport) async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let server = try await certificate.server()
        let transport = kind.make(trusting: certificate.certificatePath, localAccess: .all)
        let response = try await transport.send(.get(server.authority, scheme: "https"), limits: .init())
        #expect(response.head.status == .ok)
        try await server.stop()
    }

    @Test("Rejects certificate of another host", arguments: NetworkTransport.allCases)
    func refusesCertificateOfAnotherHost(kind: NetworkTransport) async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "DNS:other.example,IP:127.0.0.2")
        let transport = kind.make(trusting: certificate.certificatePath, localAccess: .all)
        let error = try await tlsError(certificate, transport: transport)
        #expect(error.reason.hasSuffix(" was issued for another host"))
    }

    @Test("Rejects expired certificate", arguments: NetworkTransport.allCases)
    func refusesExpiredCertificate(kind: NetworkTransport) async throws {
        let certificate = try TestCertificate(
            subjectAlternativeName: "IP:127.0.0.1",
            validity: (start: "20200101000000Z", end: "20200102000000Z")
        )
        let transport = kind.make(trusting: certificate.certificatePath, localAccess: .all)
        _ = try await tlsError(certificate, transport: transport)
    }

    @Test("Rejects TLS before 1.2", arguments: NetworkTransport.allCases)
    func refusesTLSBefore12(kind: NetworkTransport) async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let transport = kind.make(trusting: certificate.certificatePath, localAccess: .all)
        _ = try await tlsError(certificate, transport: transport, maximumTLSVersion: .tlsv11)
    }

    @Test("Rejects trust roots that cannot be read", arguments: NetworkTransport.allCases)
    func refusesTrustRootsThatCannotBeRead(kind: NetworkTransport) async {
        let transport = kind.make(trusting: "/nonexistent/roots.pem")
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(.get("op.example", scheme: "https"), limits: .init())
        }
        #expect(error?.reason.contains("/nonexistent/roots.pem") == true)
    }

    /// The error that the transport ends with; no request may have come through.
    private func tlsError(
        _ certificate: TestCertificate,
        transport: any Transport,
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
