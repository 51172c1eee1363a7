import NIOCore
import NIOPosix

/// Bytes to a port of this machine, and what comes until the other side closes the connection.
enum RawRequest {
    static func exchange(_ text: String, port: Int, host: String = "127.0.0.1") async throws -> String {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = eventLoop.makePromise(of: String.self)
        do {
            let channel = try await ClientBootstrap(group: eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Collector(promise))
                    }
                }
                .connect(host: host, port: port).get()
            // The other side may have hung up before it took everything.
            try? await channel.writeAndFlush(ByteBuffer(string: text))
        } catch {
            promise.succeed("")
            throw error
        }
        return try await promise.futureResult.get()
    }

    static func get(_ target: String, port: Int, fields: [String] = [], host: String? = nil) async throws -> Int? {
        let lines = ["GET \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"] + fields
        let answer = try await exchange(lines.joined(separator: "\r\n") + "\r\n\r\n", port: port)
        return Int(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
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
