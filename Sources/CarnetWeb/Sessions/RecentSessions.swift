import CarnetFoundation

/// The sessions of cookies that were decrypted, by the cookie: the same cookie has the same session. Only a cookie that this
/// site encrypted is kept.
final class RecentSessions: Sendable {
    /// Of the cookies, in bytes.
    private static let limit = 1 << 20

    private let sessions = Lock(Recent<ByteKey, WebSession>(limit: RecentSessions.limit))

    func session(in cookie: String, else decrypt: (String) -> WebSession?) -> WebSession? {
        let key = ByteKey(cookie)
        if let session = sessions.withLock({ $0.value(of: key) }) { return session }
        guard let session = decrypt(cookie) else { return nil }
        sessions.withLock { $0.keep(session, for: key, size: cookie.utf8.count) }
        return session
    }
}
