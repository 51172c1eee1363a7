import Carnet
import CarnetFoundation
import CarnetServerTestSupport
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import CarnetProtocol
@testable import CarnetUserAgent

@Suite("Loopback listener")
struct LoopbackListenerTests {
    @Test("Redirect URI gets a port")
    func redirectURIGetsAPort() async throws {
        let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1/callback?tenant=blue")
        let port = try PendingSignIn.port(of: presenter.redirectURI)
        #expect(presenter.redirectURI == "http://127.0.0.1:\(port)/callback?tenant=blue")
        await presenter.close()
    }

    @Test("Listens on loopback only")
    func listensOnLoopbackOnly() async throws {
        let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1/callback")
        let port = try PendingSignIn.port(of: presenter.redirectURI)
        // 127.0.0.2 is another address of the loopback network: a listener on 0.0.0.0 would response there.
        await #expect(throws: (any Error).self) { try await RawClient(port: port, host: "127.0.0.2") }
        await #expect(throws: (any Error).self) { try await RawClient(port: port, host: "::1") }
        let client = try await RawClient(port: port)
        await client.close()
        await presenter.close()
    }

    @Test("Listens on IPv6 if the redirect URI says so", .enabled(if: hasIPv6))
    func listensOnIPv6IfTheRedirectURISaysSo() async throws {
        let signIn = try await PendingSignIn.start(at: "http://[::1]/callback")
        let port = try signIn.port
        await #expect(throws: (any Error).self) { try await RawClient(port: port) }
        let request = "GET /callback?state=right HTTP/1.1\r\nHost: [::1]:\(port)\r\n\r\n"
        #expect(try await RawClient.exchange(request, port: port, host: "::1").status == 200)
        #expect(try await signIn.task.value.location == "http://[::1]:\(port)/callback")
    }

    @Test("Localhost is served on loopback addresses")
    func localhostIsServedOnLoopbackAddresses() async throws {
        let signIn = try await PendingSignIn.start(at: "http://localhost/callback")
        let port = try signIn.port
        #expect(signIn.redirectURI == "http://localhost:\(port)/callback")
        let request = { (state: String) in "GET /callback?state=\(state) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n" }
        if hasIPv6 {
            #expect(try await RawClient.exchange(request("wrong"), port: port, host: "::1").status == 400)
        }
        #expect(try await RawClient.exchange(request("right"), port: port).status == 200)
        _ = try await signIn.task.value
    }

    @Test("Taken port is named")
    func takenPortIsNamed() async throws {
        let first = try await agent.prepare(redirectURI: "http://127.0.0.1/callback")
        let port = try PendingSignIn.port(of: first.redirectURI)
        for uri in ["http://127.0.0.1:\(port)/callback", "http://localhost:\(port)/callback"] {
            let error = await #expect(throws: UserAgentError.self) { try await agent.prepare(redirectURI: uri) }
            #expect(error?.kind == .cannotListen)
            #expect(error?.reason == "port \(port) of the redirect URI is in use: stop the program that listens there")
        }
        await first.close()
    }

    @Test("Port is free afterwards")
    func portIsFreeAfterwards() async throws {
        var isFree = false
        // Another program may take a port meanwhile.
        for _ in 0..<5 where !isFree {
            let first = try await agent.prepare(redirectURI: "http://127.0.0.1/callback")
            await first.close()
            guard let second = try? await agent.prepare(redirectURI: first.redirectURI) else { continue }
            isFree = second.redirectURI == first.redirectURI
            await second.close()
        }
        #expect(isFree)
    }

    @Test(
        "Redirect URI that is not on loopback is rejected",
        arguments: [
            "https://127.0.0.1/cb", "http://0.0.0.0/cb", "http://192.168.1.7/cb", "http://evil.example/cb",
            "http://127.0.0.1.evil.example/cb", "http://localhost.evil.example/cb", "http://127.0.0.1@evil.example/cb",
            "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:x/cb", "http://127.0.0.1:/cb",
            "http://127.0.0.1/cb#x", "com.example:/cb", "", "http://", "http://127.0.0.1/c b",
        ])
    func redirectURIThatIsNotOnLoopbackIsRefused(uri: String) async {
        let error = await #expect(throws: UserAgentError.self) { try await agent.prepare(redirectURI: uri) }
        #expect(error?.kind == .cannotListen)
    }

