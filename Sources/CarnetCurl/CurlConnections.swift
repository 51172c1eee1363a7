import CLibCurl
import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTransport
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The way to the thread that has the connections. libcurl's handles belong to that thread alone.
final class CurlConnections: Sendable {
    typealias Continuation = CheckedContinuation<IncomingResponse, any Error>

    /// What a task asks of the thread.
    enum Order: Sendable {
        case begin(Int, CurlMessage, Continuation)
        case cancel(Int)
    }

    private struct State {
        var orders: [Order] = []
        var ordersGiven = 0
        /// Of the thread that runs.
        var alarm: CurlAlarm?
        var isShutDown = false
    }

    private let state = Lock(State())
    private let trust: CurlTrust

    init(_ trust: CurlTrust) {
        self.trust = trust
    }

    /// - Throws: `TransportError`; `CancellationError`.
    func exchange(_ message: CurlMessage) async throws -> IncomingResponse {
        guard carnet_curl_load() == 1 else {
            throw TransportError(
                .unsupportedRequest,
                "no request can be sent to \(message.origin): this system has no libcurl 7.80 or newer (libcurl.so.4)")
        }
        let id = state.withLock { state in
            state.ordersGiven += 1
            return state.ordersGiven
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if let failure = give(.begin(id, message, continuation), message.origin) {
                    continuation.resume(throwing: failure)
                } else if Task.isCancelled {
                    // The handler may have run before there was something to cancel.
                    cancel(id)
                }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: Int) {
        let alarm: CurlAlarm? = state.withLock { state in
            guard let alarm = state.alarm else { return nil }
            state.orders.append(.cancel(id))
            return alarm
        }
        alarm?.ring()
    }

    /// Gives an order, and starts the thread if none runs.
    ///
    /// - Returns: Why that is not possible.
    private func give(_ order: Order, _ origin: String) -> TransportError? {
        let outcome: Result<CurlAlarm?, TransportError> = state.withLock { state in
            guard !state.isShutDown else {
                return .failure(
                    TransportError(.connection, "no connection to \(origin): the transport was shut down"))
            }
            if let alarm = state.alarm {
                state.orders.append(order)
                // Orders that the thread has not taken have rung already.
                return .success(state.orders.count == 1 ? alarm : nil)
            }
            guard let alarm = CurlAlarm() else {
                return .failure(
                    TransportError(
                        .connection, "no connection to \(origin): \(String(cString: strerror(errno)))"))
            }
            state.alarm = alarm
            state.orders.append(order)
            Thread.detachNewThread { [self] in CurlThread(self, alarm, trust).run() }
            return .success(nil)
        }
        switch outcome {
        case .success(let alarm):
            alarm?.ring()
            return nil
        case .failure(let error):
            return error
        }
    }

    /// - Parameter isIdle: Whether the thread ends if there are no orders.
    /// - Returns: The orders since the last call, and whether the thread has to end after it has carried them out.
    func takeOrders(isIdle: Bool) -> (orders: [Order], isLast: Bool) {
        state.withLock { state in
            let isLast = state.isShutDown || isIdle && state.orders.isEmpty
            if isLast { state.alarm = nil }
            defer { state.orders = [] }
            return (state.orders, isLast)
        }
    }

    func shutDown() {
        let alarm: CurlAlarm? = state.withLock { state in
            state.isShutDown = true
            return state.alarm
        }
        alarm?.ring()
    }
}

/// Ends the wait of the thread.
final class CurlAlarm: Sendable {
    let reader: Int32
    private let writer: Int32

    /// Nil if the system has no more descriptors.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard carnet_curl_pipe(&ends) == 0 else { return nil }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// A full pipe rings, too.
    func ring() {
        var byte: UInt8 = 0
        _ = write(writer, &byte, 1)
    }

    func silence() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { bytes in
            while read(reader, bytes.baseAddress, bytes.count) == bytes.count {}
        }
    }
}
