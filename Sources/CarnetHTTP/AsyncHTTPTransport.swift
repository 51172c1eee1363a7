import AsyncHTTPClient
public import Carnet
public import CarnetProtocol
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends requests with AsyncHTTPClient, over HTTP/1.1, with a pool of connections of its own.
///
/// Certificates are always checked and TLS is 1.2 or newer. Redirects, cookies, compression, retries, proxies from the
/// environment and traces do not exist here. Addresses of this machine and the local network are reached at hosts alone
/// that `LocalAccess` or the descriptor itself names; that is judged by the address that a connection got, whatever a
/// name server said before. Connections use the process's shared event loops; `shutdown()` closes the idle ones at once,
/// and a transport that goes away closes them too.
///
/// A request with a client's certificate goes over connections of its own: none is shared with another certificate, or
/// with requests that have none.
public final class AsyncHTTPTransport: Transport {
    /// For hosts that may be local, and for all others.
    private let (localClient, publicClient): (HTTPClient, HTTPClient)
    private let localAccess: LocalAccess
    private let tls: TLSConfiguration
    private let identities = TLSIdentities()

    public convenience init(localAccess: LocalAccess = .none) {
        self.init(trustRoots: [], localAccess)
    }

    /// - Parameter additionalTrustRootsPEM: The path of a PEM file with certificates to trust besides those of the
    ///   system, e.g. of a company's own authority or a test server.
    /// - Throws: `TransportError`, `tls`, if the file has no certificates that can be read.
    public convenience init(additionalTrustRootsPEM: String, localAccess: LocalAccess = .none) throws {
        let certificates = (try? NIOSSLCertificate.fromPEMFile(additionalTrustRootsPEM)) ?? []
        guard !certificates.isEmpty else {
            throw TransportError(.tls, "\(additionalTrustRootsPEM) has no certificates in PEM form that can be read")
        }
        self.init(trustRoots: certificates, localAccess)
    }

    private init(trustRoots: [NIOSSLCertificate], _ localAccess: LocalAccess) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.certificateVerification = .fullVerification
        if !trustRoots.isEmpty {
            tls.additionalTrustRoots = [.certificates(trustRoots)]
        }
        self.tls = tls
        var pool = HTTPClient.Configuration.ConnectionPool(idleTimeout: .seconds(15))
        // The first failure is the one to report.
        pool.retryConnectionEstablishment = false
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10)),
            connectionPool: pool,
            proxy: nil,
            ignoreUncleanSSLShutdown: false,
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        // Spans carry the URL with its query.
        configuration.tracing.tracer = nil
        self.localAccess = localAccess
        localClient = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        configuration.http1_1ConnectionDebugInitializer = Self.refuseLocalAddress
        publicClient = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }

    /// Runs on a connection that was just made, before its first request: no answer of a name server can come in between.
    @Sendable private static func refuseLocalAddress(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard channel.remoteAddress?.ipAddress.flatMap(IPAddress.init(numericHost:))?.isPublic != true else {
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        // Closed once the client has forgotten it.
        channel.eventLoop.execute { channel.close(promise: nil) }
        return channel.eventLoop.makeFailedFuture(LocalAddressRefused())
    }

    deinit {
        localClient.shutdown { _ in }
        publicClient.shutdown { _ in }
    }

    public func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let target = try RequestTarget(request)
        let access = localAccess.adding(limits.localHosts)
        try target.refuseLocalHost(unless: access)
        let client = access.allows(target.host) ? localClient : publicClient
        var message = HTTPClientRequest(request, url: target.url)
        if let certificate = request.certificate {
            guard request.head.scheme?.lowercased() == "https" else {
                throw TransportError(
                    .unsupportedRequest, "the client's certificate goes over https alone, and \(target.origin) is not")
            }
            message.tlsConfiguration = try identities.configuration(tls, presenting: certificate)
        }
        let timedBody = limits.sendBefore.map { TimedBody(request.body, before: $0, origin: target.origin) }
        return try await withDeadline(limits.deadline, origin: target.origin) { [client, message] in
            do {
                var message = message
                if let timedBody {
                    try timedBody.check()
                    if message.body != nil { message.body = .stream(timedBody, length: .known(request.body.count)) }
                }
                // The deadline given here ends with the response's head, so it is not the one that matters.
                let response = try await client.execute(message, deadline: .distantFuture)
                return try await response.collect(limits, isHead: request.head.method == .head, from: target.origin)
            } catch {
                throw TransportError(error, origin: target.origin)
            }
        }
    }

    /// Closes every connection. Requests after that fail. Safe to call more than once.
    public func shutdown() async {
        try? await localClient.shutdown().get()
        try? await publicClient.shutdown().get()
    }
}

/// A connection went to an address that is not public.
struct LocalAddressRefused: Error {}

extension HTTPClientRequest {
    fileprivate init(_ request: OutgoingRequest, url: String) {
        self.init(url: url)
        method = HTTPMethod(rawValue: request.head.method.rawValue)
        for field in request.head.headerFields {
            headers.add(name: field.name.rawName, value: field.value)
        }
        if !request.body.isEmpty || [.post, .put, .patch].contains(request.head.method) {
            body = .bytes(request.body)
        }
    }
}

extension HTTPClientResponse {
    fileprivate func collect(
        _ limits: TransportLimits,
        isHead: Bool,
        from origin: String
    ) async throws -> IncomingResponse {
        let length = isHead ? nil : headers.first(name: "content-length").flatMap { Int($0) }
        var collected = try CappedBody(announcedLength: length, limits: limits, origin: origin)
        for try await part in body {
            try collected.append(part.readableBytesView)
        }
        guard (100...999).contains(status.code) else {
            throw TransportError(.interrupted, "\(origin) answered with something that is not HTTP")
        }
        var head = HTTPResponse(status: .init(code: Int(status.code), reasonPhrase: status.reasonPhrase))
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { continue }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        return IncomingResponse(head: head, body: collected.bytes)
    }
}
