import Carnet
import CarnetHummingbird
import CarnetProtocol
import Foundation
import HTTPTypes

/// What so many waiting sign-ins and sessions take of the server's memory.
struct WebMemory {
    let stateless: Double
    let pending: Double
    let flood: Double
    let sessions: Double

    init(count: Int) async throws {
        stateless = try await Self.growth {
            let site = try BenchmarkSite()
            try await Self.begin(count, at: site)
            return site
        }
        let store = MemoryPendingStore(limit: count)
        let stored = try BenchmarkSite(pendingStore: store)
        pending = try await Self.growth {
            try await Self.begin(count, at: stored)
            return stored
        }
        flood = try await Self.growth {
            try await Self.begin(count, at: stored)
            return stored
        }
        guard await store.count <= count else { throw BenchmarkFailure("the store keeps more than its bound") }
        sessions = try await Self.growth {
            let store = MemoryTokenStore()
            for number in 0..<count { _ = try await store.save(Self.connection(number), replacing: nil) }
            return store
        }
    }

    private static func begin(_ count: Int, at site: BenchmarkSite) async throws {
        var request = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:8499", path: "/sign-in/acme")
        if let name = HTTPField.Name("Sec-Fetch-Site") { request.headerFields[name] = "same-origin" }
        for _ in 0..<count {
            guard await site.web.respond(to: request)?.head.status == .seeOther else {
                throw BenchmarkFailure("no sign-in began")
            }
        }
    }

    private static let binding = CredentialBinding(servers: ["https://id.acme.example"], resources: [])

    /// The tokens have the usual lengths: two of them are signed. As after a sign-in, each record has its own issuer, subject
    /// and session id, and all share the servers that may receive the tokens.
    private static func connection(_ number: Int) -> Connection {
        func text(_ length: Int) -> String { String(repeating: "x", count: length - 6) + String(100_000 + number) }
        let now = SystemWallClock().now
        return Connection(
            key: ConnectionKey(provider: "acme", account: "account-\(number)"),
            clientID: "client",
            tokens: TokenSet(
                accessToken: Secret(text(900)), tokenType: "Bearer", refreshToken: Secret(text(60)),
                idToken: Secret(text(900)), scopes: ["openid", "profile", "email"], issuedAt: now,
                expiresAt: now.addingTimeInterval(3600)),
            issuer: ["https://id", "acme", "example"].joined(separator: "."), subject: text(21), sessionID: text(36),
            binding: binding
        )
    }

    /// In MiB, the text of the tokens of so many sessions.
    static func tokens(_ count: Int) -> Double { Double(count * (900 + 60 + 900)) / Double(1 << 20) }

    /// In MiB, while what was made is kept.
    private static func growth<Value>(_ make: () async throws -> Value) async throws -> Double {
        let before = residentMebibytes
        let value = try await make()
        return withExtendedLifetime(value) { residentMebibytes - before }
    }

    private static var residentMebibytes: Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
    }
}
