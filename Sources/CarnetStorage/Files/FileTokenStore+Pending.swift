package import CarnetFoundation

/// A file for each sign-in. Its name contains the expiry, so that it can be deleted unopened.
extension FileTokenStore {
    private static let pendingSuffix = ".pending"
    /// The maximum number of sign-ins. Beyond it, those that expire first are dropped.
    private static let pendingLimit = 1000

    package func write(_ pending: NewPending, now: Date) async throws {
        let name = "\(pending.id).\(Int(pending.expiresAt.timeIntervalSince1970.rounded(.up)))"
        try await blocking.run { [folder] in
            try folder.removeTemporaryFiles(of: Self.pendingSuffix)
            let waiting = try folder.names(withSuffix: Self.pendingSuffix).map { (name: $0, end: Self.end(of: $0)) }
                .sorted { $0.end > $1.end }
            let kept = waiting.prefix { $0.end > now.timeIntervalSince1970 }.prefix(Self.pendingLimit - 1)
            for surplus in waiting.dropFirst(kept.count) { try folder.remove(surplus.name) }
            try folder.replace(name + Self.pendingSuffix, with: Array(pending.text.utf8))
        }
    }

    package func takePending(_ id: String) async throws -> String? {
        guard try await blocking.run({ [folder] in try folder.exists() }) else { return nil }
        return try await writing { [self] in
            try await blocking.run { [folder] in
                guard
                    let name = try folder.names(withSuffix: Self.pendingSuffix).first(where: { $0.hasPrefix(id + ".") })
                else { return nil }
                let bytes = try folder.read(name)
                try folder.remove(name)
                return bytes.map { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    /// The expiry in the name of a file, in seconds since 1970; a file with another name counts as expired.
    private static func end(of name: String) -> Double {
        name.split(separator: ".").dropFirst().first.flatMap { Double($0) } ?? 0
    }
}
