import Carnet
import CarnetApple
import CarnetDescriptors
import CarnetFoundation

/// The Keychain as Apple documents it: an item is identified by class, service, account and access group; a query without a
/// group finds the items of all groups; an update or deletion is about every item that a query finds, and finds none if an
/// attribute differs.
final class FakeKeychain: KeychainCalls {
    static let ownGroup = "TEAM.com.example.app"

    struct Stored: Hashable, Sendable {
        var item: KeychainItem
        var group: String
    }

    private struct State {
        var items: [Stored] = []
        var failure: Int32?
        var calls: [String] = []
    }

    private let state = Lock(State())

    /// What every call gives from now on.
    func fail(with status: Int32?) { state.withLock { $0.failure = status } }

    var items: [Stored] { state.withLock(\.items) }

    var calls: [String] { state.withLock(\.calls) }

    /// Puts an item there as another program, or an earlier version, would have.
    func put(_ item: KeychainItem, group: String = ownGroup) {
        state.withLock { $0.items.append(Stored(item: item, group: group)) }
    }

    func change(_ body: @Sendable (inout Stored) -> Void) {
        state.withLock { state in
            for index in state.items.indices { body(&state.items[index]) }
        }
    }

    func add(_ item: KeychainItem, accessGroup: String?) -> Int32 {
        call("add") { state in
            let group = accessGroup ?? Self.ownGroup
            let query = KeychainQuery(service: item.service, account: item.account, accessGroup: group)
            guard !state.items.contains(where: { $0.isFound(by: query) }) else { return -25_299 }
            var item = item
            item.isOfThisDevice = true
            state.items.append(Stored(item: item, group: group))
            return 0
        }
    }

    func copyMatching(_ query: KeychainQuery, withData: Bool) -> (status: Int32, items: [KeychainItem]) {
        let found = Lock<[KeychainItem]>([])
        let status = call("copyMatching") { state in
            var items = state.items.filter { $0.isFound(by: query) }.map(\.item)
            if withData {
                items = Array(items.prefix(1))
            } else {
                for index in items.indices { items[index].data = nil }
            }
            found.withLock { [items] in $0 = items }
            return items.isEmpty ? -25_300 : 0
        }
        return (status, found.withLock(\.self))
    }

    func update(_ query: KeychainQuery, _ change: KeychainChange) -> Int32 {
        call("update") { state in
            let indices = state.items.indices.filter { state.items[$0].isFound(by: query) }
            guard !indices.isEmpty else { return -25_300 }
            for index in indices {
                if let revision = change.revision { state.items[index].item.revision = revision }
                if let data = change.data { state.items[index].item.data = data }
                state.items[index].item.isOfThisDevice = true
            }
            return 0
        }
    }

    func delete(_ query: KeychainQuery) -> Int32 {
        call("delete") { state in
            let count = state.items.count
            state.items.removeAll { $0.isFound(by: query) }
            return state.items.count == count ? -25_300 : 0
        }
    }

    private func call(_ name: String, _ body: (inout State) -> Int32) -> Int32 {
        state.withLock { state in
            state.calls.append(name)
            return state.failure ?? body(&state)
        }
    }
}

extension FakeKeychain.Stored {
    func isFound(by query: KeychainQuery) -> Bool {
        Array(item.service.utf8) == Array(query.service.utf8)
            && (query.account.map { Array($0.utf8) == Array(item.account.utf8) } ?? true)
            && (query.revision.map { $0 == item.revision } ?? true)
            && (query.accessGroup.map { $0 == group } ?? true)
    }
}
