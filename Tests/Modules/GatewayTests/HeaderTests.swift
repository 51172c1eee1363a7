import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import HTTPTypes
import Testing

@Suite("Identity headers")
struct HeaderTests {
    private func headers(
        _ sender: GatewayIdentity?, _ templates: String, path: String = "/x", allow: String = "anyone"
    ) throws -> (values: [String: String], absent: [String]) {
        let gateway = try GatewayExample.gateway(
            """
            gateway: 1
            origin: https://apps.example
            providers: [acme]
            routes: [{ allow: \(allow) }]
            headers: { \(templates) }

            """)
        let request = try ForwardedRequest(method: "GET", scheme: "https", host: "apps.example", target: path)
        let decision = gateway.decide(request, as: sender)
        return (
            Dictionary(decision.headers.map { ($0.name.rawName, $0.value) }) { first, _ in first },
            decision.absentHeaders.map(\.rawName)
        )
    }

    @Test("The example's headers for a person")
    func example() throws {
        let decision = try GatewayExample.decision(try GatewayExample.gateway(), "GET /", as: "anna")
        #expect(
            decision.headers.map { "\($0.name.rawName): \($0.value)" } == [
                "X-Auth-User: a-1", "X-Auth-Email: anna@example.com", "X-Auth-Groups: dev,ops",
                "X-Auth-From: acme/Anna",
                "X-Auth-Department: it",
            ])
        #expect(decision.absentHeaders.isEmpty)
    }

    @Test("An address counts if it is verified, or the file trusts the provider")
    func addresses() throws {
        let gateway = try GatewayExample.gateway()
        func email(_ sender: String) throws -> String? {
            try GatewayExample.decision(gateway, "GET /", as: sender).headers
                .first { $0.name.rawName == "X-Auth-Email" }?.value
        }
        #expect(try email("cleo") == "cleo@EXAMPLE.org")
        #expect(try email("dan") == nil)
        #expect(try email("fay") == nil)
    }

    @Test("A header without a value is absent, also without a sender")
    func absent() throws {
        let gateway = try GatewayExample.gateway()
        let nobody = try GatewayExample.decision(gateway, "GET /health", as: "-")
        #expect(nobody.headers.isEmpty)
        #expect(
            nobody.absentHeaders.map(\.rawName) == [
                "X-Auth-User", "X-Auth-Email", "X-Auth-Groups", "X-Auth-From", "X-Auth-Department",
            ])
        let bob = try GatewayExample.decision(gateway, "GET /", as: "dan")
        #expect(bob.absentHeaders.map(\.rawName) == ["X-Auth-Email", "X-Auth-From", "X-Auth-Department"])
        // A token identifies nobody where none is taken.
        #expect(try GatewayExample.decision(gateway, "GET /health", as: "bank").headers.isEmpty)
    }

    // A proxy has 8 or 16 kB for all headers of a response, and responds with 500 beyond it.
    @Test("Of groups that are too long for a header, only those that routes name are shown")
    func manyGroups() throws {
        func shown(_ groups: [String], allow: String) throws -> String? {
            let sender = GatewayIdentity(
                kind: .person, provider: "acme", subject: "1",
                claims: .of(["groups": .array(groups.map { .string($0) })]))
            return try headers(sender, "X-Auth-Groups: \"{account.groups}\"", allow: allow).values["X-Auth-Groups"]
        }
        let many = (0..<100).map { "group-\($0)-" + String(repeating: "x", count: 40) }
        let allow = "[{ provider: acme, group: [ops, none] }, { provider: acme, group: \"\(many[50])\" }]"
        #expect(try shown(many + ["ops"], allow: allow) == "\(many[50]),ops")
        #expect(try shown(Array(many.prefix(20)) + ["ops"], allow: allow)?.hasPrefix(many[0]) == true)
        let all = "[{ provider: acme, group: [\(many.map { "\"\($0)\"" }.joined(separator: ", "))] }]"
        #expect(try shown(many, allow: all) == nil)
    }

    @Test("A list of a claim that is too long for a header is left out")
    func longList() throws {
        func shown(_ count: Int) throws -> String? {
            let roles = (0..<count).map { JSONValue.string("role-of-16-bytes\($0 % 10)") }
            let sender = GatewayIdentity(
                kind: .person, provider: "acme", subject: "1", claims: .of(["roles": .array(roles)]))
            return try headers(sender, "X-Roles: \"{claim.roles}\"").values["X-Roles"]
        }
        #expect(try shown(227)?.utf8.count == 227 * 18 - 1)
        #expect(try shown(228) == nil)
    }

    @Test("What cannot be in a header is left out")
    func forged() throws {
        let sender = GatewayIdentity(
            kind: .person, provider: "acme", subject: "a\r\nX-Admin: 1", name: " padded",
            claims: .of([
                "groups": ["dev", "x,admin", "a\u{0}b", ""], "list": ["a", "b,c"], "object": ["a": 1], "n": 7,
            ]))
        let (values, absent) = try headers(
            sender,
            """
            U: "{account.subject}", N: "{account.name}", M: "<{account.name}>", G: "{account.groups}", L: "{claim.list}",
            O: "{claim.object}", I: "{claim.n}", P: "{account.provider}", C: fixed
            """)
        #expect(values == ["M": "< padded>", "G": "dev", "L": "a", "I": "7", "P": "acme", "C": "fixed"])
        #expect(absent == ["U", "N", "O"])
    }

    @Test(
        "Names by which other gateways identify the sender can be used, and none that describes the request",
        arguments: [
            ("X-Forwarded-User", true), ("x-forwarded-email", true), ("X-Forwarded-Preferred-Username", true),
            ("X-Forwarded-Groups", true), ("Remote-User", true), ("X-Forwarded-For", false),
            ("X-Forwarded-Prefix", false), ("X-Forwarded-Client-Cert", false), ("X-Forwarded-Unknown", false),
            ("X-Original-URL", false),
        ])
    func names(name: String, isAllowed: Bool) {
        let text = GatewayExample.text.replacing("X-Auth-User:", with: "\(name):")
        let file = GatewayFile(SourceFile(path: "gateway.yaml", text: text))
        #expect((file.rules != nil) == isAllowed, "\(file.diagnostics)")
    }

    @Test("Names beyond ASCII arrive as they are")
    func unicode() throws {
        let sender = GatewayIdentity(kind: .person, provider: "acme", subject: "s", name: "Zoë 🌱")
        #expect(try headers(sender, "N: \"{account.name}\"").values == ["N": "Zoë 🌱"])
    }
}
