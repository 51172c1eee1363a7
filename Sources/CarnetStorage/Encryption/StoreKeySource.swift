import Carnet
import CarnetFoundation
package import CarnetProtocol

/// The source of the keys that encrypt a store's records.
public struct StoreKeySource: Sendable {
    enum Place: Sendable {
        case file(String)
        case given(KeyRing)
        case environment(String, @Sendable (String) -> String?)
        case asked(@Sendable () async throws -> KeyRing)
    }

    private static let blocking = BlockingCalls(label: "carnet.store-keys")

    let place: Place

    /// A private file: 32 bytes, or text for `KeyRing(text:)`. It is read at every use, so that a change needs no
    /// restart. If it does not exist, it is created with a new key before the first record.
    public static func file(_ path: String) -> Self { Self(place: .file(path)) }

    /// Keys that the host has read itself.
    public static func keys(_ ring: KeyRing) -> Self { Self(place: .given(ring)) }

    /// One key that the host has read itself, for example from a keychain.
    ///
    /// - Parameter bytes: 32 unpredictable bytes.
    /// - Throws: `TokenStoreError`, `unacceptable`, if there are more or fewer.
    package static func bytes(_ bytes: [UInt8]) throws -> Self { .keys(KeyRing(try EncryptionKey(bytes))) }

    /// An environment variable of the process, with keys for `KeyRing(text:)`.
    public static func environment(_ variable: String) -> Self {
        .environment(variable) { ProcessInfo.processInfo.environment[$0] }
    }

    /// A variable of an environment that the host reads.
    package static func environment(
        _ variable: String, reading environment: @escaping @Sendable (String) -> String?
    ) -> Self { Self(place: .environment(variable, environment)) }

    /// A secret service. The closure is called at every use: cache its result for as long as it may be stale.
    public static func asking(_ service: @escaping @Sendable () async throws -> KeyRing) -> Self {
        Self(place: .asked(service))
    }

    /// - Returns: `nil` if the keys are a file that does not exist.
    /// - Throws: `TokenStoreError`; errors of a service.
    package func keys() async throws -> KeyRing? {
        switch place {
        case .file(let path): return try await Self.blocking.run { try KeyFile.read(path) }
        case .given(let ring): return ring
        case .environment(let variable, let environment):
            do {
                let found = environment(variable).map { [variable: $0] } ?? [:]
                return try KeyRing(text: found.value(ofVariable: variable, at: "the store's key"))
            } catch let error as VariableError {
                throw TokenStoreError(.unavailable, error.reason)
            } catch let error as TokenStoreError {
                throw TokenStoreError(.unacceptable, "\(variable): \(error.reason)")
            }
        case .asked(let service): return try await service()
        }
    }

    /// The keys to decrypt a record with.
    ///
    /// - Parameter place: The record, for the message.
    /// - Throws: `TokenStoreError`; errors of a service.
    package func keysToDecrypt(_ place: String) async throws -> KeyRing {
        if let ring = try await keys() { return ring }
        throw TokenStoreError(
            .unreadable, "\(place) cannot be decrypted: its key \(self) is missing",
            remedy: "restore \(self) from a backup: the records are intact, and no other key can decrypt them")
    }

    /// The keys to encrypt a record with. A missing file is created, unless the store already has records.
    ///
    /// - Throws: `TokenStoreError`; errors of a service.
    package func keysToEncrypt(
        in store: String, random: any RandomSource, calls: FileSystemCalls = .system, isEmpty: () async throws -> Bool
    ) async throws -> KeyRing {
        if let ring = try await keys() { return ring }
        guard case .file(let path) = place else { throw TokenStoreError(.unavailable, "\(self) is missing") }
        // A new key would hide that the old one is missing.
        guard try await isEmpty() else {
            throw TokenStoreError(
                .unreadable,
                "the key \(path) is missing, and \(store) has records encrypted with it: restore the key, or remove the records"
            )
        }
        return try await Self.blocking.run { try KeyFile.create(path, random: random, calls) }
    }
}

extension StoreKeySource: Redacted {
    package var summary: String {
        switch place {
        case .file(let path): path
        case .given: "[redacted]"
        case .environment(let variable, _): "environment variable \(variable)"
        case .asked: "secret service"
        }
    }
}
