// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetFoundation
import CarnetProtocol
import CarnetResourceServer
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation
import HTTPTypes
import Testing

@Suite("RS: access tokens of requests")
struct AccessTokenAttackTests {
    /// Expects that a good token is accepted, and each of these is not.
    private func refuse(
        _ yaml: String = "", introspects: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
        _ tokens: () throws -> [String]
    ) async throws {
        for token in try tokens() {
            let door = try Door(yaml, introspects: introspects)
            await door.expectAllowed(Door.bearing(try Door.token()), sourceLocation: sourceLocation)
            await door.expectRefused(
                Door.bearing(token), 401, "invalid_token", token, sourceLocation: sourceLocation)
        }
    }

    @Test("RS-01: Algorithm none")
    func RS_01_algorithmNone() async throws {
        try await refuse {
            try ["none", "None", "NONE", "nOnE"].flatMap { name -> [String] in
                let header = #"{"alg":"\#(name)","typ":"at+jwt","kid":"0"}"#
                let input = SigningKey.signingInput(header, Door.claims().jsonText())
                let signature = base64URL(try SigningKey.p256.signature("ES256", over: Data(input.utf8)))
                return [input + ".", input + "." + signature]
            }
        }
    }

    /// An HMAC whose secret is the public key, or the secret of the resource server.
    @Test("RS-02: Public key as secret")
    func RS_02_publicKeyAsSecret() async throws {
        try await refuse {
            let secrets = try SigningKey.rsa.publicEncodings + [Data("the-secret-of-the-api".utf8), Data()]
            return secrets.map { secret in
                let header = #"{"alg":"HS256","typ":"at+jwt","kid":"1"}"#
                let input = SigningKey.signingInput(header, Door.claims().jsonText())
                let code = HMAC<SHA256>.authenticationCode(
                    for: Data(input.utf8), using: SymmetricKey(data: secret))
                return input + "." + base64URL(Data(code))
            }
        }
    }

    @Test("RS-03: Key of another issuer")
    func RS_03_keyOfAnotherIssuer() async throws {
        try await refuse {
            [
                try Door.token(key: .otherP256), try Door.token(key: .otherP256, keyID: nil),
                try Door.token(["iss": .string(Door.otherIssuer)]),
                try Door.token(["iss": .string(Door.otherIssuer)], keyID: nil),
            ]
        }
        try await Door().expectAllowed(
            Door.bearing(try Door.token(["iss": .string(Door.otherIssuer)], key: .otherP256)))
    }

    @Test("RS-03: Key that the token brings")
    func RS_03_keyThatTheTokenBrings() async throws {
        let jwk = try SigningKey.otherP256.jwk()
        try await refuse {
            [
                try Door.token(key: .otherP256, header: ["jwk": jwk]),
                try Door.token(key: .otherP256, keyID: nil, header: ["jwk": jwk]),
                try Door.token(key: .otherP256, header: ["jku": "https://evil.example/jwks"]),
                try Door.token(key: .otherP256, header: ["x5u": "https://evil.example/x5u"]),
            ]
        }
    }

    @Test("RS-03: Key of another type")
    func RS_03_keyOfAnotherType() async throws {
        try await refuse {
            [
                try Door.token(key: .rsa, algorithm: "RS256", keyID: "0"),
                try Door.token(keyID: "1"), try Door.token(key: .otherP256, keyID: "2"),
            ]
        }
        try await Door().expectAllowed(Door.bearing(try Door.token(key: .rsa, algorithm: "RS256", keyID: "1")))
    }

    @Test("RS-04: Issuer that is only similar")
    func RS_04_issuerThatIsOnlySimilar() async throws {
        try await refuse {
            try [
                "\(Door.issuer)/", "HTTPS://ID.ACME.EXAMPLE", "https://id.acme.example:443", "https://id.acme.example.",
                " \(Door.issuer)", "\(Door.issuer)\u{0}", "https://id.acme.example@evil.example", "",
                "http://id.acme.example", "https://evil.example",
            ].map { try Door.token(["iss": .string($0)]) }
        }
    }

