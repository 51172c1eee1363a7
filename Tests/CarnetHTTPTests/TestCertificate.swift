import Foundation

/// A self-signed certificate made with the `openssl` command in a folder of its own.
final class TestCertificate: Sendable {
    let folder: URL

    var certificatePath: String { folder.appending(path: "certificate.pem").path }
    var keyPath: String { folder.appending(path: "key.pem").path }

    /// - Parameters:
    ///   - subjectAlternativeName: e.g. `IP:127.0.0.1`.
    ///   - validity: The first and last second, as `openssl ca` wants them; the next day if nil.
    init(subjectAlternativeName: String, validity: (start: String, end: String)? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "carnet-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
            "-subj", "/CN=carnet test", "-addext", "subjectAltName=\(subjectAlternativeName)",
            "-keyout", "key.pem", "-out", "certificate.pem"
        )
        if let validity {
            try resign(subjectAlternativeName, validity)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
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
        try Data(configuration.utf8).write(to: folder.appending(path: "ca.cnf"))
        try Data().write(to: folder.appending(path: "index.txt"))
        try openssl("req", "-new", "-key", "key.pem", "-subj", "/CN=carnet test", "-out", "request.pem")
        try openssl(
            "ca", "-batch", "-config", "ca.cnf", "-selfsign", "-keyfile", "key.pem", "-in", "request.pem",
            "-extensions", "extensions", "-notext", "-startdate", validity.start, "-enddate", validity.end,
            "-out", "certificate.pem"
        )
    }

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw OpenSSLFailure(arguments: arguments) }
    }

    struct OpenSSLFailure: Error {
        var arguments: [String]
    }
}
