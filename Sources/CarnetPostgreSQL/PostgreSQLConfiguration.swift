import CLibPQ
import Carnet
public import CarnetProtocol

/// How a `PostgreSQLStore` reaches its database.
public struct PostgreSQLConfiguration: Sendable {
    /// Whether the connection is encrypted. A Unix socket never is, and needs not be.
    public enum TLS: Hashable, Sendable {
        /// Encrypted, and the server's certificate is checked for its name and its authority, which is read from a file
        /// of certificates; libpq's own place (`~/.postgresql/root.crt`) unless given.
        case verified(authorities: String? = nil)
        /// Encrypted; anyone in between may pose as the server.
        case unverified
        /// In the clear, for a network that is encrypted by other means.
        case none
    }

    /// A connection URI (`postgresql://…`) or libpq's `key=value` pairs. It may hold a password, so it does not show.
    public var address: Secret
    public var tls: TLS
    /// The most connections of this process, besides one that shows that it lives.
    public var poolSize: Int
    /// For a new connection.
    public var connectTimeout: Duration
    /// For one statement; the connection is given up when the server does not answer in time.
    public var statementTimeout: Duration
    /// How long an operation goes on with new connections when the server goes away, before it says `unavailable`.
    public var patience: Duration
    /// How long to wait for another process that uses the same account.
    public var lockPatience: Duration
    /// How long an account stays locked whose process the database sees no more: it may be cut off while it is at the
    /// provider. It is extended while it is held, and before a refresh token is sent to half as long again as the exchange
    /// may take.
    public var lease: Duration

    public init(
        _ address: Secret,
        tls: TLS = .verified(),
        poolSize: Int = 8,
        connectTimeout: Duration = .seconds(5),
        statementTimeout: Duration = .seconds(10),
        patience: Duration = .seconds(10),
        lockPatience: Duration = .seconds(75),
        lease: Duration = .seconds(60)
    ) {
        self.address = address
        self.tls = tls
        self.poolSize = max(1, poolSize)
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
        self.patience = patience
        self.lockPatience = lockPatience
        self.lease = lease
    }

    /// What libpq is told; later words win over those of the address.
    var parameters: [(keyword: String, value: String)] {
        var parameters = [("dbname", address.reveal()), ("client_encoding", "UTF8"), ("application_name", "carnet")]
        switch tls {
        case .verified(let authorities):
            parameters.append(("sslmode", "verify-full"))
            if let authorities { parameters.append(("sslrootcert", authorities)) }
        case .unverified: parameters.append(("sslmode", "require"))
        case .none: parameters.append(("sslmode", "disable"))
        }
        return parameters
    }

    /// Refuses an address that libpq cannot read, in words of our own: libpq's repeat a part of it, perhaps the
    /// password.
    ///
    /// - Throws: `TokenStoreError`, `unacceptable`.
    func checkAddress() throws {
        let text = address.reveal()
        // Without either, libpq takes it for the name of a database.
        guard text.contains("=") || text.contains("://") else { return }
        guard let options = PQconninfoParse(text, nil) else {
            throw TokenStoreError(
                .unacceptable, "the address of the database is neither a connection URI nor key=value pairs")
        }
        PQconninfoFree(options)
    }
}
