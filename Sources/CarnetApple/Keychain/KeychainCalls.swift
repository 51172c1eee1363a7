import CarnetFoundation

/// One generic password of the Keychain, as far as a store uses it.
package struct KeychainItem: Hashable, Sendable {
    /// Class, service, account and access group identify an item.
    package var service: String
    package var account: String
    /// `kSecAttrGeneric`: what a compare-and-swap compares.
    package var revision: [UInt8]?
    /// `nil` where it was not asked for.
    package var data: [UInt8]?
    /// Whether it may be read after the first unlock, by this device alone; `nil` where that was not asked for.
    package var isOfThisDevice: Bool?

    package init(service: String, account: String, revision: [UInt8]?, data: [UInt8]?, isOfThisDevice: Bool? = true) {
        (self.service, self.account, self.revision, self.data) = (service, account, revision, data)
        self.isOfThisDevice = isOfThisDevice
    }
}

/// Which items a call is about.
package struct KeychainQuery: Hashable, Sendable {
    package var service: String
    /// `nil` for all accounts of the service.
    package var account: String?
    /// `nil` for any revision.
    package var revision: [UInt8]?
    /// `nil` for every group that the application may use; a new item goes to the first.
    package var accessGroup: String?

    package init(service: String, account: String? = nil, revision: [UInt8]? = nil, accessGroup: String? = nil) {
        (self.service, self.account, self.revision, self.accessGroup) = (service, account, revision, accessGroup)
    }

    func of(_ revision: [UInt8]) -> KeychainQuery { changing(self) { $0.revision = revision } }
}

/// What an update changes of an item; its accessibility in any case.
package struct KeychainChange: Hashable, Sendable {
    package var revision: [UInt8]?
    package var data: [UInt8]?

    package init(revision: [UInt8]? = nil, data: [UInt8]? = nil) {
        self.revision = revision
        self.data = data
    }
}

/// The four calls of the Keychain. Each is one transaction, for all processes, and gives an `OSStatus`. They block.
package protocol KeychainCalls: Sendable {
    /// `SecItemAdd`: adds an item that may be read after the first unlock, by this device alone.
    func add(_ item: KeychainItem, accessGroup: String?) -> Int32
    /// `SecItemCopyMatching`: with its data, at most one item; without, all.
    func copyMatching(_ query: KeychainQuery, withData: Bool) -> (status: Int32, items: [KeychainItem])
    /// `SecItemUpdate`.
    func update(_ query: KeychainQuery, _ change: KeychainChange) -> Int32
    /// `SecItemDelete`.
    func delete(_ query: KeychainQuery) -> Int32
}
