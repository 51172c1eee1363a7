import CarnetDescriptors
public import CarnetProtocol

/// Names one signed-in account at one provider. Two keys are equal if their names are the same bytes.
public struct ConnectionKey: Codable, Hashable, Sendable {
    public var provider: String
    public var account: String

    public init(provider: String, account: String) {
        self.provider = provider
        self.account = account
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.provider.isSameBytes(as: rhs.provider) && lhs.account.isSameBytes(as: rhs.account)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ByteKey(provider))
        hasher.combine(ByteKey(account))
    }
}

/// What a store keeps for one account.
public struct Connection: Codable, Hashable, Sendable {
    public var key: ConnectionKey
    /// The client registration that the tokens were issued to; tokens of another client are never sent.
    package var clientID: String
    package var tokens: TokenSet
    /// The issuer and subject of the validated ID token: the account's identity (OpenID Connect Core, 5.7).
    package var issuer: String?
    package var subject: String?
    /// The session at the provider, by the `sid` of the ID token that the sign-in brought.
    package var sessionID: String?
    /// The inputs used at sign-in: a refresh goes to the same provider or nowhere.
    package var inputs: [String: String]
    /// The environment of the sign-in, for the same reason.
    package var environment: String?
    /// The profile as JSON, where it came with the tokens and cannot be fetched again.
    package var profile: String?
    /// The private key that the tokens are bound to (RFC 9449).
    package var dpopKey: Secret?
    /// What the descriptor keeps of the sign-in, by reference, e.g. `token.instance_url`; `nil` if nothing.
    package var values: [String: ConnectionValue]?
    /// Where the tokens, and what authenticates the client with them, may be sent; `nil` for one that was stored before
    /// sign-ins were bound, until its next use.
    package var binding: CredentialBinding?

    package init(
        key: ConnectionKey,
        clientID: String,
        tokens: TokenSet,
        issuer: String? = nil,
        subject: String? = nil,
        sessionID: String? = nil,
        inputs: [String: String] = [:],
        environment: String? = nil,
        profile: String? = nil,
        dpopKey: Secret? = nil,
        values: [String: ConnectionValue]? = nil,
        binding: CredentialBinding? = nil
    ) {
        self.key = key
        self.clientID = clientID
        self.tokens = tokens
        self.issuer = issuer
        self.subject = subject
        self.sessionID = sessionID
        self.inputs = inputs
        self.environment = environment
        self.profile = profile
        self.dpopKey = dpopKey
        self.values = values
        self.binding = binding
    }
}

/// A connection as it was read, with the revision that a later save must replace.
public struct StoredConnection: Sendable {
    public var connection: Connection
    public var revision: String

    public init(connection: Connection, revision: String) {
        self.connection = connection
        self.revision = revision
    }
}

/// Keeps connections. Saving is a compare-and-swap, so that two writers never lose each other's tokens.
public protocol TokenStore: Sendable {
    /// - Throws: `TokenStoreError`.
    func load(_ key: ConnectionKey) async throws -> StoredConnection?

    /// Replaces the record whose revision is `replacing`; `nil` writes it whatever is there, as a new sign-in does.
    ///
    /// When it returns, the record survives a crash.
    /// - Returns: The new revision.
    /// - Throws: `TokenStoreError`; `conflict` if another writer came first. Nothing is changed then.
    func save(_ connection: Connection, replacing revision: String?) async throws -> String

    /// Finds out whether a save of this account would find room, leave to write, and the key that seals it. Asked before a
    /// sign-in, and before a refresh token is spent, because its successor could not be kept otherwise. Does nothing
    /// unless a store implements it.
    ///
    /// - Throws: `TokenStoreError`.
    func prepareToSave(_ key: ConnectionKey) async throws

    /// Removes the record whose revision is given; `nil` removes it whatever is there, one that cannot be opened included.
    ///
    /// - Returns: Whether a record was removed; not if there is none, or another writer came first.
    /// - Throws: `TokenStoreError`.
    @discardableResult
    func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool

    /// The accounts, by provider and name, without opening their records.
    func keys() async throws -> [ConnectionKey]

    /// The accounts at a provider whose sessions are over. Unless a store keeps an index, each of its records is opened.
    ///
    /// - Throws: `TokenStoreError`.
    func keys(of provider: String, endedBy ended: EndedSession) async throws -> [ConnectionKey]

    /// Whether `keys(of:endedBy:)` opens no records but those it may find; `false` unless a store says otherwise.
    ///
    /// A logout that anybody can send (OpenID Connect Front-Channel Logout) is taken only where this is `true`.
    var hasSessionIndex: Bool { get }

    /// Runs `body` while no other user of the store, in this process or another, is inside for the same key.
    func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result

    /// Called inside `withLock`, right before something that cannot be taken back, such as sending a refresh token: makes
    /// sure that the lock is still held, and will be for that long.
    ///
    /// - Returns: When another user may get the lock, however this process fares; `nil` if never while this process
    ///   lives, which is what a store does that does not implement it.
    /// - Throws: `TokenStoreError`: `conflict` if the lock was lost; `unavailable` if nobody can tell.
    func holdLock(on key: ConnectionKey, for duration: Duration) async throws -> ContinuousClock.Instant?
}

extension TokenStore {
    public func prepareToSave(_ key: ConnectionKey) async throws {}

    public var hasSessionIndex: Bool { false }

    /// Removes the record, whatever it is by now.
    ///
    /// - Throws: `TokenStoreError`.
    public func remove(_ key: ConnectionKey) async throws {
        try await remove(key, ifRevision: nil)
    }

    public func holdLock(on key: ConnectionKey, for duration: Duration) async throws -> ContinuousClock.Instant? { nil }

    public func keys(of provider: String, endedBy ended: EndedSession) async throws -> [ConnectionKey] {
        try await keys(among: keys().filter { $0.provider.isSameBytes(as: provider) }, endedBy: ended)
    }

    /// Those of the accounts whose records say that their sessions are over.
    package func keys(among candidates: [ConnectionKey], endedBy ended: EndedSession) async throws -> [ConnectionKey] {
        var found: [ConnectionKey] = []
        for key in candidates {
            do {
                if let stored = try await load(key), stored.connection.isOver(by: ended) { found.append(key) }
            } catch let error as TokenStoreError where error.kind == .unreadable {
                // A record that cannot be opened is of no session that could be used.
                continue
            }
        }
        return found
    }
}

extension Connection {
    /// Whether a logout is about this session.
    func isOver(by ended: EndedSession) -> Bool {
        ended.includes(issuer: issuer, subject: subject, sessionID: sessionID)
    }
}

public struct TokenStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable {
        /// Another writer saved first, or has the lock now.
        case conflict
        /// The record cannot be opened: damaged, or sealed with another key. It was left as it is.
        case unreadable
        /// The store cannot be read or written: permissions, a full disk.
        case unavailable
        /// Another process has kept the account's lock for longer than the store waits.
        case locked
        /// The key or record cannot be kept by this store, e.g. an account name of 10 KB.
        case unacceptable
    }

    public var kind: Kind
    public var reason: String

    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    public var description: String { reason }
}
