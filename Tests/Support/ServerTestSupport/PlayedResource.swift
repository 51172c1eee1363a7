import CarnetFoundation
import Foundation
import NIOCore
import NIOPosix

/// A protected resource and its authorization server on 127.0.0.1, with streams that a test writes.
///
/// Refresh tokens rotate, and one that comes twice revokes its family, as RFC 9700, section 4.14.2 recommends. Everybody is
/// signed in at `/authorize` without being asked.
public final class PlayedResource: Sendable {
    public struct Request: Sendable {
        public let method: String
        public let path: String
        /// With lower-case names.
        public let headers: [String: String]
        public let body: String
        /// The scopes of the access token.
        public let scopes: [String]

        /// The parameters of the query.
        var query: [String: String] { Self.decode(path.split(separator: "?", maxSplits: 1).dropFirst().first ?? "") }
        /// The parameters of the body.
        public var form: [String: String] { Self.decode(Substring(body)) }

        private static func decode(_ text: Substring) -> [String: String] {
            text.split(separator: "&").reduce(into: [:]) { values, pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map {
                    $0.replacing("+", with: " ").removingPercentEncoding ?? ""
                }
                if let name = parts.first { values[name] = parts.count > 1 ? parts[1] : "" }
            }
        }
    }

    /// Writes one response, at once or in parts.
    public final class Response: Sendable {
        private let channel: any Channel

        fileprivate init(_ channel: any Channel) { self.channel = channel }

        /// Whether the client has closed the connection.
        public var isClosed: Bool { !channel.isActive }

        /// A whole response.
        public func send(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") {
            write(head(status, headers) + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
        }

        public func json(_ status: Int, _ body: String, _ headers: [String: String] = [:]) {
            send(status, headers.merging(["Content-Type": "application/json"]) { $1 }, body)
        }

        /// The head of a stream of events.
        public func begin(_ headers: [String: String] = [:]) {
            let all = headers.merging(["Content-Type": "text/event-stream"]) { $1 }
            write(head(200, all) + "Transfer-Encoding: chunked\r\n\r\n")
        }

        public func part(_ text: String) { write(String(text.utf8.count, radix: 16) + "\r\n" + text + "\r\n") }

        /// The end of a stream.
        public func end() { write("0\r\n\r\n") }

        /// Breaks the connection.
        public func breakOff() { channel.close(promise: nil) }

        private func head(_ status: Int, _ headers: [String: String]) -> String {
            "HTTP/1.1 \(status) Played\r\n"
                + headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
        }

        private func write(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    }

    public typealias Play = @Sendable (Request, Response) -> Void

    private struct State {
        var requests: [Request] = []
        var families: [String: Family] = [:]
        /// The families of the access tokens that are valid.
        var tokens: [String: String] = [:]
        var names = 0
        /// The scopes of each registered client.
        var clients: [String: Set<String>] = [:]
    }

    /// What some servers do, and others do not.
    public struct Habits: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A client gets no scope that it did not register, and none if it registered none.
        public static let comparesScopes = Habits(rawValue: 1)
        /// The resource has no metadata (revision 2025-03-26 of MCP), and the issuer ends with a slash.
        public static let isOld = Habits(rawValue: 2)
        /// Nobody has to sign in.
        public static let isOpen = Habits(rawValue: 4)
    }

    private struct Family {
        var scopes: [String]
        var latest = 0
    }

    private let state = Lock(State())
    private let channel: Lock<(any Channel)?> = Lock(nil)
    private let port = Lock(0)
    private let play: Play
    /// The lifetime of an access token in seconds, as the server announces it.
    private let lifetime: Int
    /// Whether the metadata is at the root, and names the host.
    private let namesHost: Bool
    private let habits: Habits

    /// - Parameter play: Responds to a request at `/mcp` with a valid access token.
    public init(
        lifetime: Int = 3600, namesHost: Bool = false, habits: Habits = [], play: @escaping Play
    ) async throws {
        (self.lifetime, self.namesHost, self.habits, self.play) = (lifetime, namesHost, habits, play)
        try await start(at: 0)
    }

