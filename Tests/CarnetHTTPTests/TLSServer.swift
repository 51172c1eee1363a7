import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A TLS server on 127.0.0.1 that answers the first bytes of each connection with an empty 200.
final class TLSServer: Sendable {
    private let channel: any Channel
    private let requests: Requests

    init(_ certificate: TestCertificate, maximumTLSVersion: TLSVersion? = nil) async throws {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.certificatePath).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.keyPath, format: .pem))
        )
        tls.minimumTLSVersion = .tlsv1
        tls.maximumTLSVersion = maximumTLSVersion
        let context = try NIOSSLContext(configuration: tls)
        let requests = Requests()
        self.requests = requests
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context), Answer(requests: requests),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var authority: String { "127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// How many requests came through TLS.
    var requestCount: Int { requests.count.withLock { $0 } }

    func stop() async throws {
        try await channel.close()
    }

    private final class Requests: Sendable {
        let count = Mutex(0)
    }

    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let requests: Requests

        init(requests: Requests) {
            self.requests = requests
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            requests.count.withLock { $0 += 1 }
            let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
