import Carnet
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

private let acme = "carnet: 1\nid: acme\nname: Acme\nscopes: { default: [openid] }\n"

extension SignInFixture {
    /// The origins and paths that were asked, each once.
    fileprivate var asked: [String] {
        get async {
            var urls: [String] = []
            for request in await sandbox.requests {
                let url = String(request.url.prefix { $0 != "?" })
                if !urls.contains(url) { urls.append(url) }
            }
            return urls
        }
    }
}

extension Quirk {
    /// Signs in with inputs, and compares where the token was asked for.
    private static func proof(
        _ keys: String, inputs: [String: String] = [:], environment: String? = nil, token: String
    ) -> @Sendable () async throws -> Void {
        {
            let fixture = try SignInFixture(
                try lintedDescriptor(acme + keys), inputs: inputs, environment: environment)
            #expect(try await fixture.signIn().tokens().idToken != nil)
            #expect(await fixture.requests(to: .token).map(\.url) == [token])
        }
    }

    static let addresses = [
        Quirk(
            "a URL contains the customer's subdomain, tenant or region", key: "`inputs`, `{name}`",
            neededBy: "81: Okta, Auth0, Zendesk, Shopify",
            proof: proof(
                "inputs: { tenant: {}, region: { enum: [us, eu] } }\nissuer: 'https://{tenant}.{region}.acme.example'",
                inputs: ["tenant": "wonka", "region": "eu"], token: "https://wonka.eu.acme.example/token")
        ),
        Quirk(
            "an input has a default", key: "`inputs.NAME.default`",
            neededBy: "18: Intercom, Salesforce",
            proof: proof(
                "inputs: { region: { default: us } }\nissuer: 'https://{region}.acme.example'",
                token: "https://us.acme.example/token")
        ),
        Quirk(
            "the issuer or the keys' URL contains the client id",
            key: "`inputs.NAME.default: '{client.id}'`", neededBy: "Kanidm, Entra ID"
        ) {
            let app = "inputs: { app: { default: '{client.id}', example: x } }\n"
            try await proof(
                app + "issuer: 'https://acme.example/openid/{app}'", token: "https://acme.example/openid/client/token")()
            let keys = try SignInFixture(
                try lintedDescriptor(
                    acme + app + """
                        issuer: https://acme.example
                        discovery: none
                        endpoints:
                          authorization: https://acme.example/authorize
                          token: https://acme.example/token
                          jwks: https://acme.example/keys?appid={app}

                        """))
            #expect(try await keys.signIn().tokens().idToken != nil)
            #expect(await keys.requests(to: .jwks).map(\.url) == ["https://acme.example/keys?appid=client"])
        },
        Quirk(
            "the customer chooses the whole host", key: "`inputs.NAME.type: hostname`",
            neededBy: "28: GitLab, Jira Data Center, Mastodon"
        ) {
            let keys = "inputs: { host: { type: hostname } }\nissuer: 'https://{host}'"
            try await proof(keys, inputs: ["host": "git.example:8443"], token: "https://git.example:8443/token")()
            for host in ["evil.example/x", "a@evil.example", "evil.example?", "evil.example#", ""] {
                #expect(throws: ResolutionError.self) {
                    try lintedDescriptor(acme + keys).resolve(inputs: ["host": host])
                }
            }
        },
        Quirk(
            "a sandbox or a region has other hosts", key: "`environments`",
            neededBy: "23: PayPal, DocuSign, QuickBooks",
            proof: proof(
                "issuer: https://acme.example\nenvironments: { sandbox: { issuer: https://sandbox.acme.example } }",
                environment: "sandbox", token: "https://sandbox.acme.example/token")
        ),
        Quirk(
            "a service differs from its parent in a few keys", key: "`extends`",
            neededBy: "50: the services of Google, Microsoft, Zoho"
        ) {
            let files = [
                acme + "issuer: https://acme.example\nauthorization: { parameters: { access_type: offline } }\n",
                "carnet: 1\nid: mail\nname: Acme Mail\nextends: acme\nscopes: { default: [openid, mail] }\n",
            ]
            var registry = ProviderRegistry()
            registry.add(
                zip(["acme.yaml", "mail.yaml"], files).map { SourceFile(path: $0, text: $1) }, origin: .folder("given"))
            let fixture = try SignInFixture(try registry.descriptor("mail"))
            let request = try await fixture.client.beginSignIn()
            #expect(request.url.hasPrefix("https://acme.example/authorize?"))
            #expect(request.url.contains("&scope=openid%20mail&"))
            #expect(request.url.hasSuffix("&access_type=offline"))
            #expect(try await fixture.signIn().tokens().idToken != nil)
        },
        Quirk(
            "an endpoint's URL has a query", key: "`endpoints`: the query is kept",
            neededBy: "2: Paycor; Azure B2C (?p=), VK (v=)"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints:
                      authorization: https://odd.example/authorize?p=policy
                      token: https://odd.example/token?p=policy
                    """
            )
            #expect(
                try await fixture.authorizationURL().hasPrefix(
                    "https://odd.example/authorize?p=policy&response_type=code&client_id=client&"))
            _ = try await fixture.signIn()
            #expect(
                await fixture.wire(.token).first?.hasPrefix(
                    "POST https://odd.example/token?p=policy\ngrant_type=authorization_code&") == true)
        },
        Quirk(
            "the metadata is at another URL", key: "`discovery_url`",
            neededBy: "OpenIddict: 9; Adobe, Huawei, QuickBooks, Webex"
        ) {
            let fixture = try SignInFixture(
                try lintedDescriptor(
                    acme + "issuer: https://acme.example\ndiscovery_url: https://meta.example/acme.json"))
            #expect(try await fixture.signIn().tokens().idToken != nil)
            #expect(
                await fixture.asked == [
                    "https://meta.example/acme.json", "https://acme.example/authorize", "https://acme.example/token",
                    "https://acme.example/jwks",
                ])
        },
        Quirk(
            "the metadata omits an endpoint or names a wrong one", key: "`endpoints`: it overrides the metadata",
            neededBy: "PayPal's sandbox, Apple, Atlassian"
        ) {
            let fixture = try SignInFixture(
                try lintedDescriptor(
                    acme + "issuer: https://acme.example\nendpoints: { token: https://tokens.acme.example/v2 }"))
            #expect(try await fixture.signIn().tokens().idToken != nil)
            #expect(
                await fixture.asked == [
                    "https://acme.example/.well-known/openid-configuration", "https://acme.example/authorize",
                    "https://tokens.acme.example/v2", "https://acme.example/jwks",
                ])
        },
        Quirk(
            "ID tokens have the tenant's issuer", key: "`issuer_match: { template: ISSUER }`",
            neededBy: "Microsoft (common), Webex, Azure B2C"
        ) {
            let fixture = try SignInFixture(
                try lintedDescriptor(
                    acme + "issuer: https://acme.example\nissuer_match: { template: 'https://acme.example/{tid}' }"))
            let session = try await fixture.signIn()
            #expect(
                await fixture.store.load(session.key)?.connection.issuer
                    == "https://acme.example/3b6f2c1e-5a4d-4c8b-9e7f-0d1a2b3c4d5e")
        },
        Quirk(
            "ID tokens have another issuer of the same provider", key: "`issuer_match: { any_of: [ISSUER] }`",
            neededBy: "Google (accounts.google.com), dex's issuerAlias"
        ) {
            let fixture = try SignInFixture(
                try lintedDescriptor(acme + "issuer: https://acme.example\nissuer_match: { any_of: [acme.example] }"))
            let session = try await fixture.signIn()
            #expect(await fixture.store.load(session.key)?.connection.issuer == "acme.example")
        },
        Quirk(
            "the metadata names an unrelated issuer", key: "`issuer_match: { none: REASON }`",
            neededBy: "Oracle; oauth2-proxy's flag"
        ) {
            let fixture = try SignInFixture(
                try lintedDescriptor(
                    acme + "issuer: https://acme.example\nissuer_match: { none: each pod names itself }"))
            let session = try await fixture.signIn()
            #expect(await fixture.store.load(session.key)?.connection.issuer == "https://acme.example/other")
        },
    ]
}
