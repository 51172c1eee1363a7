import CarnetFoundation
import CarnetGateway
import CarnetHummingbird
import CarnetProtocol
import CarnetWeb
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
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
    /// The metrics, and the port of this machine where they are.
    let metrics: (text: MetricsText, port: Int)?
    let signals: ServerSignals
    let console: Console

    private static let watchInterval = Duration.seconds(2)
    private static let signalInterval = Duration.milliseconds(200)

    /// - Parameter onStart: Called when the port is open.
    /// - Throws: The system's error if the port cannot be had; `CancellationError`.
    func run(onStart: @escaping @Sendable (Int?) async -> Void) async throws {
        var limits = ServerLimits()
        limits.proxies = { [site] peer in
            guard let address = peer.ipAddress.flatMap({ IPAddress(numericHost: $0) }) else { return true }
            return site.current.isProxy(address)
        }
        let application = Application(
            responder: GatewayResponder(site: site, sandbox: sandbox),
            server: limits.server(),
            configuration: ApplicationConfiguration(address: address),
            onServerRunning: { await onStart($0.localAddress?.port) },
            logger: Logger(label: "carnet.gateway") { _ in SwiftLogNoOpLogHandler() }
        )
        let service = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [application], logger: Logger(label: "carnet.gateway") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            if let sandbox {
                let (starts, started) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    defer { started.finish() }
                    try await sandbox.run { started.finish() }
                    return false
                }
                // Its address is part of the first redirect.
                for await _ in starts {}
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
            if let metrics {
                group.addTask {
                    try await Failure.explainingPort(metrics.port, option: "--metrics-port") {
                        try await serve(metrics.text, at: metrics.port)
                    }
                    return false
                }
            }
            while let hasEnded = try await group.next(), !hasEnded {}
            group.cancelAll()
        }
        await site.finish()
    }

    /// The page of the metrics, for programs of this machine.
    private func serve(_ metrics: MetricsText, at port: Int) async throws {
        let router = Router()
        router.get("metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
        }
        try await Application(
            router: router, server: ServerLimits().server(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            logger: Logger(label: "carnet.gateway") { _ in SwiftLogNoOpLogHandler() }
        ).run()
    }

    /// Uses a new version when something that it was made of has changed, or at SIGHUP. A file with mistakes changes nothing.
    private func watch() async throws {
        var inputs = inputs
        var lastWarning: String?
        var lastLook = ContinuousClock.now
        while true {
            try await Task.sleep(for: Self.signalInterval)
            let isAsked = signals.takeReload()
            guard isAsked || .now - lastLook >= Self.watchInterval else { continue }
            lastLook = .now
            let found = loader.inputs()
            let isNew = isAsked || found != inputs
            // What failed may have been a database that is back.
            guard isNew || lastWarning != nil else { continue }
            if isNew { lastWarning = nil }
            inputs = found
            do {
                site.replace(try await loader.load())
                lastWarning = nil
                console.note("the gateway file was read again")
            } catch {
                let failure = Failure(describing: error)
                guard failure.summary != lastWarning else { continue }
                lastWarning = failure.summary
                console.warn("\(failure.summary); the gateway goes on with the version before".printable)
                for line in failure.next { console.note("  next  \(line.printable)") }
            }
        }
    }
}
