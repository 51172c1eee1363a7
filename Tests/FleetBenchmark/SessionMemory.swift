import Carnet
import CarnetStoreTestSupport
import Foundation

/// What so many sessions take in one process.
struct SessionMemory {
    private struct Unreachable: Transport {
        func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
            throw TransportError(.timeout, "nothing is asked for")
        }
    }

    let storeMebibytes: Double
    let mebibytes: Double

    init(count: Int) async throws {
        let store = MemoryTokenStore()
        let client = try StormProvider.client(store, transport: Unreachable())
        let before = Self.residentMebibytes()
        for number in 0..<count { _ = try await store.save(.signedIn("account-\(number)"), replacing: nil) }
        let stored = Self.residentMebibytes()
        var sessions: [Session] = []
        sessions.reserveCapacity(count)
        for number in 0..<count {
            guard let session = try await client.session(for: "account-\(number)") else { continue }
            sessions.append(session)
        }
        storeMebibytes = stored - before
        mebibytes = Self.residentMebibytes() - before
        precondition(sessions.count == count)
    }

    private static func residentMebibytes() -> Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
    }
}
