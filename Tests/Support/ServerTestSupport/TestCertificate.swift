public import NIOSSL

/// A self-signed certificate.
public final class TestCertificate: Sendable {
    private let folder: OpenSSLFolder

    public var certificatePath: String { folder.path("certificate.pem") }
    public var keyPath: String { folder.path("key.pem") }

    /// - Parameters:
    ///   - subjectAlternativeName: e.g. `IP:127.0.0.1`.
    ///   - validity: The first and last second, as `openssl ca` wants them; the next day if nil.
    public init(subjectAlternativeName: String, validity: (start: String, end: String)? = nil) throws {
        folder = try OpenSSLFolder()
        try folder.openssl(
            ["req", "-x509"] + OpenSSLFolder.newKey + [
                "-days", "1", "-subj", "/CN=carnet test", "-addext", "subjectAltName=\(subjectAlternativeName)",
                "-keyout", "key.pem", "-out", "certificate.pem",
            ])
        if let validity {
            try resign(subjectAlternativeName, validity)
        }
    }

    /// A server that has it.
    ///
    /// - Parameters: as those of `TLSServer`.
    public func server(
        maximumVersion: TLSVersion? = nil, clients: [String] = [], demandsClientCertificate: Bool = true
    ) async throws -> TLSServer {
        try await TLSServer(
            certificate: certificatePath, key: keyPath, maximumVersion: maximumVersion, clients: clients,
            demandsClientCertificate: demandsClientCertificate)
    }

    /// Makes the certificate anew, valid at other times: only `openssl ca` can.
    private func resign(_ subjectAlternativeName: String, _ validity: (start: String, end: String)) throws {
        let configuration = """
            [ca]
            default_ca = own
            [own]
            database = index.txt
            rand_serial = yes
            new_certs_dir = .
            policy = any
            default_md = sha256
            [any]
            commonName = supplied
            [extensions]
            subjectAltName = \(subjectAlternativeName)
            basicConstraints = critical,CA:TRUE
            """
        try folder.write(configuration, to: "ca.cnf")
        try folder.write("", to: "index.txt")
        try folder.openssl(["req", "-new", "-key", "key.pem", "-subj", "/CN=carnet test", "-out", "request.pem"])
        try folder.openssl([
            "ca", "-batch", "-config", "ca.cnf", "-selfsign", "-keyfile", "key.pem", "-in", "request.pem",
            "-extensions", "extensions", "-notext", "-startdate", validity.start, "-enddate", validity.end,
            "-out", "certificate.pem",
        ])
    }
}
