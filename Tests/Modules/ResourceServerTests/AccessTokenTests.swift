import CarnetFoundation
import CarnetProtocol
import CarnetResourceServer
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Access tokens of requests")
struct AccessTokenTests {
    @Test("A token of RFC 9068 is accepted, and names its caller")
    func standard() async throws {
        let door = try Door()
        let caller = await door.expectAllowed(Door.bearing(try Door.token()))
        #expect(caller?.provider.rawValue == "acme" && caller?.issuer == Door.issuer)
        #expect(caller?.subject == "user-1" && caller?.clientID == "client")
        #expect(caller?.scopes == ["read", "write"])
        #expect(caller?.claims["jti"] == "token-1")
    }

    // RFC 9068, section 2.2: the claims; RFC 7519, section 4.1: their types.
    @Test(
        "A claim that is missing or has another type is refused",
        arguments: [
            ("iss", nil), ("iss", 5), ("aud", nil), ("aud", ["https://api.acme.example", 5]), ("exp", nil),
            ("exp", "1767229200"), ("sub", 5), ("sub", ""), ("client_id", 5), ("scope", 5), ("scope", [5]),
            ("cnf", "x"), ("nbf", "x"), ("iat", "x"),
        ] as [(String, JSONValue?)])
    func claims(name: String, value: JSONValue?) async throws {
        await Door.refusing(try Door.token([name: value]))
    }

    @Test("Every type of RFC 9068 is accepted", arguments: ["at+jwt", "AT+JWT", "application/at+jwt"])
    func types(type: String) async throws {
        try await Door().expectAllowed(Door.bearing(try Door.token(type: .string(type))))
    }

    @Test("The times count with a minute of tolerance, the descriptor's clock_skew")
    func times() async throws {
        let door = try Door()
        let token = try Door.token(["exp": .number("\(Door.now + 100)")])
        door.clock.advance(by: .seconds(159))
        await door.expectAllowed(Door.bearing(token))
        door.clock.advance(by: .seconds(1))
        let refusal = await door.expectRefused(Door.bearing(token), 401, "invalid_token")
        #expect(refusal?.parameter("error_description") == "the access token has expired")
    }

    // The forms that servers use instead of RFC 9068: scopes as a list, `scp`, audiences as a list, another claim with the
    // client.
    @Test(
        "Scopes are read in each of their forms",
        arguments: [
            ["scope": "a b"], ["scope": ["a", "b"]], ["scope": nil, "scp": "a b"], ["scope": nil, "scp": ["a", "b"]],
        ] as [[String: JSONValue?]])
    func scopes(changes: [String: JSONValue?]) async throws {
        let caller = try await Door().expectAllowed(
            Door.bearing(try Door.token(changes)), requiring: ["a", "b"])
        #expect(caller?.scopes == ["a", "b"])
    }

    @Test("The client is that of the first claim that names one")
    func clients() async throws {
        let party = try await Door().expectAllowed(
            Door.bearing(try Door.token(["client_id": nil, "azp": "party"])))
        #expect(party?.clientID == "party")
        let other = try await Door("access_token: { client: [cid] }\n").expectAllowed(
            Door.bearing(try Door.token(["cid": "other"])))
        #expect(other?.clientID == "other")
        let nobody = try await Door().expectAllowed(Door.bearing(try Door.token(["client_id": nil])))
        #expect(nobody != nil && nobody?.clientID == nil)
    }

    @Test("The audience may be one of several, and another claim if the descriptor names it")
    func audiences() async throws {
        try await Door().expectAllowed(
            Door.bearing(try Door.token(["aud": ["https://other.example", .string(Door.resource)]])))
        try await Door(audiences: ["api://accounts"]).expectAllowed(
            Door.bearing(try Door.token(["aud": "api://accounts"])))
        try await Door("access_token: { audience: client_id }\n", audiences: ["client"]).expectAllowed(
            Door.bearing(try Door.token(["aud": nil])))
    }

    @Test("Without its type, a token needs a claim that marks an access token")
    func marks() async throws {
        let marked = "access_token: { marked_by: [token_use=access, cid] }\n"
        for type in ["JWT", nil] as [JSONValue?] {
            await Door.refusing(try Door.token(type: type))
            await Door.refusing(try Door.token(["token_use": "id"], type: type), marked)
            for mark in [["token_use": "access"], ["cid": "client"]] as [[String: JSONValue?]] {
                try await Door(marked).expectAllowed(Door.bearing(try Door.token(mark, type: type)))
            }
        }
    }

    @Test("Keys are fetched once, and once more for a key that they do not contain")
    func keys() async throws {
        let door = try Door()
        for _ in 0..<3 { await door.expectAllowed(Door.bearing(try Door.token())) }
        #expect(door.count("/jwks") == 1)
        try door.publish([.otherP256])
        await door.expectAllowed(Door.bearing(try Door.token(key: .otherP256, keyID: "0")))
        #expect(door.count("/jwks") == 2)
    }

