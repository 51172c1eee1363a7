import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Closes a connection whose client takes too long.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// What the server waits for.
    private enum Phase {
        /// The first byte of a request.
        case request
        case header
        case body
        /// Nothing: the client waits for a response.
        case response
    }

    private let limits: ServerLimits
    private let open: OpenConnections
    private var phase = Phase.request
    /// The requests with no complete response. A client may send several at once.
    private var requests = 0
    /// The end of the phase.
    private var phaseDeadline: NIODeadline?
    /// When a client that reads nothing has to read again, in any phase: another request gives it no time.
    private var readDeadline: NIODeadline?
    /// When a scheduled task compares the deadline next. Tasks are not cancelled, because that costs a search.
    private var nextCheck: NIODeadline?

    init(_ limits: ServerLimits, _ open: OpenConnections) {
        self.limits = limits
        self.open = open
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // The requests arrive here parsed, and a header only when it is complete.
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(ByteNotice(self, context), position: .first)
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestFraming(), position: .before(codec))
        } catch {
            context.close(promise: nil)
        }
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        (phaseDeadline, readDeadline) = (nil, nil)
        open.remove(context.channel)
        context.fireChannelInactive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        open.add(context.channel)
        enter(.request, context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            requests += 1
            enter(.body, context)
        case .body: break
        case .end: enter(.response, context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            requests -= 1
            // A response may be complete before the body of its request.
            if requests == 0, phase == .response { enter(.request, context) }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // A client that reads nothing keeps the rest of a response from being written.
        readDeadline = context.channel.isWritable ? nil : limit(to: limits.idle, context)
        if phase == .response { note(context) }
        context.fireChannelWritabilityChanged()
    }

    /// Bytes have arrived, and the requests that they complete.
    fileprivate func bytesArrived(_ context: ChannelHandlerContext) {
        if phase == .request { enter(.header, context) }
    }

    private func enter(_ phase: Phase, _ context: ChannelHandlerContext) {
        // After an early response, the end of the body is the end of the request.
        let phase = phase == .response && requests == 0 ? .request : phase
        self.phase = phase
        note(context)
        phaseDeadline =
            switch phase {
            case .request: limit(to: limits.idle, context)
            case .header: limit(to: limits.header, context)
            case .body: limit(to: limits.body, context)
            case .response: nil
            }
    }

    private func note(_ context: ChannelHandlerContext) {
        open.note(context.channel, isWaiting: phase != .response || !context.channel.isWritable)
    }

    private func limit(to amount: TimeAmount, _ context: ChannelHandlerContext) -> NIODeadline {
        let deadline = context.eventLoop.now + amount
        if nextCheck.map({ $0 > deadline }) ?? true { check(at: deadline, context) }
        return deadline
    }

    private func check(at time: NIODeadline, _ context: ChannelHandlerContext) {
        nextCheck = time
        context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [self] in
            if nextCheck.map({ $0 <= time }) ?? false { nextCheck = nil }
            guard let deadline = [phaseDeadline, readDeadline].compactMap({ $0 }).min(), context.channel.isActive
            else { return }
            if deadline <= time {
                context.close(promise: nil)
            } else if nextCheck == nil {
                check(at: deadline, context)
            }
        }
    }

    /// Reports bytes before they are parsed.
    private final class ByteNotice: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private let owner: ConnectionGuard
        private let ownContext: ChannelHandlerContext

        init(_ owner: ConnectionGuard, _ context: ChannelHandlerContext) {
            self.owner = owner
            ownContext = context
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.fireChannelRead(data)
            owner.bytesArrived(ownContext)
        }
    }
}
