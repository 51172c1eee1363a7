package import NIOCore

/// Closes connections of other users' programs to a server on loopback, before it reads their first request.
///
/// A browser sends the cookies of `127.0.0.1` to each of its ports. A program of another user that listens there receives
/// them, but cannot use them at this server.
package final class LoopbackPeerGuard: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = Any

    private var isForeign: Bool?

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Checked once for each connection: the owner of an open socket stays.
        let isForeign = isForeign ?? LoopbackPeer.isForeign(context.channel)
        self.isForeign = isForeign
        if isForeign {
            context.close(promise: nil)
        } else {
            context.fireChannelRead(data)
        }
    }
}
