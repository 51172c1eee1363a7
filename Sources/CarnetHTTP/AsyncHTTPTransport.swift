import AsyncHTTPClient
public import Carnet
import CarnetFoundation
public import CarnetProtocol
public import CarnetTransport
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends requests with AsyncHTTPClient over HTTP/1.1, with its own connection pool.
///
/// The transport always checks certificates, and TLS is 1.2 or newer. It follows no redirects, keeps no cookies, never
/// retries, sends no trace headers and requests no compression. `NetworkSettings` contains the proxy and the trusted
/// authorities, by default those of the environment. The transport connects to addresses of this machine and the local
/// network only for hosts that `LocalAccess` or the descriptor itself names. The check uses the address of the
/// connection, so a changed DNS response cannot bypass it. Connections use the process's shared event loops.
/// `shutdown()` closes the idle ones; releasing the transport closes all.
///
/// A request with a client certificate has its own connections. They are not shared with another certificate, or with
/// requests without one.
public final class AsyncHTTPTransport: Transport {
    /// The pools for hosts that may be local, and for all others.
    private let (localClient, publicClient): (HTTPClient, HTTPClient)
    /// For hosts behind a proxy, which knows their addresses.
    private let proxied: [Proxy: HTTPClient]
    private let hostConnections = HostConnections()
    private let configuration: HTTPClient.Configuration
    private let network: NetworkSettings
    private let unreadableTrust: TransportError?
    private let localAccess: LocalAccess
    private let tls: TLSConfiguration
    private let identities = TLSIdentities()

    public init(localAccess: LocalAccess = .none, network: NetworkSettings = .environment) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.certificateVerification = .fullVerification
        unreadableTrust = tls.trust(network)
        self.tls = tls
        self.network = network
        var pool = HTTPClient.Configuration.ConnectionPool(idleTimeout: .seconds(15))
        // The first failure is the one to report.
        pool.retryConnectionEstablishment = false
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)),
            connectionPool: pool, proxy: nil, ignoreUncleanSSLShutdown: false, decompression: .disabled)
        configuration.httpVersion = .http1Only
        // Spans would contain the URL with its query.
        configuration.tracing.tracer = nil
        self.localAccess = localAccess
        self.configuration = configuration
        proxied = Dictionary(
            network.usableProxies.map { [configuration] proxy in
                let configuration = configuration.through(proxy).checkingConnections(refusingLocalAddresses: false)
                return (proxy, HTTPClient(eventLoopGroup: transportEventLoop, configuration: configuration))
            }
        ) { first, _ in first }
        localClient = HTTPClient(
            eventLoopGroup: transportEventLoop,
            configuration: configuration.checkingConnections(refusingLocalAddresses: false))
        publicClient = HTTPClient(
            eventLoopGroup: transportEventLoop,
            configuration: configuration.checkingConnections(refusingLocalAddresses: true))
    }

    deinit {
        localClient.shutdown { _ in }
        publicClient.shutdown { _ in }
        for client in proxied.values { client.shutdown { _ in } }
    }

    public func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let target = try RequestTarget(request)
        let access = localAccess.adding(limits.localHosts)
        try target.refuseLocalHost(unless: access)
        if let unreadableTrust { throw unreadableTrust }
        let proxy = try network.proxy(scheme: target.scheme, host: target.host)
        let route = HostConnections.Route(
            host: target.host, proxy: proxy, mayBeLocal: proxy != nil || access.allows(target.host))
        let origin = proxy.map { "\(target.origin) through the proxy \($0.place)" } ?? target.origin
        var message = HTTPClientRequest(request, url: target.url)
        if let certificate = request.certificate {
            try target.requireTLS()
            message.tlsConfiguration = try identities.configuration(tls, presenting: certificate)
        }
        // The body of a stream may take any time.
        let headDeadline = request.stream.map { NIODeadline.now() + TimeAmount($0.deadline) } ?? .distantFuture
        return try await Deadlines.shared.run(
            within: request.stream == nil ? limits.deadline : .seconds(1 << 32), origin: origin,
            startedBy: Task.onEventLoop
        ) { [message] in
            do {
                var message = message
                try limits.checkMoment(target.origin)
                if limits.sendBefore != nil, message.body != nil {
                    let body = TimedBody(bytes: ByteBuffer(bytes: request.body), limits: limits, origin: target.origin)
                    message.body = .stream(body, length: .known(request.body.count))
                }
                return try await self.exchange(message, along: route, before: headDeadline) { response in
                    try await response.collect(
                        limits, isHead: request.head.method == .head, request.stream, from: target.origin)
                }
            } catch {
                throw TransportError(error, origin: origin)
            }
        }
    }

    private func exchange(
        _ message: HTTPClientRequest, along route: HostConnections.Route, before deadline: NIODeadline,
        reading read: @Sendable (HTTPClientResponse) async throws -> IncomingResponse
    ) async throws -> IncomingResponse {
        let shared = route.proxy.flatMap { proxied[$0] } ?? (route.mayBeLocal ? localClient : publicClient)
        let known = hostConnections.client(for: route)
        defer { withExtendedLifetime(known) {} }
        do {
            return try await (known?.client ?? shared).exchange(message, before: deadline, reading: read)
        } catch is HostNotCompared {
            // Nothing has been sent yet.
            let configuration = configuration.through(route.proxy).checkingConnections(
                to: route.host, refusingLocalAddresses: !route.mayBeLocal)
            let own = hostConnections.make(for: route, configuration)
            defer { withExtendedLifetime(own) {} }
            return try await own.client.exchange(message, before: deadline, reading: read)
        }
    }

    /// Closes every connection. Later requests fail. It may be called more than once.
    public func shutdown() async {
        try? await localClient.shutdown().get()
        try? await publicClient.shutdown().get()
        for client in proxied.values { try? await client.shutdown().get() }
        for client in hostConnections.removeAll() { try? await client.shutdown().get() }
    }
}

