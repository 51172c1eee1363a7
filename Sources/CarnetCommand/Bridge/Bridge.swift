import Carnet
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// Passes messages between a host at stdin and stdout and a server over HTTP.
final class Bridge: Sendable {
    /// The maximum size of a message, in bytes.
    static let maximum = 64 << 20
    /// How many requests of the host may wait for their responses.
    private static let maximumRequests = 1000
    /// The host limits the time of its requests itself, and cancels them.
    private static let patience = Duration.seconds(86_400)
    /// How long the last requests and the end of the session may take, each. A host waits two seconds after it has closed
    /// stdin, and `Interruption` waits one after a signal.
    private static let farewell = Duration.milliseconds(900)

    private struct State {
        var session = ServerSession()
        var tools = ToolHeaders()
        /// The requests of the host without a response.
        var waiting: Set<Message.ID> = []
        /// The tasks of the requests, by the first id.
        var tasks: [Message.ID: Task<Void, Never>] = [:]
        var listening: Task<Void, Never>?
        /// Begins the session again, once for all messages that find it expired.
        var restart: Task<Void, any Error>?
        /// Whether the user knows that the server sends something else than messages.
        var hasReportedOther = false
        /// The response to the bridge's own request, which the host has had already.
        var suppressed: Message.ID?
    }

    private let server: BridgeServer
    private let console: Console
    private let input: HostInput
    private let output: HostOutput
    private let state = Lock(State())

    init(_ server: BridgeServer, _ console: Console) {
        let input = HostInput(maximum: Self.maximum)
        (self.server, self.console, self.input) = (server, console, input)
        output = HostOutput { input.end() }
    }

    /// Runs until the host closes stdin or stdout, or the task is cancelled.
    func run() async {
        while let line = await input.next() {
            guard case .message(let bytes) = line else {
                console.warn("a line of the host is longer than \(Self.maximum) bytes and was skipped")
                continue
            }
            guard let message = Message(bytes) else {
                console.warn("a line of the host is not a JSON-RPC message and was skipped")
                continue
            }
            await handle(message)
        }
        await finish()
    }

    // MARK: Messages of the host

    private func handle(_ message: Message) async {
        guard let first = message.requests.first else { return await notify(message) }
        let isAccepted = state.withLock { state in
            guard state.waiting.count < Self.maximumRequests else { return false }
            state.waiting.formUnion(message.requests)
            if message.method == MessageHeaders.initialize, MessageHeaders.revision(of: message) == nil {
                state.session = ServerSession(request: message.bytes, number: state.session.number + 1)
            }
            // Inside, so that the task cannot end before it is noted.
            state.tasks[first] = Task { [self] in
                await request(message)
                self.state.withLock { $0.tasks[first] = nil }
            }
            return true
        }
        guard !isAccepted else { return }
        for id in message.requests { output.write(Message.failure(of: id, "too many requests wait for a response")) }
    }

    /// Sends a notification or a response. The next line waits for it, so that the server gets them in this order.
    private func notify(_ message: Message) async {
        if message.method == MessageHeaders.cancelled, let id = cancelledRequest(of: message) {
            // No response is expected.
            let task = state.withLock { state in
                state.waiting.remove(id)
                return state.tasks[id]
            }
            // Since revision 2026-07-28, closing the stream is the notification.
            if state.withLock({ $0.session.request == nil }) {
                task?.cancel()
                return
            }
        }
        do {
            try await post(message, ResponseReader(maximum: Self.maximum) { [self] in deliver($0) }, within: nil)
            if message.method == MessageHeaders.initialized { listen() }
        } catch {
            note(error)
        }
    }

    private func cancelledRequest(of message: Message) -> Message.ID? {
        message.members?.object("params")?["requestId"].flatMap(Message.id)
    }

    private func request(_ message: Message) async {
        let requests = message.requests
        let reader = ResponseReader(maximum: Self.maximum) { [self] head in
            guard message.method == MessageHeaders.initialize else { return }
            begin(head)
        } take: { [self] in
            deliver($0)
        }
        do {
            try await post(message, reader, within: Self.patience)
            try await resume(requests, after: reader)
            fail(
                requests,
                reader.otherType.map { "the response is \($0) where JSON or a stream of events was expected" }
                    ?? "the server ended its response before it was complete")
        } catch {
            note(error)
            let failure = Failure(bridging: error)
            let said = failure.details.filter { ["server_error", "server_description"].contains($0.name) }
            fail(requests, ([failure.summary] + said.map(\.text) + failure.next).joined(separator: "; "))
        }
    }