    @Test("Port is free after success")
    func portIsFreeAfterSuccess() async throws {
        try await expectFree {
            let signIn = try await PendingSignIn.start()
            try await signIn.finish()
            return try signIn.port
        }
    }

    @Test("Port is free after cancellation")
    func portIsFreeAfterCancellation() async throws {
        try await expectFree {
            let signIn = try await PendingSignIn.start()
            signIn.task.cancel()
            await #expect(throws: CancellationError.self) { try await signIn.task.value }
            return try signIn.port
        }
    }

    @Test("Port is free after timeout")
    func portIsFreeAfterTimeout() async throws {
        try await expectFree {
            let signIn = try await PendingSignIn.start(timeout: .milliseconds(50))
            let error = await #expect(throws: UserAgentError.self) { try await signIn.task.value }
            #expect(error?.kind == .timeout)
            return try signIn.port
        }
    }

    // I17: anybody can send a callback without the state, so the wait goes on; but it is reported, and its end mentions it.
    @Test(
        "Error without state is mentioned when the wait ends",
        arguments: [
            (
                "error=access_denied&error_description=not+approved",
                "without a state arrived: access_denied, \"not approved\""
            ),
            ("error_code=1&error_message=Not%20Setup", "1, \"Not Setup\""), ("error", "with the parameters error"),
            ("error_uri=https://x&error=access_denied", "without a state arrived: access_denied"),
            ("code=c0de", "with the parameters code"), ("error=x&state=wrong", "with another state arrived: x"),
            ("code=c0de&state=right&state=right", "a callback that has state twice arrived"),
            ("error=x&error_description=%E9", "arrived: x, \"(a value that is not UTF-8)\""),
        ])
    func errorWithoutStateIsMentionedWhenTheWaitEnds(_ query: String, _ mention: String) async throws {
        let reports = Lock<[String]>([])
        let agent = LoopbackUserAgent(
            timeout: .milliseconds(1),
            presentation: .show { url in
                // The time begins to run after this.
                let port = url.split(separator: "=").last.flatMap { Int($0) } ?? 0
                #expect(throws: Never.self) { try Self.exchange("/callback?\(query)", port: port) }
                #expect(throws: Never.self) { try Self.exchange("/callback?\(query)", port: port) }
            }, ignored: { report in reports.withLock { $0.append(report) } })
        let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1/callback")
        let port = try PendingSignIn.port(of: presenter.redirectURI)
        let error = await #expect(throws: UserAgentError.self) {
            try await presenter.present("https://op.example/authorize?state=right&port=\(port)") { _ in false }
        }
        #expect(error?.kind == .timeout)
        #expect(error?.reason.contains(mention) == true, "\(String(describing: error))")
        // Each is reported once, without the code.
        #expect(reports.withLock(\.self).count == 1 && reports.withLock(\.self)[0].contains(mention))
        #expect(error?.reason.contains("c0de") == false)
    }

    /// Requests a path, and waits until the listener has responded and closed the connection.
    private static func exchange(_ path: String, port: Int) throws {
        let channel = try ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port).wait()
        let request = ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        try channel.writeAndFlush(request).wait()
        try channel.closeFuture.wait()
    }

    @Test("Port is free after refused URL")
    func portIsFreeAfterRefusedURL() async throws {
        try await expectFree {
            let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1/callback")
            let error = await #expect(throws: UserAgentError.self) {
                try await presenter.present("file:///etc/passwd") { _ in true }
            }
            #expect(error?.kind == .cannotPresent)
            return try PendingSignIn.port(of: presenter.redirectURI)
        }
    }

    @Test("Port is free after close")
    func portIsFreeAfterClose() async throws {
        try await expectFree {
            let signIn = try await PendingSignIn.start()
            await signIn.presenter.close()
            await signIn.presenter.close()
            let error = await #expect(throws: UserAgentError.self) { try await signIn.task.value }
            #expect(error?.kind == .cancelled)
            return try signIn.port
        }
    }

    @Test("Presenter is used once")
    func presenterIsUsedOnce() async throws {
        let signIn = try await PendingSignIn.start()
        try await signIn.finish()
        let error = await #expect(throws: UserAgentError.self) {
            try await signIn.presenter.present("https://op.example/") { _ in true }
        }
        #expect(error?.kind == .cannotPresent)
    }

    private var agent: LoopbackUserAgent { LoopbackUserAgent(presentation: .show { _ in }) }

    /// The system may give the port to another program at once, but hardly three times.
    private func expectFree(after end: () async throws -> Int) async throws {
        for attempt in 1...3 {
            let port = try await end()
            do {
                let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1:\(port)/callback")
                await presenter.close()
                return
            } catch let error as UserAgentError {
                guard attempt < 3 else { throw error }
            }
        }
    }
}

