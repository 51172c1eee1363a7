// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetServerTestSupport
import Foundation
import Testing

@testable import CarnetUserAgent

/// The page that the browser's opener is given in the place of the address, because everybody sees its arguments.
@Suite("Handover page")
struct HandOverPageTests {
    private static let target = "https://op.example/authorize?state=s3cret"
    private let uses = Uses()

    private final class Uses: Sendable {
        private let state = Lock(0)
        var count: Int { state.withLock { $0 } }
        func add() { state.withLock { $0 += 1 } }
    }

    private func open() async throws -> (page: HandOverPage, port: Int, path: String) {
        let page = try HandOverPage.open(for: try AuthorizationURL(Self.target), limits: .patient) { [uses] in
            uses.add()
        }
        let parts = page.url.text.split(separator: "/")
        let port = try #require(parts[1].split(separator: ":").last.flatMap { Int($0) })
        return (page, port, "/" + String(parts[2]))
    }

    private func get(
        _ path: String, _ port: Int, method: String = "GET", host: String? = nil
    ) async throws -> String {
        try await RawClient.exchange(
            "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\r\n", port: port)
    }

    @Test("it leads to the address once, and the response is not kept")
    func HOST_01_leadsThereOnce() async throws {
        let (page, port, path) = try await open()
        let first = try await get(path, port)
        #expect(first.hasPrefix("HTTP/1.1 303 "))
        #expect(first.contains("\r\nLocation: \(Self.target)\r\n"))
        #expect(first.contains("\r\nCache-Control: no-store\r\n"))
        #expect(first.contains("\r\nReferrer-Policy: no-referrer\r\n"))
        let second = try await get(path, port)
        #expect(second.status == 404 && !second.contains("s3cret"))
        #expect(uses.count == 1)
        await page.close()
        await #expect(throws: (any Error).self) { try await get(path, port) }
    }

    @Test("another path, method or host gets nothing, and uses nothing up")
    func HOST_01_othersGetNothing() async throws {
        let (page, port, path) = try await open()
        let others = [
            try await get(path.dropLast() + "x", port), try await get("/", port), try await get(path + "?a", port),
            try await get(path, port, method: "POST"), try await get(path, port, method: "HEAD"),
            try await get(path, port, host: "evil.example:\(port)"),
            try await get(path, port, host: "localhost:\(port)"),
        ]
        for response in others { #expect(response.status == 404 && !response.contains("s3cret"), "\(response)") }
        #expect(uses.count == 0)
        #expect(try await get(path, port).status == 303)
        await page.close()
    }

    @Test("two addresses have nothing in common")
    func HOST_01_pathsDiffer() async throws {
        let (first, second) = (try await open(), try await open())
        #expect(first.path != second.path && first.path.count == 65)
        await first.page.close()
        await second.page.close()
    }

    #if os(Linux)
        @Test(
            "another user of the machine gets nothing, though they know the address",
            .enabled(if: Stranger.isPossible, Comment(rawValue: Stranger.need)))
        func HOST_02_anotherUserGetsNothing() async throws {
            let (page, port, path) = try await open()
            let stranger = try await Stranger(user: 1, ending: .open).get(path, port)
            #expect(stranger.hasPrefix("HTTP/1.1 404 ") && !stranger.contains("s3cret"), "\(stranger)")
            #expect(uses.count == 0)
            #expect(try await get(path, port).status == 303)
            await page.close()
        }

        @Test(
            "another user of the machine cannot bring a callback",
            .enabled(if: Stranger.isPossible, Comment(rawValue: Stranger.need)))
        func HOST_02_anotherUserBringsNoCallback() async throws {
            let signIn = try await PendingSignIn.start()
            let stranger = try await Stranger(user: 1, ending: .open).get(
                "/callback?code=evil&state=right", try signIn.port)
            #expect(stranger.hasPrefix("HTTP/1.1 400 "), "\(stranger)")
            try await signIn.finish()
        }
    #endif
}
