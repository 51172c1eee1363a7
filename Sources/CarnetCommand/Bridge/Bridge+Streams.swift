import Carnet
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// Streams of events: those of a response that goes on, and the one that belongs to no request.
extension Bridge {
    /// Connects again to the stream of a response that broke off or that the server closed, until all of it is there.
    ///
    /// - Throws: `Failure` if the server does not continue it.
    func resume(_ requests: [Message.ID], after first: ResponseReader) async throws {
        var reader = first
        var failures = 0
        var retry = first.retry
        while isWaiting(requests), let id = reader.lastEventID {
            try await Task.sleep(for: retry.map { max($0, Self.shortestPause) } ?? Self.pause(after: failures))
            let next = ResponseReader(isDone: { [self] in !isWaiting(requests) }) { [self] in deliver($0) }
            let response = try await get(next, after: id)
            if response == nil || next.count == 0 && next.lastEventID == nil { failures += 1 } else { failures = 0 }
            guard failures < Self.maximumFailures, response.map({ $0.head.status.kind == .successful }) ?? true else {
                throw Failure(.failed, "the server does not continue its response")
            }
            retry = next.retry ?? retry
            if next.lastEventID != nil { reader = next }
        }
    }

    private func isWaiting(_ requests: [Message.ID]) -> Bool {
        state.withLock { state in requests.contains(where: state.waiting.contains) }
    }

    /// How often in a row a stream may bring nothing.
    private static let maximumFailures = 10

    /// A server that closes each stream at once and wants no pause would keep the bridge busy.
    private static let shortestPause = Duration.milliseconds(100)

    private static func pause(after failures: Int) -> Duration { .seconds(min(1 << min(failures, 5), 30)) }

    /// Listens for messages that belong to no request. Revision 2026-07-28 has no such stream.
    func listen() {
        state.withLock { state in
            guard !state.isOld, state.session.request != nil else { return }
            state.listening?.cancel()
            let session = state.session
            state.listening = Task { [self] in await listen(in: session) }
        }
    }

    private func listen(in session: ServerSession) async {
        var failures = 0
        var (id, retry): (String?, Duration?) = (nil, nil)
        while !Task.isCancelled, state.withLock(\.session.number) == session.number {
            let reader = ResponseReader { [self] in deliver($0) }
            // A server without such a stream responds with 405, and with 404 if the session is over.
            let response = try? await get(reader, after: id)
            if let response, response.head.status.kind != .successful { return }
            failures = reader.count == 0 ? failures + 1 : 0
            (id, retry) = (reader.lastEventID ?? id, reader.retry ?? retry)
            try? await Task.sleep(for: max(retry ?? .zero, Self.pause(after: failures)))
        }
    }

    /// - Returns: `nil` if there was no response, or it broke off.
    /// - Throws: `CancellationError`; `Failure` for a message that is too large.
    private func get(_ reader: ResponseReader, after id: String?) async throws -> IncomingResponse? {
        var fields: HTTPFields = [.accept: "text/event-stream"]
        state.withLock(\.session).add(to: &fields)
        fields[MessageHeaders.lastEventID] = id
        do {
            let response = try await server.send(
                .get, fields, asks: false, stream: reader.stream(within: Self.patience))
            if response.head.status.kind == .successful { try reader.finish(response) }
            return response
        } catch {
            try Task.checkCancellation()
            try reader.check()
            return nil
        }
    }
}
