import Carnet
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// The stream of one session of revision 2024-11-05.
final class OldStream: Sendable {
    private struct State {
        var endpoint = ""
        /// The response of a server that opens no stream.
        var refusal: IncomingResponse?
        var isOver = false
        var isRetired = false
        /// Each ends with the response to its request.
        var waiting: [Message.ID: AsyncStream<Never>.Continuation] = [:]
        var task: Task<Void, Never>?
    }

    private let state = Lock(State())

    private init() {}

    /// How long the head of the response may take, and then the first event.
    private static let patience = Duration.seconds(10)
    /// The maximum size of an endpoint, in bytes: that of a request line at many servers.
    private static let longestEndpoint = 8192

    /// - Returns: A stream that is over, and has no endpoint, if the server does not say first where messages go.
    /// - Throws: As `BridgeServer.send`.
    static func open(_ bridge: Bridge) async throws -> OldStream {
        let stream = OldStream()
        let (endpoints, found) = AsyncThrowingStream<String, any Error>.makeStream()
        let reader = ResponseReader { _ in
            Task {
                try? await Task.sleep(for: patience)
                found.finish()
            }
        } endpoint: {
            if $0.count <= longestEndpoint { found.yield(String(decoding: $0, as: UTF8.self)) }
        } take: { bytes in
            stream.end(bridge.deliver(bytes))
        }
        let task = Task {
            do {
                let response = try await bridge.server.send(
                    .get, [.accept: "text/event-stream"], stream: reader.stream(within: patience))
                if !response.isSuccess { stream.state.withLock { $0.refusal = response } }
                found.finish()
            } catch {
                found.finish(throwing: error)
            }
            stream.endAll()
        }
        stream.state.withLock { $0.task = task }
        do {
            for try await endpoint in endpoints {
                stream.state.withLock { $0.endpoint = endpoint }
                return stream
            }
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        stream.endAll()
        return stream
    }

    /// Where the host's messages go, as the server wrote it.
    var endpoint: String { state.withLock(\.endpoint) }

    var refusal: IncomingResponse? { state.withLock(\.refusal) }

    var isOver: Bool { state.withLock(\.isOver) }

    /// Whether messages may go there.
    var isCurrent: Bool { state.withLock { !$0.isOver && !$0.isRetired } }

    /// - Returns: What ends with the responses to these requests, or with the stream; `nil` if no message may go there.
    func expect(_ requests: [Message.ID]) -> [AsyncStream<Never>]? {
        state.withLock { state in
            guard !state.isOver, !state.isRetired else { return nil }
            return requests.map { id in
                let (stream, continuation) = AsyncStream<Never>.makeStream()
                state.waiting[id] = continuation
                return stream
            }
        }
    }

    /// No response to these requests is expected any more.
    func end(_ requests: [Message.ID]) {
        let (ended, task) = state.withLock { state in
            let ended = requests.compactMap { state.waiting.removeValue(forKey: $0) }
            return (ended, state.isRetired && state.waiting.isEmpty ? state.task : nil)
        }
        for continuation in ended { continuation.finish() }
        task?.cancel()
    }

    private func endAll() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.finish() }
    }

    /// Closes the stream after the responses that are under way. The next message begins another session.
    func closeWhenIdle() {
        state.withLock { $0.isRetired = true }
        end([])
    }

    func close() { state.withLock(\.task)?.cancel() }
}

extension WebURL {
    /// Where the messages of revision 2024-11-05 go: a reference (RFC 3986, section 4.2) that the server at this URL gave.
    ///
    /// - Throws: `Failure` for another origin, which would get the messages and the credentials of this one.
    func endpoint(_ reference: String) throws -> WebURL {
        let origin = "\(scheme)://\(authority)"
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        let text =
            switch reference.utf8.first {
            case UInt8(ascii: "/"): reference.hasPrefix("//") ? "\(scheme):\(reference)" : origin + reference
            case UInt8(ascii: "?"): origin + path + reference
            default: reference.contains("://") ? reference : origin + folder + reference
            }
        let named = "the server names \(reference.quotable(limit: 200)) as the endpoint of messages"
        let url: WebURL
        do throws(WebURLError) {
            url = try WebURL(text, isPlain: scheme == "http")
        } catch {
            throw Failure(.failed, "\(named): \(error.reason.quotable())")
        }
        guard url.hasOrigin(of: self) else {
            throw Failure(.failed, "\(named), which is not of the origin \(origin): nothing was sent there")
        }
        return url
    }
}
