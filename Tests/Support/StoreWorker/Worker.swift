import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetHTTP
import CarnetStoreTestSupport
import CarnetTesting
import CarnetURLSession
import Foundation

final class Worker: Sendable {
    private let base: String
    private let location: StoreLocation
    private let store: any TokenStore
    private let transport: SandboxBoundTransport
    private let faults = Lock<FaultWorker?>(nil)

    init(arguments: [String]) throws {
        base = arguments[1]
        location = try StoreLocation(arguments: arguments[2...])
        store = try location.open()
        transport = SandboxBoundTransport(base: base, transport: AsyncHTTPTransport(localAccess: .all))
    }

    /// Writes at once: the process may be killed at any moment.
    func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line.replacing("\n", with: " ") + "\n").utf8))
    }

    private func say(_ error: any Error) {
        let isEnd = (error as? OAuthError)?.disposition == .signInAgain
        say("\(isEnd ? "ended" : "failed") \(error)")
    }

    func giveTokens(to callers: Int, seconds: Double) async throws {
        let clock = ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000 + seconds))
        let client = try StormProvider.client(store, transport: transport, clock: clock)
        let given = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<callers {
                group.addTask { [self] in
                    do {
                        let session = try await client.session(for: StormProvider.key.account)
                        let tokens = try await session?.tokens()
                        return tokens.map { !$0.isExpiring(within: 0, at: clock.now) } ?? false
                    } catch {
                        say(error)
                        return false
                    }
                }
            }
            var given = 0
            for await isGiven in group where isGiven { given += 1 }
            return given
        }
        say("given \(given)")
        say("done")
    }

    func storm(callers: Int) async throws {
        // A lock outlasts the exchange, and in a storm processes are killed that hold it.
        let client = try StormProvider.client(
            store, transport: transport, limits: TransportLimits(deadline: .milliseconds(location.exchange)))
        await withTaskGroup { group in
            for _ in 0..<callers { group.addTask { await self.refreshWithoutEnd(client) } }
        }
    }

    func refresh(over name: String, limit: Double) async {
        let transport: any Transport =
            name == "urlsession" ? URLSessionTransport(localAccess: .all) : AsyncHTTPTransport(localAccess: .all)
        do {
            let client = try StormProvider.client(
                store, transport: ProcessTransport(base: base, process: name, transport: transport),
                limits: TransportLimits(deadline: .seconds(limit)))
            let session = try await client.session(for: StormProvider.key.account)
            say("saved \(try await session?.refresh().refreshToken?.reveal() ?? "nothing")")
        } catch {
            say(error)
        }
    }

    func beginFaults(number: Int, plan text: String) throws {
        let plan = try JSONDecoder().decode(FaultPlan.self, from: Data(text.utf8))
        let worker = try FaultWorker(
            plan, number: number, address: location.place,
            transport: ProcessTransport(
                base: base, process: String(number), transport: AsyncHTTPTransport(localAccess: .all))
        ) { [self] in say($0) }
        faults.withLock { $0 = worker }
        Task { await worker.run() }
    }

    func stopFaults() {
        faults.withLock { $0?.stop() }
    }

    private func refreshWithoutEnd(_ client: OAuthClient) async {
        while true {
            do {
                guard let session = try await client.session(for: StormProvider.key.account) else {
                    return say("ended: there is no session")
                }
                let tokens = try await session.refresh()
                say("saved \(Int(tokens.issuedAt.timeIntervalSince1970 * 1_000_000))")
            } catch {
                say(error)
                if (error as? OAuthError)?.disposition == .signInAgain { return }
            }
        }
    }
}
