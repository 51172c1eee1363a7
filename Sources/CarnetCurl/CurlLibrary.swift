import CLibCurl
package import CarnetTransport

/// The libcurl of this system.
package struct CurlLibrary: Sendable {
    package let version: String
    /// The TLS library; `nil` if there is none.
    package let tls: String?

    /// Why there is no `loaded`, and what to do.
    package static var absence: (problem: String, next: String) {
        _ = carnet_curl_load()
        let older = carnet_curl_found().map { ", only \(String(cString: $0))" } ?? " (libcurl.so.4)"
        return (
            "this system has no libcurl 7.80 or newer\(older)",
            "install libcurl4 (Debian, Ubuntu) or libcurl (Fedora), or update it"
        )
    }

    /// - Returns: `nil` if the system has no libcurl that is recent enough.
    package static var loaded: CurlLibrary? {
        guard carnet_curl_load() == 1 else { return nil }
        return CurlLibrary(
            version: String(cString: carnet_curl_version()), tls: carnet_curl_tls().map { String(cString: $0) })
    }

    /// The place of the certificate authorities that requests trust, and how many it has.
    ///
    /// - Throws: `TransportError`, `tls`, if a setting names a file that cannot be read.
    package static func authorities(_ network: NetworkSettings) throws -> (place: String, count: Int) {
        _ = try CurlTrust(network)
        guard let trusted = network.trustedPaths else {
            guard carnet_curl_load() == 1, let file = carnet_curl_authorities() else { return ("", 0) }
            let path = String(cString: file)
            return (path, CurlTrust.certificates(at: path).count)
        }
        return (
            trusted.map(\.path).joined(separator: ", "),
            trusted.reduce(0) { $0 + CurlTrust.certificates(at: $1.path).count }
        )
    }
}
