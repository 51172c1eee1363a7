import CarnetServerTestSupport
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetCommand

/// `carnet compare --probe` against servers that play what can become of a provider.
@Suite("Probe")
struct ProbeTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    typealias Response = PlayedServer.Response

    /// The server of a provider that works, but for what is given.
    private static func works(
        _ request: PlayedServer.Request, authorization: Response? = nil, token: Response? = nil,
        revocation: Response? = nil, device: Response? = nil
    ) -> Response {
        switch request.path.prefix(while: { $0 != "?" }) {
        case "/authorize": authorization ?? .page(400, "<p>There is no such application</p>")
        case "/token": token ?? .json(401, #"{"error":"invalid_client"}"#)
        case "/revoke": revocation ?? Response(200)
        case "/device": device ?? .json(400, #"{"error":"invalid_client"}"#)
        default: Response(404)
        }
    }

    private func describe(_ id: String, at base: String, _ rest: String = "") throws {
        try home.write(
            """
            carnet: 1
            id: \(id)
            name: \(id)
            endpoints:
              authorization: \(base)/authorize
              token: \(base)/token
              revocation: \(base)/revoke
              device_authorization: \(base)/device
            \(rest)

            """, to: "probed/\(id).yaml")
    }

    private func probe(_ arguments: String...) async throws -> CommandResult {
        let run = try home.start(
            ["compare"] + arguments + ["--probe", "--probe-pause", "0", "--providers", "probed"])
        return try await run.finish(within: CommandRun.patience)
    }

    private func outcomes(_ result: CommandResult) throws -> [String: String] {
        let providers = try #require(try result.json()["providers"] as? [[String: Any]])
        let outcomes = try #require(providers.first?["outcomes"] as? [[String: Any]])
        return Dictionary(
            outcomes.map { ($0["endpoint"] as? String ?? "", $0["verdict"] as? String ?? "") }
        ) { first, _ in first }
    }

    @Test("A provider that works is as expected, with one request to each endpoint and no credential")
    func works() async throws {
        let server = try await PlayedServer { Self.works($0) }
        try describe("acme", at: "http://\(server.authority)")
        let result = try await probe("acme")
        #expect(result.status == 0, "\(result)")
        #expect(
            result.standardOutput == """
                acme: authorization: as expected (400)
                acme: token: as expected (401): error invalid_client
                acme: revocation: as expected (200)
                acme: device_authorization: as expected (400)
                1 probed, 0 with findings, 0 skipped

                """)
        #expect(result.standardError.contains("without an account or a credential"), "\(result)")
        let requests = server.requests
        #expect(requests.map(\.method) == ["GET", "POST", "POST", "POST"])
        #expect(requests.allSatisfy { $0.headers["user-agent"]?.hasPrefix("carnet-probe/") == true })
        #expect(requests[0].path.contains("client_id=carnet-probe-no-such-client"))
        #expect(requests[1].body.contains("code=simulated-code"))
        try await server.stop()
    }

    struct Play: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let endpoint: String
        let verdict: String
        let respond: @Sendable (PlayedServer.Request) -> Response

        init(
            _ name: String, _ endpoint: String, _ verdict: String,
            _ respond: @escaping @Sendable (PlayedServer.Request) -> Response
        ) {
            testDescription = name
            self.endpoint = endpoint
            self.verdict = verdict
            self.respond = respond
        }
    }

    static let plays: [Play] = [
        Play("authorization gone", "authorization", "gone") { works($0, authorization: .page(410, "gone")) },
        Play("token gone", "token", "gone") { works($0, token: .page(404, "not found")) },
        Play("revocation gone", "revocation", "gone") { works($0, revocation: Response(404)) },
        Play("device gone", "device_authorization", "gone") { works($0, device: Response(410)) },
        Play("authorization moved", "authorization", "moved") {
            works($0, authorization: Response(301, ["Location": "/new/authorize"]))
        },
        Play("token moved", "token", "moved") { works($0, token: Response(302, ["Location": "/new/token"])) },
        Play("authorization redirects to its own sign-in page", "authorization", "as_expected") {
            works($0, authorization: Response(302, ["Location": "/login?next=authorize"]))
        },
        Play("authorization redirects with an error for the client", "authorization", "as_expected") {
            works(
                $0, authorization: Response(302, ["Location": "http://127.0.0.1:49152/callback?error=invalid_client"]))
        },
        Play("authorization redirects to another domain", "authorization", "other_domain") {
            works($0, authorization: Response(302, ["Location": "https://parking.example/acme"]))
        },
        Play("token redirects to another domain", "token", "other_domain") {
            works($0, token: Response(307, ["Location": "https://parking.example/"]))
        },
        Play("a portal's page instead of a token response", "token", "captive_page") {
            works($0, token: .page(200, "<p>Accept the terms of the network</p>"))
        },
        Play("a portal's status", "authorization", "captive_page") { works($0, authorization: Response(511)) },
        Play("another form of error", "token", "other_form") {
            works($0, token: .json(400, #"{"code":1004,"reason":"no such client"}"#))
        },
        Play("another method", "revocation", "other_form") { works($0, revocation: Response(405)) },
        Play("a server that fails", "token", "server_error") { works($0, token: .page(503, "back soon")) },
        Play("a server that talks to no program", "authorization", "refused") {
            works($0, authorization: .page(403, "Prove that you are a person"))
        },
        Play("too many requests", "token", "rate_limited") {
            works($0, token: Response(429, ["Retry-After": "120"]))
        },
    ]

    @Test("What becomes of an endpoint is told apart", arguments: plays)
    func played(play: Play) async throws {
        let server = try await PlayedServer(respond: play.respond)
        try describe("acme", at: "http://\(server.authority)")
        let result = try await probe("acme", "--json")
        #expect(try outcomes(result)[play.endpoint] == play.verdict, "\(result)")
        let isFinding = !["as_expected", "rate_limited", "refused", "server_error"].contains(play.verdict)
        #expect(result.status == (isFinding ? 1 : 0), "\(result)")
        try await server.stop()
    }

    @Test("A host that asks for a pause is left alone, and asked by the next run")
    func rateLimit() async throws {
        let limited = try await PlayedServer { Self.works($0, token: Response(429, ["Retry-After": "120"])) }
        try describe("acme", at: "http://\(limited.authority)")
        let first = try await probe("acme", "--probe-results", "results.json")
        #expect(first.standardOutput.contains("token: rate limited (429): the server says to retry after 120"))
        #expect(first.standardOutput.contains("revocation: rate limited: "))
        #expect(limited.requests.count == 2)
        _ = try await probe("acme", "--probe-results", "results.json")
        #expect(limited.requests.count == 4)
        try await limited.stop()
    }

    @Test("A run goes on where it was interrupted")
    func resume() async throws {
        let server = try await PlayedServer { Self.works($0) }
        try describe("acme", at: "http://\(server.authority)")
        try describe("other", at: "http://\(server.authority)")
        _ = try await probe("acme", "--probe-results", "results.json")
        #expect(server.requests.count == 4)
        let rest = try await probe("acme", "other", "--probe-results", "results.json")
        #expect(server.requests.count == 8)
        #expect(rest.standardOutput.contains("2 probed"), "\(rest)")
        try await server.stop()
    }

    @Test("Of two runs only the changes are reported, and an unclear outcome is none")
    func changes() async throws {
        let state = Stage()
        let server = try await PlayedServer { Self.works($0, token: state.token, revocation: state.revocation) }
        try describe("acme", at: "http://\(server.authority)")
        state.set(revocation: Response(404))
        let first = try await probe("acme", "--probe-results", "1.json")
        #expect(first.status == 1)
        let same = try await probe("acme", "--probe-results", "2.json", "--probe-since", "1.json")
        #expect(same.status == 0 && same.standardOutput == "1 probed, 0 with changes, 0 skipped\n", "\(same)")
        state.set(token: .page(503, "back soon"), revocation: Response(404))
        let unclear = try await probe("acme", "--probe-results", "3.json", "--probe-since", "2.json")
        #expect(unclear.status == 0, "\(unclear)")
        state.set(token: .page(404, "gone"), revocation: Response(404))
        let gone = try await probe("acme", "--probe-results", "4.json", "--probe-since", "3.json")
        #expect(gone.status == 1 && gone.standardOutput.hasPrefix("acme: token: gone (404)\n1 probed"), "\(gone)")
        try await server.stop()
    }

    private final class Stage: @unchecked Sendable {
        // Sendable because the members are behind the lock.
        private let lock = NSLock()
        private var current: (token: Response?, revocation: Response?)
        var token: Response? { lock.withLock { current.token } }
        var revocation: Response? { lock.withLock { current.revocation } }
        func set(token: Response? = nil, revocation: Response? = nil) {
            lock.withLock { current = (token, revocation) }
        }
    }

    @Test("An expired certificate and a host that is not there are findings")
    func hosts() async throws {
        let expired = try TestCertificate(
            subjectAlternativeName: "IP:127.0.0.1", validity: ("20200101000000Z", "20200201000000Z"))
        let server = try await PlayedServer(certificate: expired) { Self.works($0) }
        try describe("acme", at: "https://\(server.authority)")
        let result = try await probe("acme", "--json", "--ca-file", expired.certificatePath)
        #expect(result.status == 1)
        #expect(try Set(outcomes(result).values) == ["certificate"], "\(result)")
        #expect(result.standardOutput.contains("is not trusted"), "\(result)")
        #expect(server.requests.isEmpty)
        try await server.stop()
        let valid = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let working = try await PlayedServer(certificate: valid) { Self.works($0) }
        try describe("fine", at: "https://\(working.authority)")
        let fine = try await probe("fine", "--ca-file", valid.certificatePath)
        #expect(fine.status == 0, "\(fine)")
        try await working.stop()
        try describe("nowhere", at: "https://127.0.0.1:1")
        let nowhere = try await probe("nowhere", "--json")
        #expect(try Set(outcomes(nowhere).values) == ["unreachable"], "\(nowhere)")
    }

    @Test("Metadata that differ are a finding")
    func metadata() async throws {
        let server = try await PlayedServer { request in
            let issuer = "http://\(request.headers["host"] ?? "")"
            guard request.path == "/.well-known/openid-configuration" else { return Self.works(request) }
            return .json(
                200,
                """
                {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorize","token_endpoint":"\(issuer)/new",
                "jwks_uri":"\(issuer)/keys","response_types_supported":["code"],"subject_types_supported":["public"],
                "id_token_signing_alg_values_supported":["RS256"]}
                """)
        }
        try describe("acme", at: "http://\(server.authority)", "issuer: http://\(server.authority)")
        let result = try await probe("acme")
        #expect(result.status == 1)
        #expect(
            result.standardOutput.contains("acme: metadata: differs: endpoints.token: the metadata says"), "\(result)")
        try await server.stop()
    }

    @Test("A provider without the value of an input is skipped; its own probe says what is missing")
    func inputs() async throws {
        let server = try await PlayedServer { Self.works($0) }
        try describe("acme", at: "http://\(server.authority)")
        try describe("needy", at: "https://{host}", "inputs: { host: { type: hostname, example: a.example } }")
        let both = try await probe("acme", "needy")
        #expect(both.status == 0 && both.standardOutput.hasSuffix("1 probed, 0 with findings, 1 skipped\n"), "\(both)")
        let alone = try await probe("needy")
        #expect(alone.status == 2 && alone.standardError.contains("host"), "\(alone)")
        try await server.stop()
    }

    @Test("The options of a probe need --probe")
    func usage() async throws {
        let result = try await home.run("compare", "google", "--probe-results", "x.json")
        #expect(result.status == 2 && result.standardError.contains("need --probe"), "\(result)")
    }
}
