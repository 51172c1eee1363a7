import CarnetDescriptors
import CarnetFoundation
import NIOCore
import NIOPosix

/// A TCP proxy on 127.0.0.1 in front of a Unix socket. It disturbs what goes through as the test says.
public final class FaultProxy: Sendable {
    public enum Fault: Hashable, Sendable {
        case none
        /// Each piece takes that long.
        case delay(Duration)
        /// Connections are cut, new ones as soon as they come.
        case cut
        /// Connections stay, and nothing goes through: neither side learns of it. They are cut when the fault ends.
        case halfOpen
    }

    private let core: Core
    private let channel: any Channel

    /// - Parameter path: The Unix socket.
    public init(to path: String) async throws {
        let core = Core()
        self.core = core
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in core.accept(channel, path) }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    public var port: Int { channel.localAddress?.port ?? 0 }

    /// How many connections were made so far.
    public var connections: Int { core.state.withLock(\.connections) }

    /// Lets a fault begin, or the last one end.
    public func set(_ fault: Fault) {
        let old = core.state.withLock { state in
            defer { state.fault = fault }
            return state.fault
        }
        if fault == .cut || old == .halfOpen { core.cutAll() }
    }

    public func stop() async throws {
        try await channel.close()
        core.cutAll()
    }

    private struct Refused: Error {}

    private final class Core: Sendable {
        struct State {
            var fault = Fault.none
            var channels: [ObjectIdentifier: any Channel] = [:]
            var connections = 0
        }

        let state = Lock(State())

        var fault: Fault { state.withLock(\.fault) }

        func accept(_ channel: any Channel, _ path: String) -> EventLoopFuture<Void> {
            state.withLock { $0.connections += 1 }
            switch fault {
            case .cut: return channel.eventLoop.makeFailedFuture(Refused())
            case .halfOpen:
                track(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Pipe(core: self, partner: nil))
                }
            case .none, .delay:
                track(channel)
                return ClientBootstrap(group: channel.eventLoop)
                    .channelInitializer { upstream in
                        self.track(upstream)
                        return upstream.eventLoop.makeCompletedFuture {
                            try upstream.pipeline.syncOperations.addHandler(Pipe(core: self, partner: channel))
                        }
                    }
                    .connect(unixDomainSocketPath: path)
                    .flatMapThrowing { upstream in
                        try channel.pipeline.syncOperations.addHandler(Pipe(core: self, partner: upstream))
                    }
            }
        }

        private func track(_ channel: any Channel) {
            let id = ObjectIdentifier(channel)
            state.withLock { $0.channels[id] = channel }
            channel.closeFuture.whenComplete { [self] _ in state.withLock { _ = $0.channels.removeValue(forKey: id) } }
        }

        func cutAll() {
            for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
        }
    }

    /// One direction of a connection.
    private final class Pipe: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let core: Core
        private let partner: (any Channel)?
        /// Once a piece is lost, so is all that follows.
        private var isDead = false
        /// When the last piece goes on: none overtakes another.
        private var due = NIODeadline.now()

        init(core: Core, partner: (any Channel)?) {
            self.core = core
            self.partner = partner
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let fault = core.fault
            isDead = isDead || fault == .halfOpen || fault == .cut
            guard let partner, !isDead else { return }
            let bytes = unwrapInboundIn(data)
            var wanted = NIODeadline.now()
            if case .delay(let delay) = fault {
                let (seconds, attoseconds) = delay.components
                wanted = wanted + .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
            }
            due = max(due, wanted)
            if due <= .now() {
                partner.writeAndFlush(bytes, promise: nil)
            } else {
                context.eventLoop.scheduleTask(deadline: due) { partner.writeAndFlush(bytes, promise: nil) }
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            // The other side of a half-open connection is not notified.
            if core.fault != .halfOpen { partner?.close(promise: nil) }
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
