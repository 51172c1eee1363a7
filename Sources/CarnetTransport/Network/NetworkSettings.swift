public import Carnet
import CarnetFoundation
import CarnetProtocol

/// How a transport reaches the Internet: its proxy, and the certificate authorities that it trusts.
///
/// A proxy resolves the names of the hosts behind it, so a transport cannot check their addresses: the proxy's operator
/// decides which hosts are reachable. The transport still checks `localhost` and numeric local addresses itself, and
/// never uses a proxy for loopback.
public struct NetworkSettings: Sendable {
    /// The proxy for each scheme of a URL; no entry means a direct connection.
    private var proxies: [String: Result<Proxy, TransportError>] = [:]
    private var bypass = ProxyBypass([])
    /// The hosts that are reached without the proxy, as they were given.
    package private(set) var exceptions: [String] = []
    /// PEM files or hashed folders that are trusted in place of the system's authorities; `nil` for the system's.
    package var trustedPaths: [TrustedPath]?
    /// PEM files that are trusted besides.
    package var additionalPaths: [TrustedPath] = []

    /// A path with certificates, and what named it.
    package struct TrustedPath: Sendable {
        package let path: String
        package let name: String

        /// The file at a path, or those of the folder there.
        package static func files(at path: String) -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            let files = names.isEmpty ? [path] : names.sorted().map { "\(path)/\($0)" }
            // A folder has links and other files too.
            return Set(files.map { URL(filePath: $0).resolvingSymlinksInPath().path }).sorted()
        }
    }

    /// No proxy, and the system's certificate authorities.
    public static let direct = NetworkSettings()

    /// The settings of this process's environment: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` in upper or
    /// lower case, `SSL_CERT_FILE` and `SSL_CERT_DIR`. If a value is invalid, the requests that need it fail.
    public static var environment: NetworkSettings { NetworkSettings(environment: ProcessInfo.processInfo.environment) }

    /// One proxy for all hosts except loopback and the exceptions.
    ///
    /// - Parameters:
    ///   - url: `http://host:port` or `socks5://host:port`; with `user:password@`, percent-encoded, for basic authentication
    ///     to an HTTP proxy. Port 1080 if not said.
    ///   - exceptions: As in `NO_PROXY`: domains with all below them, addresses, ranges such as `10.0.0.0/8`, or `*`.
    /// - Throws: `TransportError`, `unsupportedRequest`.
    public static func proxy(_ url: String, except exceptions: [String] = []) throws(TransportError) -> NetworkSettings
    {
        let proxy = try Proxy(url, named: "the proxy")
        var settings = NetworkSettings()
        settings.proxies = ["http": .success(proxy), "https": .success(proxy)]
        (settings.exceptions, settings.bypass) = (exceptions, ProxyBypass(exceptions))
        return settings
    }

    private init() {}

    package init(environment: [String: String]) {
        for scheme in ["http", "https"] {
            let own = "\(scheme)_proxy"
            // A server sets HTTP_PROXY of a CGI program to the header field Proxy, which anybody can send.
            let isForged = scheme == "http" && environment["REQUEST_METHOD"] != nil
            let names = [own, isForged ? nil : own.uppercased(), "all_proxy", "ALL_PROXY"].compactMap { $0 }
            guard let name = names.first(where: { environment[$0] != nil }), let url = environment[name], !url.isEmpty
            else { continue }
            proxies[scheme] = Result { () throws(TransportError) in try Proxy(url, named: name) }
        }
        let listed = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        exceptions = listed.split { $0 == "," || $0 == " " }.map(String.init)
        bypass = ProxyBypass(exceptions)
        let trusted = ["SSL_CERT_FILE", "SSL_CERT_DIR"].compactMap { name in
            environment[name].flatMap { $0.isEmpty ? nil : TrustedPath(path: $0, name: name) }
        }
        if !trusted.isEmpty { trustedPaths = trusted }
    }

    /// The same settings, which also trust the certificates of a PEM file, e.g. of a company's authority or a test server.
    ///
    /// A transport fails its requests with `TransportError`, `tls`, if the file has no readable certificates.
    public func trusting(certificatesAt path: String) -> NetworkSettings {
        trusting(path, named: "trusting(certificatesAt:)")
    }

    package func trusting(_ path: String, named name: String) -> NetworkSettings {
        changing(self) { $0.additionalPaths.append(TrustedPath(path: path, name: name)) }
    }

    /// The proxy for a URL; `nil` for a direct connection.
    ///
    /// - Parameter host: As in a URL, without the port.
    /// - Throws: `TransportError`, `unsupportedRequest`, if the proxy that applies cannot be used.
    package func proxy(scheme: String, host: String) throws(TransportError) -> Proxy? {
        guard let proxy = proxies[scheme], !HostName(host).isLoopback, !bypass.contains(host) else { return nil }
        return try proxy.get()
    }

    package func usableProxy(scheme: String) -> Proxy? { proxies[scheme].flatMap { try? $0.get() } }

    package var usableProxies: Set<Proxy> { Set(proxies.values.compactMap { try? $0.get() }) }
}