    private func start(at port: Int) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(self))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.port.withLock { $0 = channel.localAddress?.port ?? 0 }
        self.channel.withLock { $0 = channel }
    }

    private var origin: String { "http://127.0.0.1:\(port.withLock { $0 })" }

    private var issuer: String { origin + (habits.contains(.isOld) ? "/" : "") }

    public var url: String { origin + "/mcp" }

    /// What the tokens are for.
    private var identifier: String { namesHost ? origin : url }

    /// The requests at `/mcp`, with and without a valid token.
    public var calls: [Request] { requests("/mcp") }

    /// The requests at a path.
    public func requests(_ path: String) -> [Request] {
        state.withLock { $0.requests }.filter { $0.path.prefix { $0 != "?" } == path }
    }

    /// Makes all access tokens invalid, as the end of their lifetime does.
    public func expireTokens() { state.withLock { $0.tokens = [:] } }

    /// Makes all tokens invalid.
    public func endSessions() {
        state.withLock { state in
            state.tokens = [:]
            state.families = [:]
        }
    }

    /// Forgets all clients and tokens, as a server does that keeps them in memory and starts again.
    public func forgetClients() {
        endSessions()
        state.withLock { $0.clients = [:] }
    }

    public func stop() async throws { try await channel.withLock { $0 }?.close() }

    /// Listens again after `stop()`, at the same port and with the same clients and tokens.
    public func resume() async throws {
        try await start(at: port.withLock { $0 })
    }

    // MARK: The authorization server

    fileprivate func take(_ request: Request, _ response: Response) {
        let path = String(request.path.prefix { $0 != "?" })
        let token = request.headers["authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
        let scopes: [String]? = state.withLock { state in
            let scopes = state.tokens[token].map { state.families[$0]?.scopes ?? [] }
            state.requests.append(
                Request(
                    method: request.method, path: request.path, headers: request.headers, body: request.body,
                    scopes: scopes ?? []))
            return scopes
        }
        switch path {
        case "/mcp":
            guard let scopes = scopes ?? (habits.contains(.isOpen) ? [] : nil) else {
                if habits.contains(.isOld) { return response.send(401) }
                let metadata = "\(origin)/.well-known/oauth-protected-resource/mcp"
                let named = namesHost ? "" : #"resource_metadata="\#(metadata)", "#
                return response.send(401, ["WWW-Authenticate": #"Bearer \#(named)scope="read""#])
            }
            play(
                Request(
                    method: request.method, path: request.path, headers: request.headers, body: request.body,
                    scopes: scopes),
                response)
        case "/.well-known/oauth-protected-resource" + (namesHost ? "" : "/mcp") where !habits.contains(.isOld):
            response.json(200, #"{"resource":"\#(identifier)","authorization_servers":["\#(origin)"]}"#)
        case "/.well-known/oauth-authorization-server":
            response.json(
                200,
                """
                {"issuer":"\(issuer)","authorization_endpoint":"\(origin)/authorize","token_endpoint":"\(origin)/token",\
                "registration_endpoint":"\(origin)/register","response_types_supported":["code"],\
                "code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none","client_secret_basic"],\
                "authorization_response_iss_parameter_supported":true}
                """)
        case "/register":
            let metadata = try? JSONValue(parsing: request.body)
            let uris = metadata?["redirect_uris"]?.jsonText() ?? "[]"
            let client = "client-\(name())"
            let scopes = (metadata?["scope"]?.string ?? "").split(separator: " ").map(String.init)
            state.withLock { $0.clients[client] = Set(scopes) }
            response.json(
                201,
                #"{"client_id":"\#(client)","redirect_uris":\#(uris),"token_endpoint_auth_method":"none"}"#)
        case "/authorize":
            let code = "family\(name())"
            let scopes = (request.query["scope"] ?? "").split(separator: " ").map(String.init)
            guard let registered = state.withLock({ $0.clients[request.query["client_id"] ?? ""] }) else {
                return response.send(400, ["Content-Type": "text/html"], "Unknown client")
            }
            let isRefused = habits.contains(.comparesScopes) && !registered.isSuperset(of: scopes)
            state.withLock { $0.families[code] = Family(scopes: scopes) }
            let issuer = issuer.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            response.send(
                302,
                [
                    "Location":
                        "\(request.query["redirect_uri"] ?? "")?\(isRefused ? "error=invalid_scope" : "code=\(code)")&state=\(request.query["state"] ?? "")&iss=\(issuer)"
                ])
        case "/token": respondWithTokens(to: request, response)
        default: response.send(404)
        }
    }

    private func name() -> Int {
        state.withLock { state in
            state.names += 1
            return state.names
        }
    }

    private func respondWithTokens(to request: Request, _ response: Response) {
        let form = request.form
        if form["grant_type"] == "client_credentials" {
            guard request.headers["authorization"] == "Basic \(Data("robot:s3cret".utf8).base64EncodedString())" else {
                return response.json(401, #"{"error":"invalid_client"}"#)
            }
            let token = "access-robot\(name())"
            state.withLock { state in
                state.families["robot"] = Family(scopes: [])
                state.tokens[token] = "robot"
            }
            return response.json(200, #"{"access_token":"\#(token)","token_type":"Bearer","expires_in":60}"#)
        }
        guard state.withLock({ $0.clients[form["client_id"] ?? ""] }) != nil else {
            return response.json(401, #"{"error":"invalid_client"}"#)
        }
        guard form["resource"] == identifier || habits.contains(.isOld) else {
            return response.json(400, #"{"error":"invalid_target"}"#)
        }
        let issued: (token: String, scopes: [String])? = state.withLock { state in
            let parts = (form["refresh_token"] ?? form["code"] ?? "").split(separator: ".").map(String.init)
            guard let name = parts.first, var family = state.families[name] else { return nil }
            guard parts.count < 2 || Int(parts[1]) == family.latest else {
                state.families[name] = nil
                return nil
            }
            family.latest += 1
            state.families[name] = family
            let token = "\(name).\(family.latest)"
            state.tokens["access-" + token] = name
            return (token, family.scopes)
        }
        guard let issued else { return response.json(400, #"{"error":"invalid_grant"}"#) }
        response.json(
            200,
            """
            {"access_token":"access-\(issued.token)","refresh_token":"\(issued.token)","token_type":"Bearer",\
            "expires_in":\(lifetime),"scope":"\(issued.scopes.joined(separator: " "))"}
            """)
    }

    // MARK: HTTP

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let resource: PlayedResource
        private var received: [UInt8] = []

        init(_ resource: PlayedResource) { self.resource = resource }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += Array(buffer: unwrapInboundIn(data))
            while let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(
                    separatedBy: "\r\n")
                var headers: [String: String] = [:]
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    if parts.count == 2 { headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " }) }
                }
                let length = headers["content-length"].flatMap { Int($0) } ?? 0
                guard received.count - end.upperBound >= length else { return }
                let body = String(decoding: received[end.upperBound...].prefix(length), as: UTF8.self)
                received.removeFirst(end.upperBound + length)
                let words = (lines.first ?? "").split(separator: " ").map(String.init)
                resource.take(
                    Request(
                        method: words.first ?? "", path: words.dropFirst().first ?? "", headers: headers, body: body,
                        scopes: []),
                    Response(context.channel))
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
