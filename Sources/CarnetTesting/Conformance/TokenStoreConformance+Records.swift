import Carnet
import CarnetFoundation
import CarnetProtocol

extension TokenStoreConformance {
    func remove(_ stores: Stores, _ context: CheckContext) async throws {
        let kept = Connection.sample(account: "kept")
        let gone = Connection.sample(account: "gone")
        _ = try await stores.first.save(kept, replacing: nil)
        _ = try await stores.first.save(gone, replacing: nil)
        try await stores.second.remove(gone.key)
        try await stores.second.remove(gone.key)
        try context.require(try await stores.first.load(gone.key) == nil, "a removed record can be loaded")
        try context.require(
            try await stores.first.load(kept.key)?.connection == kept, "removing a record also removed another one")
        try context.require(try await stores.first.keys() == [kept.key], "keys does not return the remaining keys")
    }

    /// A response about one revision of a record must not remove a later revision.
    func staleRemovalChangesNothing(_ stores: Stores, _ context: CheckContext) async throws {
        let key = Connection.sample().key
        try context.require(
            try await !stores.first.remove(key, ifRevision: "1"), "removing a record that does not exist returned true")
        let stale = try await stores.first.save(.sample(token: "1"), replacing: nil)
        let current = try await stores.second.save(.sample(token: "2"), replacing: stale)
        try context.require(
            try await !stores.first.remove(key, ifRevision: stale), "a removal of a stale revision succeeded")
        let loaded = try await stores.first.load(key)
        try context.require(
            loaded?.connection == .sample(token: "2") && loaded?.revision == current,
            "a removal of a stale revision changed the record")
        try context.require(
            try await stores.first.remove(key, ifRevision: current),
            "the record with the given revision was not removed")
        try context.require(try await stores.second.load(key) == nil, "a removed record can be loaded")
        try context.require(
            try await !stores.second.remove(key, ifRevision: current), "removing a record twice returned true twice")
    }

    func keys(_ stores: Stores, _ context: CheckContext) async throws {
        // The parts of these keys are the same text when they are put together without care.
        let keys: Set = [
            ConnectionKey(provider: "acme", account: "one"),
            ConnectionKey(provider: "acme", account: "two"),
            ConnectionKey(provider: "acmeo", account: "ne"),
            ConnectionKey(provider: "acme/one", account: ""),
            ConnectionKey(provider: "Acme", account: "one"),
        ]
        for key in keys { _ = try await stores.first.save(.sample(key), replacing: nil) }
        let listed = try await stores.second.keys()
        try context.require(Set(listed) == keys && listed.count == keys.count, "keys does not return the saved keys")
        for key in keys {
            try context.require(
                try await stores.second.load(key)?.connection.key == key, "loading \(key) returned another record")
        }
    }

    func otherBytesAreAnotherAccount(_ stores: Stores, _ context: CheckContext) async throws {
        // The same name composed and decomposed: equal for `String`, and perhaps the subjects of two users.
        let composed = Connection.sample(account: "jos\u{E9}", token: "1")
        let decomposed = Connection.sample(account: "jose\u{301}", token: "2")
        _ = try await stores.first.save(composed, replacing: nil)
        _ = try await stores.second.save(decomposed, replacing: nil)
        try context.require(
            try await stores.first.keys().count == 2, "two accounts whose names differ in their bytes have one record")
        for connection in [composed, decomposed] {
            try context.require(
                try await stores.second.load(connection.key)?.connection.tokens == connection.tokens,
                "load returned the record of another account whose name is canonically equivalent")
        }
        try await stores.first.remove(composed.key)
        try context.require(
            try await stores.second.load(decomposed.key)?.connection.tokens == decomposed.tokens,
            "removing an account removed another whose name is canonically equivalent")
    }

    /// A store may refuse a name, as `unacceptable`; it must not mix accounts up.
    func unusualAccountNames(_ stores: Stores, _ context: CheckContext) async throws {
        let names = [
            "", " ", ".", "..", "../../up", "/etc/passwd", "a/b", "a\\b", "a\0b", "a\nb", "-rf", "~", "%2e%2e", "CON",
            "*", "a:b", "\u{202E}abc", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "case", "CASE",
            String(repeating: "x", count: 255), String(repeating: "x", count: 10_240),
        ]
        var kept: [Connection] = []
        for name in names {
            let connection = Connection.sample(account: name, token: "token-\(name.count)-\(kept.count)")
            do {
                _ = try await stores.first.save(connection, replacing: nil)
                kept.append(connection)
            } catch let error as TokenStoreError where error.kind == .unacceptable {}
        }
        for connection in kept {
            let loaded = try await stores.second.load(connection.key)?.connection
            try context.require(
                loaded == connection,
                "loading \(connection.key.account.debugDescription) returned the record of another account")
        }
        let listed = try await stores.second.keys()
        try context.require(Set(listed) == Set(kept.map(\.key)), "keys does not return the saved accounts")
        for connection in kept { try await stores.second.remove(connection.key) }
        try context.require(try await stores.first.keys().isEmpty, "an account with an unusual name was not removed")
    }

    func concurrentSwapHasOneWinner(_ stores: Stores, _ context: CheckContext) async throws {
        let revision = try await stores.first.save(.sample(token: "start"), replacing: nil)
        let wins = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let store = number.isMultiple(of: 2) ? stores.first : stores.second
                    do {
                        return try await store.save(.sample(token: "writer-\(number)"), replacing: revision)
                    } catch let error as TokenStoreError where error.kind == .conflict {
                        return nil
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
        }
        try context.require(wins.count == 1, "\(wins.count) of 16 concurrent writers replaced the same revision")
        let current = try await stores.first.load(Connection.sample().key)?.revision
        try context.require(current == wins.first, "the record is not the winner's")
    }

    func requireConflict(
        _ context: CheckContext, _ reason: String, _ save: () async throws -> String
    ) async throws {
        let error = try await context.requireError(reason, save)
        try context.require((error as? TokenStoreError)?.kind == .conflict, "threw \(error) instead of a conflict")
    }
}

extension Connection {
    /// Every field is filled, and the times have fractions.
    static func sample(_ key: ConnectionKey, token: String = "token") -> Self {
        Self(
            key: key, clientID: "client",
            tokens: TokenSet(
                accessToken: Secret("access-\(token)"), tokenType: "Bearer",
                refreshToken: Secret("refresh-\(token)"),
                refreshTokenExpiresAt: Date(timeIntervalSince1970: 1_772_409_600.789),
                idToken: Secret("header.payload.signature"),
                scopes: ["openid", "email"], issuedAt: Date(timeIntervalSince1970: 1_767_225_600.123),
                expiresAt: Date(timeIntervalSince1970: 1_767_229_200.456)),
            issuer: "https://acme.example", subject: "248289761001", inputs: ["tenant": "blue"],
            binding: CredentialBinding(
                servers: ["https://acme.example:443"], resources: ["*.api.acme.example", "https://acme.example:443"])
        )
    }

    static func sample(account: String = "one", token: String = "token") -> Self {
        sample(ConnectionKey(provider: "acme", account: account), token: token)
    }
}
