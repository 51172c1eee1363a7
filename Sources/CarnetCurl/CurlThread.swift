import CLibCurl
import Carnet
import CarnetFoundation
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
    /// Nil if there is no memory.
    private let loop: OpaquePointer?
    private var clock = RunningClock()
    private var exchanges: [ObjectIdentifier: CurlExchange] = [:]
    private var routes: [ByteKey: CurlRoute] = [:]
    /// For requests without a proxy and a certificate.
    private var spare: [CurlHandle] = []
    /// When the last exchange ended.
    private var idleSince = Duration.zero
    /// No deadline is earlier.
    private var nextDeadline = Duration.zero

    init(_ connections: CurlConnections, _ alarm: CurlAlarm, _ trust: CurlTrust) {
        (self.connections, self.alarm, self.trust) = (connections, alarm, trust)
        loop = carnet_curl_loop(alarm.poller)
    }

    func run() {
        carnet_curl_block_signals()
        var events = [carnet_curl_event](repeating: carnet_curl_event(), count: 64)
        while true {
            let isIdle = exchanges.isEmpty && clock.time >= idleSince + Self.patience
            let (orders, isLast) = connections.takeOrders(isIdle: isIdle)
            orders.forEach(carryOut)
            if isLast { break }
            run(events, 0)
            endOverdue()
            let time = connections.sleep() ? timeToWait : .zero
            let count = carnet_curl_wait(alarm.poller, &events, Int32(events.count), time.milliseconds)
            if clock.advance(afterWaiting: time) {
                let earliest = clock.time + RunningClock.grace
                for exchange in exchanges.values { exchange.deadline = max(exchange.deadline, earliest) }
            }
            // Before other exchanges begin, so that they can use the connections of those that end.
            run(events, count)
        }
        for route in routes.values { route.waiting = [] }
        for exchange in exchanges.values {
            let route = exchange.message.route
            fail(exchange, .connection, "the connection to \(route) ended: the transport was shut down")
        }
        spare = []
        carnet_curl_end_loop(loop)
    }

    private func run(_ events: [carnet_curl_event], _ count: Int32) {
        guard let loop else { return }
        carnet_curl_run(loop, events, count)
        var result = CURLE_OK
        while let context = carnet_curl_next(loop, &result) {
            if let exchange = CurlHandle.of(context)?.exchange { end(exchange, exchange.outcome(result)) }
        }
    }

    private var timeToWait: Duration {
        var time = idleSince + Self.patience - clock.time
        if !exchanges.isEmpty { time = min(RunningClock.slice, nextDeadline - clock.time) }
        if let loop, case let timer = carnet_curl_timer(loop), timer >= 0 { time = min(time, .milliseconds(timer)) }
        return max(time, .zero)
    }

    private func carryOut(_ order: CurlConnections.Order) {
        switch order {
        case .begin(let message, let continuation):
            let deadline = clock.time + min(message.limits.deadline, .seconds(1 << 32))
            let route = routes[message.routeKey] ?? CurlRoute()
            let exchange = CurlExchange(message, route, continuation, deadline: deadline)
            nextDeadline = exchanges.isEmpty ? deadline : min(nextDeadline, deadline)
            exchanges[ObjectIdentifier(message)] = exchange
            guard route.count < Self.simultaneous else {
                route.waiting.append(exchange)
                return
            }
            if route.count == 0 { routes[message.routeKey] = route }
            start(exchange)
        case .cancel(let message):
            if let exchange = exchanges[ObjectIdentifier(message)] { end(exchange, .failure(CancellationError())) }
        }
    }

    private func start(_ exchange: CurlExchange) {
        exchange.route.count += 1
        exchange.hasPlace = true
        do throws(TransportError) {
            let known = exchange.message.isPlain ? spare.popLast() : nil
            guard let loop else { throw TransportError.outOfMemory }
            let handle: CurlHandle
            if let known { handle = known } else { handle = try CurlHandle(trust, loop) }
            exchange.handle = handle
            try handle.prepare(for: exchange)
            guard carnet_curl_add(loop, handle.easy) == CURLM_OK else { throw TransportError.outOfMemory }
        } catch {
            end(exchange, .failure(error))
        }
    }

    private func fail(_ exchange: CurlExchange, _ kind: TransportError.Kind, _ reason: String) {
        end(exchange, .failure(TransportError(kind, reason)))
    }

    private func end(_ exchange: CurlExchange, _ outcome: Result<IncomingResponse, any Error>) {
        guard exchanges.removeValue(forKey: ObjectIdentifier(exchange.message)) != nil else { return }
        if exchanges.isEmpty { idleSince = clock.time }
        exchange.continuation.resume(with: outcome)
        if let handle = exchange.handle {
            exchange.handle = nil
            carnet_curl_remove(loop, handle.easy)
            handle.clear()
            if exchange.message.isPlain, spare.count < Self.spares { spare.append(handle) }
        }
        // One that waited had no place to give up.
        guard exchange.hasPlace else { return }
        let route = exchange.route
        route.count -= 1
        while let next = route.waiting.popFirst() {
            guard exchanges[ObjectIdentifier(next.message)] != nil else { continue }
            start(next)
            return
        }
        if route.count == 0 { routes[exchange.message.routeKey] = nil }
    }

    private func endOverdue() {
        guard !exchanges.isEmpty, clock.time >= nextDeadline else { return }
        for exchange in exchanges.values where clock.time >= exchange.deadline {
            let (route, deadline) = (exchange.message.route, exchange.message.limits.deadline)
            fail(exchange, .timeout, "\(route) did not send a complete response within \(deadline.inSeconds)")
        }
        nextDeadline = exchanges.values.map(\.deadline).min() ?? .zero
    }
}

/// The exchanges with one origin, through one proxy or none.
final class CurlRoute {
    /// How many run.
    var count = 0
    var waiting: ArraySlice<CurlExchange> = []
}

extension Duration {
    /// Rounded up.
    fileprivate var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
