import CLibCurl
import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetTransport

/// The way to the thread that has the connections. libcurl's handles belong to that thread alone.
final class CurlConnections: Sendable {
    /// `CurlThread.end` resumes each once.
    typealias Continuation = UnsafeContinuation<IncomingResponse, any Error>

    /// What a task asks of the thread.
    enum Order: Sendable {
        case begin(CurlMessage, Continuation)
        case cancel(CurlMessage)
    }

    private struct State {
        var orders: [Order] = []
        /// Of the thread that runs.
        var alarm: CurlAlarm?
        /// Whether the thread waits, and nobody has rung.
        var isAsleep = false
        var isShutDown = false

        /// - Returns: What to ring so that the thread takes its orders; nil if it does so anyway.
        mutating func wake() -> CurlAlarm? {
            defer { isAsleep = false }
            return isAsleep ? alarm : nil
        }
    }

    private let state = Lock(State())
    private let trust: CurlTrust

    init(_ trust: CurlTrust) { self.trust = trust }

    /// - Throws: `TransportError`; `CancellationError`.
    func exchange(_ message: CurlMessage) async throws -> IncomingResponse {
        guard carnet_curl_load() == 1 else {
            let (problem, next) = CurlLibrary.absence
            throw TransportError(
                .unsupportedRequest, "no request can be sent to \(message.origin): \(problem); \(next)")
        }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                do throws(TransportError) {
                    try begin(message, continuation)
                    // The handler may have run before there was something to cancel.
                    if Task.isCancelled { cancel(message) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            cancel(message)
        }
    }

    private func cancel(_ message: CurlMessage) {
        let alarm: CurlAlarm? = state.withLock { state in
            guard state.alarm != nil else { return nil }
            state.orders.append(.cancel(message))
            return state.wake()
        }
        alarm?.ring()
    }

    /// Orders an exchange, and starts the thread if none runs.
    private func begin(_ message: CurlMessage, _ continuation: Continuation) throws(TransportError) {
        func failure(_ reason: String) -> TransportError {
            TransportError(.connection, "no connection to \(message.origin): \(reason)")
        }
        let alarm = try state.withLock { state throws(TransportError) -> CurlAlarm? in
            guard !state.isShutDown else { throw failure("the transport was shut down") }
            if state.alarm == nil {
                guard let alarm = CurlAlarm() else { throw failure(SystemError.message(errno)) }
                guard CurlThreads.start(self, alarm, trust) else { throw failure("the transport was shut down") }
                state.alarm = alarm
            }
            state.orders.append(.begin(message, continuation))
            return state.wake()
        }
        alarm?.ring()
    }

    /// - Parameter isIdle: Whether the thread ends if there are no orders.
    /// - Returns: The orders since the last call, and whether the thread has to end after it has carried them out.
    func takeOrders(isIdle: Bool) -> (orders: [Order], isLast: Bool) {
        state.withLock { state in
            let isLast = state.isShutDown || isIdle && state.orders.isEmpty
            if isLast { state.alarm = nil }
            state.isAsleep = false
            defer { state.orders = [] }
            return (state.orders, isLast)
        }
    }

    /// - Returns: Whether the thread may wait, because there are no orders. The next order rings.
    func sleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.orders.isEmpty && !state.isShutDown
            return state.isAsleep
        }
    }

    func shutDown() {
        let alarm: CurlAlarm? = state.withLock { state in
            state.isShutDown = true
            return state.wake()
        }
        alarm?.ring()
    }
}

/// The poller of the thread, and the bell that ends its wait.
final class CurlAlarm: Sendable {
    let poller: Int32
    private let bell: Int32

    /// Nil if the system has no more descriptors.
    init?() {
        var bell: Int32 = -1
        poller = carnet_curl_poller(&bell)
        self.bell = bell
        guard poller >= 0 else { return nil }
    }

    deinit {
        for descriptor in [poller, bell] where descriptor >= 0 { close(descriptor) }
    }

    func ring() { carnet_curl_ring(poller, bell) }
}
