import CarnetFoundation
import Dispatch

/// The limits for clients of the loopback port.
struct ConnectionLimits: Sendable {
    /// The maximum number of connections. A new one closes the oldest, so that slow clients cannot block the browser.
    var connections = 32
    /// The maximum size of a request, in bytes. Browsers send the cookies of every program on `localhost`.
    var requestBytes = 262_144
    var lifetime = Duration.seconds(10)
}

/// Responds to the first request of each connection to loopback ports, until it is closed. Its threads keep it alive.
final class LoopbackServer: Sendable {
    typealias Responder = @Sendable (LoopbackRequest) -> LoopbackResponse

    private struct State {
        var isClosed = false
        var listeners: [LoopbackSocket]
        /// The open connections, oldest first.
        var connections: [LoopbackSocket] = []
    }

    let port: Int
    private let limits: ConnectionLimits
    private let respond: Responder
    private let state: Lock<State>
    private let listening = DispatchGroup()

    /// - Parameter listeners: Sockets on one port. The server closes them.
    init(_ listeners: [LoopbackSocket], port: Int, limits: ConnectionLimits, respond: @escaping Responder) {
        (self.port, self.limits, self.respond) = (port, limits, respond)
        state = Lock(State(listeners: listeners))
        for listener in listeners {
            DispatchQueue(label: "carnet.loopback").async(group: listening) { self.serve(listener) }
        }
    }

    /// Ends the connections and frees the port, soon.
    func stop() {
        // A descriptor in these lists is open: its thread removes it before it closes it.
        state.withLock { state in
            state.isClosed = true
            for socket in state.listeners + state.connections { socket.interrupt() }
        }
    }

    /// Ends the connections, and waits until the port is free.
    func close() async {
        stop()
        await listening.finish()
    }

    private var isClosed: Bool { state.withLock(\.isClosed) }

    private func serve(_ listener: LoopbackSocket) {
        while !isClosed {
            guard let connection = listener.accept() else { continue }
            state.withLock { state in
                state.connections.append(connection)
                if state.connections.count > limits.connections { state.connections.removeFirst().interrupt() }
            }
            DispatchQueue(label: "carnet.loopback.connection").async { self.serve(connection: connection) }
        }
        state.withLock { $0.listeners.removeAll { $0.descriptor == listener.descriptor } }
        listener.close()
    }

    private func serve(connection: LoopbackSocket) {
        defer {
            state.withLock { state in state.connections.removeAll { $0.descriptor == connection.descriptor } }
            connection.close()
        }
        let end = ContinuousClock.now + limits.lifetime
        var reader = LoopbackRequestReader()
        while !isClosed, .now < end, let bytes = connection.receive() {
            guard reader.add(bytes, limit: limits.requestBytes) else { return }
            guard var request = reader.request else { continue }
            request.names = connection.names
            let response = respond(request)
            var rest = response.bytes(isHead: request.method == "HEAD")[...]
            while !rest.isEmpty, .now < end, let sent = connection.send(rest) { rest = rest.dropFirst(sent) }
            connection.endSending()
            response.whenSent()
            return
        }
    }
}
