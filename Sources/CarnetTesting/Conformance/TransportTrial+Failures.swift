import Carnet
import CarnetProtocol
import HTTPTypes

extension TransportTrial {
    func truncatedBodyIsInterrupted() async throws {
        try await requireError(
            .interrupted,
            after: [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"access_token\":")]
        )
        try await requireError(
            .interrupted,
            after: [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"access_token\":")]
        )
    }

    /// A code or a rotating refresh token can be used once: a request that may have arrived is not sent again.
    func resetIsInterruptedAndNotRetried() async throws {
        try await requireError(.interrupted, after: [.reset])
        try await requireError(.interrupted, after: [])
        try await requireError(.interrupted, after: [.endSending, .waitForHangUp])
    }

    func truncatedHeaderIsInterrupted() async throws {
        let header = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Le")
        try await requireError(.interrupted, after: [header])
        try await requireError(.interrupted, after: [header, .reset])
    }

    func garbageIsInterrupted() async throws {
        try await requireError(.interrupted, after: [.send("SSH-2.0-OpenSSH_9.2\r\n\r\nnot a web server\r\n")])
    }

    func refusedConnection() async throws {
        let server = try RawServer([])
        let authority = server.authority
        server.stop()
        await server.waitUntilClosed()
        try await requireError([.connection], naming: authority) {
            try await transport.send(post(to: authority), limits: Self.generous)
        }
    }

    /// `.invalid` never resolves (RFC 6761, 6.4).
    func unknownHost() async throws {
        try await requireError([.connection], naming: "carnet.invalid:80") {
            try await transport.send(post(to: "carnet.invalid"), limits: Self.generous)
        }
    }

    func unsupportedRequests() async throws {
        let server = try RawServer([.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")])
        defer { server.stop() }
        for scheme in ["file", "ftp", "ws", "unix", ""] {
            try await requireError([.unsupportedRequest], naming: nil) {
                try await transport.send(post(to: server.authority, scheme: scheme), limits: Self.generous)
            }
        }
        for authority in ["", "user:pw@\(server.authority)", "\(server.authority)/x", "\(server.authority) x"] {
            try await requireError([.unsupportedRequest], naming: nil) {
                try await transport.send(post(to: authority), limits: Self.generous)
            }
        }
        for path in ["", "no-slash", "/a b", "/a\r\nX-Injected: 1", "/a#fragment", "/\u{E9}"] {
            var request = post(to: server.authority)
            request.head.path = path
            try await requireError([.unsupportedRequest], naming: nil) {
                try await transport.send(request, limits: Self.generous)
            }
        }
        try context.require(server.connections == 0, "a request that cannot be sent reached the server")
    }

    func cancellation() async throws {
        let server = try RawServer([.waitForHangUp])
        defer { server.stop() }
        let task = Task { try await send(to: server) }
        await server.waitForRequests()
        task.cancel()
        let outcome = await task.result
        let error = try await context.requireError("a cancelled request returned a response") { try outcome.get() }
        try context.require(error is CancellationError, "a cancelled request threw \(error)")

        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await send(to: server)
        }
        let earlyOutcome = await early.result
        let earlyError = try await context.requireError("a task cancelled before it began got a response") {
            try earlyOutcome.get()
        }
        try context.require(earlyError is CancellationError, "a task cancelled before it began threw \(earlyError)")
        try context.require(server.requests.count == 1, "a task cancelled before it began sent its request")
    }
}