/// Some machines have no IPv6 at all.
let hasIPv6: Bool = {
    let bound = try? ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "::1", port: 0).wait()
    try? bound?.close().wait()
    return bound != nil
}()

@Suite("Loopback flood")
struct LoopbackFloodTests {
    @Test("Junk does not end the wait")
    func junkDoesNotEndTheWait() async throws {
        let signIn = try await PendingSignIn.start()
        for batch in 0..<50 {
            await withTaskGroup { group in
                for number in 0..<20 {
                    let target =
                        number.isMultiple(of: 2) ? "/callback?code=\(batch)&state=\(number)" : "/\(batch)/\(number)"
                    // On a busy machine some are cut off before they are connected.
                    group.addTask { _ = try? await signIn.request("GET", target) }
                }
            }
        }
        try await signIn.finish()
    }

    @Test("Slow clients do not keep the browser out")
    func slowClientsDoNotKeepTheBrowserOut() async throws {
        let signIn = try await PendingSignIn.start(limits: ConnectionLimits(connections: 4))
        var slow: [RawClient] = []
        for _ in 0..<12 {
            let client = try await RawClient(port: try signIn.port)
            await client.send("GET /callback?state=right HTTP/1.1\r\nHost: 127")
            slow.append(client)
        }
        try await signIn.finish()
        for client in slow {
            #expect(try await client.response() == "")
        }
    }

    @Test("Slow client is cut off")
    func slowClientIsCutOff() async throws {
        let signIn = try await PendingSignIn.start(limits: ConnectionLimits(lifetime: .milliseconds(200)))
        let client = try await RawClient(port: try signIn.port)
        await client.send("GET /callback")
        #expect(try await client.response() == "")
        await signIn.presenter.close()
    }

    @Test("Large request is cut off", arguments: ["GET /callback?", "GET /callback HTTP/1.1\r\nHost: x\r\nX-Filler: "])
    func largeRequestIsCutOff(start: String) async throws {
        let signIn = try await PendingSignIn.start(limits: ConnectionLimits(requestBytes: 4_096))
        let client = try await RawClient(port: try signIn.port)
        await client.send(start)
        await client.send(String(repeating: "a", count: 100_000))
        #expect(try await !client.response().contains(" 200 "))
        try await signIn.finish()
    }

    @Test(
        "Garbage is cut off",
        arguments: ["\r\n\r\n\r\n", "\u{16}\u{3}\u{1}", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "SSH-2.0-x\r\n\r\n"])
    func garbageIsCutOff(bytes: String) async throws {
        let signIn = try await PendingSignIn.start(limits: ConnectionLimits(lifetime: .milliseconds(200)))
        let response = try await RawClient.exchange(bytes, port: try signIn.port)
        #expect(!response.contains(" 200 "))
        await signIn.presenter.close()
    }
}
