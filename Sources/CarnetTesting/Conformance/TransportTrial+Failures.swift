import Carnet
import CarnetProtocol
import HTTPTypes

extension TransportTrial {
    func refusedConnection() async throws {
        let server = try RawServer([])
        let authority = server.authority
        server.stop()
        await server.waitUntilClosed()
        try await requireError([.connection], naming: authority) { try await send(post(to: authority)) }
    }

    func unsupportedRequests() async throws {
        let server = try RawServer([Self.empty])
        defer { server.stop() }
        for scheme in ["file", "ftp", "ws", "unix", ""] {
            try await requireError([.unsupportedRequest]) { try await send(post(to: server.authority, scheme: scheme)) }
        }
        for authority in ["", "user:pw@\(server.authority)", "\(server.authority)/x", "\(server.authority) x"] {
            try await requireError([.unsupportedRequest]) { try await send(post(to: authority)) }
        }
        for path in ["", "no-slash", "/a b", "/a\r\nX-Injected: 1", "/a#fragment", "/\u{E9}"] {
            var request = post(to: server.authority)
            request.head.path = path
            try await requireError([.unsupportedRequest]) { try await send(request) }
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
