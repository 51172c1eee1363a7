import ArgumentParser
import AsyncHTTPClient
import BenchmarkSubjects
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetHTTP
import CarnetProtocol
import Crypto
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Signing in: authorization URL, token request, ID token, stored tokens.
enum SignIns {
    private static let workers = 8
    private static let count = 400

    static func rows() async throws -> [Row] {
        let server = try TokenServer()
        defer { server.stop() }
        // A process of its own first: it must not be as large as this one.
        let program = CommandLine.arguments[0]
        let peaks = try (0..<5).map { _ in
            try ProcessCost(of: [program, "sign-in-many", "--issuer", server.issuer]).peakKiB / 1024
        }
        return try await [
            overHTTP(at: server.issuer),
            withoutNetwork(),
            authorizationURL(),
            accessToken(),
        ].map(\.row) + [
            try await signedInRequest(to: server.issuer),
            Row(work: "peak memory of a client with 2,000 sign-ins", unit: "MiB", values: peaks, goal: 20),
        ]
    }

    /// Work of eight tasks at once.
    static func concurrently(_ count: Int, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<workers {
                group.addTask { for _ in 0..<count / workers { try await body() } }
            }
            try await group.waitForAll()
        }
    }

    private static func overHTTP(at issuer: String) async throws -> Comparison {
        let signIn = try LocalSignIn(
            at: SigningProvider(issuer: issuer), transport: AsyncHTTPTransport(localAccess: .none))
        let http = HTTPClient(configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
        let signature = try IDTokenValidation(.ES256)
        let body = ByteBuffer(
            string:
                "grant_type=authorization_code&code=n-0S6_WzA2Mj&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcallback"
                + "&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk&client_id=client")
        let comparison = try await Comparison(
            "a sign-in over HTTP on loopback, 8 at once, ES256",
            against: "a bare POST by AsyncHTTPClient and a bare signature check", rounds: 9, runs: 1, of: count,
            goal: 1.3
        ) {
            try await concurrently(count) { try await signIn.complete(try await signIn.begin()) }
        } floorBody: {
            try await concurrently(count) {
                var request = HTTPClientRequest(url: issuer + "/token")
                request.method = .POST
                request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
                request.body = .bytes(body)
                let response = try await http.execute(request, timeout: .seconds(10))
                guard try await response.body.collect(upTo: 1 << 16).readableBytes > 0 else {
                    throw BenchmarkFailure(reason: "the server sends no tokens")
                }
                try signature.checkSignature()
            }
        }
        try await http.shutdown()
        return comparison
    }

    private static func withoutNetwork() async throws -> Comparison {
        let signIn = try LocalSignIn(at: SigningProvider(issuer: "https://id.acme.example"))
        let signature = try IDTokenValidation(.ES256)
        let key = P256.Signing.PrivateKey()
        return try await Comparison(
            "a sign-in without a network, ES256", against: "a bare signature and its check", runs: 400, of: 1
        ) {
            try await signIn.complete(try await signIn.begin())
        } floorBody: {
            _ = try key.signature(for: Data("the claims of an ID token".utf8))
            try signature.checkSignature()
        }
    }

    private static func authorizationURL() async throws -> Comparison {
        let signIn = try LocalSignIn(at: SigningProvider(issuer: "https://id.acme.example"))
        return try await Comparison(
            "an authorization URL with state, nonce and PKCE",
            against: "96 random bytes, SHA-256 and base64url of each",
            runs: 2000, of: 1, goal: 3
        ) {
            _ = try await signIn.begin()
        } floorBody: {
            let random = SystemRandomSource().bytes(count: 96)
            let texts = [random[..<32], random[32..<64], random[64...]].map { Base64URL.encode($0) }
            let challenge = Base64URL.encode(SHA256.hash(data: Data((texts.last ?? "").utf8)))
            guard challenge.utf8.count == 43 else { throw BenchmarkFailure(reason: "the challenge is no SHA-256") }
        }
    }

    /// What a request of a session costs more than the same request by the transport alone.
    private static func signedInRequest(to issuer: String) async throws -> Row {
        let transport = AsyncHTTPTransport(localAccess: .none)
        let signIn = try LocalSignIn(at: SigningProvider(issuer: issuer), transport: transport)
        let session = try await signIn.complete(try await signIn.begin())
        let request = HTTPRequest(url: issuer + "/keys")
        let declared = [Resource(declaring: try WebURL(issuer + "/keys"))]
        var limits = TransportLimits()
        limits.localHosts = ["127.0.0.1"]
        let comparison = try await Comparison(
            "a request of a session over HTTP on loopback, 8 at once", against: "the same request by its transport",
            rounds: 9, runs: 1, of: count
        ) {
            try await concurrently(count) { _ = try await session.send(request, declared: declared) }
        } floorBody: { [limits] in
            try await concurrently(count) {
                _ = try await transport.send(OutgoingRequest(head: request), limits: limits)
            }
        }
        return Row(
            work: "a request of a session over HTTP on loopback, 8 at once",
            comparedWith: "the same request by its transport, more processor time", unit: "µs",
            values: comparison.differences.map { $0 * 1e6 }, goal: 200, detail: comparison.row.detail)
    }

    private static func accessToken() async throws -> Comparison {
        let signIn = try LocalSignIn(at: SigningProvider(issuer: "https://id.acme.example"))
        let session = try await signIn.complete(try await signIn.begin())
        let table = Lock(["a": "token"])
        return try await Comparison(
            "accessToken() of a valid session", against: "a dictionary lookup behind a lock", runs: 20_000, of: 1
        ) {
            _ = try await session.accessToken()
        } floorBody: {
            guard table.withLock({ $0["a"] }) != nil else { throw BenchmarkFailure(reason: "no token") }
        }
    }
}

/// Sign-ins alone, whose peak memory the parent reads.
struct SignInMany: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in-many", abstract: "Sign in 2,000 times.", shouldDisplay: false)

    @Option var issuer: String

    func run() async throws {
        let signIn = try LocalSignIn(
            at: SigningProvider(issuer: issuer), transport: AsyncHTTPTransport(localAccess: .none))
        try await SignIns.concurrently(2000) { try await signIn.complete(try await signIn.begin()) }
    }
}
