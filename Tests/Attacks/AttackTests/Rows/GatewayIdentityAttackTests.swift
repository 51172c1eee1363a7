// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import HTTPTypes
import Testing

@Suite("GW: who vouches for a value, and which value it is")
struct GatewayIdentityAttackTests {
    private func gateway(_ allow: String, headers: String, provider: String = "many") throws -> Gateway {
        let text = """
            gateway: 1
            origin: https://apps.example
            providers: [\(provider)]
            bearer: [many]
            routes: [{ bearer: true, allow: \(allow) }]
            headers: { \(headers) }

            """
        let file = GatewayFile(SourceFile(path: "gateway.yaml", text: text))
        #expect(file.diagnostics.isEmpty, "\(file.diagnostics.map(\.description))")
        return try Gateway(file)
    }

    private func decide(_ gateway: Gateway, as sender: GatewayIdentity) throws -> GatewayDecision {
        gateway.decide(
            try ForwardedRequest(method: "GET", scheme: "https", host: "apps.example", target: "/x"), as: sender)
    }

    private func values(_ decision: GatewayDecision) -> [String] {
        decision.headers.map { "\($0.name.rawName): \($0.value)" }
    }

    /// Of a provider whose descriptor has a place for the tenant.
    private func provider(tenant: String) throws -> Provider {
        let text = """
            carnet: 1
            id: many
            name: Many
            inputs: { tenant: { default: common } }
            issuer: https://id.many.example/{tenant}
            issuer_match: { template: "https://id.many.example/{place}", claims: { place: tid } }

            """
        let document = DescriptorDocument(SourceFile(path: "many.yaml", text: text))
        return try #require(document.descriptor).resolve(inputs: ["tenant": tenant])
    }

    private func person(
        _ tenant: String, at provider: Provider, kind: GatewayIdentity.Kind = .person, claims: JSONValue = [:]
    ) -> GatewayIdentity {
        let issuer = "https://id.many.example/\(tenant)"
        var all = (["groups": ["ops"], "roles": "Admin", "tid": .string(tenant)] as JSONValue).object ?? JSONObject()
        for member in claims.object?.members ?? [] { all[member.name] = member.value }
        return GatewayIdentity(
            kind: kind, provider: "many", issuer: issuer, subject: "s", name: "Boss", email: "boss@example.com",
            isEmailVerified: true, clientID: kind == .program ? "app" : nil, scopes: ["write"], claims: all,
            tenants: provider.shared.tenants(of: issuer))
    }

    @Test("GW-35: A tenant of the sender's own")
    func GW_35_tenantsOfOnesOwn() throws {
        let (open, fixed) = (try provider(tenant: "common"), try provider(tenant: "good"))
        let headers =
            "X-Auth-Email: \"{account.email}\", X-Auth-Groups: \"{account.groups}\", X-Tenant: \"{claim.tid}\""
        for allow in [
            "{ group: ops }", "{ claim: { roles: Admin } }", "{ email: boss@example.com }", "{ subject: s }",
            "{ email_domain: example.com }", "{ scope: write }", "[{ provider: many, group: ops }]",
        ] {
            let gateway = try gateway(allow, headers: headers)
            for kind in [GatewayIdentity.Kind.person, .program] {
                let evil = try decide(gateway, as: person("evil", at: open, kind: kind))
                #expect(evil.outcome == .forbidden && evil.headers.isEmpty, "\(allow)")
                #expect(try !decide(gateway, as: person("evil", at: fixed, kind: kind)).isAllowed)
                let good = try decide(gateway, as: person("good", at: fixed, kind: kind))
                #expect(good.isAllowed && values(good).contains("X-Auth-Groups: ops"), "\(allow)")
            }
            let named = try self.gateway(
                allow.replacing("{ claim: { roles", with: "{ claim: { tid: good, roles").replacing(
                    "{ group", with: "{ claim: { tid: good }, group"
                ).replacing("{ email", with: "{ claim: { tid: good }, email").replacing(
                    "{ subject", with: "{ claim: { tid: good }, subject"
                ).replacing("{ scope", with: "{ claim: { tid: good }, scope").replacing(
                    "provider: many, group", with: "provider: many, claim: { tid: good }, group"),
                headers: headers)
            #expect(try decide(named, as: person("good", at: open)).isAllowed, "\(allow)")
            #expect(try !decide(named, as: person("evil", at: open)).isAllowed, "\(allow)")
            // The claim that the issuer is made of counts, and no other of its name.
            #expect(try !decide(named, as: person("evil", at: open, claims: ["tid": "good"])).isAllowed, "\(allow)")
        }
        // Where everybody may come, the program gets no statement of a tenant that nobody chose.
        let everybody = try decide(
            try gateway("signed_in", headers: headers), as: person("evil", at: open))
        #expect(everybody.isAllowed && values(everybody) == ["X-Tenant: evil"], "\(values(everybody))")
    }

