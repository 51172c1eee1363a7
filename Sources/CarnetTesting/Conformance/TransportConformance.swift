public import Carnet
import CarnetProtocol

/// The requirements of `Transport`, hostile servers included, as checks for any test framework.
///
/// The checks start their own servers on 127.0.0.1. Each takes less than two seconds.
public enum TransportConformance: CaseIterable, Sendable {
    case sendsRequestAsGiven
    case returnsEveryStatus
    case followsNoRedirect
    case keepsNoCookies
    case asksForNoCompression
    case capsCompressedBody
    case takesBodyAtTheCap
    case refusesBodyOverTheCap
    case refusesEndlessBody
    case refusesAnnouncedLength
    case boundsHeader
    case truncatedBodyIsInterrupted
    case resetIsInterruptedAndNotRetried
    case truncatedHeaderIsInterrupted
    case garbageIsInterrupted
    case silenceTimesOut
    case slowHeaderTimesOut
    case slowBodyTimesOut
    case refusedConnection
    case unknownHost
    case unsupportedRequests
    case cancellation

    /// - Parameter transport: May reach 127.0.0.1.
    /// - Throws: `ConformanceViolation`, or errors of the transport.
    public func run(on transport: any Transport) async throws {
        let trial = TransportTrial(transport: transport, context: CheckContext(name: "\(self)"))
        let cap = TransportLimits(maximumBodyBytes: 1_000, deadline: .seconds(20))
        // For exchanges that have to end by their deadline.
        let hasty = TransportLimits(maximumBodyBytes: 65_536, deadline: .milliseconds(400))
        let ok = "HTTP/1.1 200 OK\r\n"
        func body(of count: Int) -> [RawServer.Step] {
            [.send(ok + "Connection: close\r\n\r\n"), .send([UInt8](repeating: 0x61, count: count))]
        }
        switch self {
        case .sendsRequestAsGiven: try await trial.sendsRequestAsGiven()
        case .returnsEveryStatus: try await trial.returnsEveryStatus()
        case .followsNoRedirect: try await trial.followsNoRedirect()
        case .keepsNoCookies: try await trial.keepsNoCookies()
        case .asksForNoCompression: try await trial.asksForNoCompression()
        case .capsCompressedBody: try await trial.capsCompressedBody()
        case .takesBodyAtTheCap:
            let count = try await trial.exchange(body(of: 1_000), limits: cap).body.count
            try trial.context.require(count == 1_000, "a body of 1,000 bytes has \(count) bytes")
        case .refusesBodyOverTheCap:
            try await trial.requireError(.responseTooLarge, after: body(of: 1_001), limits: cap)
        case .refusesEndlessBody:
            let chunk = Array("400\r\n\(String(repeating: "a", count: 1_024))\r\n".utf8)
            try await trial.requireError(
                .responseTooLarge, after: [.send(ok + "Transfer-Encoding: chunked\r\n\r\n"), .sendEndlessly(chunk)])
        case .refusesAnnouncedLength:
            // The length alone is reason enough: no byte of the body comes.
            try await trial.requireError(
                .responseTooLarge, after: [.send(ok + "Content-Length: 1001\r\n\r\n"), .waitForHangUp], limits: cap)
        case .boundsHeader:
            let filler = String(repeating: "a", count: 4_096)
            for (start, part) in [("", "X-Filler: \(filler)\r\n"), ("X-Filler: ", filler)] {
                try await trial.requireError(
                    .interrupted, .responseTooLarge, after: [.send(ok + start), .sendEndlessly(Array(part.utf8))])
            }
        case .truncatedBodyIsInterrupted:
            for header in ["Content-Length: 100\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n10\r\n"] {
                try await trial.requireError(.interrupted, after: [.send(ok + header + "{\"access_token\":")])
            }
        case .resetIsInterruptedAndNotRetried:
            // A code or a rotating refresh token can be used once: a request that may have arrived is not sent again.
            for steps: [RawServer.Step] in [[.reset], [], [.endSending, .waitForHangUp]] {
                try await trial.requireError(.interrupted, after: steps)
            }
        case .truncatedHeaderIsInterrupted:
            let header = RawServer.Step.send(ok + "Content-Le")
            try await trial.requireError(.interrupted, after: [header])
            try await trial.requireError(.interrupted, after: [header, .reset])
        case .garbageIsInterrupted:
            let garbage = "SSH-2.0-OpenSSH_9.2\r\n\r\nnot a web server\r\n"
            try await trial.requireError(.interrupted, after: [.send(garbage)])
        case .silenceTimesOut:
            try await trial.requireError(.timeout, after: [.waitForHangUp], limits: hasty)
        case .slowHeaderTimesOut:
            let header = ok + "X-Filler: \(String(repeating: "a", count: 1_000))\r\n\r\n"
            try await trial.requireError(.timeout, after: [.drip(Array(header.utf8))], limits: hasty)
        case .slowBodyTimesOut:
            let body = [UInt8](repeating: 0x61, count: 1_000)
            try await trial.requireError(
                .timeout, after: [.send(ok + "Content-Length: 1000\r\n\r\n"), .drip(body)], limits: hasty)
        case .refusedConnection: try await trial.refusedConnection()
        case .unknownHost:
            // `.invalid` never resolves (RFC 6761, 6.4).
            try await trial.requireError([.connection], naming: "carnet.invalid:80") {
                try await trial.send(trial.post(to: "carnet.invalid"))
            }
        case .unsupportedRequests: try await trial.unsupportedRequests()
        case .cancellation: try await trial.cancellation()
        }
    }
}
