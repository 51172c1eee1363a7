import CarnetDescriptors
import CarnetFoundation
import NIOCore
import NIOPosix
public import NIOSSL

/// A TLS server on 127.0.0.1 that responds to each request with an empty 200, or with the JSON of its path.
public final class TLSServer: Sendable {
    private let channel: any Channel
    private let log: Log

    /// - Parameters:
    ///   - certificate: The path of its certificate, in PEM form.
    ///   - key: The path of the private key.
    ///   - clients: The paths of the certificates that clients' own are signed with; none are asked for without them.
    ///   - demandsClientCertificate: Whether a client without one is refused.
    public init(
        certificate: String, key: String, maximumVersion: TLSVersion? = nil, clients: [String] = [],
        demandsClientCertificate: Bool = true
    ) async throws {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
        )
        tls.minimumTLSVersion = .tlsv1
        tls.maximumTLSVersion = maximumVersion
        if !clients.isEmpty {
            tls.trustRoots = .certificates(try clients.flatMap { try NIOSSLCertificate.fromPEMFile($0) })
            tls.certificateVerification = demandsClientCertificate ? .noHostnameVerification : .optionalVerification
        }
        let context = try NIOSSLContext(configuration: tls)
        let log = Log()
        self.log = log
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context), Responder(log: log),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    public var authority: String { "127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// How many requests came through TLS.
    public var requestCount: Int { presented.count }

    /// The certificate in DER form that was presented with each request, in their order.
    public var presented: [[UInt8]?] { log.state.withLock { $0.presented } }

    /// Responds to a path with JSON from now on.
    public func respond(_ path: String, with json: String) { log.state.withLock { $0.responses[path] = json } }

    public func stop() async throws {
        try await channel.close()
    }

    private final class Log: Sendable {
        let state = Lock((presented: [[UInt8]?](), responses: [String: String]()))
    }

    private final class Responder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let log: Log
        private var received = ""

        init(log: Log) {
            self.log = log
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            guard let end = received.firstRange(of: "\r\n\r\n") else { return }
            let head = received[..<end.lowerBound].split(separator: "\r\n")
            let length = head.first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.drop { $0 != " " }.dropFirst()) }
            guard received[end.upperBound...].utf8.count >= length ?? 0 else { return }
            received = ""
            respond(head.first?.split(separator: " ").dropFirst().first.map { String($0) } ?? "", context)
        }

        private func respond(_ path: String, _ context: ChannelHandlerContext) {
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()?.toDERBytes()
            let body = log.state.withLock { state in
                state.presented.append(certificate)
                return state.responses[path] ?? ""
            }
            let type = body.isEmpty ? "" : "Content-Type: application/json\r\n"
            let response = "HTTP/1.1 200 OK\r\n\(type)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: response)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