    @Test("GW-36: Addresses that count as none")
    func GW_36_addressesThatCountAsNone() throws {
        let headers =
            "X-Auth-Email: \"{account.email}\", X-Claim: \"{claim.email}\", X-Pointer: \"{claim./email}\", X-Auth-Name: \"{account.name}\""
        for text in [
            "boss@evil.com@example.com", "a@evil.com,boss@example.com", "boss\u{FF20}example.com", "<boss@example.com>",
            "b\u{00F6}ss@example.com", "boss@example.com ", "boss@example.com\n", "boss @example.com", "boss", "",
            "a@evil.com;boss@example.com", "\"a b\"@example.com", "boss(x)@example.com",
            "..@example.com", ".@example.com", "boss.@example.com", "boss%40example.com@evil.com",
            "boss%example.com@evil.com", "example.com!boss@evil.com",
        ] {
            let sender = GatewayIdentity(
                kind: .person, provider: "many", subject: "s", name: text, email: text, isEmailVerified: true,
                claims: (["email": .string(text)] as JSONValue).object ?? JSONObject())
            let decision = try decide(try gateway("signed_in", headers: headers), as: sender)
            #expect(decision.isAllowed && decision.headers.isEmpty, "\(text): \(values(decision))")
            #expect(decision.identity?.email == nil && decision.identity?.claims["email"] == nil)
            #expect(try gateway("signed_in", headers: headers).shown(sender).email == nil)
        }
        // What a tenant says that nobody chose is on no page and in no document either, but for its own name.
        let all = try gateway("signed_in", headers: headers)
        let fixed = all.shown(person("one", at: try provider(tenant: "one")))
        #expect(fixed.email == "boss@example.com" && fixed.claims["groups"] != nil)
        let open = all.shown(person("one", at: try provider(tenant: "common")))
        #expect(open.email == nil && open.claims["groups"] == nil && open.claims["tid"] == "one" && open.name == "Boss")
        // An address that nobody verified is none, also as a claim or as the name.
        for isVerified in [nil, false] as [Bool?] {
            let sender = GatewayIdentity(
                kind: .person, provider: "many", subject: "s", name: "boss@example.com", email: "boss@example.com",
                isEmailVerified: isVerified, claims: (["email": "boss@example.com"] as JSONValue).object ?? JSONObject()
            )
            #expect(try decide(try gateway("signed_in", headers: headers), as: sender).headers.isEmpty)
            let claim = try gateway("{ claim: { email: boss@example.com } }", headers: headers)
            #expect(try !decide(claim, as: sender).isAllowed)
        }
    }

    @Test("GW-37: Names that two senders share")
    func GW_37_namesThatTwoShare() throws {
        let open = try provider(tenant: "common")
        var ids: Set<String> = []
        var senders: [GatewayIdentity] = []
        for subject in ["robot", "client:robot", "/client:robot", "token:robot", "x:robot", "many:robot"] {
            for provider in ["many", "many-client"] as [ProviderID] {
                senders.append(GatewayIdentity(kind: .person, provider: provider, subject: subject))
                senders.append(GatewayIdentity(kind: .program, provider: provider, subject: subject, clientID: "app"))
                senders.append(GatewayIdentity(kind: .program, provider: provider, clientID: subject))
            }
            for tenant in ["one", "two"] {
                let issuer = "https://id.many.example/\(tenant)"
                for kind in [GatewayIdentity.Kind.person, .program] {
                    senders.append(
                        GatewayIdentity(
                            kind: kind, provider: "many", issuer: issuer, subject: subject,
                            tenants: open.shared.tenants(of: issuer)))
                }
            }
        }
        for sender in senders { #expect(ids.insert(try #require(sender.id)).inserted, "\(sender.id ?? "")") }
        // The subject of a program's own token is its client id, and no person's.
        let robot = GatewayIdentity(kind: .program, provider: "many", subject: "robot", clientID: "robot")
        let gateway = try gateway(
            "signed_in", headers: "U: \"{account.subject}\", I: \"{account.id}\", N: \"{account.name}|{account.id}\"")
        #expect(values(try decide(gateway, as: robot)) == ["I: many/client:robot"])
        let forged = GatewayIdentity(kind: .person, provider: "many", subject: "s", name: "x|many:root")
        #expect(values(try decide(gateway, as: forged)) == ["U: s", "I: many:s"])
        for template in ["{account.name}{account.subject}", "{account.provider}{account.id}"] {
            let text = """
                gateway: 1
                origin: https://apps.example
                providers: [many]
                routes: [{ allow: signed_in }]
                headers: { U: "\(template)" }

                """
            #expect(GatewayFile(SourceFile(path: "gateway.yaml", text: text)).rules == nil)
        }
    }
}
