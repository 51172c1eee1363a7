import CarnetFoundation
import CarnetServerTestSupport
import Foundation
import Testing

@testable import CarnetCommand

/// `carnet mcp` at servers of revision 2024-11-05. The expectations are those of its section "HTTP with SSE", and of the section
/// "Backwards Compatibility" of revision 2025-11-25.
@Suite("The bridge to a server with the older transport")
struct OldBridgeTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    /// A server that knows nothing of streamable HTTP.
    final class Server: Sendable {
        struct Stream {
            let response: PlayedResource.Response
            var messages: [String] = []
        }

        /// By the session.
        let streams = Lock<[String: Stream]>([:])
        /// Where messages go, as the stream says.
        let endpoint: @Sendable (String) -> String
        /// Whether a response waits for the test.
        let isSlow = Lock(false)
        /// How a session begins.
        let beginning = Lock(Beginning.usual)
        /// Sessions whose streams stay open, although the server has forgotten them.
        let forgotten = Lock<Set<String>>([])

        enum Beginning: Sendable {
            case usual
            /// The status of the stream.
            case stream(Int)
            /// The stream names no endpoint.
            case silentStream
            /// The status of the message.
            case message(Int)
            /// The members of the response.
            case response(String)
            /// No response comes.
            case silence
        }

        init(endpoint: @escaping @Sendable (String) -> String = { "/mcp?session=\($0)" }) { self.endpoint = endpoint }

        var sessions: [String] { streams.withLock { $0.keys.sorted() } }

        func messages(of session: String) -> [String] { streams.withLock { $0[session]?.messages ?? [] } }

        func play(_ request: PlayedResource.Request, _ response: PlayedResource.Response) {
            let (session, beginning) = (request.session, beginning.withLock { $0 })
            switch (request.method, session) {
            case ("GET", nil):
                if case .stream(let status) = beginning { return response.send(status, [:], "restarting") }
                if case .silentStream = beginning { return response.begin() }
                let name = streams.withLock { streams in
                    let name = "s\(streams.count + 1)"
                    streams[name] = Stream(response: response)
                    return name
                }
                response.begin()
                response.part("event: endpoint\ndata: \(endpoint(name))\n\n")
            case ("POST", let session?):
                let stream = streams.withLock { streams -> PlayedResource.Response? in
                    streams[session]?.messages.append(request.body)
                    return streams[session]?.response
                }
                guard let stream, !stream.isClosed, !forgotten.withLock({ $0.contains(session) }) else {
                    return response.send(404, [:], "Could not find session")
                }
                if case .message(let status) = beginning { return response.send(status, [:], "restarting") }
                response.send(202, [:], "Accepted")
                if !isSlow.withLock({ $0 }) { respond(to: request.body, on: stream) }
            default: response.send(405, ["Content-Type": "text/plain"], "Method Not Allowed")
            }
        }

        func respond(to message: String, on stream: PlayedResource.Response) {
            guard let message = try? JSONValue(parsing: message), let id = message["id"] else { return }
            var members = #""result":{}"#
            if message["method"] == "initialize" {
                members = #""result":{"protocolVersion":"2024-11-05","capabilities":{}}"#
                switch beginning.withLock({ $0 }) {
                case .response(let other): members = other
                case .silence: return
                default: break
                }
            }
            stream.part("event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":\(id.jsonText()),\(members)}\r\n\r\n")
        }

        /// Ends a session, as a restart of the server does.
        func end(_ session: String) async throws {
            guard let stream = streams.withLock({ $0[session]?.response }) else { return }
            stream.breakOff()
            while !stream.isClosed { try await Task.sleep(for: .milliseconds(5)) }
        }

        /// Waits until the session has a message.
        func wait(for message: String, in session: String) async throws {
            while !messages(of: session).contains(message) { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    private func start(_ resource: PlayedResource, _ arguments: String...) async throws -> CommandRun {
        let run = try home.start(["mcp", resource.url, "--no-browser"] + arguments)
        run.send(HostMessage.initialize)
        return run
    }

    @Test("A server without a sign-in gets the messages at the endpoint that its stream names, in their order")
    func openServer() async throws {
        let server = Server()
        let resource = try await PlayedResource(habits: .isOpen) { server.play($0, $1) }
        let run = try await start(resource)
        #expect(try await run.message(0)["result"]?["protocolVersion"] == "2024-11-05")
        run.send(HostMessage.initialized)
        for id in 1...5 { run.send(HostMessage.call(id)) }
        _ = try await run.message(5)
        // Messages of the server come on the same stream, and nothing else is opened.
        server.streams.withLock { $0["s1"]?.response }?.part(
            ": keep-alive\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"
        )
        #expect(try await run.message(6)["method"] == "notifications/tools/list_changed")
        let result = try await run.finish()
        #expect(result.status == 0 && !result.standardOutput.contains("error"), "\(result)")
        #expect(result.standardOutput.split(separator: "\n").count == 7, "\(result)")
        #expect(server.sessions == ["s1"])
        let messages = server.messages(of: "s1")
        #expect(Array(messages.prefix(2)) == [HostMessage.initialize, HostMessage.initialized])
        #expect(Set(messages.dropFirst(2)) == Set((1...5).map { HostMessage.call($0) }))
        // First the newer transport is tried. There is no session to delete.
        #expect(resource.requests("/mcp").first.map { $0.method == "POST" && $0.session == nil } == true)
        #expect(resource.calls.filter { $0.method == "GET" }.map { $0.headers["accept"] } == ["text/event-stream"])
        #expect(!resource.calls.contains { $0.method == "DELETE" })
        #expect(resource.requests("/register").isEmpty)
    }

    @Test("A server that requires a sign-in gets the token with the stream and with each message")
    func signingIn() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try await start(resource)
        let page = try await run.line(of: .standardError) { $0.hasPrefix("http") }
        try await Browser().open(page)
        #expect(try await run.message(0)["result"] != nil)
        resource.expireTokens()
        run.send(HostMessage.call(1))
        #expect(try await run.message(1)["id"] == 1)
        #expect(try await run.finish().status == 0)
        let calls = resource.calls.filter { $0.session != nil }
        #expect(
            calls.count >= 2 && calls.allSatisfy { $0.headers["authorization"]?.hasPrefix("Bearer access-") == true })
        #expect(resource.requests("/authorize").count == 1)
    }

    @Test("After a server has ended the stream, the next message begins another session, and the host notices nothing")
    func restartedServer() async throws {
        let server = Server()
        let resource = try await PlayedResource(habits: .isOpen) { server.play($0, $1) }
        let run = try await start(resource)
        _ = try await run.message(0)
        run.send(HostMessage.initialized)
        // What waits for a response when the stream ends gets an error.
        server.isSlow.withLock { $0 = true }
        run.send(HostMessage.call(1))
        try await server.wait(for: HostMessage.call(1), in: "s1")
        try await server.end("s1")
        let failed = try await run.message(1)
        #expect(failed["id"] == 1 && failed["error"]?["code"] == -32603, "\(failed)")
        server.isSlow.withLock { $0 = false }
        for id in 2...4 { run.send(HostMessage.call(id)) }
        _ = try await run.message(4)
        let result = try await run.finish()
        #expect(result.standardOutput.split(separator: "\n").count == 5, "\(result)")
        #expect(server.sessions == ["s1", "s2"])
        #expect(Array(server.messages(of: "s2").prefix(2)) == [HostMessage.initialize, HostMessage.initialized])
    }

    @Test(
        "If a session cannot begin again, the message gets the reason, and the next one tries it once more",
        arguments: [
            (.stream(503), "status 503: \"restarting\""), (.message(503), "status 503: \"restarting\""),
            (.response(#""error":{"code":-32000,"message":"warming up"}"#), "warming up"),
            (.response(#""result":{"protocolVersion":"2025-03-26"}"#), "another revision"),
            (.silence, "began no other one"),
        ] as [(Server.Beginning, String)])
    func failedRestart(_ beginning: Server.Beginning, _ reason: String) async throws {
        let server = Server()
        let resource = try await PlayedResource(habits: .isOpen) { server.play($0, $1) }
        let run = try await start(resource, "--timeout", "15")
        _ = try await run.message(0)
        try await server.end("s1")
        server.beginning.withLock { $0 = beginning }
        run.send(HostMessage.call(1))
        let failed = try await run.message(1)
        #expect(failed["id"] == 1 && failed["error"]?["message"]?.string?.contains(reason) == true, "\(failed)")
        server.beginning.withLock { $0 = .usual }
        run.send(HostMessage.call(2))
        let response = try await run.message(2)
        #expect(response["id"] == 2 && response["result"] != nil, "\(response)")
        #expect(try await run.finish().standardOutput.split(separator: "\n").count == 3)
        let messages = server.messages(of: try #require(server.sessions.last))
        #expect(messages == [HostMessage.initialize, HostMessage.initialized, HostMessage.call(2)])
    }

    @Test("A forgotten session keeps its stream for responses that are under way, until they came or were cancelled")
    func retiredStream() async throws {
        let server = Server()
        let resource = try await PlayedResource(habits: .isOpen) { server.play($0, $1) }
        let run = try await start(resource)
        _ = try await run.message(0)
        server.isSlow.withLock { $0 = true }
        for id in 1...2 {
            run.send(HostMessage.call(id))
            try await server.wait(for: HostMessage.call(id), in: "s1")
        }
        server.isSlow.withLock { $0 = false }
        server.forgotten.withLock { $0 = ["s1"] }
        run.send(HostMessage.call(3))
        #expect(try await run.message(1)["id"] == 3)
        let stream = try #require(server.streams.withLock { $0["s1"]?.response })
        server.respond(to: HostMessage.call(1), on: stream)
        #expect(try await run.message(2)["id"] == 1)
        #expect(!stream.isClosed)
        run.send(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#)
        for _ in 0..<2000 where !stream.isClosed { try await Task.sleep(for: .milliseconds(5)) }
        #expect(stream.isClosed)
        let result = try await run.finish()
        #expect(result.standardOutput.split(separator: "\n").count == 3, "\(result)")
    }

    @Test("All of the first messages are sent again when the server has the older transport")
    func firstMessages() async throws {
        let server = Server()
        let held = Lock<[String: PlayedResource.Response]>([:])
        let resource = try await PlayedResource(habits: .isOpen) { request, response in
            guard request.method == "POST", request.session == nil else { return server.play(request, response) }
            held.withLock { $0[request.body] = response }
        }
        let run = try await start(resource)
        run.send(HostMessage.call(1))
        while held.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(5)) }
        held.withLock { $0[HostMessage.initialize] }?.send(405)
        _ = try await run.message(0)
        held.withLock { $0[HostMessage.call(1)] }?.send(405)
        let response = try await run.message(1)
        #expect(response["id"] == 1 && response["result"] != nil, "\(response)")
        #expect(try await run.finish().status == 0)
        #expect(server.sessions == ["s1"])
    }

    @Test("The end of stdin does not wait for a stream that names no endpoint")
    func endsInTimeBeforeEndpoint() async throws {
        let server = Server()
        server.beginning.withLock { $0 = .silentStream }
        let resource = try await PlayedResource(habits: .isOpen) { server.play($0, $1) }
        let run = try await start(resource)
        while !resource.calls.contains(where: { $0.method == "GET" }) { try await Task.sleep(for: .milliseconds(5)) }
        let started = ContinuousClock.now
        #expect(try await run.finish().status == 0)
        #expect(ContinuousClock.now - started < .seconds(5))
    }

    @Test("An endpoint is resolved against the URL of the server, which may have no path")
    func endpointOfShortURL() throws {
        for (url, reference, endpoint) in [
            ("https://mcp.example", "/messages", "https://mcp.example/messages"),
            ("https://mcp.example", "messages?s=1", "https://mcp.example/messages?s=1"),
            ("https://mcp.example", "?s=1", "https://mcp.example?s=1"),
            ("https://mcp.example?a=1", "messages", "https://mcp.example/messages"),
            ("https://mcp.example/a/b?c=/d/", "messages", "https://mcp.example/a/messages"),
        ] { #expect(try WebURL(url).endpoint(reference).text == endpoint) }
    }

    @Test("A cancelled request is cancelled at the server, and a response that comes late does no harm")
    func cancelsInTime() async throws {
        let server = Server()
        let resource = try await PlayedResource(habits: .isOpen) { server.play($0, $1) }
        let run = try await start(resource)
        _ = try await run.message(0)
        run.send(HostMessage.initialized)
        server.isSlow.withLock { $0 = true }
        run.send(HostMessage.call(1))
        try await server.wait(for: HostMessage.call(1), in: "s1")
        let cancelled = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#
        run.send(cancelled)
        try await server.wait(for: cancelled, in: "s1")
        let started = ContinuousClock.now
        let result = try await run.finish()
        #expect(ContinuousClock.now - started < .seconds(5), "the end of a stream is not waited for")
        #expect(result.status == 0 && result.standardOutput.split(separator: "\n").count == 1, "\(result)")
    }

    @Test(
        "An endpoint may be a path or a URL of the same origin, and of no other",
        arguments: [
            ("/mcp?session=", true), ("?session=", true), ("mcp?session=", true), ("ORIGIN/mcp?session=", true),
            ("//127.0.0.1:9/mcp?session=", false), ("http://localhost:PORT/mcp?session=", false),
            ("https://127.0.0.1:PORT/mcp?session=", false), ("http://evil.example/mcp?session=", false),
            ("http://127.0.0.1:PORT@evil.example/?session=", false), ("ftp://127.0.0.1:PORT/mcp?session=", false),
        ])
    func endpoints(_ text: String, _ isOwn: Bool) async throws {
        let url = Lock("")
        let server = Server { session in
            let origin = url.withLock { String($0.dropLast("/mcp".count)) }
            let port = origin.split(separator: ":").last.map(String.init) ?? ""
            return text.replacing("ORIGIN", with: origin).replacing("PORT", with: port) + session
        }
        let resource = try await PlayedResource(habits: .isOpen) { server.play($0, $1) }
        url.withLock { $0 = resource.url }
        let run = try await start(resource)
        let response = try await run.message(0)
        #expect((response["result"] != nil) == isOwn, "\(response)")
        if !isOwn {
            #expect(response["error"]?["message"]?.string?.contains("the server names") == true, "\(response)")
        }
        _ = try await run.finish()
        #expect(server.messages(of: "s1").isEmpty != isOwn)
    }

    @Test(
        "A server with neither transport, and one with another stream, get no other session",
        arguments: [404, 405, 200])
    func noServer(_ status: Int) async throws {
        let resource = try await PlayedResource(habits: .isOpen) { request, response in
            guard request.method == "GET", status == 200 else {
                return response.send(status == 200 ? 405 : status, ["Content-Type": "text/html"], "<title>Shop</title>")
            }
            response.begin()
            response.part("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n")
            response.end()
        }
        let run = try await start(resource)
        let lines = [try await run.message(0)] + (status == 200 ? [try await run.message(1)] : [])
        let error = try #require(lines.first { $0["error"] != nil }?["error"]?["message"]?.string)
        #expect(error.contains("status \(status == 200 ? 405 : status)") && error.contains("HTTP with SSE"), "\(error)")
        #expect(try await run.finish().status == 0)
        #expect(resource.calls.map(\.method) == ["POST", "GET"])
    }

    @Test("An error of a server with the newer transport is not taken for the older one")
    func newServer() async throws {
        let resource = try await PlayedResource(habits: .isOpen) { request, response in
            response.json(400, #"{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no such revision"}}"#)
        }
        let run = try await start(resource)
        #expect(try await run.message(0)["error"]?["code"] == -32602)
        #expect(try await run.finish().status == 0)
        #expect(resource.calls.map(\.method) == ["POST"])
    }

    @Test("Plain http goes to the host that the user names with --allow-http, and no token does")
    func plainHTTP() async throws {
        let refused = try await home.run("mcp", "http://10.0.0.7:8000/mcp", input: Data(HostMessage.initialize.utf8))
        #expect(refused.status == 2 && refused.standardError.contains("--allow-http"), "\(refused)")
        for (reason, arguments) in [
            ("--allow-http is for", ["https://acme.example/mcp"]),
            ("--allow-http is for", ["http://10.0.0.7/mcp", "--client-credentials", "--client-id", "x"]),
            ("--header-env", ["http://10.0.0.7/mcp", "--header-env", "Authorization: ACME_KEY"]),
            ("--header-env", ["http://a.localhost/mcp", "--header", "X-A: b", "--header-env", "X-API-Key: ACME_KEY"]),
        ] {
            let run = try home.start(["mcp", "--allow-http"] + arguments, environment: ["ACME_KEY": "correct horse"])
            let result = try await run.finish()
            #expect(result.status == 2 && result.standardError.contains(reason), "\(result)")
        }
        let server = Server()
        let open = try await PlayedResource(habits: .isOpen) { server.play($0, $1) }
        let run = try home.start(
            ["mcp", open.url, "--allow-http", "--header-env", "X-API-Key: ACME_KEY"],
            environment: ["ACME_KEY": "correct horse"])
        run.send(HostMessage.initialize)
        #expect(try await run.message(0)["result"] != nil)
        #expect(try await run.finish().status == 0)
        let closed = try await PlayedResource { server.play($0, $1) }
        let other = try home.start(["mcp", closed.url, "--allow-http"])
        other.send(HostMessage.initialize)
        let error = try await other.message(0)["error"]?["message"]?.string
        #expect(error?.contains("requires a sign-in") == true && error?.contains("https") == true, "\(error ?? "")")
        _ = try await other.finish()
        #expect(closed.requests("/register").isEmpty && closed.calls.allSatisfy { $0.headers["authorization"] == nil })
    }
}

extension PlayedResource.Request {
    /// The session in the query.
    fileprivate var session: String? {
        path.split(separator: "?").dropFirst().first.flatMap {
            $0.hasPrefix("session=") ? String($0.dropFirst(8)) : nil
        }
    }
}
