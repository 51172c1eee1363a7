import CarnetDescriptors
public import CarnetFoundation
package import CarnetProtocol

/// The name of one signed-in account at one provider. Two keys are equal if their names have the same bytes.
public struct ConnectionKey: Codable, ComparedByBytes, Sendable {
    public var provider: String
    public var account: String

    public init(provider: String, account: String) {
        self.provider = provider
        self.account = account
    }

    package func isSameBytes(as other: ConnectionKey) -> Bool {
        account.isSameBytes(as: other.account) && provider.isSameBytes(as: other.provider)
    }

    package func hashBytes(into hasher: inout Hasher) {
        hasher.combine(ByteKey(provider))
        hasher.combine(ByteKey(account))
    }
}

/// The record that a store keeps for one account.
public struct Connection: SharedValue, Codable, Hashable, Sendable {
    @usableFromInline package var shared: Shared<Members>

    public var key: ConnectionKey {
        get { shared.value.key }
        set { shared.value.key = newValue }
    }

    @usableFromInline
    package struct Members: Codable, Hashable, Sendable {
        package var key: ConnectionKey
        /// The client that the tokens were issued to. Tokens of another client are never sent.
        package var clientID: String
        package var tokens: TokenSet
        /// The issuer and subject of the validated ID token: the account's identity (OpenID Connect Core, 5.7).
        package var issuer: String?
        package var subject: String?
        /// The session at the provider: `sid` of the sign-in's ID token.
        package var sessionID: String?
        /// The inputs of the sign-in. A refresh goes only to the same tenant.
        package var inputs: [String: String]
        /// The environment of the sign-in. A refresh goes only to the same environment.
        package var environment: String?
        /// The profile as JSON, if it came with the tokens and cannot be fetched again.
        package var profile: String?
        /// The private key that the tokens are bound to (RFC 9449).
        package var dpopKey: Secret?
        /// The values that the descriptor captures at sign-in, by reference, e.g. `token.instance_url`; `nil` for none.
        package var values: [String: ConnectionValue]?
        /// The servers that may receive the tokens and the client's credentials.
        package var binding: CredentialBinding
        /// The resource servers that the tokens are for (RFC 8707); `nil` for none, and in older records.
        package var resources: [String]?
        /// The browser that signed in; `nil` outside web sites.
        package var browser: BrowserNote?
        /// The server asked to be sent no refresh before, in the provider's time.
        package var pausedUntil: Date?
        /// The client, in the record of one that registered itself.
        package var registration: RegisteredClient?
    }

    package init(
        key: ConnectionKey, clientID: String, tokens: TokenSet, issuer: String? = nil, subject: String? = nil,
        sessionID: String? = nil, inputs: [String: String] = [:], environment: String? = nil, profile: String? = nil,
        dpopKey: Secret? = nil, values: [String: ConnectionValue]? = nil, binding: CredentialBinding,
        resources: [String] = []
    ) {
        shared = Shared(
            Members(
                key: key, clientID: clientID, tokens: tokens, issuer: issuer, subject: subject, sessionID: sessionID,
                inputs: inputs, environment: environment, profile: profile, dpopKey: dpopKey, values: values,
                binding: binding, resources: resources.isEmpty ? nil : resources))
    }

