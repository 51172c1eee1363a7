import Carnet
public import CarnetFoundation

/// A browser in which a user is signed in, for a list of devices.
public struct SignedInBrowser: Hashable, Sendable, Identifiable {
    /// The id for `WebSignIn.signOut(_:browser:extent:)`, and for the field `connection` of a posted sign-out.
    public let id: String
    /// The `User-Agent` header of the sign-in, truncated to about 200 bytes.
    public let userAgent: String?
    public let signedInAt: Date
    public let expiresAt: Date
    /// Whether it is the browser in which the given account is signed in.
    public let isCurrent: Bool

    init(_ connection: String, _ note: BrowserNote, isCurrent: Bool) {
        id = connection
        userAgent = note.name
        signedInAt = note.signedInAt
        expiresAt = note.expiresAt
        self.isCurrent = isCurrent
    }
}

extension WebSignIn {
    /// The browsers in which the account's user is signed in, the latest sign-in first.
    ///
    /// It reads the clients' token store. `SQLiteStore` and `PostgreSQLStore` have an index for it; another store decrypts
    /// all its records.
    ///
    /// - Throws: `TokenStoreError`.
    public func browsers(of account: WebAccount) async throws -> [SignedInBrowser] {
        guard let client = clients[account.provider] else { return [] }
        return try await client.browsers(of: account.subject, issuer: account.issuer).map { connection, note in
            SignedInBrowser(connection, note, isCurrent: connection.isSameBytes(as: account.storeName))
        }
    }

    /// Signs the account's user out in all browsers, or in one of `browsers(of:)`. Their next requests are not signed in.
    ///
    /// - Parameter extent: `.everywhere` counts as `.revoke`: no browser opens the provider's page.
    /// - Returns: The number of browsers that were signed out.
    /// - Throws: `TokenStoreError`; some browsers may be signed out then.
    @discardableResult
    public func signOut(
        _ account: WebAccount, browser id: String? = nil, extent: SignOut = .local
    ) async throws -> Int {
        var departures: [SignOutReport.Departure] = []
        try await depart(try await others(of: account, browser: id), extent, addingTo: &departures)
        return departures.reduce(0) { $0 + $1.otherBrowsers }
    }

    /// The user's accounts in all browsers, or in one.
    func others(of account: WebAccount, browser id: String? = nil) async throws -> [WebAccount] {
        try await browsers(of: account).filter { browser in id.map { browser.id.isSameBytes(as: $0) } ?? true }.map {
            WebAccount(
                provider: account.provider, storeName: $0.id, issuer: account.issuer, subject: account.subject,
                signedInAt: $0.signedInAt)
        }
    }
}
