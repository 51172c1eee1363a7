public import Carnet

/// What a store holds, as far as it can be told without opening a record.
public struct StoreInventory: Sendable {
    /// By provider and name.
    public var accounts: [ConnectionKey] = []
    /// How many records each key has sealed, by the key's id: a key that is not here opens nothing any more.
    public var recordsByKeyID: [String: Int] = [:]
    /// The records that cannot be told, each named with its place. They were left as they are.
    public var damaged: [TokenStoreError] = []

    package init() {}

    package mutating func add(_ account: ConnectionKey, sealedBy keyID: String) {
        accounts.append(account)
        recordsByKeyID[keyID, default: 0] += 1
    }

    package mutating func sort() {
        accounts.sort { ($0.provider, $0.account) < ($1.provider, $1.account) }
    }
}
