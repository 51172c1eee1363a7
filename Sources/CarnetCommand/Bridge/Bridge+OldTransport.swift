import Carnet
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// The transport of revision 2024-11-05 ("HTTP with SSE"): one stream brings all messages of the server, and its first event
/// says where the host's messages go. A session is as long as its stream.
extension Bridge {
    var isOld: Bool { state.withLock(\.isOld) }

    /// Opens a stream, where the server may be an older one (revision 2025-11-25, transports, "Backwards Compatibility").
    ///
    /// - Returns: Whether the server speaks this transport.
    /// - Throws: As `BridgeServer.send`.
    func chooseOld() async throws -> Bool {
        if isOld { return true }
        guard try await !openOld().endpoint.isEmpty else { return false }
        state.withLock { $0.isOld = true }
        return true
    }

    /// Sends a message. That of a request returns after its response, or when none can come.
    ///
    /// - Parameter opens: Whether the message may begin a session.
    /// - Returns: A response with status 404 if the session is over.
    /// - Throws: As `BridgeServer.send`.
    func sendOld(
        _ message: Message, _ fields: HTTPFields, opens: Bool, within deadline: Duration?
    ) async throws -> IncomingResponse {
        var current = state.withLock { $0.streams.last { $0.isCurrent } }
        if current == nil, opens { current = try await openOld() }
        guard let stream = current, let responses = stream.expect(message.requests) else {
            return current?.refusal ?? IncomingResponse(head: HTTPResponse(status: .notFound))
        }
        defer { stream.end(message.requests) }
        let ignored = deadline.map { ResponseStream(deadline: $0, begin: { _ in }, take: { _ in true }) }
        let response = try await server.send(
            .post, to: stream.endpoint, fields, body: message.bytes, asks: !message.requests.isEmpty, stream: ignored)
        if response.status == 404 { stream.closeWhenIdle() }
        guard response.head.status.kind == .successful else { return response }
        let end = Task {
            try await Task.sleep(for: deadline ?? .zero)
            stream.end(message.requests)
        }
        defer { end.cancel() }
        for response in responses { for await _ in response {} }
        return response
    }

    /// Ends the session at the server. Responses that are under way still come.
    func retireOld() { for stream in state.withLock(\.streams) { stream.closeWhenIdle() } }

    func closeOld() {
        let (streams, opening) = state.withLock { ($0.streams, $0.opening) }
        opening?.cancel()
        for stream in streams { stream.close() }
    }

    /// One stream for all messages that need it.
    private func openOld() async throws -> OldStream {
        let task = state.withLock { state -> Task<OldStream, any Error> in
            if let opening = state.opening { return opening }
            let task = Task { [self] in
                defer { self.state.withLock { $0.opening = nil } }
                let stream = try await OldStream.open(self)
                self.state.withLock { $0.streams = $0.streams.filter { !$0.isOver } + [stream] }
                return stream
            }
            state.opening = task
            return task
        }
        return try await task.value
    }
}
