import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A certificate of `localhost` by an authority of its own, and another authority, made by `openssl` in a temporary
/// folder; and a port that was free a moment ago.
public final class ServerCertificate: Sendable {
    var folder: String { temporary.path }
    let port: Int
    private let temporary: TemporaryFolder

    /// The files of the authorities' certificates.
    public var authority: String { "\(folder)/authority.pem" }
    public var otherAuthority: String { "\(folder)/other.pem" }

    public init() throws {
        temporary = try TemporaryFolder("carnet-tls")
        port = try Self.freePort()
        for name in ["authority", "other"] {
            try openssl(
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=\(name)", "-keyout",
                "\(folder)/\(name).key", "-out", "\(folder)/\(name).pem")
        }
        try openssl(
            "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", "\(folder)/server.key",
            "-out", "\(folder)/server.csr")
        try "subjectAltName=DNS:localhost\n".write(toFile: "\(folder)/names", atomically: true, encoding: .utf8)
        try openssl(
            "x509", "-req", "-in", "\(folder)/server.csr", "-CA", authority, "-CAkey", "\(folder)/authority.key",
            "-CAcreateserial", "-days", "1", "-extfile", "\(folder)/names", "-out", "\(folder)/server.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/server.key")
    }

    private func openssl(_ arguments: String...) throws {
        _ = try Command.run(["openssl"] + arguments)
    }

    private static func freePort() throws -> Int {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 ? getsockname(descriptor, generic, &length) : -1
            }
        }
        guard status == 0 else { throw Command.Failure(description: "there is no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
