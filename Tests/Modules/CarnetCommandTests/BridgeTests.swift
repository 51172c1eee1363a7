import CarnetDescriptors
import CarnetFoundation
import CarnetServerTestSupport
import Foundation
import Testing

@testable import CarnetCommand

/// `carnet mcp` between a host, which these tests play, and a server that they play too. The expectations are those of the
/// protocol's specification, revisions 2025-11-25 and 2026-07-28, section "Streamable HTTP".
@Suite("The bridge to a server that requires a sign-in")
struct BridgeTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    /// Starts the bridge and signs in when the page is due.
    private func start(_ server: PlayedResource, _ arguments: String...) async throws -> CommandRun {
        let login = try await home.logIn(server.url)
        #expect(login.status == 0, "\(login)")
        return try home.start(["mcp", server.url, "--no-browser"] + arguments)
    }

    private static func result(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":{"content":[]}}"# }

    private static func message(of request: PlayedResource.Request) -> JSONValue? {
        try? JSONValue(parsing: request.body)
    }

    /// A server that responds to everything, and remembers the stream that a client listens to.
    private final class Server: Sendable {
        let listening = Lock<PlayedResource.Response?>(nil)
        let sessions = Lock(0)

        func play(_ request: PlayedResource.Request, _ response: PlayedResource.Response) {
            guard request.method == "POST" else {
                guard request.method == "GET" else { return response.send(200) }
                response.begin()
                return listening.withLock { $0 = response }
            }
            guard let message = BridgeTests.message(of: request), let id = message["id"] else {
                return response.send(202)
            }
            if message["method"]?.string == "initialize" {
                let session = sessions.withLock { count in
                    count += 1
                    return count
                }
                response.json(
                    200,
                    #"{"jsonrpc":"2.0","id":\#(id.jsonText()),"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
                    ["Mcp-Session-Id": "session-\(session)"])
            } else {
                response.json(200, "{\n \"jsonrpc\": \"2.0\",\n \"id\": \(id.jsonText()), \"result\": {}\n}")
            }
        }
    }

    @Test("A host gets each response as one line, and nothing else is on stdout")
    func messages() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        #expect(try await run.message(0)["result"]?["protocolVersion"] == "2025-11-25")
        run.send(HostMessage.initialized)
        run.send(HostMessage.call(1))
        #expect(try await run.message(1)["id"] == 1)
        let result = try await run.finish()
        #expect(result.status == 0, "\(result)")
        #expect(result.standardOutput.split(separator: "\n").count == 2, "\(result)")
        #expect(!result.standardError.contains("access-"), "\(result)")
        let calls = resource.calls.filter { $0.headers["authorization"]?.hasPrefix("Bearer access-") == true }
        let posts = calls.filter { $0.method == "POST" }
        #expect(posts.allSatisfy { $0.headers["accept"] == "application/json, text/event-stream" })
        #expect(posts.allSatisfy { $0.headers["content-type"] == "application/json" })
        #expect(posts.map(\.body) == [HostMessage.initialize, HostMessage.initialized, HostMessage.call(1)])
        #expect(posts[0].headers["mcp-session-id"] == nil && posts[0].headers["mcp-protocol-version"] == nil)
        for call in posts.dropFirst() + calls.filter({ $0.method != "POST" }) {
            #expect(call.headers["mcp-session-id"] == "session-1")
            #expect(call.headers["mcp-protocol-version"] == "2025-11-25")
        }
        #expect(calls.last?.method == "DELETE", "the session ends with the host")
        #expect(calls.contains { $0.method == "GET" && $0.headers["accept"] == "text/event-stream" })
    }

    @Test("Messages that belong to no request arrive while the stream is open")
    func listening() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        run.send(HostMessage.initialized)
        while server.listening.withLock({ $0 }) == nil { try await Task.sleep(for: .milliseconds(5)) }
        server.listening.withLock { $0?.part(": keep-alive\r\n\r\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\r\n") }
        server.listening.withLock { $0?.part("data: \"method\":\"notifications/tools/list_changed\"}\r\n\r\n") }
        #expect(try await run.message(1)["method"] == "notifications/tools/list_changed")
        // A stream is not read to its end before its messages are passed on.
        #expect(server.listening.withLock { $0?.isClosed } == false)
        #expect(try await run.finish().status == 0)
    }

    @Test("A stream that the server closes is resumed after the time that it asks for")
    func resuming() async throws {
        let server = Server()
        let ended = Lock<ContinuousClock.Instant?>(nil)
        let resumed = Lock<ContinuousClock.Instant?>(nil)
        let resource = try await PlayedResource { request, response in
            if request.method == "GET", request.headers["last-event-id"] == "e1" {
                resumed.withLock { $0 = .now }
                response.begin()
                response.part("id: e2\ndata: \(Self.result(1))\n\n")
            } else if request.method == "POST", request.body.contains("tools/call") {
                response.begin()
                response.part("id: e1\nretry: 1500\ndata:\n\n")
                response.end()
                ended.withLock { $0 = .now }
            } else {
                server.play(request, response)
            }
        }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        run.send(HostMessage.call(1))
        #expect(try await run.message(1)["id"] == 1)
        let (end, start) = (try #require(ended.withLock { $0 }), try #require(resumed.withLock { $0 }))
        #expect(start - end >= .milliseconds(1450))
        #expect(try await run.finish().status == 0)
    }

    @Test("A server that wants no pause between its streams gets one, and one warning about what is no message")
    func busyServer() async throws {
        let server = Server()
        let began = Lock<ContinuousClock.Instant?>(nil)
        let resource = try await PlayedResource { request, response in
            let number = request.headers["last-event-id"].flatMap { Int($0) }
            if number == nil, !request.body.contains("tools/call") { return server.play(request, response) }
            began.withLock { $0 = $0 ?? .now }
            response.begin()
            response.part("id: \((number ?? 0) + 1)\nretry: 0\ndata: nonsense\n\n")
            if number == 4 { response.part("data: \(Self.result(1))\n\n") }
            response.end()
        }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        run.send(HostMessage.call(1))
        #expect(try await run.message(1)["id"] == 1)
        #expect(try #require(began.withLock { $0 }).duration(to: .now) >= .milliseconds(400))
        let result = try await run.finish()
        #expect(result.standardError.ranges(of: "not a JSON-RPC message").count == 1, "\(result)")
    }

    @Test("A response that breaks off without an id, and a failed request, are errors with the id of the request")
    func failures() async throws {
        let server = Server()
        let resource = try await PlayedResource { request, response in
            if request.body.contains("broken") {
                response.begin()
                response.part("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n")
                response.breakOff()
            } else if request.body.contains("status") {
                response.json(500, #"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no"}}"#)
            } else if request.body.contains("page") {
                response.send(503, ["Content-Type": "text/html"], "<p>busy</p>")
            } else if request.body.contains("moved") {
                response.send(302, ["Location": "https://new.example/mcp"])
            } else {
                server.play(request, response)
            }
        }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        run.send(HostMessage.call(1, "broken"))
        #expect(try await run.message(1)["method"] == "notifications/progress")
        let broken = try await run.message(2)
        #expect(broken["id"] == 1 && broken["error"]?["code"] == -32603, "\(broken)")
        run.send(HostMessage.call(2, "status"))
        #expect(try await run.message(3)["error"]?["code"] == -32000)
        run.send(HostMessage.call(3, "page"))
        let page = try await run.message(4)
        #expect(page["id"] == 3 && page["error"]?["message"]?.string?.contains("503") == true, "\(page)")
        run.send(HostMessage.call(4, "moved"))
        let moved = try await run.message(5)["error"]?["message"]?.string ?? ""
        #expect(moved.contains("https://new.example/mcp") && moved.contains("give its URL to carnet mcp"), "\(moved)")
        #expect(try await run.finish().status == 0)
    }

    @Test("A byte order mark is ignored, and a response that is no message is shown")
    func otherBodies() async throws {
        let server = Server()
        let resource = try await PlayedResource { request, response in
            if request.body.contains("marked") {
                response.json(200, "\u{FEFF}" + Self.result(1))
            } else if request.body.contains("events") {
                response.json(200, "event: message\ndata: \(Self.result(2))\n\n")
            } else if request.body.contains("empty") {
                response.send(200)
            } else if request.body.contains("unknown") {
                response.json(404, #"{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"no tool"}}"#)
            } else {
                server.play(request, response)
            }
        }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        run.send(HostMessage.call(1, "marked"))
        #expect(try await run.message(1)["result"] != nil)
        run.send(HostMessage.call(2, "events"))
        let events = try await run.message(2)["error"]?["message"]?.string ?? ""
        #expect(events == "the response is no JSON-RPC message: \"event: message\"", "\(events)")
        run.send(HostMessage.call(3, "empty"))
        let empty = try await run.message(3)["error"]?["message"]?.string ?? ""
        #expect(empty == "the response is no JSON-RPC message: it is empty", "\(empty)")
        run.send(HostMessage.call(4, "unknown"))
        _ = try await run.message(4)
        let result = try await run.finish()
        #expect(!result.standardError.contains("neither streamable HTTP"), "\(result)")
    }

    @Test("An expired access token is refreshed once, and the host notices nothing")
    func refreshing() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        resource.expireTokens()
        for id in 1...8 { run.send(HostMessage.call(id)) }
        _ = try await run.message(8)
        let result = try await run.finish()
        #expect(result.status == 0 && !result.standardOutput.contains("error"), "\(result)")
        let refreshes = resource.requests("/token").filter { $0.form["grant_type"] == "refresh_token" }
        #expect(refreshes.count == 1)
        #expect(refreshes.allSatisfy { $0.form["resource"] == resource.url })
    }

    /// What servers say of a session that they have forgotten: the protocol demands the first.
    static let forgotten: [(status: Int, body: String)] = [
        (404, ""), (400, "Bad Request: No valid session ID provided"),
        (400, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#),
    ]

    @Test("An error about a call is not one of the session", arguments: ["an unknown browser_session"])
    func errorOfCall(message: String) async throws {
        let server = Server()
        let resource = try await PlayedResource { request, response in
            let body = #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"\#(message)"}}"#
            request.body.contains("tools/call") ? response.json(400, body) : server.play(request, response)
        }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        run.send(HostMessage.call(1))
        #expect(try await run.message(1)["error"]?["message"]?.string == message)
        _ = try await run.finish()
        #expect(server.sessions.withLock { $0 } == 1)
        #expect(resource.calls.count { $0.body.contains("tools/call") } == 1)
    }

    @Test("A session that the server has forgotten begins again, and the host notices nothing", arguments: forgotten)
    func forgottenSessions(status: Int, body: String) async throws {
        let server = Server()
        let resource = try await PlayedResource { request, response in
            let current = server.sessions.withLock { $0 }
            let isOld = request.headers["mcp-session-id"] == "session-1" && request.body.contains("tools/call")
            isOld && current > 0 ? response.json(status, body) : server.play(request, response)
        }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        for id in 1...4 { run.send(HostMessage.call(id)) }
        _ = try await run.message(4)
        let result = try await run.finish()
        #expect(result.standardOutput.split(separator: "\n").count == 5, "\(result)")
        #expect(!result.standardOutput.contains("error"), "\(result)")
        #expect(server.sessions.withLock { $0 } == 2)
        let posts = resource.calls.filter { $0.method == "POST" }
        let second = try #require(posts.lastIndex { $0.body == HostMessage.initialize })
        #expect(posts[second].headers["mcp-session-id"] == nil)
        #expect(posts[second...].contains { $0.body == HostMessage.initialized })
        #expect(posts.last?.headers["mcp-session-id"] == "session-2")
    }

    @Test("A session that the server begins without a response does not hold its messages")
    func silentRestart() async throws {
        let server = Server()
        let isSilent = Lock(false)
        let resource = try await PlayedResource { request, response in
            guard isSilent.withLock({ $0 }) else { return server.play(request, response) }
            request.body == HostMessage.initialize ? response.begin() : response.send(404)
        }
        let run = try await start(resource, "--timeout", "15")
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        isSilent.withLock { $0 = true }
        run.send(HostMessage.call(1))
        let failed = try await run.message(1)
        #expect(failed["error"]?["message"]?.string?.contains("began no other one") == true, "\(failed)")
        #expect(try await run.finish().status == 0)
    }

    @Test("A user who is not signed in gets one page, and the message waits for the sign-in")
    func signingIn() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try home.start(["mcp", resource.url, "--no-browser"])
        run.send(HostMessage.initialize)
        let page = try await run.line(of: .standardError) { $0.hasPrefix("http") }
        try await Browser().open(page)
        #expect(try await run.message(0)["id"] == 0)
        // The session ends at the server: the next message asks again.
        resource.endSessions()
        run.send(HostMessage.call(1))
        let second = try await run.line(of: .standardError) { $0.hasPrefix("http") && $0 != page }
        try await Browser().open(second)
        #expect(try await run.message(1)["id"] == 1)
        let result = try await run.finish()
        #expect(result.status == 0, "\(result)")
        #expect(result.standardOutput.split(separator: "\n").allSatisfy { $0.hasPrefix("{") }, "\(result)")
        #expect(resource.requests("/register").count == 1 && resource.requests("/authorize").count == 2)
    }

    @Test("A server that rejects what was just issued has one page, and the error says who can help")
    func rejectedAtOnce() async throws {
        let resource = try await PlayedResource { _, response in
            response.send(401, ["WWW-Authenticate": #"Bearer error="invalid_token""#])
        }
        let run = try home.start(["mcp", resource.url, "--no-browser"])
        run.send(HostMessage.initialize)
        try await Browser().open(try await run.line(of: .standardError) { $0.hasPrefix("http") })
        let errors = try await run.message(0)["error"]?["message"]?.string ?? ""
        run.send(HostMessage.call(1))
        #expect(try await run.message(1)["error"] != nil)
        #expect(errors.contains("just issued") && errors.contains("operator"), "\(errors)")
        let result = try await run.finish()
        #expect(!result.standardError.contains("descriptor_key"), "\(result)")
        #expect(resource.requests("/authorize").count == 1)
    }

    @Test("More scopes are asked for, in addition to the granted ones, once for all messages that require them")
    func steppingUp() async throws {
        let server = Server()
        let resource = try await PlayedResource { request, response in
            guard request.body.contains("tools/call"), !request.scopes.contains("write") else {
                return server.play(request, response)
            }
            response.send(403, ["WWW-Authenticate": #"Bearer error="insufficient_scope", scope="write""#])
        }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        for id in 1...3 { run.send(HostMessage.call(id)) }
        let page = try await run.line(of: .standardError) { $0.hasPrefix("http") }
        #expect(page.contains("scope=read%20write") || page.contains("scope=read+write"), "\(page)")
        try await Browser().open(page)
        _ = try await run.message(3)
        let result = try await run.finish()
        #expect(result.status == 0 && !result.standardOutput.contains("error"), "\(result)")
        // One page at the login, one for the scope.
        #expect(resource.requests("/authorize").count == 2)
    }

    @Test("A server that demands scopes forever gets an error to its request")
    func endlessSteppingUp() async throws {
        let server = Server()
        let count = Lock(0)
        let resource = try await PlayedResource { request, response in
            guard request.body.contains("tools/call") else { return server.play(request, response) }
            let number = count.withLock { count in
                count += 1
                return count
            }
            response.send(403, ["WWW-Authenticate": #"Bearer error="insufficient_scope", scope="more\#(number)""#])
        }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        run.send(HostMessage.call(1))
        var pages: Set<String> = []
        for _ in 0..<2 {
            let page = try await run.line(of: .standardError) { $0.hasPrefix("http") && !pages.contains($0) }
            pages.insert(page)
            try await Browser().open(page)
        }
        let error = try await run.message(1)
        #expect(error["id"] == 1 && error["error"] != nil, "\(error)")
        #expect(try await run.finish().status == 0)
        #expect(resource.requests("/authorize").count == 3)
    }

    @Test("A message of revision 2026-07-28 has its own headers, and no session")
    func headers() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try await start(resource)
        func call(_ method: String, _ params: String) -> String {
            let meta = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
            return #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{\#(params)\#(meta)}}"#
        }
        run.send(call("tools/call", #""name":"wetter-größe","#))
        _ = try await run.message(0)
        run.send(call("resources/read", #""uri":"file:///a b","#))
        _ = try await run.message(1)
        run.send(call("server/discover", ""))
        _ = try await run.message(2)
        #expect(try await run.finish().status == 0)
        let posts = resource.calls.filter { $0.method == "POST" && $0.headers["authorization"] != nil }
        #expect(posts.map { $0.headers["mcp-method"] } == ["tools/call", "resources/read", "server/discover"])
        let encoded = "=?base64?" + Data("wetter-größe".utf8).base64EncodedString() + "?="
        #expect(posts.map { $0.headers["mcp-name"] } == [encoded, "file:///a b", nil])
        #expect(posts.allSatisfy { $0.headers["mcp-protocol-version"] == "2026-07-28" })
        #expect(resource.calls.allSatisfy { $0.headers["mcp-session-id"] == nil && $0.method != "DELETE" })
    }

    @Test("Parameters that a tool wants in headers are there, and a tool with an invalid annotation is left out")
    func toolHeaders() async throws {
        let tools = """
            {"jsonrpc":"2.0","id":1,"result":{"tools":[
            {"name":"sql","inputSchema":{"type":"object","properties":{
              "region":{"type":"string","x-mcp-header":"Region"},"dry":{"type":"boolean","x-mcp-header":"Dry"},
              "limit":{"type":"integer","x-mcp-header":"Limit"},"none":{"type":"string","x-mcp-header":"None"},
              "deep":{"type":"object","properties":{"note":{"type":"string","x-mcp-header":"Note"}}}}}},
            {"name":"bad-type","inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}},
            {"name":"bad-place","inputSchema":{"properties":{"a":{"items":{"type":"string","x-mcp-header":"A"}}}}},
            {"name":"bad-name","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A B"}}}},
            {"name":"twice","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"},
              "b":{"type":"string","x-mcp-header":"a"}}}},
            {"name":"plain","inputSchema":{"properties":{"x-mcp-header":{"type":"string"}},"default":{"x-mcp-header":1}}}
            ]}}
            """
        let resource = try await PlayedResource { request, response in
            response.json(200, request.body.contains("tools/list") ? tools : Self.result(2))
        }
        let run = try await start(resource)
        let meta = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
        run.send(#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{\#(meta)}}"#)
        let listed = try await run.message(0)["result"]?["tools"]?.array
        #expect(listed?.map { $0["name"] } == ["sql", "plain"])
        run.send(
            #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sql","arguments":{"region":"us-west1","#
                + #""dry":true,"limit":-7,"deep":{"note":"größe"}},\#(meta)}}"#)
        _ = try await run.message(1)
        let result = try await run.finish()
        #expect(result.standardError.contains("the tool bad-type is left out"), "\(result)")
        let call = try #require(resource.calls.last { $0.body.contains("tools/call") })
        #expect(call.headers["mcp-param-region"] == "us-west1" && call.headers["mcp-param-dry"] == "true")
        #expect(call.headers["mcp-param-limit"] == "-7" && call.headers["mcp-param-none"] == nil)
        #expect(
            call.headers["mcp-param-note"] == "=?base64?" + Data("größe".utf8).base64EncodedString() + "?=")
    }

    @Test("A cancelled request of revision 2026-07-28 closes its stream, and is not sent")
    func cancellation() async throws {
        let stream = Lock<PlayedResource.Response?>(nil)
        let resource = try await PlayedResource { request, response in
            response.begin()
            stream.withLock { $0 = response }
        }
        let run = try await start(resource)
        run.send(
            #"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#
        )
        while stream.withLock({ $0 }) == nil { try await Task.sleep(for: .milliseconds(5)) }
        run.send(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#)
        while stream.withLock({ $0?.isClosed }) == false { try await Task.sleep(for: .milliseconds(5)) }
        let result = try await run.finish()
        #expect(result.status == 0 && result.standardOutput.isEmpty, "\(result)")
        #expect(!resource.calls.contains { $0.body.contains("cancelled") })
    }

    @Test("Lines that are no messages are skipped, and a host that stops reading ends the bridge")
    func hosts() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try await start(resource)
        run.send("hello\n\n[]\n{\"id\":1")
        run.send(HostMessage.initialize)
        #expect(try await run.message(0)["id"] == 0)
        let result = try await run.finish()
        #expect(result.status == 0 && result.standardError.contains("not a JSON-RPC message"), "\(result)")
        let script = #"mkfifo in; (printf '%s\n' "$2"; exec sleep 400) > in & "$0" mcp "$1" < in | true; echo end"#
        let pipe = try CommandRun(
            URL(filePath: "/bin/sh"), ["-c", script, BuiltProduct.carnet.path, resource.url, HostMessage.initialize],
            environment: home.environment, folder: home.folder)
        _ = try await pipe.line(of: .standardOutput) { $0 == "end" }
        pipe.stop()
    }

    @Test("The end of the host's input, and a signal, end the session and the bridge", arguments: [0, SIGTERM])
    func endsInTime(_ signal: Int32) async throws {
        let server = Server()
        let resource = try await PlayedResource { request, response in
            guard request.body.contains("tools/call") else { return server.play(request, response) }
            response.begin()
        }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        run.send(HostMessage.call(1))
        while !resource.calls.contains(where: { $0.body == HostMessage.call(1) }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        let started = ContinuousClock.now
        if signal != 0 { run.send(signal: signal) }
        let result = try await run.finish()
        #expect(ContinuousClock.now - started < .seconds(10))
        #expect(result.status == (signal == 0 ? 0 : 128 + signal), "\(result)")
        #expect(resource.calls.last?.method == "DELETE")
    }

    @Test("Bridges that start together open one page and register one client")
    func startingTogether() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let runs = try (0..<5).map { _ in try home.start(["mcp", resource.url, "--no-browser"]) }
        for run in runs { run.send(HostMessage.initialize) }
        let first = try await withThrowingTaskGroup(of: String.self) { group in
            for run in runs {
                group.addTask { try await run.line(of: .standardError) { $0.hasPrefix("http") } }
            }
            defer { group.cancelAll() }
            let first = try await group.next()
            return try #require(first)
        }
        try await Browser().open(first)
        for run in runs { #expect(try await run.message(0)["id"] == 0) }
        for run in runs { #expect(try await run.finish().status == 0) }
        #expect(resource.requests("/authorize").count == 1)
        #expect(resource.requests("/register").count == 1)
    }

    @Test("A server that is down gets the next message as soon as it is back")
    func serverThatIsDown() async throws {
        let server = Server()
        let resource = try await PlayedResource(lifetime: 1) { server.play($0, $1) }
        let run = try await start(resource)
        try await resource.stop()
        // The token has expired, so its refresh is the first request.
        try await Task.sleep(for: .seconds(1))
        for number in 0..<2 {
            run.send(HostMessage.initialize)
            let refused = try await run.message(number)
            #expect(refused["error"]?["message"]?.string?.contains("refused") == true, "\(refused)")
        }
        try await resource.resume()
        run.send(HostMessage.initialize)
        let response = try await run.message(2)
        #expect(response["result"] != nil, "\(response)")
        #expect(try await run.finish().status == 0)
    }

    // MARK: Servers that many users meet

    /// Opens each page that the bridge asks for, until its response is there.
    private func signIn(_ run: CommandRun, until number: Int, pages: Int) async throws -> JSONValue {
        var seen: Set<String> = []
        for _ in 0..<pages {
            let page = try await run.line(of: .standardError) { $0.hasPrefix("http") && !seen.contains($0) }
            seen.insert(page)
            try await Browser().open(page)
        }
        return try await run.message(number)
    }

    @Test("A server that forgot its clients gets a new one, and the user one page")
    func forgottenClient() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        resource.forgetClients()
        run.send(HostMessage.call(1))
        let response = try await signIn(run, until: 1, pages: 1)
        #expect(response["id"] == 1 && response["result"] != nil, "\(response)")
        let result = try await run.finish()
        #expect(result.status == 0, "\(result)")
        #expect(resource.requests("/register").count == 2 && resource.requests("/authorize").count == 2)
        // A sign-in by hand finds it out before it opens an error page.
        resource.forgetClients()
        let login = try await home.logIn(resource.url)
        #expect(login.status == 0 && resource.requests("/register").count == 3, "\(login)")
    }

    @Test("A server that grants only registered scopes gets a client with those that a tool requires")
    func registeredScopes() async throws {
        let server = Server()
        let resource = try await PlayedResource(habits: .comparesScopes) { request, response in
            guard request.body.contains("tools/call"), !request.scopes.contains("admin") else {
                return server.play(request, response)
            }
            response.send(403, ["WWW-Authenticate": #"Bearer error="insufficient_scope", scope="read admin""#])
        }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        _ = try await run.message(0)
        run.send(HostMessage.call(1))
        let response = try await signIn(run, until: 1, pages: 2)
        #expect(response["id"] == 1 && response["result"] != nil, "\(response)")
        let result = try await run.finish()
        #expect(result.status == 0, "\(result)")
        let last = try JSONValue(parsing: try #require(resource.requests("/register").last).body)
        let scopes = Set((last["scope"]?.string ?? "").split(separator: " ").map(String.init))
        #expect(scopes.isSuperset(of: ["read", "admin"]), "\(last)")
    }

    @Test("A server without metadata of its own, whose issuer ends with a slash, is its own authorization server")
    func oldServer() async throws {
        let server = Server()
        let resource = try await PlayedResource(habits: .isOld) { server.play($0, $1) }
        let run = try await start(resource)
        run.send(HostMessage.initialize)
        #expect(try await run.message(0)["result"] != nil)
        #expect(try await run.finish().status == 0)
    }

    @Test("A second account leaves the first one to the hosts that have it")
    func secondAccount() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try await start(resource)
        let second = try await home.logIn(resource.url, "--account", "work")
        #expect(second.status == 0, "\(second)")
        run.send(HostMessage.initialize)
        #expect(try await run.message(0)["result"] != nil)
        let other = try home.start(["mcp", resource.url, "--no-browser", "--account", "work"])
        other.send(HostMessage.initialize)
        #expect(try await other.message(0)["result"] != nil)
        let tokens = Set(resource.calls.compactMap { $0.headers["authorization"] })
        #expect(tokens.count == 2, "\(tokens)")
        for ended in [run, other] { #expect(try await ended.finish().status == 0) }
        #expect(try await home.run("accounts").standardOutput.contains(resource.url))
    }

    @Test("A server without a sign-in gets the messages, with the headers that the user adds")
    func openServer() async throws {
        let server = Server()
        let resource = try await PlayedResource(habits: .isOpen) { server.play($0, $1) }
        let run = try home.start(
            ["mcp", resource.url, "--no-browser", "--header", "X-Team: blue", "--header-env", "X-API-Key: ACME_KEY"],
            environment: ["ACME_KEY": "correct horse"])
        run.send(HostMessage.initialize)
        #expect(try await run.message(0)["result"] != nil)
        let result = try await run.finish()
        #expect(result.status == 0 && !"\(result)".contains("correct horse"), "\(result)")
        let calls = resource.calls.filter { $0.method == "POST" }
        #expect(!calls.isEmpty && calls.allSatisfy { $0.headers["authorization"] == nil })
        #expect(calls.allSatisfy { $0.headers["x-team"] == "blue" && $0.headers["x-api-key"] == "correct horse" })
        #expect(resource.requests("/register").isEmpty && resource.requests("/authorize").isEmpty)
    }

    @Test("With a token of the user's own, nobody signs in, and no header of it goes to another server")
    func ownToken() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try home.start(
            ["mcp", resource.url, "--header-env", "Authorization: ACME_TOKEN"],
            environment: ["ACME_TOKEN": "Bearer made-up"])
        run.send(HostMessage.initialize)
        let response = try await run.message(0)
        #expect(response["error"]?["message"]?.string?.contains("status 401") == true, "\(response)")
        _ = try await run.finish()
        #expect(resource.calls.allSatisfy { $0.headers["authorization"] == "Bearer made-up" })
        #expect(resource.requests("/register").isEmpty)
        for header in ["Authorization: Bearer x", "Host: evil.example", "Mcp-Session-Id: 1", "nonsense"] {
            let refused = try await home.run("mcp", resource.url, "--header", header)
            #expect(refused.status == 2, "\(header): \(refused)")
        }
        let unset = try await home.run("mcp", resource.url, "--header-env", "X-API-Key: NOT_SET")
        #expect(unset.status == 2 && unset.standardError.contains("NOT_SET"), "\(unset)")
    }

    @Test("A machine without a user gets a token of the client itself, and a new one when it is refused")
    func clientCredentials() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let run = try home.start(
            [
                "mcp", resource.url, "--client-credentials", "--client-id", "robot", "--client-secret-env",
                "ROBOT_SECRET",
            ], environment: ["ROBOT_SECRET": "s3cret"])
        run.send(HostMessage.initialize)
        #expect(try await run.message(0)["result"] != nil)
        resource.expireTokens()
        run.send(HostMessage.call(1))
        #expect(try await run.message(1)["result"] != nil)
        let result = try await run.finish()
        #expect(result.status == 0 && !"\(result)".contains("s3cret"), "\(result)")
        #expect(resource.requests("/authorize").isEmpty && resource.requests("/register").isEmpty)
    }

    @Test("A port of the redirect URI that is in use leads to another one")
    func portInUse() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        let id = ProviderRegistry.id(ofResource: try WebURL(resource.url))
        let usual = KnownResources.redirectURI(of: id)
        let blocker = try Blocker(port: try #require(try WebURL(usual).port))
        let login = try await home.logIn(resource.url)
        #expect(login.status == 0, "\(login)")
        #expect(resource.requests("/register").allSatisfy { !$0.body.contains(usual) })
        withExtendedLifetime(blocker) {}
    }

    @Test("A document that the server does not take as the client id is named at once")
    func unusedDocument() async throws {
        let resource = try await PlayedResource { $1.json(200, "{}") }
        let document = ["--client-id-document", "https://tool.example/client.json"]
        for (arguments, reason) in [
            ([], "does not announce client_id_metadata_document_supported"), ([], "was registered earlier"),
            (["--register-again"], "does not announce client_id_metadata_document_supported"),
        ] {
            let login = try await home.logIn([resource.url] + document + arguments)
            #expect(login.status == 0, "\(login)")
            #expect(login.standardError.contains("--client-id-document is not used"), "\(login)")
            #expect(login.standardError.contains(reason), "\(login)")
        }
        #expect(resource.requests("/register").count == 2)
    }

    @Test("--raw prints the token, and nothing on stderr")
    func rawToken() async throws {
        let server = Server()
        let resource = try await PlayedResource { server.play($0, $1) }
        #expect(try await home.logIn(resource.url).status == 0)
        let token = try await home.run("token", resource.url, "--raw")
        #expect(
            token.status == 0 && token.standardOutput.hasPrefix("access-") && token.standardError.isEmpty, "\(token)")
        let noted = try await home.run("profile", resource.url)
        let quiet = try await home.run("profile", resource.url, "--quiet")
        #expect(noted.standardError.contains("using the descriptor"), "\(noted)")
        #expect(!quiet.standardError.contains("using the descriptor"), "\(quiet)")
    }
}

/// A program that listens at a port.
private final class Blocker {
    private let descriptor: Int32

    init(port: Int) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(bound == 0 && listen(descriptor, 1) == 0)
    }

    deinit { close(descriptor) }
}
