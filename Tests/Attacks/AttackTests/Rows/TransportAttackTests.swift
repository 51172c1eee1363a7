// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTesting
import CarnetTransport
import Foundation
import HTTPTypes
import Testing

@Suite("HTTP: what is on the wire", .serialized, .searchedForSecrets)
struct TransportAttackTests {
    @Test(
        "HTTP-03: Redirect of a POST", arguments: NetworkTransport.allCases,
        [Wire.Endpoint.token, .revocation, .device, .pushed])
    func HTTP_03_redirectOfAPost(transport: NetworkTransport, endpoint: Wire.Endpoint) async throws {
        try await refuseRedirect(of: endpoint, over: transport)
    }

    @Test(
        "HTTP-04: Redirect of a GET", arguments: NetworkTransport.allCases, [Wire.Endpoint.userinfo, .metadata, .jwks])
    func HTTP_04_redirectOfAGet(transport: NetworkTransport, endpoint: Wire.Endpoint) async throws {
        try await refuseRedirect(of: endpoint, over: transport)
    }

    private func refuseRedirect(of endpoint: Wire.Endpoint, over transport: NetworkTransport) async throws {
        for status in [301, 302, 303, 307, 308] {
            let second = try RawServer(Wire.response("{}"))
            defer { second.stop() }
            try await Wire.refuse(
                endpoint, .unexpectedStatus,
                responding: Wire.response(
                    "{}", status: "\(status) Moved", fields: ["Location: http://\(second.authority)/x"]),
                over: transport)
            #expect(second.connections == 0)
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    @Test(
        "HTTP-05: Body without end", arguments: NetworkTransport.allCases,
        [Wire.Endpoint.token, .userinfo, .jwks, .metadata])
    func HTTP_05_bodyWithoutEnd(transport: NetworkTransport, endpoint: Wire.Endpoint) async throws {
        let chunk = "400\r\n\(String(repeating: "a", count: 1024))\r\n"
        for steps in [
            [RawServer.Step.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n"), .sendEndlessly(Array(chunk.utf8))],
            [.send(Self.head + "\r\n"), .sendEndlessly([0x20])],
            [.send(Self.head + "Content-Length: 1000000000\r\n\r\n"), .waitForHangUp],
        ] {
            let error = try await Wire.refuse(endpoint, .transport, responding: steps, over: transport)
            #expect(error?.message.contains("larger than 65536 bytes") == true)
        }
    }

    @Test("HTTP-06: Server that is slow", arguments: NetworkTransport.allCases)
    func HTTP_06_serverThatIsSlow(transport: NetworkTransport) async throws {
        for steps in [
            [RawServer.Step.waitForHangUp], [.drip(Array((Self.head + "\r\n{}").utf8))],
            [.send(Self.head + "Content-Length: 100\r\n\r\n"), .drip([UInt8](repeating: 0x20, count: 100))],
        ] {
            let error = try await Wire.refuse(.token, .transport, responding: steps, over: transport)
            #expect(error?.message.contains("did not ") == true)
            #expect(error?.disposition == .tryLater)
        }
    }

    /// The code may have arrived: it is not sent again.
    @Test("HTTP-07: Response that breaks off", arguments: NetworkTransport.allCases)
    func HTTP_07_answerThatBreaksOff(transport: NetworkTransport) async throws {
        for steps in [
            [RawServer.Step.reset], [], [.send(Self.head + "Content-Length: 100\r\n\r\n{\"access")],
            [.send("HTTP/1.1 200 OK\r\nContent-Le"), .reset], [.send("SSH-2.0-OpenSSH\r\n\r\n")],
            [.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n10\r\n{\"a\"")],
            [.send(Self.head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}")],
            [.send(Self.head + "Content-Length: -5\r\n\r\n{}")],
        ] {
            let error = try await Wire.refuse(.token, .transport, responding: steps, over: transport)
            #expect(error?.disposition == .tryLater)
        }
    }

    @Test(
        "HTTP-08: Server that asks to wait", arguments: NetworkTransport.allCases,
        ["1", "Wed, 21 Oct 2099 07:28:00 GMT", "-1", "99999999", "junk", ""])
    func HTTP_08_serverThatAsksToWait(transport: NetworkTransport, text: String) async throws {
        for endpoint in [Wire.Endpoint.token, .metadata, .jwks] {
            try await Wire.refuse(
                endpoint, .serverUnavailable,
                responding: Wire.response("{}", status: "503 Busy", fields: ["Retry-After: \(text)"]), over: transport)
        }
    }

    @Test("HTTP-09: Compressed body that was not requested", arguments: NetworkTransport.allCases)
    func HTTP_09_compressedBodyThatNobodyAskedFor(transport: NetworkTransport) async throws {
        let encoding = Self.head + "Content-Encoding: gzip\r\nContent-Length: "
        let packed = Gzip.stored(Array(Wire.good(.token).utf8))
        let honest = try Wire(
            .token, responding: [.send(encoding + "\(packed.count)\r\n\r\n"), .send(packed)], over: transport)
        defer { honest.server.stop() }
        _ = try await honest.run()
        // What comes out counts for the limit, not what was sent.
        let error = try await Wire.refuse(
            .token, .transport,
            responding: [
                .send(encoding + "\(GzipSample.packed.count)\r\n\r\n"), .send(GzipSample.packed),
            ], over: transport)
        #expect(error?.message.contains("larger") == true)
        let wire = try Wire(.userinfo, responding: Wire.response(Wire.good(.userinfo)), over: transport)
        defer { wire.server.stop() }
        _ = try await wire.run()
        #expect(wire.server.requests.allSatisfy { !$0.lowercased().contains("accept-encoding: gzip") })
    }

    @Test("HTTP-10: Line breaks in what becomes a header", arguments: NetworkTransport.allCases)
    func HTTP_10_lineBreaksInWhatBecomesAHeader(transport: NetworkTransport) async throws {
        try await refuse(.tokenRequest, .unsupportedTokenType) { $0.token["token_type"] = "Bearer\r\nX-Injected: 1" }
        try await refuse(.tokenRequest, .wrongFieldType) { $0.token["access_token"] = "a\r\nX-Injected: 1" }
        let target = try RawServer(Wire.response("{}"))
        defer { target.stop() }
        for path in ["/a\r\nX: 1", "/a b", "/a\u{0}b"] {
            let request = OutgoingRequest(
                head: HTTPRequest(method: .get, scheme: "http", authority: target.authority, path: path))
            let error = await expectThrown(TransportError.self) {
                try await transport.make(localAccess: .all).send(request, limits: .init())
            }
            #expect(error?.kind == .unsupportedRequest)
        }
        #expect(target.connections == 0)
    }

    @Test(
        "HTTP-11: Forms of a host",
        arguments: [
            "https://id.acme.example:443/authorize", "https://ID.ACME.example/authorize",
            "https://xn--bcher-kva.example/authorize",
            "https://[2001:db8::1]:8443/authorize",
        ])
    func HTTP_11_formsOfAHost(text: String) async throws {
        try await accept {
            $0.metadata["authorization_endpoint"] = .string(text)
        } check: {
            #expect($1.request?.url.hasPrefix(text + "?") == true)
        }
        #expect(try WebURL("https://op.example").origin == WebURL("https://OP.example:443/").origin)
        #expect(try WebURL("https://op.example").origin != WebURL("https://op.example:444/").origin)
    }

    @Test("HTTP-12: Cookies of the back-channel", arguments: NetworkTransport.allCases)
    func HTTP_12_cookiesOfTheBackChannel(transport: NetworkTransport) async throws {
        let wire = try Wire(
            .userinfo, responding: Wire.response(Wire.good(.userinfo), fields: ["Set-Cookie: session=1; Path=/"]),
            over: transport)
        defer { wire.server.stop() }
        let outcome = try await wire.run()
        _ = try await outcome.session?.profile()
        #expect(wire.server.requests.count == 2)
        #expect(wire.server.requests.allSatisfy { !$0.lowercased().contains("\r\ncookie:") })
    }

    @Test("HTTP-13: JSON is requested")
    func HTTP_13_JSONIsAskedFor() async throws {
        try await accept(in: .profile) { scenario, _ in
            for request in scenario.log {
                #expect(request.headers[.accept]?.contains("application/json") == true, "\(request.path)")
                #expect(request.headers[.userAgent] == "Carnet")
            }
        }
    }

    @Test("DISC-15: Metadata without end", arguments: NetworkTransport.allCases)
    func DISC_15_metadataWithoutEnd(transport: NetworkTransport) async throws {
        let field = "X-Filler: \(String(repeating: "a", count: 4096))\r\n"
        for steps in [
            [RawServer.Step.send("HTTP/1.1 200 OK\r\n"), .sendEndlessly(Array(field.utf8))],
            [.send(Self.head + "\r\n"), .drip([UInt8](repeating: 0x20, count: 1000))],
        ] { try await Wire.refuse(.metadata, .transport, responding: steps, over: transport) }
    }
}
