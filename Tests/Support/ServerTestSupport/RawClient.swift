import NIOCore
import NIOPosix

/// A TCP connection that sends what the test says and collects what comes.
public struct RawClient: Sendable {
    private let channel: any Channel
    private let received: EventLoopFuture<String>

    public init(port: Int, host: String = "127.0.0.1") async throws {
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
    public func send(_ text: String) async {
        try? await channel.writeAndFlush(ByteBuffer(string: text))
    }

    public func send(_ bytes: [UInt8]) async {
        try? await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// What came until the server closed the connection.
    public func response() async throws -> String {
        try await received.get()
    }

    public func close() async {
        try? await channel.close()
    }

    /// Sends one request and waits for the whole response.
    public static func exchange(_ request: String, port: Int, host: String = "127.0.0.1") async throws -> String {
        let client = try await RawClient(port: port, host: host)
        await client.send(request)
        return try await client.response()
    }

    /// The status of the response to a GET; `nil` if there was none.
    ///
    /// - Parameters:
    ///   - fields: Lines of the header besides `Host`.
    ///   - host: What `Host` says; the address itself if `nil`.
    public static func get(
        _ target: String, port: Int, fields: [String] = [], host: String? = nil
    ) async throws -> Int? {
        let lines = ["GET \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"] + fields
        let reply = try await exchange(lines.joined(separator: "\r\n") + "\r\n\r\n", port: port)
        return Int(reply.dropFirst("HTTP/1.1 ".count).prefix(3))
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
