import Carnet
import CarnetFoundation
import CarnetProtocol
import NIOCore
import NIOHTTP1

/// Handles the only request of a connection. It accepts a top-level GET of the redirect URI's path, and a POST of a
/// form if the descriptor requests one.
final class CallbackHandler: ChannelInboundHandler {
    private let question = UInt8(ascii: "?")
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let redirect: LoopbackRedirect
    private let port: Int
    private let inbox: CallbackInbox
    private var head: HTTPRequestHead?
    /// The maximum size of a request.
    private var body = ByteBuffer()
    private var hasResponded = false

    init(redirect: LoopbackRedirect, port: Int, inbox: CallbackInbox) {
        self.redirect = redirect
        self.port = port
        self.inbox = inbox
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = self.head ?? head
        case .body(var part):
            body.writeBuffer(&part)
        case .end:
            // Requests that are pipelined after the first are dropped.
            guard let head, !hasResponded else { return }
            hasResponded = true
            respond(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func respond(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let query = head.uri.utf8.firstIndex(of: question).map { head.uri.utf8[$0...].dropFirst() }.map(Substring.init)
        let location = redirect.uri(port: port).prefix { $0 != "?" }
        let url = String(location) + (query.map { "?\($0)" } ?? "")
        let form = String(buffer: body)
        let callback =
            head.method == .POST ? AuthorizationCallback(postedTo: url, form: form) : AuthorizationCallback(url: url)
        if let (page, difference) = refusal(of: head) {
            if callback.isResponse, head.method != .HEAD, head.method != .OPTIONS {
                inbox.ignore(callback.report(difference))
            }
            send(page, context)
            return
        }
        // Another user may know the state, from the arguments of a program, and send another code.
        guard inbox.takes(callback, unless: LoopbackPeer.isForeign(context.channel)) else {
            // A page that the person opens by hand has no parameters, and says nothing.
            if query?.isEmpty == false || !form.isEmpty { inbox.ignore(callback.report) }
            send(.refused, context)
            return
        }
        // The browser gets its page before the port is closed. If the browser is gone, the callback still counts.
        let hasError = Self.hasError(query ?? "") || Self.hasError(form[...])
        send(hasError ? .declined : .received, context)
            .whenComplete { [inbox] _ in inbox.deliver(callback) }
    }

    /// The page for a request that is no callback, and what it has instead.
    private func refusal(of head: HTTPRequestHead) -> (page: CallbackPage, difference: String)? {
        let hosts = head.headers["host"]
        let expected = redirect.hostHeaders(port: port)
        guard hosts.count == 1, expected.containsBytes(of: hosts[0].lowercased()) else {
            let shown = hosts.map { $0.quotable(limit: 80) }.joined(separator: ", ")
            return (.badRequest, "at the host \(shown) instead of \(expected.first ?? "")")
        }
        let path = String(head.uri.prefix { $0 != "?" })
        guard path.isSameBytes(as: redirect.path) else {
            return (.notFound, "at \(path.quotable(limit: 80)) instead of \(redirect.path)")
        }
        guard head.method == .GET || (head.method == .POST && redirect.takesForms) else {
            return (
                .methodNotAllowed, "with the method \(head.method.rawValue.quotable(limit: 20)) instead of GET"
            )
        }
        if head.method == .POST {
            let types = head.headers["content-type"]
            guard types.count == 1, PercentEncoding.isForm(types[0]) else {
                return (.badRequest, "as \(types.first?.quotable(limit: 80) ?? "nothing") instead of a form")
            }
        }
        // The request comes from a script or a frame of another page, not from the authorization server's redirect.
        guard Self.isAbsent(head.headers["sec-fetch-mode"], or: "navigate"),
            Self.isAbsent(head.headers["sec-fetch-dest"], or: "document")
        else { return (.badRequest, "from a script or a frame of a page") }
        return nil
    }

    private static func isAbsent(_ values: [String], or expected: String) -> Bool {
        values.allSatisfy { $0.lowercased() == expected }
    }

    private static func hasError(_ query: Substring) -> Bool {
        query.split(separator: "&").contains { $0 == "error" || $0.hasPrefix("error=") }
    }

    @discardableResult
    private func send(_ page: CallbackPage, _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        let html = page.html
        let head = HTTPResponseHead(version: .http1_1, status: page.status, headers: page.headers(for: html))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if self.head?.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: html)))), promise: nil)
        }
        let sent = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        let channel = context.channel
        sent.whenComplete { _ in channel.close(promise: nil) }
        return sent
    }
}
