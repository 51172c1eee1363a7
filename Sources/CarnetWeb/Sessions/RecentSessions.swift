import CarnetFoundation

/// The sessions of cookies that were decrypted, by the cookie and what it is encrypted for: the same cookie has the same
/// session. Only a cookie that this site encrypted is kept. All hosts of a site share the memory.
final class RecentSessions: Sendable {
    /// Of the cookies, in bytes.
    private static let limit = 4 << 20

    private let sessions = Lock(Recent<ByteKey, WebSession>(limit: RecentSessions.limit))

    func session(in cookie: String, for purpose: String, else decrypt: (String) -> WebSession?) -> WebSession? {
        let key = ByteKey("\(purpose) \(cookie)")
        if let session = sessions.withLock({ $0.value(of: key) }) { return session }
        guard let session = decrypt(cookie) else { return nil }
        sessions.withLock { $0.keep(session, for: key, size: cookie.utf8.count) }
        return session
    }
}