    @Test("RS-05: Token for another resource")
    func RS_05_tokenForAnotherResource() async throws {
        try await refuse {
            try
                ([
                    "client", "https://other.example", "https://api.acme.example/", "https://API.acme.example", "",
                    "https://api.acme.example.evil.example", [], ["https://other.example"], .null, [:],
                ] as [JSONValue]).map { try Door.token(["aud": $0]) }
        }
    }

    @Test("RS-06: ID token as access token")
    func RS_06_idTokenAsAccessToken() async throws {
        let marked = "access_token: { marked_by: [token_use=access] }\n"
        let idToken: [String: JSONValue?] = [
            "nonce": "n", "auth_time": 1_767_225_600, "client_id": nil, "scope": nil, "email": "ada@acme.example",
        ]
        try await refuse {
            try ["JWT", "jwt", nil, "", "id_token+jwt"].map { try Door.token(idToken, type: $0.map { .string($0) }) }
        }
        try await refuse(marked) {
            try ["id", "ACCESS", "access ", 5, ["access"]].map { (use: JSONValue) in
                try Door.token(["token_use": use], type: "JWT")
            }
        }
        // Claims that only an ID token has, whatever its type says.
        try await refuse(marked) {
            try ["at_hash", "c_hash"].flatMap { name in
                [
                    try Door.token([name: "x"]),
                    try Door.token([name: "x", "token_use": "access"], type: "JWT"),
                ]
            }
        }
    }

