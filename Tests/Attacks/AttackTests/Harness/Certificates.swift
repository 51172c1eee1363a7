import CarnetServerTestSupport
import Foundation

/// Certificates, and the authorities that sign them.
final class Certificates: Sendable {
    private let folder: OpenSSLFolder

    init() throws {
        folder = try OpenSSLFolder()
        for name in ["ca", "stranger"] {
            try folder.openssl(
                ["req", "-x509"] + OpenSSLFolder.newKey + [
                    "-days", "1", "-subj", "/CN=\(name)", "-keyout", "\(name).key", "-out", "\(name).pem",
                ])
        }
    }

    /// The authority that clients here trust.
    var authority: String { folder.path("ca.pem") }

    /// - Parameters:
    ///   - issuer: Who signs it; itself if `nil`.
    ///   - days: When it ends, from now on. Days may be negative: a certificate that ended before it began is as ended as
    ///     any.
    /// - Returns: The paths of certificate and key.
    func issue(
        for names: String, by issuer: String? = "ca", days: Int = 1
    ) throws -> (certificate: String, key: String) {
        let name = UUID().uuidString
        try folder.openssl(
            ["req"] + OpenSSLFolder.newKey + [
                "-subj", "/CN=server", "-keyout", "\(name).key", "-out", "\(name).csr",
            ])
        try folder.write("subjectAltName=\(names)\n", to: "\(name).ext")
        var arguments = ["x509", "-req", "-in", "\(name).csr", "-out", "\(name).pem", "-extfile", "\(name).ext"]
        if let issuer {
            arguments += ["-CA", "\(issuer).pem", "-CAkey", "\(issuer).key", "-CAcreateserial"]
        } else {
            arguments += ["-signkey", "\(name).key"]
        }
        try folder.openssl(arguments + ["-days", String(days)])
        return (folder.path("\(name).pem"), folder.path("\(name).key"))
    }
}
