import CLibPQ
import Carnet
public import CarnetProtocol

/// The connection of a `PostgreSQLStore` to its database.
public struct PostgreSQLConfiguration: Sendable {
    /// Whether the connection is encrypted. A Unix socket never is, and does not need it.
    public enum TLS: Hashable, Sendable {
        /// Encrypted, and the server's certificate is validated, including its name. The trusted certificates are
        /// read from a file, by default libpq's (`~/.postgresql/root.crt`).
        case verified(authorities: String? = nil)
        /// Encrypted, but an attacker in between can impersonate the server.
        case unverified
        /// Not encrypted, for a network that is encrypted by other means.
        case none
    }

    /// A connection URI (`postgresql://…`) or libpq's `key=value` pairs. It may contain a password, so descriptions
    /// omit it.
    package var address: Secret
    package var tls: TLS
    /// The maximum number of connections of this process, besides one that shows that it lives.
    package var poolSize: Int
    package var connectTimeout: Duration
    /// The timeout of one statement. After it, the connection is closed.
    package var statementTimeout: Duration
    /// How long an operation retries with new connections when the server is down, before it throws `unavailable`.
    package var patience: Duration
    /// How long to wait for another process that uses the same account.
    package var lockPatience: Duration
    /// How long an account stays locked after the database has lost its process, which may be cut off in the middle
    /// of a refresh. A holder extends the lock while it lives. Before a refresh token is sent, it is extended to one
    /// and a half times the maximum duration of the exchange.
    package var lease: Duration

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
        (self.connectTimeout, self.statementTimeout, self.patience) = (connectTimeout, statementTimeout, patience)
        (self.lockPatience, self.lease) = (lockPatience, lease)
    }

    /// The parameters of libpq; later ones override those of the address.
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

    /// Rejects an address that libpq cannot parse, with our own message: libpq's repeats a part of it, which may be
    /// the password.
    ///
    /// - Throws: `TokenStoreError`, `unacceptable`; `unavailable` if the system has no libpq.
    func checkAddress() throws {
        guard carnet_pq_load() != 0 else {
            throw TokenStoreError(
                .unavailable, "libpq, the library for PostgreSQL, is not installed",
                remedy: "install it, for example: apt-get install libpq5")
        }
        let text = address.reveal()
        // Without either, libpq takes it for the name of a database.
        guard text.contains("=") || text.contains("://") else { return }
        guard let options = PQconninfoParse(text, nil) else {
            throw TokenStoreError(
                .unacceptable, "the database address must be a connection URI (postgresql://...) or key=value pairs")
        }
        PQconninfoFree(options)
    }
}
