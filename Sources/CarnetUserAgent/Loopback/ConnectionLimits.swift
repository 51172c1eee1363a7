import CarnetFoundation
import NIOCore
import NIOHTTP1

/// The limits for clients of the loopback port.
struct ConnectionLimits: Sendable {
    /// The maximum number of connections. A new one closes the oldest, so that slow clients cannot block the browser.
    var connections = 32
    /// The maximum size of a request, in bytes. Browsers send the cookies of every program on `localhost`.
    var requestBytes = 65_536
    /// The maximum duration of a connection.
    var lifetime = TimeAmount.seconds(10)

    var decoder: NIOHTTPDecoderLimitConfiguration {
        var decoder = NIOHTTPDecoderLimitConfiguration()
        decoder.maxHeaderFieldSize = requestBytes
        decoder.maxHeaderListSize = requestBytes
        return decoder
    }
}

/// The open connections of one listener, oldest first.
final class OpenConnections: Sendable {
    private let limit: Int
    private let channels = Lock<[any Channel]>([])

    init(limit: Int) {
        self.limit = limit
    }

    func add(_ channel: any Channel) {
        let oldest: (any Channel)? = channels.withLock { channels in
            channels.append(channel)
            return channels.count > limit ? channels.removeFirst() : nil
        }
        oldest?.close(promise: nil)
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.channels.withLock { channels in channels.removeAll { $0 === channel } }
        }
    }

    func closeAll() {
        for channel in channels.withLock({ $0 }) {
            channel.close(promise: nil)
        }
    }
}

/// Closes a connection that sends too much or takes too long.
final class RequestGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var remainingBytes: Int
    private let lifetime: TimeAmount
    private var end: Scheduled<Void>?

    init(_ limits: ConnectionLimits) {
        remainingBytes = limits.requestBytes
        lifetime = limits.lifetime
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: lifetime) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        remainingBytes -= unwrapInboundIn(data).readableBytes
        guard remainingBytes >= 0 else {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}
