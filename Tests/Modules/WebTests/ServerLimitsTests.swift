// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Some tests are named by the rows of the attack matrix that they mount.

import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import CarnetHummingbird

@Suite("Limits for the clients of a server")
struct ServerLimitsTests {
    /// A connection as the server arranges it, on a clock that the test moves.
    private struct Connection {
        let channel = EmbeddedChannel()

        init(_ limits: ServerLimits, _ open: OpenConnections? = nil, from address: String = "192.0.2.1") throws {
            let peer = try SocketAddress(ipAddress: address, port: 50_000)
            channel.remoteAddress = peer
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(ConnectionGuard(limits, open ?? OpenConnections(limits)))
            try channel.connect(to: peer).wait()
            channel.remoteAddress = peer
        }

        var isOpen: Bool {
            channel.embeddedEventLoop.run()
            return channel.isActive
        }

        func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

        func respond() throws {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
        }

        /// The bytes that the client has received since the last call.
        func received() throws -> String {
            var text = ""
            while let part = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
            return text
        }

        /// Lets the client read its responses, or stop.
        func reads(_ isReading: Bool) {
            channel.isWritable = isReading
            channel.pipeline.fireChannelWritabilityChanged()
        }

        func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }
    }

    private static let head = "GET / HTTP/1.1\r\nHost: acme.example\r\n"
    private static let request = head + "\r\n"
    private static let form = "POST / HTTP/1.1\r\nHost: acme.example\r\nContent-Length: 100\r\n\r\n"

    /// RFC 9112, section 9.6: the server SHOULD send the option in its final response on the connection.
    @Test(
        "The response to a request for the end of the connection announces it",
        arguments: [("close", true), ("Close", true), ("TE, close", true), ("keep-alive", false), ("closed", false)])
    func announcedEnd(option: String, isAnnounced: Bool) throws {
        let connection = try Connection(ServerLimits())
        // Two at once: the first response is not the final one.
        try connection.send(Self.request + Self.head + "Connection: \(option)\r\n\r\n")
        try connection.respond()
        #expect(try !connection.received().lowercased().contains("connection:"))
        try connection.respond()
        #expect(try connection.received().lowercased().contains("connection: close") == isAnnounced)
    }

    @Test(
        "HOST-16: The server above learns of a request for the end of the connection, in each form",
        arguments: [
            ("1.1", "Connection: close", true), ("1.1", "Connection: Close", true),
            ("1.1", "Connection: TE, close", true), ("1.1", "Connection: TE\r\nConnection: close", true),
            ("1.1", "Connection: keep-alive, close", true), ("1.0", "X: y", true), ("1.0", "Connection: TE", true),
            ("1.0", "Connection: keep-alive", false), ("1.1", "X: y", false), ("1.1", "Connection: keep-alive", false),
        ])
    func HOST_16_end(version: String, field: String, isEnd: Bool) throws {
        let connection = try Connection(ServerLimits())
        try connection.send("GET / HTTP/\(version)\r\nHost: a\r\n\(field)\r\n\r\n")
        guard case .head(let head)? = try connection.channel.readInbound(as: HTTPRequestPart.self) else {
            Issue.record("no request")
            return
        }
        // The only form that it knows.
        #expect((head.headerFields[.connection] == "close") == isEnd)
        try connection.respond()
        #expect(try connection.received().contains("Connection: close") == isEnd)
    }

    /// RFC 9110, section 10.1.1.
    @Test("A client that waits with its body gets a 100, but not as the response to an earlier request")
    func expect() throws {
        let waiting = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n"
        for length in ["Content-Length: 1", "Transfer-Encoding: chunked"] {
            let connection = try Connection(ServerLimits())
            try connection.send("\(waiting)\(length)\r\n\r\n")
            #expect(try connection.received() == "HTTP/1.1 100 Continue\r\n\r\n")
            try connection.send(length.hasPrefix("C") ? "a" : "1\r\na\r\n0\r\n\r\n")
            try connection.respond()
            #expect(try connection.received().hasPrefix("HTTP/1.1 200"))
        }
        for request in [
            waiting + "\r\n", waiting + "Content-Length: 0\r\n\r\n",
            "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 1\r\n\r\n",
            Self.request + waiting + "Content-Length: 1\r\n\r\n",
        ] {
            let connection = try Connection(ServerLimits())
            try connection.send(request)
            #expect(try connection.received().isEmpty, "\(request)")
        }
    }

    @Test("HOST-14: The addresses of one IPv6 network share their connections")
    func HOST_14_network() throws {
        var limits = ServerLimits()
        limits.connectionsPerAddress = 2
        let open = OpenConnections(limits)
        let own = try ["1::1", "1:ffff:ffff:ffff:fffe", "1::3"].map {
            try Connection(limits, open, from: "2001:db8:0:\($0)")
        }
        let others = try ["2001:db8:0:2::1", "192.0.2.1", "192.0.2.2", "192.0.2.3"].map {
            try Connection(limits, open, from: $0)
        }
        #expect(own.map(\.isOpen) == [false, true, true])
        #expect(others.map(\.isOpen) == [true, true, true, true])
    }

    private static let hosts: [(fields: String, version: String, isValid: Bool)] = [
        ("Host: acme.example", "1.1", true), ("Host: acme.example:8080", "1.1", true), ("host: 127.0.0.1", "1.1", true),
        ("Host: [::1]:80", "1.1", true), ("Host: carnet_gateway", "1.1", true), ("Host: a%2eb", "1.1", true),
        ("Host: acme.example:", "1.1", true), ("X: y", "1.0", true), ("Host: acme.example", "1.0", true),
        ("X: y", "1.1", false), ("Host:", "1.1", false), ("Host: a\r\nHost: a", "1.1", false),
        ("Host: a\r\nhost: b", "1.1", false), ("Host: a\r\nX: y\r\nHOST: b", "1.0", false), ("Host: a b", "1.1", false),
        ("Host: a/b", "1.1", false), ("Host: x@a", "1.1", false), ("Host: a:8x", "1.1", false),
        ("Host: a:99999", "1.1", false), ("Host: a%2", "1.1", false), ("Host: :80", "1.1", false),
        ("Host: [::1", "1.1", false), ("Host: [::1]x", "1.1", false), ("Host: a, b", "1.1", false),
        ("Host: http://a", "1.1", false), ("Host: a?b", "1.1", false), ("Host: \u{E9}.example", "1.1", false),
    ]

    /// RFC 9112, section 3.2.
    @Test("HOST-15: A request without one valid host is refused, and nothing after it is read", arguments: hosts)
    func HOST_15_oneHost(_ host: (fields: String, version: String, isValid: Bool)) throws {
        let connection = try Connection(ServerLimits())
        try connection.send("GET / HTTP/\(host.version)\r\n\(host.fields)\r\n\r\n")
        #expect(try (connection.channel.readInbound(as: HTTPRequestPart.self) != nil) == host.isValid)
        guard !host.isValid else { return }
        let refusal = try connection.received()
        #expect(refusal.hasPrefix("HTTP/1.1 400 ") && refusal.contains("Connection: close"))
        #expect(!connection.isOpen)
    }

    @Test("HOST-15: A refusal does not overtake a response")
    func HOST_15_refusalAfterARequest() throws {
        let connection = try Connection(ServerLimits())
        try connection.send(Self.request + "GET /b HTTP/1.1\r\n\r\n")
        #expect(try connection.received().isEmpty)
        #expect(!connection.isOpen)
    }

    @Test(
        "HOST-16: The response to a request for another protocol is the last",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n",
            "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
        ])
    func HOST_16_otherProtocol(request: String) throws {
        let connection = try Connection(ServerLimits())
        try connection.send(request)
        try connection.respond()
        #expect(try connection.received().contains("Connection: close"))
        #expect(!connection.isOpen)
    }

    @Test("A header that is not complete in time ends the connection, however often a byte comes")
    func header() throws {
        let connection = try Connection(ServerLimits())
        connection.pass(.seconds(20))
        try connection.send(Self.head)
        for _ in 0..<9 {
            connection.pass(.seconds(1))
            try connection.send("X: 1\r\n")
        }
        #expect(connection.isOpen)
        connection.pass(.seconds(1))
        #expect(!connection.isOpen)
    }

    @Test("A body that is not complete in time ends the connection, however often a byte comes")
    func body() throws {
        let connection = try Connection(ServerLimits())
        try connection.send(Self.form)
        for _ in 0..<29 {
            connection.pass(.seconds(1))
            try connection.send("a")
        }
        #expect(connection.isOpen)
        connection.pass(.seconds(1))
        #expect(!connection.isOpen)
    }

    @Test("A connection without a request, and one between two requests, ends when it is idle")
    func idle() throws {
        let silent = try Connection(ServerLimits())
        let used = try Connection(ServerLimits())
        for connection in [silent, used] { connection.pass(.seconds(74)) }
        #expect(silent.isOpen && used.isOpen)
        try used.send(Self.request)
        try used.respond()
        for connection in [silent, used] { connection.pass(.seconds(1)) }
        #expect(!silent.isOpen && used.isOpen)
        used.pass(.seconds(73))
        #expect(used.isOpen)
        used.pass(.seconds(1))
        #expect(!used.isOpen)
    }

    @Test("The server may take any time for a response")
    func response() throws {
        let connection = try Connection(ServerLimits())
        try connection.send(Self.request)
        connection.pass(.hours(1))
        #expect(connection.isOpen)
        try connection.respond()
        connection.pass(.seconds(74))
        #expect(connection.isOpen)
        connection.pass(.seconds(1))
        #expect(!connection.isOpen)
    }

    @Test("A client that does not read its response is idle, until it reads again")
    func unreadResponse() throws {
        let (stopped, slow) = (try Connection(ServerLimits()), try Connection(ServerLimits()))
        for connection in [stopped, slow] {
            try connection.send(Self.request)
            connection.pass(.hours(1))
            connection.reads(false)
            connection.pass(.seconds(74))
            #expect(connection.isOpen)
        }
        slow.reads(true)
        for connection in [stopped, slow] { connection.pass(.seconds(1)) }
        #expect(!stopped.isOpen && slow.isOpen)
        slow.pass(.hours(1))
        #expect(slow.isOpen)
    }

    @Test("Who reads nothing gets no time by another request, and gives way to others")
    func unreadResponses() throws {
        var limits = ServerLimits()
        limits.connectionsPerAddress = 2
        let open = OpenConnections(limits)
        let connections = try (0..<2).map { _ in try Connection(limits, open) }
        for connection in connections {
            try connection.send(Self.request)
            connection.reads(false)
            try connection.respond()
            connection.pass(.seconds(50))
            try connection.send(Self.request)
            connection.pass(.seconds(24))
            #expect(connection.isOpen)
        }
        let other = try Connection(limits, open)
        #expect(other.isOpen && !connections[0].isOpen && connections[1].isOpen)
        connections[1].pass(.seconds(1))
        #expect(!connections[1].isOpen)
    }

    @Test("A client that sends several requests at once is idle after the last response")
    func severalAtOnce() throws {
        let connection = try Connection(ServerLimits())
        try connection.send(Self.request + Self.request)
        try connection.respond()
        connection.pass(.hours(1))
        #expect(connection.isOpen)
        try connection.respond()
        connection.pass(.seconds(75))
        #expect(!connection.isOpen)
    }

    @Test("A response before the end of the body does not extend the time for the body")
    func earlyResponse() throws {
        let connection = try Connection(ServerLimits())
        try connection.send(Self.form)
        try connection.respond()
        connection.pass(.seconds(30))
        #expect(!connection.isOpen)
    }

    @Test("Many connections: the one that waits longest for its client gives way, and never one with a request")
    func manyConnections() throws {
        var limits = ServerLimits()
        limits.connectionsPerAddress = 3
        let open = OpenConnections(limits)
        let busy = try Connection(limits, open)
        try busy.send(Self.request)
        let slow = try Connection(limits, open)
        try slow.send(Self.head)
        let idle = try Connection(limits, open)
        #expect(open.count == 3)
        let elsewhere = try Connection(limits, open, from: "192.0.2.2")
        #expect(slow.isOpen && elsewhere.isOpen)

        let third = try Connection(limits, open)
        #expect(busy.isOpen && third.isOpen && slow.isOpen != idle.isOpen)
        let fourth = try Connection(limits, open)
        #expect(busy.isOpen && !slow.isOpen && !idle.isOpen && third.isOpen && fourth.isOpen)

        for connection in [third, fourth] { try connection.send(Self.request) }
        let refused = try Connection(limits, open)
        #expect(!refused.isOpen && busy.isOpen && third.isOpen && fourth.isOpen && elsewhere.isOpen)
        try busy.respond()
        let accepted = try Connection(limits, open)
        #expect(accepted.isOpen && !busy.isOpen)
        #expect(open.count == 4)
    }

    @Test("All addresses together have a limit, and a proxy has no other")
    func overall() throws {
        var limits = ServerLimits()
        limits.connections = 4
        limits.connectionsPerAddress = 2
        limits.proxies = { $0.ipAddress == "192.0.2.9" }
        let open = OpenConnections(limits)
        let proxied = try (0..<4).map { _ in try Connection(limits, open, from: "192.0.2.9") }
        for connection in proxied { #expect(connection.isOpen) }
        let other = try Connection(limits, open, from: "192.0.2.3")
        #expect(other.isOpen && !proxied[0].isOpen)
        for connection in proxied.dropFirst() { #expect(connection.isOpen) }
        #expect(open.count == 4)
    }

    @Test("A connection that ends is no longer counted")
    func ended() throws {
        let limits = ServerLimits()
        let open = OpenConnections(limits)
        let connection = try Connection(limits, open)
        #expect(open.count == 1)
        connection.channel.close(promise: nil)
        #expect(!connection.isOpen && open.count == 0)
    }
}
