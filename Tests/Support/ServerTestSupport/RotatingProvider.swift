import CarnetDescriptors
import CarnetFoundation
import Foundation
import NIOCore
import NIOPosix

/// A provider on 127.0.0.1 that replaces the refresh token each time, and revokes the whole family of tokens as soon as
/// one comes twice. A token counts as used when its request arrives, however long the response takes.
///
/// A refresh token is `family.number`. Everybody is signed in at `/authorize` without being asked, each as a family.
public final class RotatingProvider: Sendable {
    /// One refresh request.
    public struct Use: Sendable {
        public let token: String
        /// The field `X-Process` of the request, by which the sender names itself.
        public let process: String
        public let time: ContinuousClock.Instant
        /// Whether the token was the family's latest.
        public let isFirst: Bool
    }

    private let core: Core
    private let channel: any Channel

    /// - Parameter delay: How long the next response of the token endpoint takes; nil if it waits for `respond()`.
    public init(delay: @escaping @Sendable () -> Duration? = { .zero }) async throws {
        let core = Core(delay: delay)
        self.core = core
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Connection(core: core))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    public var authority: String { "127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// Begins a family, as a sign-in does.
    ///
    /// - Returns: Its first refresh token.
    public func begin(_ family: String) -> String {
        core.state.withLock { $0.latest[family] = 1 }
        return "\(family).1"
    }

    /// The refresh requests so far.
    public var uses: [Use] { core.state.withLock(\.uses) }

    /// The families of which a token came twice.
    public var revoked: Set<String> { core.state.withLock(\.revoked) }

    /// Sends the responses that wait.
    public func respond() {
        let waiting = core.state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for respond in waiting { respond() }
    }

    public func stop() async throws {
        try await channel.close()
    }

    private final class Core: Sendable {
        struct State {
            /// The number of each family's latest refresh token; none of a family that is revoked.
            var latest: [String: Int] = [:]
            var revoked: Set<String> = []
            var uses: [Use] = []
            var families = 0
            var waiting: [@Sendable () -> Void] = []
        }

        let state = Lock(State())
        private let delay: @Sendable () -> Duration?

        init(delay: @escaping @Sendable () -> Duration?) {
            self.delay = delay
        }

        func reply(_ request: Request) -> (text: String, delay: Duration?) {
            switch request.path {
            case "/authorize":
                let family = state.withLock { state in
                    state.families += 1
                    return "family\(state.families)"
                }
                let target = request.query["redirect_uri"] ?? ""
                let location = "\(target)?code=\(family)&state=\(request.query["state"] ?? "")"
                return (Self.response(302, "", "Location: \(location)\r\n"), .zero)
            case "/token":
                if request.form["grant_type"] == "refresh_token" {
                    let process = request.fields["x-process"] ?? ""
                    return (refresh(request.form["refresh_token"] ?? "", by: process), delay())
                }
                return (state.withLock { Self.issue(request.form["code"] ?? "", &$0) }, .zero)
            default: return (Self.response(404, ""), .zero)
            }
        }

        private func refresh(_ token: String, by process: String) -> String {
            state.withLock { state in
                let parts = token.split(separator: ".")
                let (family, number) = (String(parts.first ?? ""), parts.last.flatMap { Int($0) } ?? 0)
                let isFirst = state.latest[family] == number
                state.uses.append(Use(token: token, process: process, time: .now, isFirst: isFirst))
                guard isFirst else {
                    state.latest[family] = nil
                    state.revoked.insert(family)
                    return Self.response(
                        400, #"{"error":"invalid_grant","error_description":"refresh token used twice"}"#)
                }
                return Self.issue(family, &state)
            }
        }

        private static func issue(_ family: String, _ state: inout State) -> String {
            let number = (state.latest[family] ?? 0) + 1
            state.latest[family] = number
            let token = "\(family).\(number)"
            return response(
                200,
                #"{"access_token":"access-\#(token)","refresh_token":"\#(token)","token_type":"Bearer","expires_in":3600}"#
            )
        }

        private static func response(_ status: Int, _ body: String, _ fields: String = "") -> String {
            "HTTP/1.1 \(status) Some\r\nContent-Type: application/json\r\n\(fields)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
    }

    private struct Request {
        var path: String
        var query: [String: String]
        var fields: [String: String]
        var form: [String: String]

        init(head: String, body: String) {
            let lines = head.components(separatedBy: "\r\n")
            let target = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
            path = parts.first ?? ""
            query = Self.decode(parts.count > 1 ? parts[1] : "")
            fields = lines.dropFirst().reduce(into: [:]) { fields, line in
                guard let colon = line.firstIndex(of: ":") else { return }
                fields[line[..<colon].lowercased()] =
                    line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
            form = Self.decode(body)
        }

        private static func decode(_ text: String) -> [String: String] {
            text.split(separator: "&").reduce(into: [:]) { values, pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map {
                    $0.replacing("+", with: " ").removingPercentEncoding ?? ""
                }
                if let name = parts.first { values[name] = parts.count > 1 ? parts[1] : "" }
            }
        }
    }

    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let core: Core
        private var received = ""

        init(core: Core) {
            self.core = core
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            while let end = received.firstRange(of: "\r\n\r\n") {
                let head = String(received[..<end.lowerBound])
                let length =
                    head.lowercased().components(separatedBy: "\r\n")
                    .first { $0.hasPrefix("content-length:") }.flatMap { Int($0.drop { $0 != " " }.dropFirst()) } ?? 0
                let rest = received[end.upperBound...]
                guard rest.utf8.count >= length else { return }
                let body = String(decoding: rest.utf8.prefix(length), as: UTF8.self)
                received = String(decoding: rest.utf8.dropFirst(length), as: UTF8.self)
                reply(Request(head: head, body: body), context)
            }
        }

        private func reply(_ request: Request, _ context: ChannelHandlerContext) {
            let reply = core.reply(request)
            let channel = context.channel
            let respond: @Sendable () -> Void = {
                channel.writeAndFlush(ByteBuffer(string: reply.text), promise: nil)
            }
            if let delay = reply.delay {
                context.eventLoop.scheduleTask(in: TimeAmount(delay), respond)
            } else {
                core.state.withLock { $0.waiting.append(respond) }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
