import CarnetDescriptors
import CarnetFoundation
import Dispatch

/// A loopback server that reads one HTTP request from each connection and then does what its script says, however
/// wrong: for tests of what a client withstands.
package final class RawServer: Sendable {
    package enum Step: Hashable, Sendable {
        case send([UInt8])
        /// Sends the same bytes repeatedly until the client closes the connection.
        case sendEndlessly([UInt8])
        /// Sends a byte every 20 milliseconds.
        case drip([UInt8])
        case waitForHangUp
        /// Reads another request on the same connection.
        case readRequest
        /// Closes the connection in this direction only: the client may continue to send.
        case endSending
        /// Breaks the connection with a TCP reset.
        case reset

        package static func send(_ text: String) -> Self { .send(Array(text.utf8)) }
    }

    /// The port on 127.0.0.1.
    package let port: Int
    private let script: RawServerScript

    /// - Throws: `POSIXError` if no port can be had.
    package init(_ steps: [Step]) throws {
        let listener = try LoopbackSocket.listening()
        let script = RawServerScript(steps)
        port = listener.port
        self.script = script
        DispatchQueue(label: "server").async { script.serve(listener) }
    }

    deinit { stop() }

    /// `127.0.0.1:port`.
    package var authority: String { "127.0.0.1:\(port)" }

    /// The requests so far, head and body, each as it came.
    package var requests: [String] { script.state.withLock(\.requests) }

    /// How many connections were taken.
    package var connections: Int { script.state.withLock(\.connections) }

    /// Waits until the server has read `count` whole requests, or was stopped.
    package func waitForRequests(_ count: Int = 1) async {
        await script.wait { $0.isStopped || $0.requests.count >= count }
    }

    /// Ends the connections and closes the port, soon.
    package func stop() { script.change { $0.isStopped = true } }

    /// Waits until the port of a stopped server is closed.
    package func waitUntilClosed() async { await script.wait { $0.isClosed } }
}

/// What the threads of a server share; they do not keep the server itself alive.
private final class RawServerScript: Sendable {
    struct State {
        var requests: [String] = []
        var connections = 0
        var isStopped = false
        var isClosed = false
        var waiters: [Waiter] = []
    }

    struct Waiter {
        var isReady: @Sendable (State) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    let state = Lock(State())
    private let steps: [RawServer.Step]

    init(_ steps: [RawServer.Step]) { self.steps = steps }

    private var isStopped: Bool { state.withLock(\.isStopped) }

    func serve(_ listener: LoopbackSocket) {
        while !isStopped {
            guard let connection = listener.accept() else { continue }
            state.withLock { $0.connections += 1 }
            DispatchQueue(label: "connection").async { self.play(on: connection) }
        }
        listener.close()
        change { $0.isClosed = true }
    }

    private func play(on connection: LoopbackSocket) {
        defer { connection.close() }
        for step in [.readRequest] + steps where !perform(step, on: connection) { return }
    }

    /// - Returns: Whether the connection is still open.
    private func perform(_ step: RawServer.Step, on connection: LoopbackSocket) -> Bool {
        switch step {
        case .send(let bytes):
            return send(bytes, on: connection)
        case .sendEndlessly(let bytes):
            while send(bytes, on: connection) {}
            return false
        case .drip(let bytes):
            return bytes.allSatisfy { send([$0], on: connection) && !connection.hangsUp(within: 20) }
        case .waitForHangUp:
            while !isStopped, !connection.hangsUp(within: 100) {}
            return false
        case .readRequest:
            guard let request = readRequest(from: connection) else { return false }
            change { $0.requests.append(request) }
            return true
        case .endSending:
            connection.endSending()
            return true
        case .reset:
            connection.resetOnClose()
            return false
        }
    }

    private func send(_ bytes: [UInt8], on connection: LoopbackSocket) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard !isStopped, let sent = connection.send(rest) else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    private func readRequest(from connection: LoopbackSocket) -> String? {
        var received: [UInt8] = []
        while !isStopped {
            guard let bytes = connection.receive() else { return nil }
            received += bytes
            let text = String(decoding: received, as: UTF8.self)
            guard let end = text.firstRange(of: "\r\n\r\n") else { continue }
            let length =
                text[..<end.lowerBound].split(separator: "\r\n")
                .first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst("content-length:".count).trimming(\.isWhitespace)) } ?? 0
            if text[end.upperBound...].utf8.count >= length { return text }
        }
        return nil
    }

    func wait(until isReady: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            change { $0.waiters.append(Waiter(isReady: isReady, continuation: continuation)) }
        }
    }

    /// Changes the state and wakes those who waited for it.
    func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state in
            body(&state)
            let waiters = state.waiters
            state.waiters = waiters.filter { !$0.isReady(state) }
            return waiters.filter { $0.isReady(state) }
        }
        ready.forEach { $0.continuation.resume() }
    }
}
