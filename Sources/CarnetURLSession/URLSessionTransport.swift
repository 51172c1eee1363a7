public import Carnet
public import CarnetHTTP
public import CarnetProtocol
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with URLSession: for applications on Apple platforms.
///
/// The session is ephemeral: no cookies, no cache, no stored credentials. Redirects are not followed. The system's
/// trust store decides about certificates, and TLS is 1.2 or newer. Where the system unpacks a compressed body that
/// nobody asked for, the limit counts its unpacked bytes. Hosts at addresses of this machine and the local network are
/// refused unless `LocalAccess` names them; they are looked up right before the request, and a name server that changes
/// its answer in that moment is not noticed.
///
/// A request with a client's certificate (RFC 8705) is refused: on Linux URLSession has no way to present one, and on
/// Apple platforms it would take the keychain. `AsyncHTTPTransport` presents it everywhere.
///
/// On Linux use `AsyncHTTPTransport`: there URLSession takes a proxy from the environment, all of its sessions share one
/// queue, which a server that never stops sending can hold up, and before Swift 6.4 a server that hangs up in the middle of
/// its header ends the whole process (swift-corelibs-foundation, issue 5285).
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let exchanges = URLSessionExchanges()
    private let localAccess: LocalAccess

    public init(localAccess: LocalAccess = .none) {
        self.localAccess = localAccess
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.connectionProxyDictionary = [:]
        #if canImport(Darwin)
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
            configuration.waitsForConnectivity = false
        #endif
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        session.invalidateAndCancel()
    }

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
        return try await withDeadline(limits.deadline, origin: target.origin) { [session, exchanges] in
            if looksUp, await Self.addresses(of: target.host).contains(where: { !$0.isPublic }) {
                throw TransportError(localAddressOf: target.origin)
            }
            if let moment = limits.sendBefore, .now >= moment {
                throw TransportError(.tooLate, "the connection to \(target.origin) comes too late for this request")
            }
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

    /// Asks the system's resolver on a thread of its own, because it waits for the network.
    private static func addresses(of host: String) async -> [IPAddress] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: IPAddress.lookUp(host)) }
        }
    }
}

extension URLRequest {
    fileprivate init(_ request: OutgoingRequest, url: URL) {
        // The deadline is ours: the system's counts time in which the process was stopped.
        self.init(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 7 * 86_400)
        httpMethod = request.head.method.rawValue
        httpShouldHandleCookies = false
        setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for field in request.head.headerFields {
            addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        if !request.body.isEmpty || [.post, .put, .patch].contains(request.head.method) {
            httpBody = Data(request.body)
        }
    }
}
