import AsyncHTTPClient
import CarnetFoundation
import CarnetTransport
import NIOCore
import NIOPosix
import NIOSSL

/// The connections to hosts whose certificates name the address that was connected to.
///
/// swift-nio-ssl accepts such a certificate for every requested host, so a proxy or an attacker in the network with a
/// certificate for its own address could impersonate every server. `HTTPClient.Configuration.checkingConnections` refuses
/// it for connections of unknown purpose. Those made here are for one host, and the certificate has to name that host
/// (RFC 9525, section 6.3).
final class HostConnections: Sendable {
    /// How a host is reached.
    struct Route: Hashable {
        let host: String
        let proxy: Proxy?
        let mayBeLocal: Bool
    }

    /// Closes its connections when the last request that uses them is over.
    final class Client: Sendable {
        let client: HTTPClient

        init(_ configuration: HTTPClient.Configuration) {
            client = HTTPClient(eventLoopGroup: transportEventLoop, configuration: configuration)
        }

        deinit { client.shutdown { _ in } }
    }

    private let clients = Lock<[Route: Client]>([:])

    /// Few servers have such certificates. Beyond this number all are connected to again.
    private static let capacity = 32

    func client(for route: Route) -> Client? { clients.withLock { $0[route] } }

    func make(for route: Route, _ configuration: HTTPClient.Configuration) -> Client {
        clients.withLock { clients in
            if let client = clients[route] { return client }
            if clients.count >= Self.capacity { clients = [:] }
            let client = Client(configuration)
            clients[route] = client
            return client
        }
    }

    /// - Returns: What has to be shut down.
    func removeAll() -> [HTTPClient] {
        clients.withLock { clients in
            defer { clients = [:] }
            return clients.values.map(\.client)
        }
    }
}

/// A connection reached an address that is not public.
struct LocalAddressRefused: Error {}

/// The server's certificate names the address of the connection, so that the library has not compared the host.
struct HostNotCompared: Error {}

/// The server's certificate names other hosts than the one requested.
struct OtherHost: Error {}

extension HTTPClient.Configuration {
    /// Checks each new connection before its first request, so that a later DNS response does not matter.
    ///
    /// - Parameter host: The host of all connections; nil if they are for several.
    func checkingConnections(to host: String? = nil, refusingLocalAddresses: Bool) -> Self {
        var configuration = self
        configuration.http1_1ConnectionDebugInitializer = { channel in
            do {
                if refusingLocalAddresses { try channel.refuseLocalAddress() }
                if let host {
                    try channel.requireCertificate(for: host)
                } else {
                    try channel.refuseCertificateForAddress()
                }
                return channel.eventLoop.makeSucceededVoidFuture()
            } catch {
                // Closed once the client has forgotten it.
                channel.eventLoop.execute { channel.close(promise: nil) }
                return channel.eventLoop.makeFailedFuture(error)
            }
        }
        return configuration
    }
}

extension Channel {
    private var remoteIPAddress: IPAddress? { remoteAddress?.ipAddress.flatMap(IPAddress.init(numericHost:)) }

    /// Nil without TLS.
    private var serverCertificate: NIOSSLCertificate? {
        (try? pipeline.syncOperations.handler(type: NIOSSLHandler.self))?.peerCertificate
    }

    fileprivate func refuseLocalAddress() throws {
        let address = remoteIPAddress
        guard address?.isPublic == true || address?.standsForName == true else { throw LocalAddressRefused() }
    }

    fileprivate func refuseCertificateForAddress() throws {
        guard let certificate = serverCertificate, let address = remoteIPAddress else { return }
        if certificate.identifies(address) { throw HostNotCompared() }
    }

    fileprivate func requireCertificate(for host: String) throws {
        guard let certificate = serverCertificate else { return }
        let identified =
            IPAddress(numericHost: host).map(certificate.identifies) ?? certificate.identifies(hostName: host)
        guard identified else { throw OtherHost() }
    }
}

extension NIOSSLCertificate {
    func identifies(_ address: IPAddress) -> Bool {
        _subjectAlternativeNames().contains { name in
            name.nameType == .ipAddress && IPAddress(Array(name.contents)) == address
        }
    }

    /// Compares the ASCII letters without case. A wildcard stands for the whole first label only (RFC 9525, section 6.3).
    func identifies(hostName: String) -> Bool {
        let host = Self.labels(Array(hostName.utf8))
        return _subjectAlternativeNames().contains { name in
            guard name.nameType == .dnsName else { return false }
            let labels = Self.labels(Array(name.contents))
            guard labels.first == [UInt8(ascii: "*")] else { return labels == host }
            return labels.count > 2 && host.first != [] && labels.dropFirst() == host.dropFirst()
        }
    }

    /// The labels of a host name in lower case, without the dot at its end.
    private static func labels(_ name: [UInt8]) -> [[UInt8]] {
        let lowercased = name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
        let labels = lowercased.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        return labels.last == [] ? labels.dropLast() : labels
    }
}
