import Carnet
import CarnetPostgreSQL
import CarnetStoreTestSupport
import Testing

/// A server that encrypts, with a certificate that is good for `localhost`.
@Suite("Encryption", .serialized)
struct EncryptionTests {
    private let certificate: ServerCertificate
    private let cluster: PostgreSQLCluster

    init() throws {
        certificate = try ServerCertificate()
        cluster = try PostgreSQLCluster(encryption: certificate)
    }

    private func store(_ tls: PostgreSQLConfiguration.TLS, host: String = "localhost") throws -> PostgreSQLStore {
        let address = cluster.encryptedAddress(of: "postgres", host: host)
        return PostgreSQLStore(
            PostgreSQLConfiguration(Secret(address), tls: tls, patience: .seconds(3600)),
            key: try .bytes([UInt8](0..<32)))
    }

    /// How many of the store's connections are encrypted, and how many are not.
    private func connections() throws -> String {
        try cluster.psql(
            "SELECT count(*) FILTER (WHERE ssl), count(*) FILTER (WHERE NOT ssl) FROM pg_stat_ssl "
                + "JOIN pg_stat_activity USING (pid) WHERE application_name = 'carnet'")
    }

    @Test("Certificate is checked")
    func certificateIsChecked() async throws {
        let store = try store(.verified(authorities: certificate.authority))
        #expect(try await store.keys().isEmpty)
        #expect(try connections() == "1|0\n")
        for (refused, words) in [
            (try self.store(.verified(authorities: certificate.otherAuthority)), "certificate verify failed"),
            (try self.store(.verified(authorities: certificate.authority), host: "127.0.0.1"), "does not match"),
            (try self.store(.verified(authorities: "/nowhere/ca.pem")), "\"/nowhere/ca.pem\" does not exist"),
        ] {
            // At once, though the store has patience with a server that is away.
            let error = await #expect(throws: TokenStoreError.self) { try await refused.keys() }
            #expect(error?.kind == .unavailable)
            #expect(
                error?.reason.hasPrefix("the database's certificate or encryption was rejected: ") == true,
                "\(error?.reason ?? "")")
            #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
        }
        #expect(try connections() == "1|0\n")
    }

    @Test("Encryption is what was asked for")
    func encryptionIsWhatWasAskedFor() async throws {
        let unverified = try store(.unverified)
        _ = try await unverified.keys()
        #expect(try connections() == "1|0\n")
        let plain = try store(.none)
        _ = try await plain.keys()
        #expect(try connections() == "1|1\n")
        _ = try await (unverified.keys(), plain.keys())
    }
}
