import Carnet
import CarnetProtocol

extension TransportTrial {
    private static let cap = TransportLimits(maximumBodyBytes: 1_000, deadline: .seconds(20))

    private func body(of count: Int) -> [RawServer.Step] {
        [
            .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
            .send([UInt8](repeating: 0x61, count: count)),
        ]
    }

    func takesBodyAtTheCap() async throws {
        let response = try await exchange(body(of: 1_000), limits: Self.cap)
        try context.require(response.body.count == 1_000, "a body of 1,000 bytes has \(response.body.count) bytes")
    }

    func refusesBodyOverTheCap() async throws {
        try await requireError(.responseTooLarge, after: body(of: 1_001), limits: Self.cap)
    }

    func refusesEndlessBody() async throws {
        let chunk = "400\r\n\(String(repeating: "a", count: 1_024))\r\n"
        try await requireError(
            .responseTooLarge,
            after: [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .sendEndlessly(Array(chunk.utf8)),
            ]
        )
    }

    /// The length alone is reason enough: no byte of the body comes.
    func refusesAnnouncedLength() async throws {
        try await requireError(
            .responseTooLarge,
            after: [.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n"), .waitForHangUp],
            limits: Self.cap
        )
    }

    func boundsHeader() async throws {
        let filler = String(repeating: "a", count: 4_096)
        for (start, part) in [("", "X-Filler: \(filler)\r\n"), ("X-Filler: ", filler)] {
            try await requireError(
                .interrupted,
                .responseTooLarge,
                after: [.send("HTTP/1.1 200 OK\r\n\(start)"), .sendEndlessly(Array(part.utf8))]
            )
        }
    }

    func silenceTimesOut() async throws {
        try await requireError(.timeout, after: [.waitForHangUp], limits: Self.hasty)
    }

    func slowHeaderTimesOut() async throws {
        let header = "HTTP/1.1 200 OK\r\nX-Filler: \(String(repeating: "a", count: 1_000))\r\n\r\n"
        try await requireError(.timeout, after: [.drip(Array(header.utf8))], limits: Self.hasty)
    }

    func slowBodyTimesOut() async throws {
        try await requireError(
            .timeout,
            after: [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), .drip([UInt8](repeating: 0x61, count: 1_000)),
            ],
            limits: Self.hasty
        )
    }
}
