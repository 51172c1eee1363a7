import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on 127.0.0.1 that speaks TLS and answers whatever comes with a token.
final class SecureServer: Sendable {
    private final class Count: Sendable {
        let requests = Mutex(0)
        let presented = Mutex<[[UInt8]?]>([])
    }

    private let channel: any Channel
    private let count: Count

    /// - Parameters:
    ///   - clientAuthority: Whose certificates clients are asked for; none are asked for without it.
    ///   - keepsConnections: Whether one connection may serve for many requests.
    init(
        _ identity: (certificate: String, key: String), maximumVersion: TLSVersion? = nil,
        clientAuthority: String? = nil, keepsConnections: Bool = false
    ) async throws {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(identity.certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: identity.key, format: .pem)))
        tls.minimumTLSVersion = .tlsv1
        tls.maximumTLSVersion = maximumVersion
        if let clientAuthority {
            tls.trustRoots = .file(clientAuthority)
            tls.certificateVerification = .optionalVerification
        }
        let context = try NIOSSLContext(configuration: tls)
        let count = Count()
        self.count = count
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context), Answer(count: count, keepsConnections: keepsConnections),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var authority: String { "127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// How many requests came through TLS.
    var requests: Int { count.requests.withLock { $0 } }

    /// The certificate in DER form that was presented with each request.
    var presented: [[UInt8]?] { count.presented.withLock { $0 } }

    func stop() async { try? await channel.close() }

    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let count: Count
        private let keepsConnections: Bool
        private var hasAnswered = false

        init(count: Count, keepsConnections: Bool) {
            self.count = count
            self.keepsConnections = keepsConnections
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // Head and body of a request may come apart.
            guard !hasAnswered else { return }
            hasAnswered = !keepsConnections
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()?.toDERBytes()
            count.presented.withLock { $0.append(certificate) }
            count.requests.withLock { $0 += 1 }
            let body = #"{"access_token":"a","token_type":"Bearer"}"#
            let text =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                + "Connection: \(keepsConnections ? "keep-alive" : "close")\r\n\r\n\(body)"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