    @Test("RS-06: Other tokens of the issuer")
    func RS_06_otherTokensOfTheIssuer() async throws {
        try await refuse("access_token: { marked_by: [token_use=access] }\n") {
            try ["logout+jwt", "dpop+jwt", "token-introspection+jwt", "rt+jwt", "secevent+jwt", "oauth-authz-req+jwt"]
                .map {
                    try Door.token(["token_use": "access"], type: .string($0))
                }
        }
        try await refuse {
            [try Door.token(["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]])]
        }
    }

    @Test("RS-07: Expired or future")
    func RS_07_expiredOrFuture() async throws {
        try await refuse {
            try
                ([
                    ["exp": .number("\(Door.now - 60)")], ["exp": -1], ["exp": .number("1e400")],
                    ["exp": 99_999_999_999_999], ["nbf": .number("\(Door.now + 61)")],
                    ["iat": .number("\(Door.now + 61)")],
                ] as [[String: JSONValue?]]).map { try Door.token($0) }
        }
    }

    @Test("RS-08: Token elsewhere")
    func RS_08_tokenElsewhere() async throws {
        let door = try Door()
        let token = try Door.token()
        for query in ["access_token=\(token)", "x=1&access_token=\(token)", "access%5Ftoken=x", "access_token"] {
            let path = "/accounts?" + query
            await door.expectRefused(Door.request(path, []), 400, "invalid_request", query)
            await door.expectRefused(Door.bearing(token, path: path), 400, "invalid_request", query)
        }
        for name in ["X-Access-Token", "X-Forwarded-Access-Token", "Cookie", "Proxy-Authorization", "DPoP"] {
            await door.expectRefused(Door.request("/accounts", [(name, "Bearer \(token)")]), 401, nil, name)
        }
    }

    @Test("RS-09: Two headers or two schemes")
    func RS_09_twoHeadersOrTwoSchemes() async throws {
        let door = try Door()
        let token = try Door.token()
        let pairs = [
            ["Bearer \(token)", "Bearer \(token)"], ["Basic eDp5", "Bearer \(token)"],
            ["Bearer \(token)", "DPoP \(token)"], ["Bearer \(token)", ""],
        ]
        for pair in pairs {
            let request = Door.request("/accounts", pair.map { ("Authorization", $0) })
            await door.expectRefused(request, 400, "invalid_request", "\(pair.map { $0.prefix(8) })")
        }
        for value in [
            "Bearer \(token), Bearer \(token)", "Bearer  \(token)", "Bearer \(token) ", "Bearer Bearer \(token)",
            "Bearer \(token),DPoP x", "Bearer \"\(token)\"", "Bearer =", "Bearer a=b", "Bearer \(token)\u{0}",
        ] {
            var request = Door.request("/accounts", [])
            request.headerFields[.authorization] = value
            // The type of header fields removes spaces at the ends, as HTTP does.
            if request.headerFields[.authorization] == "Bearer \(token)" { continue }
            await door.expectRefused(request, 400, "invalid_request", "\(value.prefix(12))")
        }
    }

    @Test("RS-10: Huge and deep tokens")
    func RS_10_hugeAndDeepTokens() async throws {
        let door = try Door(introspects: true)
        let huge = "Bearer " + String(repeating: "a", count: ReceivedLimit.token + 1)
        await door.expectRefused(Door.request("/accounts", [("Authorization", huge)]), 400, "invalid_request")
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        for claims in [deep, #"{"iss":\#(deep)}"#, #"{"a":\#(deep)}"#] {
            let input = SigningKey.signingInput(#"{"alg":"ES256","typ":"at+jwt"}"#, claims)
            await door.expectRefused(Door.bearing(input + ".AAAA"), 401, "invalid_token")
        }
        #expect(door.transport.requests.isEmpty)
    }

    @Test("RS-11: Flood of keys and of tokens")
    func RS_11_floodOfKeysAndOfTokens() async throws {
        let door = try Door()
        for number in 0..<100 {
            let token = try Door.token(
                ["iss": .string("https://evil-\(number).example")], key: .otherP256, keyID: "\(number)")
            await door.expectRefused(Door.bearing(token), 401, "invalid_token")
            await door.expectRefused(
                Door.bearing(try Door.token(["exp": 5], key: .otherP256)), 401, "invalid_token")
        }
        #expect(door.transport.requests.isEmpty, "an obviously invalid token causes no request")
        for number in 0..<100 {
            let token = try Door.token(key: .otherP256, keyID: "unknown-\(number)")
            await door.expectRefused(Door.bearing(token), 401, "invalid_token")
        }
        #expect(door.count("/jwks") == 2)
    }

    /// A resource server whose issuer answers about made-up tokens only when the test lets it.
    private final class Queue: Sendable {
        private let state = Lock((asked: [String](), waiting: [CheckedContinuation<Void, Never>]()))
        let clock = ManualClock()
        let refused = Lock(0)

        func server() throws -> ResourceServer {
            let transport = ScriptedTransport { [self] request in
                let body = String(decoding: request.body, as: UTF8.self)
                let token = body.split(separator: "&").first { $0.hasPrefix("token=") }?.dropFirst(6) ?? ""
                let isMadeUp = token.hasPrefix("made-up")
                await withCheckedContinuation { turn in
                    state.withLock { state in
                        state.asked.append(String(token))
                        if isMadeUp { state.waiting.append(turn) }
                    }
                    if !isMadeUp { turn.resume() }
                }
                return .json(isMadeUp ? #"{"active":false}"# : #"{"active":true,"sub":"user-1"}"#)
            }
            let yaml = """
                carnet: 1
                id: acme
                name: Acme
                issuer: \(Door.issuer)
                endpoints: { authorization: \(Door.issuer)/a, token: \(Door.issuer)/t, jwks: \(Door.issuer)/k, introspection: \(Door.issuer)/i }

                """
            let client = try Door.client(yaml, transport, clock)
            return try ResourceServer(
                Door.resource, accepting: [TokenIssuer(client, introspectsOpaqueTokens: true)])
        }

        var asked: [String] { state.withLock { $0.asked } }

        /// Waits until the issuer was asked about a token.
        func isAsked(about token: String) async -> Bool {
            for _ in 0..<200 where !asked.contains(token) { await settle() }
            return asked.contains(token)
        }

        /// Lets the issuer answer about some tokens, or about all.
        func answer(_ count: Int = .max) {
            let turns = state.withLock { state in
                defer { state.waiting.removeFirst(min(count, state.waiting.count)) }
                return state.waiting.prefix(count)
            }
            for turn in turns { turn.resume() }
        }

        func finish(_ tasks: [Task<AccessDecision, Never>]) async {
            let answering = Task {
                while !Task.isCancelled {
                    answer()
                    await Task.yield()
                }
            }
            for task in tasks { _ = await task.value }
            answering.cancel()
        }
    }

    @Test("RS-33: A flood of made-up tokens")
    func RS_33_floodOfMadeUpTokens() async throws {
        let queue = Queue()
        let server = try queue.server()
        func decide(_ token: String, from sender: String?) -> Task<AccessDecision, Never> {
            Task { await server.decide(Door.bearing(token), from: sender) }
        }
        guard case .allowed = await decide("known-0123456789", from: "192.0.2.1").value else {
            Issue.record("the known token is refused")
            return
        }
        // Its state is too old, so the issuer is asked again.
        queue.clock.advance(by: .seconds(3_600))
        // One sender with as many addresses as tokens.
        let flood = (0..<200).map { decide("made-up-\($0)", from: "2001:db8:0:1::\(String($0, radix: 16))") }
        for _ in 0..<200 where queue.asked.count < 17 { await settle() }
        await settle()
        #expect(queue.asked.count == 17, "16 places are for made-up tokens")
        let known = decide("known-0123456789", from: "2001:db8:0:1::1")
        for _ in 0..<200 where queue.asked.count < 18 { await settle() }
        #expect(queue.asked.last == "known-0123456789", "the known token waits")
        // The next place but one is for the next sender.
        let fresh = decide("fresh-0123456789", from: "2001:db8:0:2::1")
        await settle()
        queue.answer(2)
        #expect(await queue.isAsked(about: "fresh-0123456789"), "the sender of one token waits for the senders of many")
        await queue.finish(flood + [known, fresh])
        guard case .allowed = await known.value, case .allowed = await fresh.value else {
            Issue.record("a good token is refused")
            return
        }
    }

    @Test("RS-33: More made-up tokens than may wait", arguments: ["192.0.2.1", "2001:db8:0:1::", nil])
    func RS_33_tooManyMadeUpTokens(sender: String?) async throws {
        let queue = Queue()
        let server = try queue.server()
        let tasks = (0..<1_200).map { number in
            Task {
                let address = sender.map { $0.hasSuffix(":") ? $0 + String(number, radix: 16) : $0 }
                let decision = await server.decide(Door.bearing("made-up-\(number)"), from: address)
                if case .refused(let refusal) = decision, refusal.response.status.code == 503 {
                    queue.refused.withLock { $0 += 1 }
                }
                return decision
            }
        }
        // A sender that is known may have a quarter of all that wait.
        let expected = 1_200 - 16 - (sender == nil ? 1_024 : 256)
        for _ in 0..<400 where queue.refused.withLock(\.self) < expected { await settle() }
        #expect(queue.refused.withLock(\.self) == expected && queue.asked.count == 16)
        await queue.finish(tasks)
    }

    @Test("RS-12: Opaque token at another issuer")
    func RS_12_opaqueTokenAtAnotherIssuer() async throws {
        let door = try Door()
        await door.expectRefused(Door.bearing("opaque-0123456789abcdef"), 401, "invalid_token")
        #expect(door.transport.requests.isEmpty, "a token is sent to no issuer that may not be its own")
    }

    @Test("RS-12: Response about another issuer's token")
    func RS_12_responseAboutAnotherIssuersToken() async throws {
        for issuer in [Door.otherIssuer, Door.issuer + "/"] {
            let door = try Door(introspects: true)
            door.introspecting(#"{"active":true,"iss":"\#(issuer)"}"#)
            await door.expectRefused(Door.bearing("opaque-0123456789abcdef"), 503, nil)
        }
    }

    @Test("RS-13: Refresh token as access token")
    func RS_13_refreshTokenAsAccessToken() async throws {
        let responses = [
            ("", #"{"active":true,"token_type":"refresh_token"}"#),
            ("access_token: { marked_by: [typ=Bearer] }\n", #"{"active":true,"typ":"Refresh"}"#),
        ]
        for (yaml, response) in responses {
            let door = try Door(yaml, introspects: true)
            door.introspecting(response)
            await door.expectRefused(Door.bearing("opaque-0123456789abcdef"), 401, "invalid_token")
        }
    }

    @Test("RS-14: Revoked token in the cache")
    func RS_14_revokedTokenInTheCache() async throws {
        let door = try Door(introspects: true)
        let token = "opaque-0123456789abcdef"
        door.introspecting(#"{"active":true,"sub":"ada"}"#)
        await door.expectAllowed(Door.bearing(token))
        door.introspecting(#"{"active":false}"#)
        door.server.forget(Secret(token))
        await door.expectRefused(Door.bearing(token), 401, "invalid_token")
        // Another token of the same length has its own state.
        door.introspecting(#"{"active":true,"sub":"eve"}"#)
        #expect(await door.expectAllowed(Door.bearing("opaque-0123456789abcdeF"))?.subject == "eve")
        // A clock that was set back does not extend a state.
        door.introspecting(#"{"active":false}"#)
        door.clock.set(to: Date(timeIntervalSince1970: Double(Door.now - 3600)))
        await door.expectRefused(Door.bearing("opaque-0123456789abcdeF"), 401, "invalid_token")
    }

    @Test("RS-15: Bound token without a proof")
    func RS_15_boundTokenWithoutAProof() async throws {
        let door = try Door()
        let token = try Door.token(["cnf": try Door.confirmation()])
        await door.expectAllowed(Door.bearing(token, proof: try Door.proof(of: token)))
        await door.expectRefused(Door.bearing(token), 401, "invalid_token")
        await door.expectRefused(Door.bearing(token, proof: nil), 401, "invalid_token")
        let downgraded = Door.request(
            "/accounts",
            [("Authorization", "Bearer \(token)"), ("DPoP", try Door.proof(of: token, ["jti": "proof-2"]))])
        await door.expectRefused(downgraded, 401, "invalid_token")
        let unbound = try Door.token()
        await door.expectRefused(
            Door.bearing(unbound, proof: try Door.proof(of: unbound)), 401, "invalid_token")
    }

    @Test("RS-15: Unknown binding")
    func RS_15_unknownBinding() async throws {
        let jkt = try Door.confirmation()["jkt"] ?? .null
        try await refuse {
            try
                ([
                    ["kid": "x"], ["jwk": [:]], [:], ["jkt": jkt, "x5t#S256": "x"], ["jkt": 5], [], "jkt",
                ] as [JSONValue]).map { try Door.token(["cnf": $0]) }
        }
    }

    @Test("RS-16: Proof used twice")
    func RS_16_proofUsedTwice() async throws {
        let door = try Door()
        let token = try Door.token(["cnf": try Door.confirmation()])
        let request = Door.bearing(token, proof: try Door.proof(of: token))
        await door.expectAllowed(request)
        await door.expectRefused(request, 401, "invalid_dpop_proof")
        // Its id is remembered for as long as it would be accepted.
        door.clock.advance(by: .seconds(60))
        await door.expectRefused(request, 401, "invalid_dpop_proof")
        // A proof of another signature with the same id.
        door.clock.set(to: Date(timeIntervalSince1970: Double(Door.now)))
        await door.expectRefused(
            Door.bearing(token, proof: try Door.proof(of: token)), 401, "invalid_dpop_proof")
        // The same id of another key is another proof.
        let other = try Door.token(["cnf": try Door.confirmation(of: .otherP256)])
        await door.expectAllowed(Door.bearing(other, proof: try Door.proof(of: other, key: .otherP256)))
    }

    @Test("RS-17: Proof for another request, token or time")
    func RS_17_proofForAnotherRequestTokenOrTime() async throws {
        let token = try Door.token(["cnf": try Door.confirmation()])
        let good = Door.bearing(token, proof: try Door.proof(of: token))
        try await Door().expectAllowed(good)
        let changes: [[String: JSONValue?]] = [
            ["htm": "POST"], ["htm": "get"], ["htm": nil], ["htu": "https://api.acme.example/other"],
            ["htu": "https://evil.example/accounts"], ["htu": "http://api.acme.example/accounts"],
            ["htu": "https://api.acme.example:444/accounts"], ["htu": "https://api.acme.example/accounts/"],
            ["htu": "https://api.acme.example/Accounts"], ["htu": "/accounts"], ["htu": nil], ["ath": nil],
            ["ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"], ["jti": nil], ["jti": ""], ["jti": 5],
            ["jti": .string(String(repeating: "x", count: 257))], ["iat": nil], ["iat": .number("\(Door.now - 61)")],
            ["iat": .number("\(Door.now + 61)")], ["iat": "now"],
        ]
        for change in changes {
            let request = Door.bearing(token, proof: try Door.proof(of: token, change))
            try await Door().expectRefused(request, 401, "invalid_dpop_proof", "\(change)")
        }
    }

    @Test("RS-18: Key of a proof")
    func RS_18_keyOfAProof() async throws {
        let token = try Door.token(["cnf": try Door.confirmation()])
        var withPrivate = try SigningKey.p256.jwk()
        withPrivate.set("AAAA", at: JSONPointer(tokens: ["d"]))
        let proofs = [
            try Door.proof(of: token, key: .otherP256), try Door.proof(of: token, jwk: withPrivate),
            try Door.proof(of: token, key: .otherP256, jwk: try SigningKey.p256.jwk()),
            try Door.proof(of: token, jwk: try SigningKey.rsa.jwk()), try Door.proof(of: token, jwk: [:]),
            try Door.proof(of: token, jwk: ["kty": "oct", "k": "AAAA"]), try Door.proof(of: token, type: "JWT"),
            try Door.proof(of: token, type: "at+jwt"), "x", "a.b.c", "",
        ]
        for proof in proofs {
            try await Door().expectRefused(
                Door.bearing(token, proof: proof), 401, "invalid_dpop_proof", "\(proof.prefix(20))")
        }
        let two = Door.request(
            "/accounts", [("Authorization", "DPoP \(token)")] + proofs.prefix(2).map { ("DPoP", $0) })
        try await Door().expectRefused(two, 400, "invalid_request")
    }

    @Test("RS-19: Challenge that a token forges")
    func RS_19_challengeThatATokenForges() async throws {
        let scopes = [#"a", error="x"#, "b\r\nSet-Cookie: x=1", #"c\"#]
        let refusal = try await Door().expectRefused(
            Door.bearing(try Door.token()), 403, "insufficient_scope", requiring: scopes)
        for field in refusal?.response.headerFields[values: .wwwAuthenticate] ?? [] {
            #expect(!field.contains("\n") && !field.contains(#""x""#) && !field.contains(#"\"#), "\(field)")
        }
        let door = try Door()
        let quoted = await door.expectRefused(
            Door.bearing(try Door.token(["iss": #"https://x.example/", scope="admin"#])), 401, "invalid_token")
        #expect(quoted?.parameter("scope") == nil)
    }

    @Test("RS-20: Scope that is only similar")
    func RS_20_scopeThatIsOnlySimilar() async throws {
        for scope in ["READ", "read:all", "rea", "read\u{0}", "read,write", "read\twrite", "re\u{0301}ad", ""] {
            let token = try Door.token(["scope": .string(scope)])
            try await Door().expectRefused(
                Door.bearing(token), 403, "insufficient_scope", requiring: ["read"], scope)
        }
    }
}
