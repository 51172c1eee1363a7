import Carnet
import CarnetProtocol

extension TokenStoreConformance {
    /// A provider's logout finds its sessions in their current state, from any writer.
    func sessionsAreFound(_ stores: Stores, _ context: CheckContext) async throws {
        func connection(_ account: String, _ subject: String?, _ session: String?) -> Connection {
            var connection = Connection.sample(account: account)
            connection.issuer = "https://id.acme.example"
            (connection.subject, connection.sessionID) = (subject, session)
            return connection
        }
        func found(issuer: String = "https://id.acme.example", _ subject: String?, _ session: String?) async throws
            -> [String]
        {
            let ended = try EndedSession(issuer: issuer, subject: subject, sessionID: session)
            let provider = Connection.sample().key.provider
            return try await stores.second.sessions(at: provider, endedBy: ended).map(\.account).sorted()
        }
        _ = try await stores.first.save(connection("desk", "u1", "s1"), replacing: nil)
        _ = try await stores.first.save(connection("phone", "u1", "s2"), replacing: nil)
        _ = try await stores.second.save(connection("other", "u2", "s3"), replacing: nil)
        var foreign = connection("foreign", "u1", "s1")
        foreign.key.provider = "another"
        _ = try await stores.first.save(foreign, replacing: nil)
        try context.require(try await found(nil, "s1") == ["desk"], "a session was not found by only its id")
        try context.require(try await found("u1", nil) == ["desk", "phone"], "a user's sessions were not all found")
        try context.require(try await found("u2", "s1").isEmpty, "a session was found for another user")
        try context.require(
            try await found(issuer: "https://id.other.example", "u1", "s1").isEmpty,
            "a session was found for another issuer")
        _ = try await stores.first.save(connection("desk", "u1", "s4"), replacing: nil)
        try context.require(try await found(nil, "s1").isEmpty, "a session that was replaced was found")
        try context.require(try await found(nil, "s4") == ["desk"], "a session that replaced another was not found")
        try await stores.first.remove(connection("desk", "u1", "s4").key)
        try context.require(try await found("u1", nil) == ["phone"], "a session that was removed was found")
        var plain = Connection.sample()
        (plain.key.account, plain.issuer, plain.subject) = ("plain", nil, "u1")
        _ = try await stores.first.save(plain, replacing: nil)
        try context.require(
            try await found(issuer: plain.key.provider, "u1", nil) == ["plain"],
            "a user's session without an issuer was not found with the provider's id")
    }
}