    @Test("A token is validated again after a minute, with the keys of then")
    func states() async throws {
        let door = try Door()
        let token = try Door.token()
        await door.expectAllowed(Door.bearing(token))
        // The key of the token is withdrawn, and a token with a newer key makes it known.
        try door.publish([.otherP256])
        await door.expectAllowed(Door.bearing(try Door.token(key: .otherP256, keyID: "0")))
        door.clock.advance(by: .seconds(59))
        await door.expectAllowed(Door.bearing(token))
        door.clock.advance(by: .seconds(1))
        await door.expectRefused(Door.bearing(token), 401, "invalid_token")
    }

    @Test("What a known token may do is decided at each request")
    func knownToken() async throws {
        let door = try Door()
        let token = try Door.token()
        await door.expectAllowed(Door.bearing(token), requiring: ["read"])
        await door.expectRefused(Door.bearing(token), 403, "insufficient_scope", requiring: ["admin"])
    }

    @Test("A token that differs in one byte is no known token")
    func changedToken() async throws {
        let door = try Door()
        let token = try Door.token()
        await door.expectAllowed(Door.bearing(token))
        await door.expectRefused(Door.bearing(String(token.dropLast())), 401, "invalid_token")
        await door.expectRefused(Door.bearing(token + "A"), 401, "invalid_token")
    }

    @Test("Scopes that are missing are named in the challenge")
    func missingScopes() async throws {
        let refusal = try await Door().expectRefused(
            Door.bearing(try Door.token()), 403, "insufficient_scope", requiring: ["read", "admin", "audit"])
        // RFC 6750, section 3: the scopes that are needed.
        #expect(refusal?.parameter("scope") == "admin audit")
    }

    // RFC 6750, section 3.1: no error code for a request without authentication information.
    @Test("A request without a token gets a challenge without an error code", arguments: ["", "Basic eDp5", "Bearer"])
    func missingToken(field: String) async throws {
        let request = Door.request(field.isEmpty ? [] : [("Authorization", field)])
        let refusal = try await Door().expectRefused(request, 401, nil)
        let challenges = refusal?.response.headerFields[values: .wwwAuthenticate] ?? []
        let metadata = #"resource_metadata="https://api.acme.example/.well-known/oauth-protected-resource""#
        #expect(challenges == ["Bearer \(metadata)", "DPoP \(metadata), algs=\"ES256 EdDSA RS256 PS256\""])
    }

    @Test("A provider that is unavailable is not the token's fault")
    func unavailable() async throws {
        let door = try Door()
        try door.publish([])
        let client = try TokenIssuer(
            Door.client("carnet: 1\nid: a\nname: A\nissuer: \(Door.issuer)\n", door.transport, door.clock))
        let server = try ResourceServer(Door.resource, accepting: [client])
        guard case .refused(let refusal) = await server.decide(Door.bearing(try Door.token())) else {
            Issue.record("allowed")
            return
        }
        #expect(refusal.response.status == .serviceUnavailable && refusal.response.headerFields[.retryAfter] != nil)
        #expect(refusal.response.headerFields[.wwwAuthenticate] == nil)
    }

    @Test("A configuration that cannot decide is refused")
    func configuration() throws {
        let transport = ScriptedTransport()
        func issuer(_ yaml: String, introspects: Bool = false) throws -> TokenIssuer {
            TokenIssuer(try Door.client(yaml, transport, ManualClock()), introspectsOpaqueTokens: introspects)
        }
        let (acme, plain) = (Fixture.openID, Fixture.plain)
        let wrong: [(String, () throws -> [TokenIssuer])] = [
            ("http://api.acme.example", { [try issuer(acme)] }), ("api", { [try issuer(acme)] }),
            ("https://api.acme.example?x", { [try issuer(acme)] }), (Door.resource, { [] }),
            (Door.resource, { [try issuer(acme), try issuer(acme)] }), (Door.resource, { [try issuer(plain)] }),
            (Door.resource, { [try issuer(acme, introspects: true), try issuer(plain, introspects: true)] }),
        ]
        for (resource, issuers) in wrong {
            expectError(.configuration, .badRegistration) {
                try ResourceServer(resource, accepting: try issuers())
            }
        }
        expectError(.configuration, .badRegistration) {
            try ResourceServer(Door.resource, accepting: [try issuer(acme)], nonceSecret: Secret("short"))
        }
    }
}

extension Door {
    /// Expects that a token of an issuer is refused as invalid.
    static func refusing(
        _ token: String, _ yaml: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        guard let door = try? Door(yaml) else {
            Issue.record("the descriptor has a mistake: \(yaml)", sourceLocation: sourceLocation)
            return
        }
        await door.expectRefused(Door.bearing(token), 401, "invalid_token", sourceLocation: sourceLocation)
    }

    static func request(_ fields: [(name: String, value: String)]) -> HTTPRequest { request("/accounts", fields) }
}