    public init(from decoder: any Decoder) throws { shared = Shared(try Members(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try shared.value.encode(to: encoder) }
}

/// A stored connection, with the revision that a later save must replace.
public struct StoredConnection: Sendable {
    public var connection: Connection
    public var revision: String

    public init(connection: Connection, revision: String) {
        self.connection = connection
        self.revision = revision
    }
}

/// Keeps connections. Saving is a compare-and-swap, so that concurrent writers never lose tokens.
public protocol TokenStore: Sendable {
    /// - Throws: `TokenStoreError`.
    func load(_ key: ConnectionKey) async throws -> StoredConnection?

    /// Replaces the record with the revision `replacing`; `nil` writes unconditionally, as a new sign-in does.
    ///
    /// When it returns, the record survives a crash.
    /// - Returns: The new revision.
    /// - Throws: `TokenStoreError`; `conflict` if another writer saved first, and then nothing is changed.
    func save(_ connection: Connection, replacing revision: String?) async throws -> String

    /// Checks that a save of this account would succeed: space, permission and the encryption key. The engine calls
    /// it before a sign-in and before it uses a refresh token, because the new one must be storable. The default does
    /// nothing.
    ///
    /// - Throws: `TokenStoreError`.
    func prepareToSave(_ key: ConnectionKey) async throws

    /// Removes the record with the given revision; `nil` removes it unconditionally, even if it cannot be decrypted.
    ///
    /// - Returns: Whether a record was removed; `false` if there is none, or another writer saved first.
    /// - Throws: `TokenStoreError`.
    @discardableResult
    func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool

    /// The accounts, by provider and name. No record is decrypted.
    func keys() async throws -> [ConnectionKey]

    /// Runs `body` while no other user of the store, in this process or another, holds the lock of the same key.
    func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result

    /// Called inside `withLock`, right before an irreversible action such as sending a refresh token. Ensures that
    /// the lock is held now and for that duration.
    ///
    /// - Returns: The earliest time at which another user may get the lock; `nil` if never while this process lives,
    /// which is the default.
    /// - Throws: `TokenStoreError`: `conflict` if the lock was lost; `unavailable` if that is unknown.
    func holdLock(on key: ConnectionKey, for duration: Duration) async throws -> ContinuousClock.Instant?
}

/// A store that finds the records of a provider's session without decrypting the others.
///
/// Front-channel logout, which anybody can send, is accepted only with such a store.
package protocol SessionIndexedTokenStore: TokenStore {
    /// The accounts at a provider whose sessions have ended.
    ///
    /// - Throws: `TokenStoreError`.
    func keys(of provider: String, endedBy ended: EndedSession) async throws -> [ConnectionKey]
}

extension TokenStore {
    public func prepareToSave(_ key: ConnectionKey) async throws {}

    /// Removes the record unconditionally.
    ///
    /// - Throws: `TokenStoreError`.
    package func remove(_ key: ConnectionKey) async throws { try await remove(key, ifRevision: nil) }

    public func holdLock(on key: ConnectionKey, for duration: Duration) async throws -> ContinuousClock.Instant? { nil }

    /// The accounts at a provider whose sessions have ended, by the store's index or by all its records.
    package func sessions(at provider: String, endedBy ended: EndedSession) async throws -> [ConnectionKey] {
        if let indexed = self as? any SessionIndexedTokenStore {
            return try await indexed.keys(of: provider, endedBy: ended)
        }
        return try await keys(among: keys().filter { $0.provider.isSameBytes(as: provider) }, endedBy: ended)
    }

    /// Those of the accounts whose records show that their sessions have ended.
    package func keys(among candidates: [ConnectionKey], endedBy ended: EndedSession) async throws -> [ConnectionKey] {
        var found: [ConnectionKey] = []
        for key in candidates {
            do {
                if let stored = try await load(key), stored.connection.isOver(by: ended) { found.append(key) }
            } catch let error as TokenStoreError where error.kind == .unreadable {
                // A record that cannot be decrypted belongs to no usable session.
                continue
            }
        }
        return found
    }
}

extension Connection {
    /// Whether a logout applies to this session.
    func isOver(by ended: EndedSession) -> Bool {
        ended.includes(issuer: namespace, subject: self.subject, sessionID: self.sessionID)
    }

    /// The issuer of the subject. Plain OAuth 2.0 has none, and the provider's id takes its place: it is never a URL, so no
    /// logout token of an issuer names it.
    package var namespace: String? { self.issuer ?? (self.subject == nil ? nil : key.provider) }
}

public struct TokenStoreError: Error, Hashable, Sendable, Described {
    public enum Kind: Hashable, Sendable {
        /// Another writer saved first, or holds the lock now.
        case conflict
        /// The record cannot be decrypted: it is damaged, or its key is missing. It was left unchanged.
        case unreadable
        /// The store cannot be read or written: permissions, a full disk, a database that is down.
        case unavailable
        /// Another process has held the account's lock for longer than the store waits.
        case locked
        /// The store cannot keep the key or record, e.g. an account name of 10 KB.
        case unacceptable
    }

    public var kind: Kind
    package var reason: String
    /// What repairs it: a whole command, or a sentence where there is none.
    package var remedy: String?
    /// The system's number of the failure, e.g. the `OSStatus` of the Keychain; `nil` if it gave none.
    public var systemCode: Int32?

    public init(_ kind: Kind, _ reason: String) { self.init(kind, reason, remedy: nil) }

    package init(_ kind: Kind, _ reason: String, remedy: String?) {
        (self.kind, self.reason, self.remedy) = (kind, reason, remedy)
    }

    package var summary: String { reason }
}
