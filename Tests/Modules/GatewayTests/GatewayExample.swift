import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import Testing

/// A gateway file that uses every kind of condition, and the people and programs who ask for its pages.
enum GatewayExample {
    static let text = """
        gateway: 1
        origin: https://apps.example
        providers:
          - acme
          - { id: globex, groups: /realm_access/roles, trust_email: the administrators set all addresses }
          - initech
        bearer:
          - { provider: acme, audience: https://apps.example/api }
        routes:
          - { title: health, path: /health, allow: anyone }
          - { title: start, path: /, allow: signed_in }
          - { title: admin, path: /admin/**, allow: { provider: acme, group: [ops, root] } }
          - title: read report
            path: /reports/{year}
            methods: [GET]
            allow: [{ email: [anna@example.com] }, { provider: globex, group: auditors }]
          - { title: write report, path: "/reports/{year}", methods: PUT, allow: { provider: acme, subject: a-1 } }
          - { title: api, path: /api/**, bearer: true, allow: { scope: read } }
          - title: transfer
            path: /api/accounts/{id}/transfer
            methods: [POST]
            bearer: true
            allow: { all_of: [read, transfer], any_of: [daily, unlimited] }
          - { title: deploy, path: /api/deploy, bearer: true, allow: { client_id: deploy-bot } }
          - { title: staff, path: /staff/**, allow: { provider: acme, claim: { department: [it, hr], /badge/level: 3 } } }
          - { title: wiki, host: wiki.apps.example, allow: { email_domain: [example.com, example.org] } }
          - { title: pictures, host: wiki.apps.example, path: /public/**, allow: anyone }
          - { title: tools, host: "*.tools.example", allow: signed_in }
          - { title: builds, host: build.tools.example, allow: { provider: globex } }
        headers:
          X-Auth-User: "{account.subject}"
          X-Auth-Email: "{account.email}"
          X-Auth-Groups: "{account.groups}"
          X-Auth-From: "{account.provider}/{account.name}"
          X-Auth-Department: "{claim.department}"

        """

    static func gateway(_ text: String = text) throws -> Gateway {
        let file = GatewayFile(SourceFile(path: "gateway.yaml", text: text))
        #expect(file.diagnostics.isEmpty, "\(file.diagnostics.map(\.description))")
        return try Gateway(file)
    }

    /// The senders by name.
    static let senders: [String: GatewayIdentity] = [
        // In the group ops, with a verified address.
        "anna": GatewayIdentity(
            kind: .person, provider: "acme", subject: "a-1", name: "Anna", email: "anna@example.com",
            isEmailVerified: true, scopes: ["openid", "read"],
            claims: .of(["groups": ["dev", "ops"], "department": "it", "badge": ["level": 3]])),
        // In another group, at a subdomain.
        "bob": GatewayIdentity(
            kind: .person, provider: "acme", subject: "a-2", email: "bob@sub.example.com", isEmailVerified: true,
            claims: .of(["groups": ["Ops", "ops2"], "department": ["sales", "hr"], "badge": ["level": 2]])),
        // Of a provider whose addresses the file trusts.
        "cleo": GatewayIdentity(
            kind: .person, provider: "globex", subject: "c", email: "cleo@EXAMPLE.org",
            claims: .of(["groups": ["ops"], "realm_access": ["roles": ["auditors"]]])),
        // With an address that nobody verified.
        "dan": GatewayIdentity(
            kind: .person, provider: "acme", subject: "a-4", email: "dan@example.com", claims: .of(["groups": "root"])),
        // With everybody's names at a provider where people choose them.
        "eve": GatewayIdentity(
            kind: .person, provider: "initech", subject: "a-1", email: "eve@evil.example", isEmailVerified: true,
            claims: .of([
                "groups": ["ops", "root", "auditors"], "realm_access": ["roles": ["auditors"]], "department": "it",
                "badge": ["level": 3], "email": "anna@example.com",
            ])),
        // With a false statement of the provider.
        "fay": GatewayIdentity(
            kind: .person, provider: "globex", subject: "f", email: "fay@example.org", isEmailVerified: false),
        // Of a provider that the file no longer has.
        "gus": GatewayIdentity(
            kind: .person, provider: "umbrella", subject: "a-1", email: "anna@example.com", isEmailVerified: true,
            claims: .of(["groups": ["ops"]])),
        "robot": GatewayIdentity(
            kind: .program, provider: "acme", subject: "deploy-bot", clientID: "deploy-bot", scopes: ["read"]),
        "bank": GatewayIdentity(
            kind: .program, provider: "acme", subject: "a-1", clientID: "bank",
            scopes: ["read", "transfer", "daily"], claims: .of(["groups": ["ops"]])),
        "reader": GatewayIdentity(
            kind: .program, provider: "acme", subject: "a-1", clientID: "app", scopes: ["read", "transfer"]),
        // A token of a provider whose tokens the file does not accept.
        "stranger": GatewayIdentity(
            kind: .program, provider: "globex", subject: "c", clientID: "deploy-bot", scopes: ["read"]),
    ]

    /// - Parameter url: Without a host, at the gateway's origin.
    static func decision(
        _ gateway: Gateway, _ request: String, as sender: String
    ) throws -> GatewayDecision {
        let parts = request.split(separator: " ", maxSplits: 1).map(String.init)
        let hasHost = parts[1].hasPrefix("//")
        let rest = hasHost ? parts[1].dropFirst(2) : "apps.example\(parts[1])"
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let forwarded = try ForwardedRequest(
            method: parts[0], scheme: "https", host: String(rest[..<slash]),
            target: slash == rest.endIndex ? "/" : String(rest[slash...]))
        guard sender != "-" else { return gateway.decide(forwarded, as: nil) }
        let identity: GatewayIdentity = try #require(senders[sender])
        return gateway.decide(forwarded, as: identity)
    }
}

extension JSONObject {
    static func of(_ value: JSONValue) -> JSONObject { value.object ?? JSONObject() }
}
