public import Carnet
import CarnetFoundation
public import CarnetProtocol
public import CarnetTransport
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with URLSession: for applications on Apple platforms.
///
/// The session is ephemeral: no cookies, no cache, no stored credentials. Redirects are not followed. The system
/// validates certificates, and TLS is 1.2 or newer. If the system unpacks an unrequested compressed body, the limit
/// counts the unpacked bytes. Hosts with addresses of this machine and the local network are rejected unless
/// `LocalAccess` names them. The transport resolves a host right before the request. It does not notice if the DNS
/// response changes between this lookup and the request.
///
/// The system decides about proxies: managed ones and PAC files on Apple platforms, the environment on Linux. A proxy looks
/// up hosts itself.
///
/// A request with a client certificate (RFC 8705) is rejected: URLSession cannot present a certificate on Linux, and
/// needs the Keychain for it on Apple platforms. `AsyncHTTPTransport` presents certificates on all systems.
///
/// On Linux, use `AsyncHTTPTransport`. There, all sessions of URLSession share one queue, which a server with an
/// endless response can block. Before Swift 6.4, a server that closes the connection in the middle of its header ends
/// the process (swift-corelibs-foundation, issue 5285).
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let exchanges = URLSessionExchanges()
    private let localAccess: LocalAccess

    public convenience init(localAccess: LocalAccess = .none) {
        self.init(URLSessionConfiguration.ephemeral, localAccess)
    }

    #if canImport(Darwin)
        /// - Parameter network: The proxy in place of the system's. Certificate authorities are always the system's.
        public convenience init(localAccess: LocalAccess = .none, network: NetworkSettings) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.connectionProxyDictionary = network.proxyDictionary
            self.init(configuration, localAccess)
        }
    #endif

    private init(_ configuration: URLSessionConfiguration, _ localAccess: LocalAccess) {
        self.localAccess = localAccess
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        #if canImport(Darwin)
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
            configuration.waitsForConnectivity = false
        #endif
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    public func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let target = try RequestTarget(request)
        guard request.certificate == nil else {
            throw TransportError(
                .unsupportedRequest,
                "URLSession cannot present the client's certificate to \(target.origin) here; use AsyncHTTPTransport")
        }
        guard let url = URL(string: target.url) else {
            throw TransportError(.unsupportedRequest, "the URL of the request to \(target.origin) is not valid")
        }
        let access = localAccess.adding(limits.localHosts)
        try target.refuseLocalHost(unless: access)
        let message = URLRequest(request, url: url)
        let looksUp = !access.allows(target.host)
        return try await Deadlines.shared.run(within: limits.deadline, origin: target.origin) { [session, exchanges] in
            if looksUp, await Self.addresses(of: target.host).contains(where: { !$0.isPublic && !$0.standsForName }) {
                throw TransportError(localAddressOf: target.origin)
            }
            try limits.checkMoment(target.origin)
            let task = session.dataTask(with: message)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    exchanges.begin(task, limits: limits, origin: target.origin, continuation)
                }
            } onCancel: {
                exchanges.cancel(task)
            }
        }
    }

    /// Calls the system's resolver on a separate thread, because it waits for the network.
    private static func addresses(of host: String) async -> [IPAddress] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: IPAddress.lookUp(host)) }
        }
    }
}

extension URLRequest {
    fileprivate init(_ request: OutgoingRequest, url: URL) {
        // The system's deadline would count time in which the process was stopped.
        self.init(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 7 * 86_400)
        httpMethod = request.head.method.rawValue
        httpShouldHandleCookies = false
        setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for field in request.head.headerFields { addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        if !request.body.isEmpty || [.post, .put, .patch].contains(request.head.method) {
            httpBody = Data(request.body)
        }
    }
}

#if canImport(Darwin)
    extension NetworkSettings {
        /// The proxies as URLSession takes them: one for each scheme, and the hosts that need none.
        fileprivate var proxyDictionary: [AnyHashable: Any] {
            var dictionary: [AnyHashable: Any] = ["ExceptionsList": exceptions + ["localhost", "127.0.0.1", "::1"]]
            for (scheme, prefix) in [("http", "HTTP"), ("https", "HTTPS")] {
                guard let proxy = usableProxy(scheme: scheme) else { continue }
                let prefix = proxy.isSOCKS ? "SOCKS" : prefix
                dictionary["\(prefix)Enable"] = 1
                dictionary["\(prefix)Proxy"] = proxy.host
                dictionary["\(prefix)Port"] = proxy.port
                if let user = proxy.user {
                    dictionary["kCFProxyUsernameKey"] = user
                    dictionary["kCFProxyPasswordKey"] = proxy.password?.reveal() ?? ""
                }
            }
            return dictionary
        }
    }
#endif
