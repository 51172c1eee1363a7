import Carnet
import CarnetStoreTestSupport
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// Processes that share an account, and a provider that revokes everything when a refresh token comes twice.
@Suite("Many processes", .serialized)
struct ManyProcessesTests {
    @Test("Thousand callers of eight processes refresh once", arguments: StoreLocation.Kind.allCases)
    func thousandCallersOfEightProcessesRefreshOnce(kind: StoreLocation.Kind) async throws {
        let storm = try await Storm(kind)
        try await storm.signIn(clock: ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000)))
        let workers = try (0..<8).map { _ in try storm.worker() }
        for round in 1...3 {
            // Everyone's clock goes on past the end of the token.
            for worker in workers { try worker.send("tokens 125 \(round * 10_000)") }
            var given = 0
            for worker in workers {
                for await line in worker.lines {
                    if line.hasPrefix("given ") { given += Int(line.dropFirst(6)) ?? 0 }
                    #expect(!line.hasPrefix("failed") && !line.hasPrefix("ended"), "\(line)")
                    if line == "done" { break }
                }
            }
            #expect(given == 1000)
            #expect(await storm.refreshes() == round)
        }
    }

    /// A process that is killed loses nothing that it has said to have: what is stored is what was acknowledged last,
    /// or newer.
    @Test("Killed process loses nothing acknowledged", arguments: StoreLocation.Kind.allCases)
    func killedProcessLosesNothingAcknowledged(kind: StoreLocation.Kind) async throws {
        let storm = try await Storm(kind, lease: 300)
        try await storm.signIn()
        var generator = SplitMix64(seed: 0x5EED)
        var kills = 0
        // In PostgreSQL the next process waits for the lease of a killed one.
        while kills < (kind == .postgresql ? 25 : 67) {
            let worker = try storm.worker()
            try worker.send("storm 4")
            let last = Int.random(in: 1...6, using: &generator)
            var saved: [Int] = []
            var ended = false
            for await line in worker.lines {
                if line.hasPrefix("saved "), let moment = Int(line.dropFirst(6)) {
                    saved.append(moment)
                    if saved.count == last { worker.kill() }
                } else if line.hasPrefix("ended") {
                    ended = true
                    // Only a kill between the provider's response and the save can end a session: the first refresh
                    // tells.
                    #expect(saved.isEmpty, "\(line)")
                    worker.kill()
                } else if line != "ready" {
                    Issue.record("\(line)")
                }
            }
            kills += 1
            let stored = try await storm.location.open().load(StormProvider.key)
            if ended {
                #expect(stored == nil)
                try await storm.signIn()
            } else {
                let moment = try #require(stored).connection.tokens.issuedAt.timeIntervalSince1970 * 1_000_000
                #expect(Int(moment) >= saved.max() ?? 0)
            }
        }
    }

    @Test("Restart of the database ends no session")
    func restartOfTheDatabaseEndsNoSession() async throws {
        let cluster = try PostgreSQLCluster()
        defer { cluster.remove() }
        let storm = try await Storm(.postgresql, in: cluster)
        try await storm.signIn()
        let workers = try (0..<4).map { _ in try storm.worker() }
        for worker in workers { try worker.send("storm 4") }
        let lines = AsyncStream<String> { continuation in
            let readers = Task {
                await withTaskGroup { group in
                    for worker in workers {
                        group.addTask { for await line in worker.lines { continuation.yield(line) } }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in readers.cancel() }
        }
        var saved = 0
        var disturbances = 0
        for await line in lines {
            #expect(!line.hasPrefix("ended"), "\(line)")
            guard line.hasPrefix("saved ") else { continue }
            saved += 1
            guard saved.isMultiple(of: 40) else { continue }
            guard disturbances < 6 else { break }
            disturbances += 1
            if disturbances.isMultiple(of: 2) {
                try cluster.crash()
                try cluster.start()
            } else {
                try cluster.cutConnections()
            }
        }
        for worker in workers { worker.kill() }
        #expect(disturbances == 6)
        #expect(try await storm.location.open().load(StormProvider.key) != nil)
    }
}
