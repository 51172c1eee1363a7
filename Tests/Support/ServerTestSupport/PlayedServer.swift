import CarnetFoundation
import NIOCore
import NIOPosix
import NIOSSL

/// A server on 127.0.0.1 that plays the responses a test wants, one connection for each.
public final class PlayedServer: Sendable {
    public struct Request: Sendable {
        public let method: String
        /// With its query.
        public let path: String
        /// With lower-case names.
        public let headers: [String: String]
        public let body: String
    }

    public struct Response: Sendable {
        public var status: Int
        public var headers: [String: String]
        public var body: String

        public init(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") {
            self.status = status
            self.headers = headers
            self.body = body
        }

        public static func json(_ status: Int, _ body: String) -> Response {
            Response(status, ["Content-Type": "application/json"], body)
        }

        public static func page(_ status: Int, _ body: String) -> Response {
            Response(status, ["Content-Type": "text/html; charset=utf-8"], body)
        }
    }

    private let channel: any Channel
    private let log: Log

    private final class Log: Sendable {
        let requests = Lock<[Request]>([])
    }

    /// - Parameters:
    ///   - certificate: That of a server with TLS; plain HTTP without one.
    ///   - respond: The response to a request.
    public init(
        certificate: TestCertificate? = nil, respond: @escaping @Sendable (Request) -> Response
    ) async throws {
        let log = Log()
        self.log = log
        let context = try certificate.map { certificate in
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.certificatePath)
                        .map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.keyPath, format: .pem))))
        }
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(Player(log: log, respond: respond))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    public var authority: String { "127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// The requests so far, in the order of their arrival.
    public var requests: [Request] { log.requests.withLock { $0 } }

    public func stop() async throws { try await channel.close() }

    private final class Player: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let log: Log
        private let respond: @Sendable (Request) -> Response
        private var received = ""

        init(log: Log, respond: @escaping @Sendable (Request) -> Response) {
            self.log = log
            self.respond = respond
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            guard let end = received.firstRange(of: "\r\n\r\n") else { return }
            let lines = received[..<end.lowerBound].split(separator: "\r\n")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { continue }
                headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
            }
            let body = received[end.upperBound...]
            guard body.utf8.count >= headers["content-length"].flatMap({ Int($0) }) ?? 0 else { return }
            let words = (lines.first ?? "").split(separator: " ").map(String.init)
            let request = Request(
                method: words.first ?? "", path: words.dropFirst().first ?? "", headers: headers, body: String(body))
            log.requests.withLock { $0.append(request) }
            received = ""
            let response = respond(request)
            var text = "HTTP/1.1 \(response.status) Played\r\n"
            for header in response.headers.sorted(by: { $0.key < $1.key }) {
                text += "\(header.key): \(header.value)\r\n"
            }
            text += "Content-Length: \(response.body.utf8.count)\r\nConnection: close\r\n\r\n\(response.body)"
            let loop = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)))
                .whenComplete { _ in loop.value.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
