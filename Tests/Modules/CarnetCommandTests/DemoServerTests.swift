// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetDescriptors
import CarnetFoundation
import CarnetHummingbird
import CarnetProtocol
import CarnetSandbox
import CarnetServerTestSupport
import CarnetWeb
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import CarnetCommand
@testable import CarnetDemo

/// The demonstration on a port, with requests as a browser sends them.
@Suite("The demonstration's server")
struct DemoServerTests {
    private static let pages = [
        "/", "/?q=acme", "/assets/style.css", "/assets/icon.svg", "/descriptor", "/flows/acme", "/accounts/acme",
        "/sign-in",
        "/sign-in/acme", "/signed-out", "/nothing", "/flows/nobody",
    ]

    private func withServer(
        _ limits: ServerLimits = ServerLimits(), _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        var registry = ProviderRegistry()
        registry.add([SourceFile(path: "acme.yaml", text: Sample.acme())], origin: .folder("test"))
        let origin = "http://127.0.0.1:8400"
        let setup = await DemoSetup(
            registry, origin: origin, transport: { makeNetworkTransport(localAccess: $0) }, trial: DemoCommand.trial
        ) { _ in
            nil
        } refuse: { _, _ in
        }
        let site = try setup.site(
            keys: KeyRing(try EncryptionKey([UInt8](repeating: 7, count: 32))),
            sandbox: SandboxAddress(try WebURL("http://127.0.0.1:9999")),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await site.application(port: 0, limits).test(.live) { client in
            try await body(try #require(client.port))
        }
    }

    private func send(
        _ method: String, _ path: String, to port: Int, host: String = "127.0.0.1:8400", fields: [String] = []
    ) async throws -> (status: Int?, fields: [String], body: String) {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close"] + fields
        let reply = try await RawClient.exchange(lines.joined(separator: "\r\n") + "\r\n\r\n", port: port)
        let end = try #require(reply.range(of: "\r\n\r\n"), "\(path)")
        let head = reply[..<end.lowerBound].components(separatedBy: "\r\n")
        return (Int(head[0].dropFirst("HTTP/1.1 ".count).prefix(3)), head, String(reply[end.upperBound...]))
    }

    @Test("NAT-12: The demonstration has no page for another site")
    func NAT_12_theDemonstrationHasNoPageForAnotherSite() async throws {
        try await withServer { port in
            for (method, path) in Self.pages.map({ ("GET", $0) }) + [
                ("POST", "/descriptor"), ("POST", "/sign-in/acme"),
            ] {
                let fields = ["Sec-Fetch-Site: same-origin", "Content-Length: 0"]
                for host in ["evil.example:8400", "evil.example", "127.0.0.1.evil.example:8400"] {
                    let reply = try await send(method, path, to: port, host: host, fields: fields)
                    #expect(reply.status == 421 && !reply.body.contains("Acme"), "\(host) \(path)")
                }
                let own = try await send(method, path, to: port, fields: fields)
                #expect(own.status != 421, "\(path)")
            }
        }
    }

    #if os(Linux)
        @Test(
            "HOST-12: Another user gets no page of the demonstration",
            .enabled(if: Stranger.isPossible, Comment(rawValue: Stranger.need)), arguments: Stranger.all)
        func HOST_12_anotherUserGetsNoPageOfTheDemonstration(stranger: Stranger) async throws {
            try await withServer { port in
                let fields = ["Connection: close"]
                let response = try await stranger.get("/", port, host: "127.0.0.1:8400", fields: fields)
                #expect(response.isEmpty)
                let own = try await send("GET", "/", to: port)
                #expect(own.status == 200)
            }
        }
    #endif

    @Test("HOST-13: A client that sends half a request, or none, loses its connection")
    func HOST_13_aSlowClientLosesItsConnection() async throws {
        var limits = ServerLimits()
        (limits.header, limits.body, limits.idle) = (.milliseconds(50), .milliseconds(50), .milliseconds(50))
        let half = "POST /sign-in/acme HTTP/1.1\r\nHost: 127.0.0.1:8400\r\n"
        let texts = ["", half, half + "Content-Length: 100\r\nSec-Fetch-Site: same-origin\r\n\r\nreturn_to="]
        try await withServer(limits) { port in
            for text in texts {
                let reply = try await RawClient.exchange(text, port: port)
                #expect(reply.isEmpty, "\(text)")
            }
        }
        let (addresses, continuation) = AsyncStream.makeStream(of: SandboxAddress.self)
        let sandbox = Sandbox(providers: [], clients: [:] as [ProviderID: [SandboxClient]])
        let server = SandboxServer(sandbox: sandbox, limits: limits) { continuation.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            for await address in addresses.prefix(1) {
                let port = try #require(address.base.port)
                for text in texts {
                    let reply = try await RawClient.exchange(text, port: port)
                    #expect(reply.isEmpty, "\(text)")
                }
            }
            group.cancelAll()
        }
    }

    @Test("HOST-14: Clients that send half a request and keep the connection do not keep others out")
    func HOST_14_manySlowClientsDoNotKeepOthersOut() async throws {
        var limits = ServerLimits()
        limits.connectionsPerAddress = 8
        try await withServer(limits) { port in
            var slow: [RawClient] = []
            for _ in 0..<24 {
                let client = try await RawClient(port: port)
                await client.send("GET / HTTP/1.1\r\n")
                slow.append(client)
            }
            #expect(try await send("GET", "/", to: port).status == 200)
            for client in slow.prefix(16) {
                let reply = try await client.response()
                #expect(reply.isEmpty)
            }
            for client in slow { await client.close() }
        }
    }

    @Test("HEAD of a page has the status and the fields of GET", arguments: pages)
    func head(path: String) async throws {
        try await withServer { port in
            let (get, head) = (try await send("GET", path, to: port), try await send("HEAD", path, to: port))
            #expect(head.status == get.status && head.body.isEmpty)
            func type(_ fields: [String]) -> String? { fields.first { $0.lowercased().hasPrefix("content-type:") } }
            #expect(type(head.fields) == type(get.fields))
        }
    }
}
