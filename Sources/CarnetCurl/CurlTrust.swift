import CLibCurl
import Carnet
import CarnetFoundation
import CarnetTransport

/// The certificate authorities that servers' certificates are validated with.
enum CurlTrust: Sendable {
    /// Those that libcurl was built for.
    case system
    case file(String)
    /// Those of a file without a name. libcurl copies certificates that it is given as bytes for each request, and parses
    /// them for each connection; what it has read of a file it keeps.
    case kept(CurlKeptFile)
    /// These, in PEM form, where there are no such files.
    case certificates([UInt8])

    /// - Throws: `TransportError`, `tls`, if one of the settings cannot be read. Nothing may be requested then: fewer or other
    /// authorities would be trusted than were meant.
    init(_ network: NetworkSettings) throws(TransportError) {
        guard network.trustedPaths != nil || !network.additionalPaths.isEmpty else {
            self = .system
            return
        }
        var all: [String] = []
        for path in (network.trustedPaths ?? []) + network.additionalPaths {
            let found = Self.certificates(at: path.path)
            guard !found.isEmpty else {
                let isThere = FileManager.default.isReadableFile(atPath: path.path)
                var error = TransportError(
                    .tls,
                    "\(path.name) names \(path.path), which "
                        + (isThere ? "has no certificates in PEM form that can be read" : "cannot be read"))
                error.hint =
                    isThere
                    ? "a PEM file has -----BEGIN CERTIFICATE-----: openssl x509 -inform der -in FILE -out NEW-FILE" : ""
                throw error
            }
            all += found
        }
        if let trusted = network.trustedPaths {
            if network.additionalPaths.isEmpty, trusted.count == 1, let file = trusted.first?.path, !Self.isFolder(file)
            {
                self = .file(file)
                return
            }
        } else if carnet_curl_load() == 1, let file = carnet_curl_authorities() {
            all += Self.certificates(inFile: String(cString: file))
        }
        let bytes = Array(all.joined(separator: "\n").utf8)
        self = CurlKeptFile(bytes).map(CurlTrust.kept) ?? .certificates(bytes)
    }

    private static func isFolder(_ path: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) != nil
    }

    /// - Parameter path: A file, or a folder of files.
    static func certificates(at path: String) -> [String] {
        NetworkSettings.TrustedPath.files(at: path).flatMap(certificates(inFile:))
    }

    /// The PEM blocks of a file whose content is DER; none if it cannot be read.
    private static func certificates(inFile path: String) -> [String] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return [] }
        // Windows writes other encodings; comments between the blocks may have any.
        let text = String(written: [UInt8](data)) ?? String(decoding: data, as: UTF8.self)
        var found: [String] = []
        var lines: [Substring]?
        // By bytes: each transport reads all authorities, and characters are slow to compare.
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map(Substring.init) {
            switch (line, lines) {
            case ("-----BEGIN CERTIFICATE-----", _): lines = []
            case ("-----END CERTIFICATE-----", let block?):
                // A SEQUENCE.
                if Data(base64Encoded: block.joined())?.first == 0x30 {
                    found.append((["-----BEGIN CERTIFICATE-----"] + block + [line]).joined(separator: "\n"))
                }
                lines = nil
            default: lines?.append(line)
            }
        }
        return found
    }
}

/// A file without a name, as long as somebody uses it.
final class CurlKeptFile: Sendable {
    private let descriptor: Int32

    var path: String { "/proc/self/fd/\(descriptor)" }

    /// Nil where the system has no such files, or does not show them as paths.
    init?(_ bytes: [UInt8]) {
        descriptor = carnet_curl_keep(bytes, bytes.count)
        guard descriptor >= 0, FileManager.default.isReadableFile(atPath: path) else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
