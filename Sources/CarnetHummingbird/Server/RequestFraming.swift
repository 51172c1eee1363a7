import CarnetFoundation
import NIOCore
import NIOHTTP1

/// Refuses a request without one valid host (RFC 9112, section 3.2), sends the body's client the 100 that it waits for (RFC
/// 9110, section 10.1.1), and says when a request is the last of its connection: the client asked for that (RFC 9112, section
/// 9.6), or what follows is not HTTP (RFC 9110, sections 7.8 and 9.3.6). A proxy would send its next request into a
/// connection that nobody reads.
final class RequestFraming: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Ending {
        case none
        /// The server above ends the connection.
        case asked
        /// The parser reads nothing further.
        case parsed
        case refused
    }

    /// The requests with no complete response. A client may send several at once.
    private var requests = 0
    /// Whether the latest of them is the last.
    private var ending = Ending.none

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard ending != .refused else { return }
        guard case .head(var request) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard Self.hasOneHost(request) else { return refuse(context) }
        requests += 1
        let endsHTTP = request.method == .CONNECT || request.headers.contains(name: "Upgrade")
        ending = endsHTTP ? .parsed : request.isKeepAlive ? .none : .asked
        // The server above knows this one form.
        if ending == .asked { request.headers.replaceOrAdd(name: "Connection", value: "close") }
        // Before the response to an earlier request, it would be read as that response.
        if requests == 1, Self.waitsForContinue(request) {
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
        context.fireChannelRead(wrapInboundOut(.head(request)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard ending != .refused else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var response) where ending != .none && requests == 1:
            response.headers.replaceOrAdd(name: "Connection", value: "close")
            context.write(wrapOutboundOut(.head(response)), promise: promise)
        case .end:
            requests -= 1
            guard ending == .parsed, requests == 0 else { return context.write(data, promise: promise) }
            let channel = context.channel
            context.writeAndFlush(data).assumeIsolated().whenComplete { result in
                promise?.completeWith(result)
                channel.close(promise: nil)
            }
        default: context.write(data, promise: promise)
        }
    }

    private func refuse(_ context: ChannelHandlerContext) {
        // The response must not overtake others.
        let isFirst = requests == 0
        ending = .refused
        let channel = context.channel
        guard isFirst else { return channel.close(promise: nil) }
        let head = HTTPResponseHead(
            version: .http1_1, status: .badRequest, headers: ["Connection": "close", "Content-Length": "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    private static func waitsForContinue(_ request: HTTPRequestHead) -> Bool {
        request.version == .http1_1 && request.headers["Expect"].contains { $0.lowercased() == "100-continue" }
            && (request.headers.contains(name: "Transfer-Encoding")
                || request.headers["Content-Length"].contains { $0 != "0" })
    }

    private static func hasOneHost(_ request: HTTPRequestHead) -> Bool {
        let hosts = request.headers["Host"]
        guard let host = hosts.first else { return request.version == .http1_0 }
        return hosts.count == 1 && isHost(Array(host.utf8))
    }

    /// `uri-host [ ":" port ]` (RFC 9110, section 7.2; RFC 3986, section 3.2.2).
    static func isHost(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")), end > 1,
                rest[1..<end].allSatisfy({ ASCII.isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else { return false }
            rest = rest[(end + 1)...]
        } else {
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            guard !name.isEmpty, name.indices.allSatisfy({ isNameByte(at: $0, in: name) }) else { return false }
            rest = rest[name.endIndex...]
        }
        guard rest.first == UInt8(ascii: ":") else { return rest.isEmpty }
        let port = rest.dropFirst()
        return port.allSatisfy(ASCII.isDigit) && (Int(String(decoding: port, as: UTF8.self)) ?? 0) <= 65_535
    }

    private static func isNameByte(at index: Int, in name: ArraySlice<UInt8>) -> Bool {
        switch name[index] {
        case UInt8(ascii: "%"): name[(index + 1)...].prefix(2).count(where: ASCII.isHexDigit) == 2
        case let byte: ASCII.isUnreserved(byte) || "!$&'()*+,;=".utf8.contains(byte)
        }
    }
}
