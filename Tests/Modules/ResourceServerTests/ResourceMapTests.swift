import CarnetFoundation
import CarnetProtocol
import CarnetResourceServer
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Decisions by a resource map")
struct ResourceMapTests {
    private static let map = """
        resources:
          - { title: Health, url: /health, anonymous: the load balancer reads it }
          - { title: Me, url: /me }
          - { title: Accounts, url: /accounts, scope: read }
          - { title: Transfer, url: "/accounts/{id}/transfer", method: POST, all_of: [write, transfer] }
          - { title: Operations, url: /ops/**, claims: { groups: ops } }
          - { title: Keys, url: /keys, acr: [gold], max_age: 300 }

        """

    private func request(_ path: String, _ method: HTTPRequest.Method = .get, token: String?) -> HTTPRequest {
        Door.request(path, method: method, token.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    @Test("A resource that is open to anyone needs no token, and reads none")
    func anonymous() async throws {
        let door = try Door(map: Self.map)
        #expect(await door.expectAllowed(request("/health", token: nil)) == nil)
        await door.expectAllowed(request("/health", token: "anything"))
        await door.expectRefused(request("/me", token: nil), 401, nil)
        await door.expectAllowed(request("/me", token: try Door.token(["scope": nil])))
    }

    @Test("What a request needs is what its resource names")
    func scopes() async throws {
        let door = try Door(map: Self.map)
        let token = try Door.token()
        await door.expectAllowed(request("/accounts", token: token))
        let refusal = await door.expectRefused(
            request("/accounts/5/transfer", .post, token: token), 403, "insufficient_scope")
        #expect(refusal?.parameter("scope") == "transfer")
        await door.expectAllowed(
            request("/accounts/5/transfer", .post, token: try Door.token(["scope": "write transfer"])))
        // Scopes in code come on top.
        await door.expectRefused(
            request("/accounts", token: token), 403, "insufficient_scope", requiring: ["audit"])
        await door.expectRefused(request("/health", token: nil), 401, nil, requiring: ["audit"])
    }

    @Test("A scope brings what it implies in the catalogue of its provider")
    func implied() async throws {
        let yaml = "scopes: { catalog: [{ id: all, implies: [read] }, read] }\n"
        let token = try Door.token(["scope": "all"])
        try await Door(yaml, map: Self.map).expectAllowed(request("/accounts", token: token))
        // At another issuer the scope is only a name.
        let other = try Door.token(["scope": "all", "iss": .string(Door.otherIssuer)], key: .otherP256)
        try await Door(yaml, map: Self.map).expectRefused(
            request("/accounts", token: other), 403, "insufficient_scope")
    }

    @Test("A claim that is missing is forbidden, without advice that cannot help")
    func claims() async throws {
        let door = try Door(map: Self.map)
        await door.expectAllowed(request("/ops/x", token: try Door.token(["groups": ["dev", "ops"]])))
        let refusal = await door.expectRefused(request("/ops/x", token: try Door.token()), 403, nil)
        #expect(refusal?.response.headerFields[.wwwAuthenticate] == nil)
    }

    // RFC 9470, section 3.
    @Test("A sign-in that is too weak or too old gets a step-up challenge")
    func stepUp() async throws {
        let door = try Door(map: Self.map)
        let good: [String: JSONValue?] = ["acr": "gold", "auth_time": .number("\(Door.now)")]
        await door.expectAllowed(request("/keys", token: try Door.token(good)))
        let refusal = await door.expectRefused(
            request("/keys", token: try Door.token()), 401, "insufficient_user_authentication")
        #expect(refusal?.parameter("acr_values") == "gold" && refusal?.parameter("max_age") == "300")
        door.clock.advance(by: .seconds(361))
        await door.expectRefused(
            request("/keys", token: try Door.token(good)), 401, "insufficient_user_authentication")
    }

    @Test("A request for nothing in the map is refused, whatever its token")
    func nothing() async throws {
        let door = try Door(map: Self.map)
        let token = try Door.token()
        for path in ["/", "/other", "/accounts/5", "/HEALTH", "/health/x"] {
            await door.expectRefused(request(path, token: token), 404, nil, path)
        }
        let refusal = await door.expectRefused(request("/accounts", .delete, token: token), 405, nil)
        #expect(refusal?.response.headerFields[.allow] == "GET, HEAD")
        await door.expectRefused(request("/accounts//", token: token), 400, "invalid_request")
    }

    @Test("A map that cannot decide is refused with file and line")
    func wrongMaps() throws {
        let wrong = [
            ("resources:\n  - { title: A, url: /a, scope: x }\n  - { title: B, url: /a, scope: y }\n", "map.yaml:3"),
            ("resources:\n  - { title: A, url: /a//b }\n", "map.yaml:2"),
            ("resources:\n  - { title: A, url: /a, scpoe: x }\n", "map.yaml:2"),
            ("resources:\n  - { title: A, url: /a, anonymous: why, scope: x }\n", "map.yaml:2"),
        ]
        for (map, place) in wrong {
            let error = expectError(.configuration, .badDescriptor) { try Door(map: map) }
            #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
        }
    }

    // RFC 9728, sections 2 and 3.1.
    @Test("The metadata names the issuers and the scopes, at the well-known URL of the resource identifier")
    func metadata() throws {
        for (resource, path) in [
            ("https://api.acme.example", "/.well-known/oauth-protected-resource"),
            ("https://api.acme.example/", "/.well-known/oauth-protected-resource"),
            ("https://api.acme.example/v1", "/.well-known/oauth-protected-resource/v1"),
        ] {
            let door = try Door(resource: resource, map: Self.map)
            let reply = try #require(door.server.metadata(for: Door.request(path + "?x=1", [])))
            #expect(reply.response.status == .ok && reply.response.headerFields[.contentType] == "application/json")
            let document = try JSONValue(parsing: reply.body)
            #expect(document["resource"] == .string(resource))
            #expect(document["authorization_servers"] == [.string(Door.issuer), .string(Door.otherIssuer)])
            #expect(document["scopes_supported"] == ["read", "write", "transfer"])
            #expect(document["bearer_methods_supported"] == ["header"])
            #expect(door.server.metadata(for: Door.request(path, method: .post, [])) == nil)
            #expect(door.server.metadata(for: Door.request("/other", [])) == nil)
        }
    }

    // RFC 9728, section 5.1.
    @Test("A challenge names the metadata", arguments: [nil, "x.y"])
    func challenge(token: String?) async throws {
        let door = try Door(resource: "https://api.acme.example/v1", map: Self.map)
        let refusal = await door.expectRefused(
            request("/me", token: token), 401, token == nil ? nil : "invalid_token")
        #expect(
            refusal?.parameter("resource_metadata")
                == "https://api.acme.example/.well-known/oauth-protected-resource/v1")
    }
}
