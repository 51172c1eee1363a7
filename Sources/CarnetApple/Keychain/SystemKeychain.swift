#if canImport(Security)
    import Foundation
    import Security
    public import Carnet

    /// The Keychain of the system, the data protection one on a Mac too.
    struct SystemKeychain: KeychainCalls {
        func add(_ item: KeychainItem, accessGroup: String?) -> Int32 {
            var attributes = Self.attributes(
                KeychainQuery(
                    service: item.service, account: item.account, revision: item.revision, accessGroup: accessGroup))
            attributes[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            attributes[kSecValueData as String] = item.data.map { Data($0) }
            return SecItemAdd(Self.dictionary(attributes), nil)
        }

        func copyMatching(_ query: KeychainQuery, withData: Bool) -> (status: Int32, items: [KeychainItem]) {
            var attributes = Self.attributes(query)
            attributes[kSecReturnAttributes as String] = true
            attributes[kSecReturnData as String] = withData
            attributes[kSecMatchLimit as String] = withData ? kSecMatchLimitOne : kSecMatchLimitAll
            var result: CFTypeRef?
            let status = SecItemCopyMatching(Self.dictionary(attributes), &result)
            guard status == errSecSuccess else { return (status, []) }
            let found = (result as? [[String: Any]]) ?? (result as? [String: Any]).map { [$0] } ?? []
            return (status, found.map { Self.item($0, of: query.service) })
        }

        func update(_ query: KeychainQuery, _ change: KeychainChange) -> Int32 {
            var attributes: [String: Any] = [
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as Any
            ]
            attributes[kSecAttrGeneric as String] = change.revision.map { Data($0) }
            attributes[kSecValueData as String] = change.data.map { Data($0) }
            return SecItemUpdate(Self.dictionary(Self.attributes(query)), Self.dictionary(attributes))
        }

        func delete(_ query: KeychainQuery) -> Int32 { SecItemDelete(Self.dictionary(Self.attributes(query))) }

        private static func attributes(_ query: KeychainQuery) -> [String: Any] {
            var attributes: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword as Any,
                kSecAttrService as String: query.service,
                kSecAttrSynchronizable as String: false,
                kSecUseDataProtectionKeychain as String: true,
            ]
            attributes[kSecAttrAccount as String] = query.account
            attributes[kSecAttrGeneric as String] = query.revision.map { Data($0) }
            attributes[kSecAttrAccessGroup as String] = query.accessGroup
            return attributes
        }

        private static func dictionary(_ attributes: [String: Any]) -> CFDictionary {
            NSDictionary(dictionary: attributes) as CFDictionary
        }

        private static func item(_ attributes: [String: Any], of service: String) -> KeychainItem {
            let accessible = attributes[kSecAttrAccessible as String] as? String
            return KeychainItem(
                service: service,
                account: attributes[kSecAttrAccount as String] as? String ?? "",
                revision: (attributes[kSecAttrGeneric as String] as? Data).map { Array($0) },
                data: (attributes[kSecValueData as String] as? Data).map { Array($0) },
                isOfThisDevice: accessible == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String)
        }
    }

    extension KeychainStore {
        /// - Parameters:
        ///   - service: The service of the items. Accounts of different services are separate.
        ///   - accessGroup: With the team's prefix, e.g. `ABCDE12345.com.example.shared`, to share the accounts with the
        ///     extensions of the application; `nil` for the application's own group.
        ///   - onUnreadable: Receives the error of each record that cannot be read.
        public convenience init(
            service: String = "carnet",
            accessGroup: String? = nil,
            onUnreadable: @escaping @Sendable (TokenStoreError) -> Void = { _ in }
        ) {
            self.init(
                service: service, accessGroup: accessGroup, calls: SystemKeychain(), onUnreadable: onUnreadable)
        }
    }
#endif
