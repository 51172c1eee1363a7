import Carnet
import CarnetFoundation
import CarnetGateway
import CarnetHummingbird
import CarnetProtocol
import CarnetWeb
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import ServiceLifecycle

/// The gateway on a port: serves, reads its file again, and ends when all requests have a response.
struct GatewayServer: Sendable {
    let site: GatewaySite
    let loader: GatewayLoader
    /// As they were before `site` was made of them.
    let inputs: GatewayLoader.Inputs
    let sandbox: GatewaySandbox?
    let address: BindAddress
    let connections: Int
    /// The metrics, and the address and port of this machine where they are.
    let metrics: (text: MetricsText, address: String, port: Int)?
    let signals: ServerSignals
    let console: Console

    private static let watchInterval = Duration.seconds(2)
    private static let signalInterval = Duration.milliseconds(200)
    private static let cleaningInterval = Duration.seconds(3600)

    /// - Parameter onStart: Called when the port is open.
    /// - Throws: The system's error if the port cannot be had; `CancellationError`.
    func run(onStart: @escaping @Sendable (Int?) async -> Void) async throws {
        var limits = ServerLimits()
        limits.connections = connections
        limits.backlog = connections
        allowFiles(connections)
        limits.proxies = { [site] peer in
            guard let address = peer.ipAddress.flatMap({ IPAddress(numericHost: $0) }) else { return true }
            return site.current.isProxy(address)
        }
        let application = limits.application(
            GatewayResponder(site: site, sandbox: sandbox), at: address,
            onStart: { await onStart($0.localAddress?.port) })
        let service = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [application], logger: Logger(label: "carnet.gateway") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            // Its address is part of the first redirect.
            if let sandbox { await start(in: &group) { try await sandbox.run(onStart: $0) } }
            if let metrics {
                await start(in: &group) { onStart in
                    try await Failure.explaining(.port(metrics.port, of: metrics.address, option: "--metrics-port")) {
                        try await serve(metrics.text, at: .hostname(metrics.address, port: metrics.port), onStart)
                    }
                }
            }
            group.addTask {
                try await service.run()
                return true
            }
            group.addTask {
                await signals.untilDrain()
                try Task.checkCancellation()
                site.drain()
                console.note("the gateway ends when every request has its response")
                await service.triggerGracefulShutdown()
                return false
            }
            group.addTask {
                try await watch()
                return false
            }
            group.addTask {
                try await cleanStore()
                return false
            }
            while let hasEnded = try await group.next(), !hasEnded {}
            group.cancelAll()
        }
        await site.finish()
    }

    /// Runs a server beside the gateway, and returns when its port is open: the message that the gateway runs is of all of it.
    private func start(
        in group: inout ThrowingTaskGroup<Bool, any Error>,
        _ run: @escaping @Sendable (_ onStart: @escaping @Sendable () -> Void) async throws -> Void
    ) async {
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        group.addTask {
            defer { started.finish() }
            try await run { started.finish() }
            return false
        }
        for await _ in starts {}
    }

    /// Lets the process open a file for each connection, and for what it needs besides.
    private func allowFiles(_ connections: Int) {
        let needed = rlim_t(connections + 512)
        var limit = rlimit()
        #if os(Linux)
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let files = RLIMIT_NOFILE
        #endif
        guard getrlimit(files, &limit) == 0, limit.rlim_cur < needed else { return }
        limit.rlim_cur = min(needed, limit.rlim_max)
        if setrlimit(files, &limit) != 0 || limit.rlim_cur < needed {
            console.warn("the system allows \(limit.rlim_cur) open files, too few for --connections \(connections)")
        }
    }

    private func serve(
        _ metrics: MetricsText, at address: BindAddress, _ onStart: @escaping @Sendable () -> Void
    ) async throws {
        let router = Router()
        router.get("metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
        }
        try await ServerLimits().application(router.buildResponder(), at: address, onStart: { _ in onStart() }).run()
    }

    /// Removes what sessions leave in the store: at the start, and each hour.
    private func cleanStore() async throws {
        guard let store = loader.opened.withLock({ $0?.store }) else { return }
        while true {
            do {
                let count = try await GatewaySession.removeExpired(in: store)
                if count > 0 {
                    console.note("\(count) record\(count == 1 ? "" : "s") of expired sessions removed from the store")
                }
            } catch let error as TokenStoreError {
                console.warn("expired sessions stay in the store: \(error.reason)".printable)
            }
            try await Task.sleep(for: Self.cleaningInterval)
        }
    }

    /// Uses a new version when something that it was made of has changed, or at SIGHUP. A file with mistakes changes nothing.
    private func watch() async throws {
        // Whether the gateway uses its file as it is now, for an alert.
        let isOK = Gauge(label: "carnet.gateway.file.ok")
        let changed = Gauge(label: "carnet.gateway.file.read.timestamp.seconds")
        func noteSuccess() {
            isOK.record(1)
            changed.record(SystemWallClock().now.timeIntervalSince1970)
        }
        noteSuccess()
        var inputs = inputs
        var reloads = Reloads()
        var lastLook = ContinuousClock.now
        while true {
            try await Task.sleep(for: Self.signalInterval)
            let isAsked = signals.takeReload()
            guard isAsked || .now - lastLook >= Self.watchInterval else { continue }
            lastLook = .now
            let found = loader.inputs()
            guard reloads.isDue(isAsked: isAsked, isChanged: found != inputs) else { continue }
            inputs = found
            do {
                site.replace(try await loader.load())
                reloads.hasSucceeded()
                noteSuccess()
                loader.lastSummary.withLock { $0 }?.report(console)
                console.note("the gateway file was read again")
            } catch {
                try Task.checkCancellation()
                isOK.record(0)
                let mistakes = error as? GatewayMistakes ?? GatewayMistakes([Failure(describing: error)])
                guard reloads.isNews(mistakes) else { continue }
                var failure = mistakes.failure(console)
                failure.summary += "; the gateway goes on with the version before"
                console.note(failure)
            }
        }
    }
}

/// When a gateway reads its file again, and what of it is news.
struct Reloads {
    /// What failed last and may be over without a change of a file, such as a database that cannot be reached.
    private var passing: String?
    private var isNew = false

    /// - Parameters:
    ///   - isAsked: By a signal.
    ///   - isChanged: Whether a file differs from what was read last.
    mutating func isDue(isAsked: Bool, isChanged: Bool) -> Bool {
        isNew = isAsked || isChanged
        return isNew || passing != nil
    }

    mutating func hasSucceeded() { passing = nil }

    /// Whether mistakes were not reported yet.
    mutating func isNews(_ mistakes: GatewayMistakes) -> Bool {
        defer { passing = mistakes.areLasting ? nil : mistakes.summary }
        return isNew || passing != mistakes.summary
    }
}
