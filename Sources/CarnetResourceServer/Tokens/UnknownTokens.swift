import CarnetFoundation
import CarnetProtocol

/// The places of requests about tokens that nobody has seen: anybody can make up such tokens, and the connections to the provider
/// also serve sign-ins and known tokens. The senders take turns.
final class UnknownTokens: Sendable {
    private struct Table {
        var taken = 0
        var count = 0
        var waiting: [[UInt8]: [CheckedContinuation<Bool, Never>]] = [:]
        /// The senders that wait, the next first.
        var turns: [[UInt8]] = []
    }

    /// How many requests run at the same time, and how many wait; of one sender, a quarter.
    private static let places = 16
    private static let patience = 1_024
    private let table = Lock(Table())

    /// - Parameter sender: The address of the sender; `nil` if it is unknown. An IPv6 network of 64 bits is one sender.
    /// - Throws: `OAuthError` if too many wait.
    func withPlace<Value>(of sender: String?, _ body: () async throws -> Value) async throws -> Value {
        let mayRun = await withCheckedContinuation { turn in
            let known = table.withLock { enter(&$0, sender, turn) }
            if let known { turn.resume(returning: known) }
        }
        guard mayRun else {
            throw OAuthError(.introspection, .transport, "too many unknown tokens wait for the introspection endpoint")
        }
        defer { table.withLock { leave(&$0) }?.resume(returning: true) }
        return try await body()
    }

    /// - Returns: Whether the sender may run now; `nil` if it waits.
    private func enter(_ table: inout Table, _ sender: String?, _ turn: CheckedContinuation<Bool, Never>) -> Bool? {
        guard table.taken >= Self.places else {
            table.taken += 1
            return true
        }
        let key = sender.map(IPAddress.network(of:)) ?? []
        let own = table.waiting[key]?.count ?? 0
        guard table.count < Self.patience, own < Self.patience / (sender == nil ? 1 : 4) else { return false }
        if own == 0 { table.turns.append(key) }
        table.waiting[key, default: []].append(turn)
        table.count += 1
        return nil
    }

    /// - Returns: Who takes the place.
    private func leave(_ table: inout Table) -> CheckedContinuation<Bool, Never>? {
        guard let sender = table.turns.first, let next = table.waiting[sender]?.removeFirst() else {
            table.taken -= 1
            return nil
        }
        table.turns.removeFirst()
        table.count -= 1
        if table.waiting[sender]?.isEmpty ?? true { table.waiting[sender] = nil } else { table.turns.append(sender) }
        return next
    }
}
