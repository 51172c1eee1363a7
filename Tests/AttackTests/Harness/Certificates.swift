import Foundation

/// Certificates made with the `openssl` command in a folder of their own.
final class Certificates: Sendable {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "carnet-certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try authority("ca")
        try authority("stranger")
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// The authority that clients here trust.
    var authority: String { path("ca.pem") }

    private func authority(_ name: String) throws {
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
            "-subj",
            "/CN=\(name)", "-keyout", "\(name).key", "-out", "\(name).pem")
    }

    /// A server's certificate.
    ///
    /// - Parameters:
    ///   - issuer: Who signs it; itself if `nil`.
    ///   - end: When it ends, from a day before on.
    /// - Returns: The paths of certificate and key.
    func issue(
        for names: String, by issuer: String? = "ca", end: String? = nil
    ) throws -> (certificate: String, key: String) {
        let name = UUID().uuidString
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=server",
            "-keyout", "\(name).key", "-out", "\(name).csr")
        try Data("subjectAltName=\(names)\n".utf8).write(to: folder.appending(path: "\(name).ext"))
        var arguments = ["x509", "-req", "-in", "\(name).csr", "-out", "\(name).pem", "-extfile", "\(name).ext"]
        if let issuer {
            arguments += ["-CA", "\(issuer).pem", "-CAkey", "\(issuer).key", "-CAcreateserial"]
        } else {
            arguments += ["-signkey", "\(name).key"]
        }
        // Days may be negative: a certificate that ended before it began is as ended as any.
        arguments += ["-days", end ?? "1"]
        try openssl(arguments)
        return (path("\(name).pem"), path("\(name).key"))
    }

    private func openssl(_ arguments: String...) throws { try openssl(arguments) }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
    }

    struct Failure: Error {
        var arguments: [String]
    }
}
