import Carnet
import CarnetFoundation
import CarnetProtocol
import NIOCore
import NIOHTTP1
import NIOPosix

/// A page on a loopback port that redirects the browser to a URL, once.
///
/// Other users of the machine see the arguments of every program. So the program that opens the browser gets this
/// page's URL. Either the browser uses it first, or another user is rejected.
final class HandOverPage: Sendable {
    /// The URL of this page.
    let url: AuthorizationURL
    private let channel: any Channel

    private init(url: AuthorizationURL, channel: any Channel) {
        self.url = url
        self.channel = channel
    }

    /// - Parameter onUse: Called when the browser has been redirected.
    /// - Throws: `UserAgentError`, `cannotPresent`.
    static func open(
        for target: AuthorizationURL,
        random: any RandomSource = SystemRandomSource(),
        limits: ConnectionLimits = ConnectionLimits(),
        onUse: @escaping @Sendable () -> Void = {}
    ) async throws -> HandOverPage {
        let path = "/" + random.bytes(count: 32).map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
        let connections = OpenConnections(limit: limits.connections)
        let use = OneUse(onUse)
        let channel: any Channel
        do {
            channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    connections.add(channel)
                    return channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(RequestGuard(limits))
                        try pipeline.configureHTTPServerPipeline(
                            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits.decoder)
                        try pipeline.addHandler(HandOverHandler(path: path, target: target.text, use: use))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
        } catch {
            throw UserAgentError(.cannotPresent, "no port on 127.0.0.1 could be opened")
        }
        let port = channel.localAddress?.port ?? 0
        return HandOverPage(url: try AuthorizationURL("http://127.0.0.1:\(port)\(path)"), channel: channel)
    }

    /// Frees the port. It may be called more than once.
    func close() async {
        try? await channel.close()
    }

    deinit {
        channel.close(promise: nil)
    }
}

/// Whether a page was used.
private final class OneUse: Sendable {
    private let isUsed = Lock(false)
    private let onUse: @Sendable () -> Void

    init(_ onUse: @escaping @Sendable () -> Void) {
        self.onUse = onUse
    }

    /// - Returns: Whether this is the first use.
    func take() -> Bool {
        isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
    }

    func tell() { onUse() }
}

/// Handles the only request of a connection to the page.
private final class HandOverHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let path: String
    private let target: String
    private let use: OneUse
    private var hasResponded = false

    init(path: String, target: String, use: OneUse) {
        self.path = path
        self.target = target
        self.use = use
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), !hasResponded else { return }
        hasResponded = true
        let isRight =
            head.method == .GET && Secret(head.uri) == Secret(path)
            && head.headers["host"] == ["127.0.0.1:\(context.channel.localAddress?.port ?? 0)"]
            && !LoopbackPeer.isForeign(context.channel)
        let isUse = isRight && use.take()
        let page = CallbackPage.notFound
        let html = isUse ? "" : page.html
        var headers = page.headers(for: html)
        if isUse { headers.add(name: "Location", value: target) }
        let status = isUse ? HTTPResponseStatus.seeOther : page.status
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: html)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { [use] _ in
            channel.close(promise: nil)
            if isUse { use.tell() }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