    /// Sends a message; again after a new session if the server has forgotten this one.
    ///
    /// - Throws: `BridgeFailure` for a status that is no success, and as `BridgeServer`.
    private func post(_ message: Message, _ reader: ResponseReader, within deadline: Duration?) async throws {
        let session = state.withLock(\.session)
        var response = try await post(message, session, reader, deadline)
        if response.status == 404, session.id != nil, message.method != MessageHeaders.initialize {
            try await beginAgain(after: session)
            response = try await post(message, state.withLock(\.session), reader, deadline)
        }
        guard response.head.status.kind != .successful else { return }
        // The server's error says more than its status.
        if let error = Message(response.body), !error.responses.isEmpty {
            deliver(error.bytes)
        }
        throw BridgeFailure(status: response, Message(response.body))
    }

    private func post(
        _ message: Message, _ session: ServerSession, _ reader: ResponseReader, _ deadline: Duration?
    ) async throws -> IncomingResponse {
        do {
            var fields = MessageHeaders.fields(of: message, session)
            if MessageHeaders.revision(of: message) != nil {
                for field in state.withLock(\.tools).fields(of: message) { fields[field.name] = field.value }
            }
            // A server can cause notifications and responses of the host, so they ask the user for nothing.
            let response = try await server.send(
                .post, fields, body: message.bytes, asks: !message.requests.isEmpty,
                stream: deadline.map(reader.stream(within:)))
            if response.head.status.kind == .successful { try reader.finish(response) }
            return response
        } catch  where reader.isStream && !Task.isCancelled {
            // The stream may be resumed.
            try reader.check()
            return IncomingResponse(head: HTTPResponse(status: .ok))
        }
    }

    // MARK: Messages of the server

    private func deliver(_ bytes: [UInt8]) {
        guard var message = Message(bytes) else {
            let isFirst = state.withLock { state in
                defer { state.hasReportedOther = true }
                return !state.hasReportedOther
            }
            if isFirst {
                console.warn("the server sent something that is not a JSON-RPC message; more is not reported")
            }
            return
        }
        // Only since revision 2026-07-28, which has no `initialize`.
        let leftOut = state.withLock { state -> [String] in
            guard state.session.request == nil else { return [] }
            let read = state.tools.read(message)
            message = read.message
            return read.leftOut
        }
        for line in leftOut { console.warn(line.printable) }
        let isForHost = state.withLock { [message] state in
            if state.session.request != nil, state.session.revision == nil {
                state.session.revision = ServerSession.value(
                    message.members?.object("result")?.string("protocolVersion"))
            }
            for id in message.responses {
                state.waiting.remove(id)
                guard id != state.suppressed else {
                    state.suppressed = nil
                    return false
                }
            }
            return true
        }
        if isForHost { output.write(message.bytes) }
    }

    private func fail(_ requests: [Message.ID], _ text: String) {
        let open = state.withLock { state in requests.filter { state.waiting.remove($0) != nil } }
        for id in open { output.write(Message.failure(of: id, text)) }
    }

    private func note(_ error: any Error) {
        guard !(error is CancellationError), !Task.isCancelled else { return }
        for line in Failure(bridging: error).lines(console.paintError) { console.note(line) }
    }

    // MARK: Sessions

    private func begin(_ head: HTTPResponse) {
        let id = ServerSession.value(head.headerFields[MessageHeaders.session])
        state.withLock { $0.session.id = id }
    }

    /// Begins a new session, because the server responded with 404 (revision 2025-11-25, "Session management").
    private func beginAgain(after old: ServerSession) async throws {
        let task = state.withLock { state -> Task<Void, any Error>? in
            guard state.session.number == old.number else { return state.restart }
            let request = old.request ?? []
            state.session = ServerSession(request: request, number: old.number + 1)
            let task = Task { [self] in
                do {
                    try await initialize(request, like: old)
                } catch {
                    // The next message finds the old session again, and tries once more.
                    self.state.withLock { state in
                        guard state.session.number == old.number + 1 else { return }
                        (state.session.id, state.session.revision) = (old.id, old.revision)
                        state.suppressed = nil
                    }
                    throw error
                }
            }
            state.restart = task
            return task
        }
        try await task?.value
    }

