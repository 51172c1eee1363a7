import Carnet
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// The sessions that a host's `initialize` begins at the server.
extension Bridge {
    func begin(_ head: HTTPResponse) {
        state.withLock { $0.session.id = ServerSession.value(head.headerFields[MessageHeaders.session]) }
    }

    /// Begins a new session, because the server responded with 404 (revision 2025-11-25, "Session management").
    func beginAgain(after old: ServerSession) async throws {
        let task = state.withLock { state -> Task<Void, any Error>? in
            guard state.session.number == old.number else { return state.restart }
            let request = old.request ?? []
            state.session = ServerSession(request: request, number: old.number + 1)
            let task = Task { [self] in
                do {
                    try await initialize(request, like: old)
                } catch {
                    // The next message finds the old session again, and tries once more.
                    retireOld()
                    self.state.withLock { state in
                        guard state.session.number == old.number + 1 else { return }
                        (state.session.id, state.session.revision) = (old.id, old.revision)
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
            state.own = (id, nil)
            state.listening?.cancel()
            state.listening = nil
        }
        defer { state.withLock { $0.own = nil } }
        let reader = ResponseReader { [self] head in
            begin(head)
            // A stream may bring nothing.
            Task { [self] in
                try await Task.sleep(for: server.account.deadline)
                state.withLock { $0.session.number == old.number + 1 ? $0.restart : nil }?.cancel()
            }
        } isDone: { [self] in
            state.withLock { $0.own?.response != nil }
        } take: { [self] in
            deliver($0)
        }
        do {
            try await post(message, reader, within: server.account.deadline)
        } catch  where Task.isCancelled {}
        let (response, revision) = state.withLock { ($0.own?.response, $0.session.revision) }
        func failure(_ text: String) -> Failure { Failure(.failed, "the server has ended the session, and " + text) }
        guard let response else { throw failure("began no other one") }
        guard response.members?["error"] == nil else {
            throw failure("begins no other one: \"\(await server.words(of: response.bytes) ?? "")\"")
        }
        guard [revision, nil].contains(old.revision) else {
            throw failure("the new one has another revision of the protocol")
        }
        let initialized = Array(#"{"jsonrpc":"2.0","method":"\#(MessageHeaders.initialized)"}"#.utf8)
        guard let message = Message(initialized) else { return }
        // Not as other messages: a server that has forgotten this session, too, is not asked for yet another.
        let reply = try await post(message, state.withLock(\.session), ResponseReader { [self] in deliver($0) }, nil)
        guard reply.head.status.kind == .successful else { throw Failure(response: reply, Message(reply.body)) }
        listen()
    }

    func finish() async {
        let (tasks, listening, session) = state.withLock { (Array($0.tasks.values), $0.listening, $0.session) }
        listening?.cancel()
        let stop = { @Sendable [self] in
            await server.account.cancel()
            state.withLock(\.restart)?.cancel()
            closeOld()
            for task in tasks { task.cancel() }
        }
        if !Task.isCancelled {
            // A program that wrote its requests and closed stdin still gets the responses.
            let end = Task {
                try? await Task.sleep(for: Self.farewell)
                await stop()
            }
            for task in tasks { await task.value }
            end.cancel()
        }
        await stop()
        guard session.id != nil else { return }
        await Task { [self] in
            var fields = HTTPFields()
            session.add(to: &fields)
            let ignored = ResponseStream(deadline: Self.farewell, begin: { _ in }, take: { _ in true })
            _ = try? await server.send(.delete, fields, asks: false, stream: ignored)
        }.value
    }
}
