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

    /// - Parameter steps: How often on the way the memory is looked at.
    /// - Returns: A line for each step.
    static func growth(to count: Int, in steps: Int) async throws -> [String] {
        let store = MemoryTokenStore()
        let client = try StormProvider.client(store, transport: Unreachable())
        let before = residentMebibytes()
        var stored = 0.0
        var sessions: [Session] = []
        var lines: [String] = []
        for step in 1...steps {
            let start = residentMebibytes()
            let numbers = count * (step - 1) / steps..<count * step / steps
            for number in numbers { _ = try await store.save(.signedIn("account-\(number)"), replacing: nil) }
            stored += residentMebibytes() - start
            for number in numbers {
                guard let session = try await client.session(for: "account-\(number)") else { continue }
                sessions.append(session)
            }
            lines.append(
                String(
                    format: "%d sessions: %.0f MiB, of which %.0f MiB are the tokens in the store of the memory",
                    sessions.count, residentMebibytes() - before, stored))
        }
        return lines
    }

    private static func residentMebibytes() -> Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
    }
}