    private func initialize(_ request: [UInt8], like old: ServerSession) async throws {
        console.note("the server has ended the session; beginning another one")
        guard let message = Message(request), let id = message.requests.first else { return }
        state.withLock { state in
            state.suppressed = id
            state.listening?.cancel()
            state.listening = nil
        }
        let reader = ResponseReader(maximum: Self.maximum) { [self] in
            begin($0)
        } isDone: { [self] in
            state.withLock { $0.suppressed == nil }
        } take: { [self] in
            deliver($0)
        }
        try await post(message, reader, within: Self.farewell * 30)
        guard state.withLock({ $0.suppressed == nil && $0.session.revision == old.revision }) else {
            throw BridgeFailure(
                "the server has ended the session, and the new one has another revision of the protocol")
        }
        let initialized = Array(#"{"jsonrpc":"2.0","method":"\#(MessageHeaders.initialized)"}"#.utf8)
        guard let message = Message(initialized) else { return }
        // Not as other messages: a server that has forgotten this session, too, is not asked for yet another.
        let reply = try await post(
            message, state.withLock(\.session), ResponseReader(maximum: Self.maximum) { [self] in deliver($0) }, nil)
        guard reply.head.status.kind == .successful else { throw BridgeFailure(status: reply, Message(reply.body)) }
        listen()
    }

    // MARK: Streams

    /// Connects again to the stream of a response that broke off or that the server closed, until all of it is there.
    ///
    /// - Throws: `BridgeFailure` if the server does not continue it.
    private func resume(_ requests: [Message.ID], after first: ResponseReader) async throws {
        var reader = first
        var failures = 0
        var retry = first.retry
        while isWaiting(requests), let id = reader.lastEventID {
            try await Task.sleep(for: retry.map { max($0, Self.shortestPause) } ?? Self.pause(after: failures))
            let next = ResponseReader(maximum: Self.maximum, isDone: { [self] in !isWaiting(requests) }) { [self] in
                deliver($0)
            }
            let response = try await get(next, after: id)
            if response == nil || next.count == 0 && next.lastEventID == nil { failures += 1 } else { failures = 0 }
            guard failures < Self.maximumFailures, response.map({ $0.head.status.kind == .successful }) ?? true else {
                throw BridgeFailure("the server does not continue its response")
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
    private func listen() {
        state.withLock { state in
            guard state.session.request != nil else { return }
            state.listening?.cancel()
            let session = state.session
            state.listening = Task { [self] in await listen(in: session) }
        }
    }

    private func listen(in session: ServerSession) async {
        var failures = 0
        var (id, retry): (String?, Duration?) = (nil, nil)
        while !Task.isCancelled, state.withLock(\.session.number) == session.number {
            let reader = ResponseReader(maximum: Self.maximum) { [self] in deliver($0) }
            // A server without such a stream responds with 405, and with 404 if the session is over.
            let response = try? await get(reader, after: id)
            if let response, response.head.status.kind != .successful { return }
            failures = reader.count == 0 ? failures + 1 : 0
            (id, retry) = (reader.lastEventID ?? id, reader.retry ?? retry)
            try? await Task.sleep(for: max(retry ?? .zero, Self.pause(after: failures)))
        }
    }

    /// - Returns: `nil` if there was no response, or it broke off.
    /// - Throws: `CancellationError`; `BridgeFailure` for a message that is too large.
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

    // MARK: The end

    private func finish() async {
        let (tasks, listening, session) = state.withLock { (Array($0.tasks.values), $0.listening, $0.session) }
        listening?.cancel()
        if !Task.isCancelled {
            // A program that wrote its requests and closed stdin still gets the responses.
            let end = Task { [self] in
                try? await Task.sleep(for: Self.farewell)
                await server.account.cancel()
                for task in tasks { task.cancel() }
            }
            for task in tasks { await task.value }
            end.cancel()
        }
        await server.account.cancel()
        for task in tasks { task.cancel() }
        guard session.id != nil else { return }
        await Task { [self] in
            var fields = HTTPFields()
            session.add(to: &fields)
            let ignored = ResponseStream(deadline: Self.farewell, begin: { _ in }, take: { _ in true })
            _ = try? await server.send(.delete, fields, asks: false, stream: ignored)
        }.value
    }
}

extension BridgeFailure {
    fileprivate init(status response: IncomingResponse, _ message: Message?) {
        let text = message?.members?.object("error")?.string("message") ?? response.words(hiding: [])
        let hint = [404, 405].contains(response.status) ? "; check the URL, which must be of streamable HTTP" : ""
        self.init(
            "the server responded with status \(response.status)"
                + (response.location.map { " and the address \($0)" } ?? "")
                + (text.map { ": \"\($0.quotable(limit: 500))\"" } ?? "") + hint)
    }
}

extension Failure {
    /// Describes an error to the host.
    fileprivate init(bridging error: any Error) {
        if let error = error as? BridgeFailure {
            self.init(.failed, error.description)
        } else {
            self.init(describing: error)
        }
    }
}
