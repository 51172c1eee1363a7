import CarnetDescriptors
import CarnetProtocol

/// Finds connections by the values of a provider's logout: issuer with session id, and issuer with subject.
struct SessionIndex {
    private enum Name: Hashable {
        case session(issuer: ByteKey, id: ByteKey)
        case user(issuer: ByteKey, subject: ByteKey)
    }

    private var keys: [Name: Set<ConnectionKey>] = [:]

    mutating func add(_ connection: Connection) {
        for name in Self.names(issuer: connection.namespace, connection.subject, connection.sessionID) {
            keys[name, default: []].insert(connection.key)
        }
    }

    mutating func remove(_ connection: Connection) {
        for name in Self.names(issuer: connection.namespace, connection.subject, connection.sessionID) {
            keys[name]?.remove(connection.key)
            if keys[name]?.isEmpty == true { keys[name] = nil }
        }
    }

    /// Every connection that the logout may name, ordered by name.
    func candidates(for ended: EndedSession) -> [ConnectionKey] {
        Self.names(issuer: ended.issuer, ended.subject, ended.sessionID)
            .reduce(into: Set()) { $0.formUnion(keys[$1] ?? []) }
            .sorted { ($0.provider, $0.account) < ($1.provider, $1.account) }
    }

    private static func names(issuer: String?, _ subject: String?, _ sessionID: String?) -> [Name] {
        guard let issuer = issuer.map(ByteKey.init) else { return [] }
        return [
            subject.map { .user(issuer: issuer, subject: ByteKey($0)) },
            sessionID.map { .session(issuer: issuer, id: ByteKey($0)) },
        ].compactMap { $0 }
    }
}