extension HTTPClientRequest {
    fileprivate init(_ request: OutgoingRequest, url: String) {
        self.init(url: url)
        method = HTTPMethod(rawValue: request.head.method.rawValue)
        for field in request.head.headerFields { headers.add(name: field.name.rawName, value: field.value) }
        if !request.body.isEmpty || [.post, .put, .patch].contains(request.head.method) { body = .bytes(request.body) }
    }

    /// `host:port`, for messages.
    fileprivate var origin: String { (try? WebURL(url))?.authority ?? "the server" }
}

extension HTTPClient {
    fileprivate func exchange(
        _ message: HTTPClientRequest, before deadline: NIODeadline,
        reading read: @Sendable (HTTPClientResponse) async throws -> IncomingResponse
    ) async throws -> IncomingResponse {
        // The deadline given here ends with the response's head, so it matters to a stream only.
        let response: HTTPClientResponse
        do {
            response = try await execute(message, deadline: deadline)
        } catch let error as HTTPClientError where error == .remoteConnectionClosed {
            throw TransportError.closed(message.origin, receivedNothing: true)
        } catch let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode) {
            throw TransportError.closed(message.origin, receivedNothing: true)
        }
        return try await read(response)
    }
}

extension HTTPClientResponse {
    fileprivate func collect(
        _ limits: TransportLimits, isHead: Bool, _ stream: ResponseStream?, from origin: String
    ) async throws -> IncomingResponse {
        if let stream, let head, stream.takes(head) {
            stream.begin(head)
            for try await part in body {
                guard stream.take(Array(part.readableBytesView)) else {
                    throw TransportError(.interrupted, "the rest of \(origin)'s response was not wanted")
                }
            }
            return IncomingResponse(head: head)
        }
        guard let stream else { return try await collectWhole(limits, isHead: isHead, from: origin) }
        // The deadline of the head is over, and only a streamed body may take any time.
        return try await Deadlines.shared.run(within: stream.deadline, origin: origin) {
            try await collectWhole(limits, isHead: isHead, from: origin)
        }
    }

    private func collectWhole(
        _ limits: TransportLimits, isHead: Bool, from origin: String
    ) async throws -> IncomingResponse {
        let length = isHead ? nil : headers.first(name: "content-length").flatMap { Int($0) }
        var collected = try CappedBody(announcedLength: length, limits: limits, origin: origin)
        for try await part in body { try collected.append(part.readableBytesView) }
        guard let head else { throw TransportError(.interrupted, "\(origin) sent a response that is not HTTP") }
        return try IncomingResponse(head: head, body: collected.bytes).unpacked(
            from: headers.first(name: "content-encoding"), limits, origin: origin)
    }

    /// `nil` if it is not HTTP.
    private var head: HTTPResponse? {
        guard (100...999).contains(status.code) else { return nil }
        var head = HTTPResponse(status: .init(code: Int(status.code), reasonPhrase: status.reasonPhrase))
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { continue }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        return head
    }
}

extension TLSConfiguration {
    /// Trusts what the settings name.
    ///
    /// - Returns: Why one of the settings cannot be read. Nothing may be requested then: fewer or other authorities would be
    ///   trusted than were meant.
    fileprivate mutating func trust(_ network: NetworkSettings) -> TransportError? {
        var additional: [NIOSSLAdditionalTrustRoots] = []
        do throws(TransportError) {
            if let trusted = network.trustedPaths {
                trustRoots = .certificates([])
                for path in trusted { additional.append(try path.roots()) }
            }
            for path in network.additionalPaths { additional.append(try path.roots()) }
        } catch {
            return error
        }
        additionalTrustRoots = additional
        return nil
    }
}

extension NetworkSettings.TrustedPath {
    /// - Throws: `TransportError`, `tls`, if there is nothing to trust.
    fileprivate func roots() throws(TransportError) -> NIOSSLAdditionalTrustRoots {
        let certificates = Self.files(at: path).flatMap { (try? NIOSSLCertificate.fromPEMFile($0)) ?? [] }
        guard !certificates.isEmpty else {
            throw TransportError(.tls, "\(name) names \(path), which has no certificates in PEM form that can be read")
        }
        return .certificates(certificates)
    }
}

extension HTTPClient.Configuration {
    fileprivate func through(_ proxy: CarnetTransport.Proxy?) -> Self {
        changing(self) { $0.proxy = proxy.map(HTTPClient.Configuration.Proxy.init) }
    }
}

extension HTTPClient.Configuration.Proxy {
    fileprivate init(_ proxy: Proxy) {
        guard !proxy.isSOCKS else {
            self = .socksServer(host: proxy.host, port: proxy.port)
            return
        }
        let authorization = proxy.user.map { user in
            HTTPClient.Authorization.basic(username: user, password: proxy.password?.reveal() ?? "")
        }
        self = .server(host: proxy.host, port: proxy.port, authorization: authorization)
    }
}
