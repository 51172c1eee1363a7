import CarnetFoundation
import CarnetUserAgent
import NIOCore

/// Closes connections of other users' programs to a server on loopback, before it reads their first request.
///
/// A browser sends the cookies of `127.0.0.1` to each of its ports. A program of another user that listens there receives
/// them, but cannot use them at this server.
final class LoopbackPeerGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private var isForeign: Bool?

    init() {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Checked once for each connection: the owner of an open socket stays.
        let isForeign = isForeign ?? LoopbackPeer.isForeign(context.channel.names)
        self.isForeign = isForeign
        if isForeign {
            context.close(promise: nil)
        } else {
            context.fireChannelRead(data)
        }
    }
}

extension Channel {
    /// The addresses of a connection; `nil` if the other side has reset it.
    fileprivate var names: (here: SocketName, there: SocketName)? {
        guard let here = localAddress?.withSockAddr({ address, _ in SocketName(address) }),
            let there = remoteAddress?.withSockAddr({ address, _ in SocketName(address) })
        else { return nil }
        return (here, there)
    }
}
