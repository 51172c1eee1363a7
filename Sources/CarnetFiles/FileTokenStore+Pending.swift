public import Carnet
public import CarnetProtocol
import CarnetStorage
public import Foundation

/// A file for each sign-in. Its name contains the expiry, so that it can be deleted unopened.
extension FileTokenStore: PendingStore {
    private static let pendingSuffix = ".pending"
    /// The maximum number of sign-ins. Beyond it, those that expire first are dropped.
    private static let pendingLimit = 1000

    public func keep(_ pending: PendingAuthorization, now: Date) async throws {
        let name = "\(pending.storageID).\(Int(pending.expiresAt.timeIntervalSince1970.rounded(.up)))"
        try await writing { [self] in
            let text = try pending.sealedForStore(with: try await sealingKeys(), random: random)
            try await blocking.run { [folder] in
                try folder.removeTemporaryFiles(of: Self.pendingSuffix)
                let waiting = try folder.names(withSuffix: Self.pendingSuffix).map(Waiting.init)
                    .sorted { $0.expiresAt > $1.expiresAt }
                let kept = waiting.prefix { $0.expiresAt > now.timeIntervalSince1970 }.prefix(Self.pendingLimit - 1)
                for surplus in waiting.dropFirst(kept.count) { try folder.remove(surplus.name) }
                try folder.replace(name + Self.pendingSuffix, with: Array(text.utf8))
            }
        }
    }

    public func take(_ id: Secret, now: Date) async throws -> PendingAuthorization? {
        guard try await blocking.run({ [folder] in try folder.exists() }) else { return nil }
        let sealed: [UInt8]? = try await writing { [self] in
            try await blocking.run { [folder] in
                let prefix = PendingAuthorization.storageID(id) + "."
                guard let name = try folder.names(withSuffix: Self.pendingSuffix).first(where: { $0.hasPrefix(prefix) })
                else { return nil }
                let bytes = try folder.read(name)
                try folder.remove(name)
                return bytes
            }
        }
        guard let sealed else { return nil }
        let ring = try await keySource.keysForOpening("the pending sign-in")
        return try PendingAuthorization.unsealed(String(decoding: sealed, as: UTF8.self), with: ring, now: now)
    }

    /// The expiry in the name of a file.
    private struct Waiting {
        var name: String
        /// In seconds since 1970; a file with another name counts as expired.
        var expiresAt: Double

        init(_ name: String) {
            self.name = name
            expiresAt = name.split(separator: ".").dropFirst().first.flatMap { Double($0) } ?? 0
        }
    }
}
