import Carnet
import CarnetDescriptors
package import CarnetProtocol
import Foundation

/// Where the keys come from that a store seals its records with.
public struct StoreKeySource: Sendable {
    enum Place: Sendable {
        case file(String)
        case given(KeyRing)
        case environment(String, @Sendable (String) -> String?)
        case asked(@Sendable () async throws -> KeyRing)
    }

    private static let blocking = BlockingCalls(label: "carnet.store-keys")

    let place: Place

    /// A file that only its owner may read: 32 bytes, or text as `KeyRing(text:)` takes it. It is read at every use, so
    /// that a change needs no restart; if it does not exist it is made, with a new key, before the first record is.
    public static func file(_ path: String) -> Self {
        Self(place: .file(path))
    }

    /// Keys that the host has.
    public static func keys(_ ring: KeyRing) -> Self {
        Self(place: .given(ring))
    }

    /// One key from elsewhere: a keychain, a test.
    ///
    /// - Parameter bytes: 32 bytes that cannot be guessed.
    /// - Throws: `TokenStoreError`, `unacceptable`, if there are more or fewer.
    public static func bytes(_ bytes: [UInt8]) throws -> Self {
        .keys(KeyRing(try SealingKey(bytes)))
    }

    /// A variable of the process's environment, with keys as `KeyRing(text:)` takes them.
    public static func environment(_ variable: String) -> Self {
        .environment(variable) { ProcessInfo.processInfo.environment[$0] }
    }

    /// A variable of an environment that the host reads.
    public static func environment(
        _ variable: String,
        reading environment: @escaping @Sendable (String) -> String?
    ) -> Self {
        Self(place: .environment(variable, environment))
    }

    /// A secret service. It is asked at every use: keep what it said for as long as it may be old.
    public static func asking(_ service: @escaping @Sendable () async throws -> KeyRing) -> Self {
        Self(place: .asked(service))
    }

    /// - Returns: `nil` if the keys are a file that does not exist.
    /// - Throws: `TokenStoreError`; what a service throws.
    package func keys() async throws -> KeyRing? {
        switch place {
        case .file(let path):
            return try await Self.blocking.run { try KeyFile.read(path) }
        case .given(let ring):
            return ring
        case .environment(let variable, let environment):
            guard let text = environment(variable), !text.isEmpty else {
                throw TokenStoreError(.unavailable, "the environment has no \(variable), the store's key")
            }
            do {
                return try KeyRing(text: text)
            } catch let error as TokenStoreError {
                throw TokenStoreError(.unacceptable, "\(variable): \(error.reason)")
            }
        case .asked(let service):
            return try await service()
        }
    }

    /// The keys to open a record with.
    ///
    /// - Parameter place: What is to be opened, for the message.
    /// - Throws: `TokenStoreError`; what a service throws.
    package func keysForOpening(_ place: String) async throws -> KeyRing {
        if let ring = try await keys() { return ring }
        throw TokenStoreError(.unreadable, "\(place) cannot be opened: its key, \(self), is gone")
    }

    /// The keys to seal a record with; a missing file is made, unless the store has records already.
    ///
    /// - Throws: `TokenStoreError`; what a service throws.
    package func keysForSealing(
        in store: String,
        random: any RandomSource,
        calls: FileSystemCalls = .system,
        isEmpty: () async throws -> Bool
    ) async throws -> KeyRing {
        if let ring = try await keys() { return ring }
        guard case .file(let path) = place else { throw TokenStoreError(.unavailable, "\(self) is gone") }
        // A new key would hide for good that the old one is missing.
        guard try await isEmpty() else {
            throw TokenStoreError(
                .unreadable,
                "the key \(path) is gone, and \(store) has records that it sealed: bring it back, or remove the records"
            )
        }
        return try await Self.blocking.run { try KeyFile.create(path, random: random, calls) }
    }
}

extension StoreKeySource: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch place {
        case .file(let path): path
        case .given: "[redacted]"
        case .environment(let variable, _): "environment variable \(variable)"
        case .asked: "secret service"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
