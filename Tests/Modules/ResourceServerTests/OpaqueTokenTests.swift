import CarnetFoundation
import CarnetProtocol
import CarnetResourceServer
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("Opaque access tokens")
struct OpaqueTokenTests {
    private static let token = "opaque-0123456789abcdef"
    private static let active = """
        {"active":true,"sub":"user-1","client_id":"client","scope":"read","iss":"https://id.acme.example",\
        "aud":"https://api.acme.example","exp":1767229200}
        """

    // RFC 7662, section 2.2.
    @Test("The introspection response names the caller")
    func active() async throws {
        let door = try Door(introspects: true)
        door.introspecting(Self.active)
        let caller = await door.expectAllowed(Door.bearing(Self.token), requiring: ["read"])
        #expect(caller?.subject == "user-1" && caller?.clientID == "client" && caller?.scopes == ["read"])
        #expect(caller?.issuer == Door.issuer)
        await door.expectRefused(Door.bearing(Self.token), 403, "insufficient_scope", requiring: ["write"])
        let body = String(decoding: door.transport.requests[0].body, as: UTF8.self)
        #expect(body.contains("token=\(Self.token)") && body.contains("token_type_hint=access_token"))
    }

    @Test(
        "A token that is inactive, of another use or for another resource is refused",
        arguments: [
            #"{"active":false}"#, #"{"active":true,"aud":"https://other.example"}"#,
            #"{"active":true,"token_type":"refresh_token"}"#, #"{"active":true,"token_type":"N_A"}"#,
            #"{"active":true,"exp":1767225000}"#,
        ])
    func refused(response: String) async throws {
        let door = try Door(introspects: true)
        door.introspecting(response)
        await door.expectRefused(Door.bearing(Self.token), 401, "invalid_token")
    }

    @Test(
        "A response without an audience is for the server that asked",
        arguments: ["", #","token_type":"Bearer""#, #","sub":"""#])
    func withoutAudience(more: String) async throws {
        let door = try Door(introspects: true)
        door.introspecting(#"{"active":true\#(more)}"#)
        #expect(await door.expectAllowed(Door.bearing(Self.token))?.subject == nil)
    }

    @Test("Without an issuer that introspects, an opaque token is invalid, and is sent nowhere")
    func nobody() async throws {
        let door = try Door()
        await door.expectRefused(Door.bearing(Self.token), 401, "invalid_token")
        #expect(door.transport.requests.isEmpty)
    }

    @Test("A JWT is never introspected")
    func signed() async throws {
        let door = try Door(introspects: true)
        door.introspecting(Self.active)
        await door.expectRefused(Door.bearing(try Door.token(["exp": 5])), 401, "invalid_token")
        #expect(door.count("/introspect") == 0)
    }

    @Test("States are kept for a minute, and not beyond the token's expiry")
    func cache() async throws {
        let door = try Door(introspects: true)
        door.introspecting(Self.active)
        for _ in 0..<3 { await door.expectAllowed(Door.bearing(Self.token)) }
        #expect(door.count("/introspect") == 1)
        door.introspecting(#"{"active":false}"#)
        door.clock.advance(by: .seconds(59))
        await door.expectAllowed(Door.bearing(Self.token))
        door.clock.advance(by: .seconds(1))
        await door.expectRefused(Door.bearing(Self.token), 401, "invalid_token")
        // A refusal is kept too, so that a client that repeats it causes no requests.
        await door.expectRefused(Door.bearing(Self.token), 401, "invalid_token")
        #expect(door.count("/introspect") == 2)
    }

    @Test("A state ends with its token")
    func expiry() async throws {
        let door = try Door("id_token: { clock_skew: 0 }\n", introspects: true)
        door.introspecting(#"{"active":true,"exp":1767225610}"#)
        await door.expectAllowed(Door.bearing(Self.token))
        door.clock.advance(by: .seconds(10))
        await door.expectRefused(Door.bearing(Self.token), 401, "invalid_token")
    }

    @Test("A failed request is the provider's fault, and is not kept")
    func failure() async throws {
        let door = try Door(introspects: true)
        await door.expectRefused(Door.bearing(Self.token), 503, nil)
        door.introspecting(#"{"error":"server_error"}"#, status: 500)
        await door.expectRefused(Door.bearing(Self.token), 503, nil)
        door.introspecting(Self.active)
        await door.expectAllowed(Door.bearing(Self.token))
    }

    @Test("Concurrent requests with one token share one introspection")
    func concurrent() async throws {
        let door = try Door(introspects: true)
        door.introspecting(Self.active)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { await door.expectAllowed(Door.bearing(Self.token)) } }
        }
        #expect(door.count("/introspect") == 1)
    }
}
