import CarnetDescriptors
import CarnetFoundation
import NIOCore
import NIOPosix

/// An HTTP proxy on 127.0.0.1 that tunnels every CONNECT to one port of this machine, whatever host was asked for.
public final class ConnectProxy: Sendable {
    private let channel: any Channel
    private let heads: Heads

    private final class Heads: Sendable {
        let all = Lock<[String]>([])
    }

    /// - Parameters:
    ///   - upstream: The port that stands for every host.
    ///   - credentials: The Proxy-Authorization that is demanded; none if `nil`.
    public init(to upstream: Int, demanding credentials: String? = nil) async throws {
        let heads = Heads()
        self.heads = heads
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Greeter(upstream: upstream, credentials: credentials, heads: heads))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    public var port: Int { channel.localAddress?.port ?? 0 }

    /// The heads of the requests so far.
    public var requests: [String] { heads.all.withLock { $0 } }

    public func stop() async throws {
        try await channel.close()
    }

    /// Reads the CONNECT, connects, and passes everything on from then on.
    private final class Greeter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let upstream: Int
        private let credentials: String?
        private let heads: Heads
        private var head = ""
        private var partner: (any Channel)?

        init(upstream: Int, credentials: String?, heads: Heads) {
            (self.upstream, self.credentials, self.heads) = (upstream, credentials, heads)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            if let partner {
                partner.writeAndFlush(bytes, promise: nil)
                return
            }
            head += String(buffer: bytes)
            guard head.hasSuffix("\r\n\r\n") else { return }
            heads.all.withLock { [head] in $0.append(head) }
            let isAllowed = credentials.map {
                head.lowercased().contains("proxy-authorization: \($0)\r\n".lowercased())
            }
            guard head.hasPrefix("CONNECT "), isAllowed ?? true else {
                respond("407 Proxy Authentication Required\r\nContent-Length: 0", context.channel)
                return
            }
            let channel = context.channel
            let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
            ClientBootstrap(group: context.eventLoop)
                .channelInitializer { upstream in
                    upstream.eventLoop.makeCompletedFuture {
                        try upstream.pipeline.syncOperations.addHandler(Back(to: channel))
                    }
                }
                .connect(host: "127.0.0.1", port: upstream)
                .whenComplete { result in
                    guard case .success(let upstream) = result else {
                        channel.close(promise: nil)
                        return
                    }
                    loopBound.value.partner = upstream
                    loopBound.value.respond("200 Connection established", channel)
                }
        }

        private func respond(_ status: String, _ channel: any Channel) {
            channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 \(status)\r\n\r\n"), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            partner?.close(promise: nil)
        }
    }

    private final class Back: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let client: any Channel

        init(to client: any Channel) {
            self.client = client
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            client.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            client.close(promise: nil)
        }
    }
}
