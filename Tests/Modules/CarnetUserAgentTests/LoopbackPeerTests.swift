// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetFoundation

#if os(Linux)
    import Carnet
    import CarnetDescriptors
    import CarnetServerTestSupport
    import Foundation
    import NIOCore
    import Testing

    @testable import CarnetUserAgent

    @Suite("Loopback peer")
    struct LoopbackPeerTests {
        /// The user of this process; root is allowed for itself.
        private let own: Set<uid_t> = [geteuid()]
        private let others: Set<uid_t> = [geteuid() + 1]

        private func isForeign(_ pair: Connected, users: Set<uid_t>? = nil) throws -> Bool {
            try LoopbackPeer.isForeign(pair.there.name, at: pair.here.name, users: users ?? own)
        }

        @Test("An open connection belongs to its user", arguments: Connected.Route.allCases)
        func open(route: Connected.Route) throws {
            let pair = try Connected(route)
            #expect(try !isForeign(pair))
            #expect(try isForeign(pair, users: others))
            let answer = try LoopbackPeer.isForeign(pair.here.name, at: pair.there.name, users: own)
            #expect(!answer, "the other side has a row as well")
        }

        @Test("HOST-08: Connection that its peer has ended", arguments: Connected.Route.allCases)
        func HOST_08_connectionThatItsPeerHasEnded(route: Connected.Route) throws {
            let half = try Connected(route)
            shutdown(half.client, Int32(SHUT_WR))
            #expect(try isForeign(half), "half-closed")
            let closed = try Connected(route)
            closed.closeClient()
            #expect(try isForeign(closed), "closed; the kernel may show user 0 for the socket")
            #expect(try isForeign(closed, users: [0]))
            let reset = try Connected(route)
            reset.resetClient()
            #expect(try isForeign(reset), "reset, so no row is left")
            let shut = try Connected(route)
            shutdown(shut.server, Int32(SHUT_WR))
            #expect(try isForeign(shut), "half-closed from this side")
        }

        @Test("HOST-08: Port that is used again")
        func HOST_08_portThatIsUsedAgain() throws {
            let first = try Connected(.ipv4)
            first.resetClient()
            let elsewhere = try Connected(.ipv4, from: first.there.port ?? 0)
            #expect(elsewhere.there == first.there && elsewhere.here != first.here)
            #expect(try isForeign(first), "the port is now connected to another")
            #expect(try !isForeign(elsewhere))
        }

        @Test(
            "HOST-08: Another user gets no redirect",
            .enabled(if: Stranger.isPossible, Comment(rawValue: Stranger.need)),
            arguments: Stranger.all)
        func HOST_08_anotherUserGetsNoRedirect(stranger: Stranger) async throws {
            let uses = Lock(0)
            let page = try HandOverPage.open(
                for: try AuthorizationURL("https://op.example/authorize?state=s3cret"), limits: .patient
            ) {
                uses.withLock { $0 += 1 }
            }
            let parts = page.url.text.split(separator: "/")
            let port = try #require(parts[1].split(separator: ":").last.flatMap { Int($0) })
            let path = "/" + String(parts[2])
            let response = try await stranger.get(path, port)
            #expect(stranger.isRefused(response, 404) && !response.contains("s3cret"), "\(response)")
            #expect(uses.withLock { $0 } == 0)
            let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
            #expect(try await RawClient.exchange(request, port: port).status == 303)
            await page.close()
        }

        @Test(
            "HOST-08: Another user brings no callback",
            .enabled(if: Stranger.isPossible, Comment(rawValue: Stranger.need)), arguments: Stranger.all)
        func HOST_08_anotherUserBringsNoCallback(stranger: Stranger) async throws {
            let signIn = try await PendingSignIn.start()
            let response = try await stranger.get("/callback?code=evil&state=right", try signIn.port)
            #expect(stranger.isRefused(response, 400), "\(response)")
            try await signIn.finish()
        }
    }

    extension SocketAddress {
        var name: SocketName { get throws { try #require(withSockAddr { address, _ in SocketName(address) }) } }
    }

    /// Two connected sockets of this process, made with the system's own calls.
    final class Connected {
        enum Route: CaseIterable {
            case ipv4, ipv6
            /// A client for IPv6 that connects over IPv4.
            case mapped

            static var allCases: [Route] { hasIPv6 ? [.ipv4, .ipv6, .mapped] : [.ipv4] }
        }

        private let listener: Int32
        let client: Int32
        let server: Int32
        /// The addresses of the server's side, and of the client's as the server sees it.
        let here, there: SocketAddress
        private var isClosed = false

        /// - Parameter port: The client's port; 0 for any.
        init(_ route: Route, from port: Int = 0) throws {
            let host = route == .ipv6 ? "::1" : "127.0.0.1"
            listener = try Self.socket(bound: try SocketAddress(ipAddress: host, port: 0))
            try #require(listen(listener, 1) == 0)
            here = try SocketAddress(ipAddress: host, port: Self.port(of: listener))
            let (from, to) = route == .mapped ? ("::ffff:127.0.0.1", "::ffff:127.0.0.1") : (host, host)
            client = try Self.socket(bound: try SocketAddress(ipAddress: from, port: port))
            let client = client
            let target = try SocketAddress(ipAddress: to, port: here.port ?? 0)
            try #require(target.withSockAddr { connect(client, $0, socklen_t($1)) } == 0)
            server = accept(listener, nil, nil)
            try #require(server >= 0)
            there = try SocketAddress(ipAddress: host, port: Self.port(of: client))
        }

        deinit {
            if !isClosed { close(client) }
            close(server)
            close(listener)
        }

        func closeClient() {
            isClosed = true
            close(client)
        }

        func resetClient() {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            closeClient()
        }

        private static func socket(bound address: SocketAddress) throws -> Int32 {
            let family = address.protocol == .inet6 ? AF_INET6 : AF_INET
            let number = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
            try #require(number >= 0)
            var isOn: Int32 = 1
            setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout.size(ofValue: isOn)))
            try #require(address.withSockAddr { bind(number, $0, socklen_t($1)) } == 0)
            return number
        }

        private static func port(of socket: Int32) -> Int {
            // Both kinds of address have the port at the same place.
            var address = sockaddr_in6()
            var size = socklen_t(MemoryLayout.size(ofValue: address))
            withUnsafeMutablePointer(to: &address) {
                _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
            }
            return Int(UInt16(bigEndian: address.sin6_port))
        }
    }
#endif
