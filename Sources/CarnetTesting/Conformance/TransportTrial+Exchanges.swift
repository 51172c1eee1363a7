import Carnet
import CarnetProtocol
import HTTPTypes

extension TransportTrial {
    func sendsRequestAsGiven() async throws {
        let server = try RawServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")])
        defer { server.stop() }
        var request = post(to: server.authority)
        request.head.path = "/a%2Fb//c;d=e?x=%2B+%26&y=%C3%A9&z"
        request.body = Array("a=%2B&b=\u{E9}\u{0}c".utf8)
        let response = try await send(request)
        try context.require(
            response.body == Array("ok".utf8), "the response's body differs from the one that the server sent")
        try context.require(response.head.headerFields[.contentLength] == "2", "a header field of the response is lost")
        guard let sent = server.requests.first else { throw context.violation("the server received no request") }
        let lines = sent.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        try context.require(
            lines.first == "POST /a%2Fb//c;d=e?x=%2B+%26&y=%C3%A9&z HTTP/1.1",
            "the request line is \(lines.first ?? "")")
        let fields = lines.dropFirst().prefix { !$0.isEmpty }.map { $0.lowercased() }
        for field in [
            "host: \(server.authority)", "content-length: \(request.body.count)",
            "content-type: application/x-www-form-urlencoded", "authorization: bearer \(Self.secret)",
        ] {
            try context.require(
                fields.filter { $0 == field }.count == 1, "the request does not have exactly one field \(field)")
        }
        try context.require(
            Array(sent.utf8.suffix(request.body.count)) == request.body,
            "the request's body differs from the one that was passed")
    }

    func returnsEveryStatus() async throws {
        for status in [200, 201, 400, 401, 403, 404, 407, 429, 500, 503] {
            let response = try await exchange([
                .send(
                    """
                    HTTP/1.1 \(status) Any\r
                    WWW-Authenticate: Bearer error="invalid_token"\r
                    Content-Type: application/json\r
                    Content-Length: 4\r
                    Connection: close\r
                    \r
                    null
                    """)
            ])
            try context.require(
                response.head.status.code == status, "the status \(status) became \(response.head.status.code)")
            try context.require(response.body == Array("null".utf8), "the body of a \(status) is lost")
            try context.require(
                response.head.headerFields[.wwwAuthenticate] == #"Bearer error="invalid_token""#,
                "WWW-Authenticate of a \(status) is lost")
        }
        let empty = try await exchange([.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")])
        try context.require(
            empty.head.status.code == 204 && empty.body.isEmpty, "the response 204 without a body was changed")
    }

    func followsNoRedirect() async throws {
        for status in [301, 302, 303, 307, 308] {
            let elsewhere = try RawServer([Self.empty])
            defer { elsewhere.stop() }
            let location = "http://\(elsewhere.authority)/elsewhere"
            let header = "Location: \(location)\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"
            let response = try await exchange([.send("HTTP/1.1 \(status) Moved\r\n\(header)moved")])
            try context.require(elsewhere.connections == 0, "a \(status) was followed to another origin")
            try context.require(
                response.head.status.code == status, "the status \(status) became \(response.head.status.code)")
            try context.require(
                response.head.headerFields[.location] == location, "the Location of a \(status) is lost")
        }
    }

    func keepsNoCookies() async throws {
        let server = try RawServer([
            .send("HTTP/1.1 200 OK\r\nSet-Cookie: session=1; Path=/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        ])
        defer { server.stop() }
        _ = try await send(to: server)
        _ = try await send(to: server)
        try context.require(server.requests.count == 2, "the server got \(server.requests.count) requests, not two")
        let sentCookie = server.requests.contains { $0.lowercased().contains("\r\ncookie:") }
        try context.require(!sentCookie, "a cookie was sent back")
    }

    func asksForNoCompression() async throws {
        let server = try RawServer([Self.empty])
        defer { server.stop() }
        _ = try await send(to: server)
        let asked = (server.requests.first ?? "").split(separator: "\r\n")
            .first { $0.lowercased().hasPrefix("accept-encoding:") }
            .map { $0.dropFirst("accept-encoding:".count).lowercased() }
        try context.require(
            asked.map { $0.allSatisfy(\.isWhitespace) || $0.contains("identity") } ?? true,
            "the request asks for compression: \(asked ?? "")")
    }

    /// A server compresses although nobody asked: a body that is unpacked must not pass the cap.
    func capsCompressedBody() async throws {
        let server = try RawServer([
            .send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(GzipSample.packed.count)\r\n"
                    + "Connection: close\r\n\r\n"),
            .send(GzipSample.packed),
        ])
        defer { server.stop() }
        do {
            let body = try await send(to: server).body
            try context.require(
                body == GzipSample.packed, "a compressed body was neither returned unchanged nor rejected")
        } catch let error as TransportError {
            try context.require(error.kind == .responseTooLarge, "threw \(error.kind) instead of responseTooLarge")
        }
    }
}
