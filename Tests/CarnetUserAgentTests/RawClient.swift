import NIOCore
import NIOPosix

/// A TCP connection that sends what it is told to and collects what comes.
struct RawClient: Sendable {
    private let channel: any Channel
    private let received: EventLoopFuture<String>

    init(port: Int, host: String = "127.0.0.1") async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = eventLoop.makePromise(of: String.self)
        received = promise.futureResult
        do {
            channel = try await ClientBootstrap(group: eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Collector(promise))
                    }
                }
                .connect(host: host, port: port).get()
        } catch {
            promise.succeed("")
            throw error
        }
    }

    /// Sends what the server takes: it may have cut the connection off. What it made of it is seen in `response()`.
    func send(_ text: String) async {
        try? await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// What came until the server closed the connection.
    func response() async throws -> String {
        try await received.get()
    }

    func close() async {
        try? await channel.close()
    }

    /// Sends one request and waits for the whole answer.
    static func exchange(_ request: String, port: Int, host: String = "127.0.0.1") async throws -> String {
        let client = try await RawClient(port: port, host: host)
        await client.send(request)
        return try await client.response()
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let promise: EventLoopPromise<String>
        private var text = ""

        init(_ promise: EventLoopPromise<String>) {
            self.promise = promise
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            promise.succeed(text)
        }
    }
}
