public import Carnet

/// The contents of a store that are readable without a key.
public struct StoreInventory: Sendable {
    /// The accounts, sorted by provider and name.
    package var accounts: [ConnectionKey] = []
    /// The number of records that each key has encrypted, by the key's id. No record needs a key that is missing here.
    public var recordsByKeyID: [String: Int] = [:]
    /// The unreadable records, each with its place. They were left unchanged.
    public var damaged: [TokenStoreError] = []

    package init() {}

    package mutating func add(_ account: ConnectionKey, encryptedWith keyID: String) {
        accounts.append(account)
        recordsByKeyID[keyID, default: 0] += 1
    }

    package mutating func sort() { accounts.sort { ($0.provider, $0.account) < ($1.provider, $1.account) } }
}
