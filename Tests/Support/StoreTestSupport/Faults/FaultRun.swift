import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetHTTP
import CarnetPostgreSQL
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTestSupport
import Foundation

/// Processes that refresh the tokens of the same accounts at a provider that revokes a family when a token comes twice.
/// Between each and the database is a proxy that delays, cuts and swallows; and each is stopped for longer than its lease.
public final class FaultRun: Sendable {
    private let plan: FaultPlan
    private let report = Lock(FaultReport())
    private let isOver = Lock(false)

    public init(_ plan: FaultPlan) {
        self.plan = plan
    }

    public func run() async throws -> FaultReport {
        let started = ContinuousClock.now
        let cluster = try PostgreSQLCluster()
        defer { cluster.remove() }
        let address = try cluster.makeDatabase()
        let database = address.split(separator: "=").last ?? ""
        let delays = Lock(SplitMix64(seed: plan.seed))
        let provider = try await RotatingProvider { [plan] in
            let fraction = delays.withLock { Double.random(in: 0..<1, using: &$0) }
            // Most responses come soon, a few take long.
            return .milliseconds(Int(Double(plan.slowest) * fraction * fraction * fraction))
        }
        let direct = try plan.store(address, isPatient: true)
        for number in 0..<plan.accounts {
            _ = try await direct.save(
                .signedIn(plan.account(number), refreshToken: provider.begin(plan.account(number))), replacing: nil)
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<plan.processes {
                let proxy = try await FaultProxy(to: "\(cluster.folder)/.s.PGSQL.5432")
                let location = "host=127.0.0.1 port=\(proxy.port) user=carnet dbname=\(database)"
                let worker = try WorkerProcess([provider.authority] + StoreLocation(.postgresql, location).arguments)
                let text = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
                try worker.send("faults \(number) \(text)")
                group.addTask { [self] in
                    for await line in worker.lines where note(line) { return }
                    throw StoreLocation.Unknown()
                }
                group.addTask { [self] in
                    var generator = SplitMix64(seed: plan.seed &* 31 &+ UInt64(number))
                    while !isOver.withLock(\.self) { await disturb(worker, proxy, &generator) }
                    try worker.send("stop")
                    // Only to keep it until its worker is done.
                    withExtendedLifetime(proxy) {}
                }
            }
            group.addTask { [self] in
                while provider.uses.count < plan.refreshes { try await Task.sleep(for: .milliseconds(100)) }
                isOver.withLock { $0 = true }
            }
            try await group.waitForAll()
        }
        return try await finish(provider, direct, seconds: (ContinuousClock.now - started) / .seconds(1))
    }

    /// Takes a worker's line.
    ///
    /// - Returns: Whether it is the last.
    private func note(_ line: String) -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        report.withLock { report in
            switch words[0] {
            case "saved": report.saved += 1
            case "failed": report.failures[String((words.last ?? "").prefix(90)), default: 0] += 1
            case "ended": report.lost.append(line)
            default: break
            }
        }
        return line == "done"
    }

    private func disturb(_ worker: WorkerProcess, _ proxy: FaultProxy, _ generator: inout SplitMix64) async {
        await pause(plan.calm, &generator)
        guard plan.isDisturbed, !isOver.withLock(\.self) else { return }
        let kind = Int.random(in: 0..<6, using: &generator)
        if kind < 3 || plan.overlaps {
            report.withLock { $0.stops += 1 }
            if kind >= 3 { await disturb(proxy, kind, &generator) }
            worker.suspend()
            await pause(plan.stop, &generator)
            worker.resume()
        } else {
            await disturb(proxy, kind, &generator)
            await pause(plan.cut, &generator)
        }
        proxy.set(.none)
        // A process that was cut off shows itself to the database again within a quarter of its lease.
        if kind >= 3 { try? await Task.sleep(for: .milliseconds(plan.lease / 4 + 1000)) }
    }

    private func disturb(_ proxy: FaultProxy, _ kind: Int, _ generator: inout SplitMix64) async {
        switch kind {
        case 3:
            report.withLock { $0.cuts += 1 }
            proxy.set(.cut)
        case 4:
            report.withLock { $0.halfOpens += 1 }
            proxy.set(.halfOpen)
        default:
            report.withLock { $0.delays += 1 }
            proxy.set(.delay(.milliseconds(Int.random(in: 50...800, using: &generator))))
        }
    }

    private func pause(_ range: ClosedRange<Int>, _ generator: inout SplitMix64) async {
        try? await Task.sleep(for: .milliseconds(Int.random(in: range, using: &generator)))
    }

    /// Refreshes each account once more, as a process that meets nothing of all this.
    private func finish(
        _ provider: RotatingProvider, _ store: any TokenStore, seconds: Double
    ) async throws -> FaultReport {
        var report = report.withLock { $0 }
        report.seconds = seconds
        report.refreshes = provider.uses.count
        let transport = ProcessTransport(
            base: provider.authority, process: "last", transport: AsyncHTTPTransport(localAccess: .all))
        let client = try StormProvider.client(store, transport: transport)
        for number in 0..<plan.accounts {
            let account = plan.account(number)
            do {
                guard let session = try await client.session(for: account) else { throw StoreLocation.Unknown() }
                try await session.refresh()
            } catch {
                report.lost.append("\(account): \(error)")
            }
        }
        let uses = Dictionary(grouping: provider.uses) { $0.token }
        report.reused = uses.filter { $0.value.count > 1 }.map { token, uses in
            let first = uses[0].time
            let senders = uses.map { "\($0.process) after \(($0.time - first) / .seconds(1)) s" }
            return "\(token) by \(senders.joined(separator: ", "))"
        }
        try await provider.stop()
        return report
    }
}

extension Connection {
    fileprivate static func signedIn(_ account: String, refreshToken: String) -> Self {
        var connection = Connection.test(account: account, token: "access")
        connection.tokens.refreshToken = Secret(refreshToken)
        connection.tokens.idToken = nil
        connection.tokens.issuedAt = Date()
        connection.tokens.expiresAt = Date() + 3600
        return connection
    }
}
