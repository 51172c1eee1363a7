import CLibCurl
import Carnet
import CarnetDescriptors
import CarnetTransport

/// The loop of one thread over libcurl's handles, which no other thread sees.
final class CurlThread {
    /// After so long without an exchange the connections are closed, and the thread ends.
    private static let patience = Duration.seconds(15)
    /// How many exchanges with one origin run at a time. Others wait.
    private static let simultaneous = 64
    /// How many handles are kept for later exchanges.
    private static let spares = 64

    private let connections: CurlConnections
    private let alarm: CurlAlarm
    private let trust: CurlTrust
    private let multi = carnet_curl_multi()
    private var clock = RunningClock()
    private var exchanges: [Int: CurlExchange] = [:]
    private var running: [UnsafeMutableRawPointer: CurlExchange] = [:]
    private var counts: [ByteKey: Int] = [:]
    private var waiting: [ByteKey: ArraySlice<Int>] = [:]
    /// For requests without a proxy and a certificate.
    private var spare: [CurlHandle] = []
    /// No deadline is earlier.
    private var nextDeadline = Duration.zero

    init(_ connections: CurlConnections, _ alarm: CurlAlarm, _ trust: CurlTrust) {
        (self.connections, self.alarm, self.trust) = (connections, alarm, trust)
    }

    func run() {
        carnet_curl_block_signals()
        var isIdle = false
        while true {
            let (orders, isLast) = connections.takeOrders(isIdle: isIdle)
            orders.forEach(carryOut)
            if isLast { break }
            carnet_curl_perform(multi)
            var result = CURLE_OK
            while let easy = carnet_curl_next(multi, &result) {
                if let exchange = running[easy] { end(exchange, exchange.outcome(result)) }
            }
            endOverdue()
            wait(&isIdle)
        }
        for exchange in exchanges.values {
            end(
                exchange,
                .failure(
                    TransportError(
                        .connection, "the connection to \(exchange.message.route) ended: the transport was shut down")))
        }
        spare = []
        carnet_curl_end_multi(multi)
    }

    private func wait(_ isIdle: inout Bool) {
        let time =
            exchanges.isEmpty ? Self.patience : min(RunningClock.slice, max(nextDeadline - clock.time, .zero))
        let hasRung = carnet_curl_wait(multi, alarm.reader, time.milliseconds) == 1
        if hasRung { alarm.silence() }
        isIdle = exchanges.isEmpty && !hasRung
        if clock.advance(afterWaiting: time) {
            for exchange in exchanges.values {
                exchange.deadline = max(exchange.deadline, clock.time + RunningClock.grace)
            }
        }
    }

    private func carryOut(_ order: CurlConnections.Order) {
        switch order {
        case .begin(let id, let message, let continuation):
            let deadline = clock.time + min(message.limits.deadline, .seconds(1 << 32))
            let exchange = CurlExchange(id, message, continuation, deadline: deadline)
            nextDeadline = exchanges.isEmpty ? deadline : min(nextDeadline, deadline)
            exchanges[id] = exchange
            guard counts[message.routeKey, default: 0] < Self.simultaneous else {
                waiting[message.routeKey, default: []].append(id)
                return
            }
            start(exchange)
        case .cancel(let id):
            if let exchange = exchanges[id] { end(exchange, .failure(CancellationError())) }
        }
    }

    private func start(_ exchange: CurlExchange) {
        counts[exchange.message.routeKey, default: 0] += 1
        exchange.hasPlace = true
        do throws(TransportError) {
            let known = exchange.message.isPlain ? spare.popLast() : nil
            let handle: CurlHandle
            if let known { handle = known } else { handle = try CurlHandle(trust) }
            exchange.handle = handle
            try handle.prepare(for: exchange)
            running[handle.easy] = exchange
            guard carnet_curl_add(multi, handle.easy) == CURLM_OK else { throw TransportError.outOfMemory }
        } catch {
            end(exchange, .failure(error))
        }
    }

    private func end(_ exchange: CurlExchange, _ outcome: Result<IncomingResponse, any Error>) {
        guard exchanges.removeValue(forKey: exchange.id) != nil else { return }
        exchange.continuation.resume(with: outcome)
        if let handle = exchange.handle {
            exchange.handle = nil
            running[handle.easy] = nil
            carnet_curl_remove(multi, handle.easy)
            handle.clear()
            if exchange.message.isPlain, spare.count < Self.spares { spare.append(handle) }
        }
        // One that waited had no place to give up.
        guard exchange.hasPlace else { return }
        let route = exchange.message.routeKey
        let count = (counts[route] ?? 1) - 1
        counts[route] = count == 0 ? nil : count
        while let next = waiting[route]?.popFirst() {
            guard let exchange = exchanges[next] else { continue }
            start(exchange)
            return
        }
        waiting[route] = nil
    }

    private func endOverdue() {
        guard !exchanges.isEmpty, clock.time >= nextDeadline else { return }
        for exchange in exchanges.values where clock.time >= exchange.deadline {
            let (route, deadline) = (exchange.message.route, exchange.message.limits.deadline)
            end(
                exchange,
                .failure(
                    TransportError(.timeout, "\(route) did not send a complete response within \(deadline)")))
        }
        nextDeadline = exchanges.values.map(\.deadline).min() ?? .zero
    }
}

extension Duration {
    /// Rounded up.
    fileprivate var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
