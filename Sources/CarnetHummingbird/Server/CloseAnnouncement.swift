import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Writes `Connection: close` into the response to a client that asked for the end of its connection (RFC 9112, section 9.6).
/// The HTTP server ends it without, so a proxy could send its next request there.
final class CloseAnnouncement: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The requests with no complete response. A client may send several at once.
    private var requests = 0
    /// Whether the latest of them is the last.
    private var isEnding = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let request) = unwrapInboundIn(data) {
            requests += 1
            let options = request.headerFields[values: .connection].joined(separator: ",").lowercased()
            isEnding = options.split { $0 == "," || $0 == " " }.contains("close")
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        switch part {
        case .head(var response) where isEnding && requests == 1:
            response.headerFields[.connection] = "close"
            part = .head(response)
        case .end: requests -= 1
        default: break
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }
}
