public import Carnet
public import CarnetProtocol
public import CarnetTransport
import HTTPTypes

/// Sends requests with the system's libcurl over HTTP/1.1, with its own connection pool: for Linux.
///
/// The transport always checks certificates, and TLS is 1.2 or newer. It follows no redirects, keeps no cookies, never
/// retries, reads no credentials from files and requests no compression. `NetworkSettings` contains the proxy and the
/// trusted authorities, by default those of the environment. The transport connects to addresses of this machine and
/// the local network only for hosts that `LocalAccess` or the descriptor itself names. The check uses the address of
/// the connection, so a changed DNS response cannot bypass it.
///
/// Each transport has one thread for its connections, which ends after fifteen seconds without a request. `shutdown()`
/// closes every connection, and so does releasing the transport. `exit` ends the thread and its requests.
///
/// A request with a client certificate has its own connections. They are not shared with another certificate, or with
/// requests without one.
public final class CurlTransport: Transport {
    private let connections: CurlConnections
    private let localAccess: LocalAccess
    private let network: NetworkSettings
    private let unreadableTrust: TransportError?

    public init(localAccess: LocalAccess = .none, network: NetworkSettings = .environment) {
        self.localAccess = localAccess
        self.network = network
        do throws(TransportError) {
            (connections, unreadableTrust) = (CurlConnections(try CurlTrust(network)), nil)
        } catch {
            (connections, unreadableTrust) = (CurlConnections(.system), error)
        }
    }

    deinit { connections.shutDown() }

    public func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        try Task.checkCancellation()
        let target = try RequestTarget(request)
        let access = localAccess.adding(limits.localHosts)
        try target.refuseLocalHost(unless: access)
        if let unreadableTrust { throw unreadableTrust }
        let proxy = try network.proxy(scheme: target.scheme, host: target.host)
        if request.certificate != nil { try target.requireTLS() }
        let message = CurlMessage(
            request, target, limits, proxy: proxy, mayBeLocal: proxy != nil || access.allows(target.host))
        try limits.checkMoment(target.origin)
        let response = try await connections.exchange(message)
        return try response.unpacked(
            from: response.head.headerFields.value(of: .contentEncoding), limits, origin: target.origin)
    }

    /// Closes every connection. Later requests fail. It may be called more than once.
    public func shutdown() async { connections.shutDown() }
}
