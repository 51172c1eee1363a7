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
    static let patience = Duration.seconds(86_400)
    /// How long the last requests and the end of the session may take, each. A host waits two seconds after it has closed
    /// stdin, and `Interruption` waits one after a signal.
    static let farewell = Duration.milliseconds(900)

    struct State {
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
        /// Whether the server has accepted a message in the way of streamable HTTP.
        var isStreamable = false
        /// The `initialize` of the bridge itself. The host has had a response to it already.
        var own: (request: Message.ID, response: Message?)?
        /// Whether the server speaks the transport of revision 2024-11-05.
        var isOld = false
        /// Those of this revision that are not over, also the retired ones.
        var streams: [OldStream] = []
        var opening: Task<OldStream, any Error>?
    }

    let server: BridgeServer
    let console: Console
    private let input: HostInput
    private let output: HostOutput
    let state = Lock(State())

    init(_ server: BridgeServer, _ console: Console) {
        let input = HostInput()
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
        if message.method == MessageHeaders.cancelled,
            let id = message.members?.object("params")?["requestId"].flatMap(Message.id)
        {
            // No response is expected.
            let task = state.withLock { state in
                state.waiting.remove(id)
                return state.tasks[id]
            }
            for stream in state.withLock(\.streams) { stream.end([id]) }
            // Since revision 2026-07-28, closing the stream is the notification.
            if state.withLock({ !$0.isOld && $0.session.request == nil }) {
                task?.cancel()
                return
            }
        }
        do {
            try await post(message, ResponseReader { [self] in deliver($0) }, within: nil)
            if message.method == MessageHeaders.initialized { listen() }
        } catch {
            note(error)
        }
    }

    private func request(_ message: Message) async {
        let requests = message.requests
        let other = Lock<[UInt8]?>(nil)
        let reader = ResponseReader { [self] head in
            if message.method == MessageHeaders.initialize { begin(head) }
        } take: { [self] bytes in
            if deliver(bytes).isEmpty, Message(bytes)?.isMessage != true { other.withLock { $0 = bytes } }
        }
        do {
            try await post(message, reader, within: Self.patience)
            try await resume(requests, after: reader)
            fail(requests, await server.hiding(lack(of: reader, other.withLock(\.self))))
        } catch {
            note(error)
            let failure = Failure(describing: error)
            let said = failure.details.filter { ["server_error", "server_description"].contains($0.name) }
            fail(requests, ([failure.summary] + said.map(\.text) + failure.next).joined(separator: "; "))
        }
    }

    /// Why a response that has ended has no response to a request.
    ///
    /// - Parameter other: What came instead of a message.
    private func lack(of reader: ResponseReader, _ other: [UInt8]?) async -> String {
        if let type = reader.otherType {
            return "the response is \(type) where JSON or a stream of events was expected"
        }
        let noMessage = "the response is no JSON-RPC message: "
        if let other {
            let words = await server.words(of: other)
            return noMessage + (words.map { "\"\($0)\"" } ?? "it has neither method, result nor error")
        }
        return reader.isStream || reader.count > 0 || isOld
            ? "the server ended its response before it was complete" : noMessage + "it is empty"
    }

    /// Sends a message; again after a new session if the server has forgotten this one, and in the older way if the server
    /// knows that one alone.
    ///
    /// - Throws: `Failure` for a status that is no success, and as `BridgeServer`.
    func post(_ message: Message, _ reader: ResponseReader, within deadline: Duration?) async throws {
        let (session, wasOld) = (await currentSession(for: message), isOld)
        var response = try await post(message, session, reader, deadline)
        if !wasOld, mayBeOld(message, response), try await chooseOld() {
            console.remark("the server has the transport of revision 2024-11-05, with two endpoints")
            response = try await post(message, session, reader, deadline)
        }
        // Many servers say 400 where the protocol demands 404, and name no request: they have not read it.
        let isOfServer = response.status == 400 && Message(response.body)?.responses.isEmpty != false
        let said = isOfServer ? String(decoding: response.body.prefix(2048), as: UTF8.self).lowercased() : ""
        let hasForgotten = response.status == 404 || said.contains("session") || said.contains("initialized")
        if hasForgotten, session.id != nil || isOld && session.request != nil,
            message.method != MessageHeaders.initialize
        {
            try await beginAgain(after: session)
            response = try await post(message, currentSession(for: message), reader, deadline)
        }
        guard response.head.status.kind != .successful else { return }
        // The server's error says more than its status.
        if let error = Message(response.body), !error.responses.isEmpty { deliver(error.bytes) }
        throw Failure(
            response: response, Message(response.body), isFirst: state.withLock { !$0.isOld && !$0.isStreamable })
    }

    /// The session for a message, which waits for one that is just beginning.
    private func currentSession(for message: Message) async -> ServerSession {
        var ended: Task<Void, any Error>?
        while true {
            let (restart, session) = state.withLock { ($0.restart, $0.session) }
            guard let restart, restart != ended, message.method != MessageHeaders.initialize else { return session }
            _ = await restart.result
            ended = restart
        }
    }

    /// Whether a server that is older than streamable HTTP responds like this to its first message.
    private func mayBeOld(_ message: Message, _ response: IncomingResponse) -> Bool {
        response.head.status.kind == .clientError && ![401, 403, 429].contains(response.status)
            && !message.requests.isEmpty && Message(response.body)?.members?["error"] == nil
            && !state.withLock(\.isStreamable)
    }

    func post(
        _ message: Message, _ session: ServerSession, _ reader: ResponseReader, _ deadline: Duration?
    ) async throws -> IncomingResponse {
        do {
            var fields = MessageHeaders.fields(of: message, session)
            guard !isOld else {
                let opens = session.request == nil || message.method == MessageHeaders.initialize
                return try await sendOld(message, fields, opens: opens, within: deadline)
            }
            if MessageHeaders.revision(of: message) != nil {
                for field in state.withLock(\.tools).fields(of: message) { fields[field.name] = field.value }
            }
            // A server can cause notifications and responses of the host, so they ask the user for nothing.
            let response = try await server.send(
                .post, fields, body: message.bytes, asks: !message.requests.isEmpty,
                stream: deadline.map(reader.stream(within:)))
            if response.head.status.kind == .successful {
                state.withLock { $0.isStreamable = true }
                try reader.finish(response)
            }
            return response
        } catch  where reader.isStream && !Task.isCancelled {
            // The stream may be resumed.
            try reader.check()
            return IncomingResponse(head: HTTPResponse(status: .ok))
        }
    }

    // MARK: Messages of the server

    /// - Returns: The requests that the message responds to.
    @discardableResult
    func deliver(_ bytes: [UInt8]) -> [Message.ID] {
        guard var message = Message(bytes), message.isMessage else {
            let isFirst = state.withLock { state in
                defer { state.hasReportedOther = true }
                return !state.hasReportedOther
            }
            if isFirst {
                console.warn("the server sent something that is not a JSON-RPC message; more is not reported")
            }
            return []
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
                guard id != state.own?.request else {
                    state.own?.response = message
                    return false
                }
            }
            return true
        }
        if isForHost { output.write(message.bytes) }
        return message.responses
    }

    private func fail(_ requests: [Message.ID], _ text: String) {
        let open = state.withLock { state in requests.filter { state.waiting.remove($0) != nil } }
        for id in open { output.write(Message.failure(of: id, text)) }
    }

    private func note(_ error: any Error) {
        guard !(error is CancellationError), !Task.isCancelled else { return }
        console.note(Failure(describing: error))
    }
}

extension Failure {
    /// - Parameter isFirst: Whether no response of success came before.
    init(response: IncomingResponse, _ message: Message?, isFirst: Bool = false) {
        let text = message?.members?.object("error")?.string("message") ?? response.words(hiding: [])
        let hint =
            switch response.status {
            case 300..<400: "; nothing was sent there: if that is the server, give its URL to carnet mcp"
            case 404 where isFirst, 405 where isFirst:
                "; check the URL, which must be that of an MCP server: neither streamable HTTP nor HTTP with SSE is there"
            default: ""
            }
        self.init(
            .failed,
            "the server responded with status \(response.status)"
                + (response.location.map { " and the address \($0)" } ?? "")
                + (text.map { ": \"\($0.quotable(limit: 500))\"" } ?? "") + hint)
    }
}
