import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// Finds connections by the values of a provider's logout: issuer with session id, and issuer with subject.
struct SessionIndex {
    private enum Name: Hashable {
        case session(issuer: ByteKey, id: ByteKey)
        case user(issuer: ByteKey, subject: ByteKey)
    }

    private var keys: [Name: Set<ConnectionKey>] = [:]

    /// Replaces the record of one account.
    ///
    /// - Parameters:
    ///   - old: `nil` for a new account.
    ///   - new: `nil` for an account that was removed.
    mutating func replace(_ old: Connection?, by new: Connection?) {
        let (oldNames, newNames) = (old.map(Self.names) ?? [], new.map(Self.names) ?? [])
        // A refresh and a later sign-in seldom change them.
        guard oldNames != newNames else { return }
        if let key = old?.key {
            for name in oldNames {
                keys[name]?.remove(key)
                if keys[name]?.isEmpty == true { keys[name] = nil }
            }
        }
        if let key = new?.key {
            for name in newNames { keys[name, default: []].insert(key) }
        }
    }

    private static func names(of connection: Connection) -> [Name] {
        names(issuer: connection.namespace, connection.subject, connection.sessionID)
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
