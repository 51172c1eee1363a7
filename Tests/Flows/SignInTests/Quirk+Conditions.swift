import Carnet
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let endpoints = """
    endpoints:
      authorization: https://odd.example/authorize
      token: https://odd.example/token
      revocation: https://odd.example/revoke

    """

extension Quirk {
    static let conditions = [
        Quirk(
            "a lookup has to choose the candidate with a certain property", key: "`connection.lookups.NAME.where`",
            neededBy: "8: DocuSign, Jira, Confluence, Xero, Gusto; Basecamp"
        ) {
            let keys = """
                inputs: { site: {} }
                connection:
                  lookups:
                    cloud:
                      url: https://api.odd.example/sites
                      where: { url: 'https://{site}.odd.example', active: true }
                      value: /id
                      sample:
                        - { id: 1, url: 'https://other.odd.example', active: true }
                        - { id: 2, url: 'https://acme.odd.example', active: true }
                """
            for (site, id) in [("acme", "2"), ("other", "1")] {
                let fixture = try SignInFixture(odd: keys, inputs: ["site": site])
                #expect(try await fixture.signIn().connectionValues()["connection.cloud"]?.text == id)
            }
        },
        Quirk(
            "one lookup gets several values of a candidate", key: "`connection.lookups.NAME.capture`",
            neededBy: "DocuSign (account and its host)"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    connection:
                      lookups:
                        account:
                          url: https://api.odd.example/userinfo
                          root: /accounts
                          where: { is_default: true }
                          value: /account_id
                          capture: { base_uri: { from: /base_uri, pattern: 'https://[a-z0-9.]+' } }
                          sample:
                            accounts:
                              - { account_id: a-1, is_default: false, base_uri: 'https://na1.odd.example' }
                              - { account_id: a-2, is_default: true, base_uri: 'https://eu1.odd.example' }
                    trusted_hosts: ['*.odd.example']
                    api: { base_url: '{connection.base_uri}/accounts/{connection.account}' }
                    resources: [{ scope: read, title: Envelopes, url: /envelopes }]
                    """
            )
            let session = try await fixture.signIn()
            #expect(await fixture.sandbox.requests.count { $0.url == "https://api.odd.example/userinfo" } == 1)
            let resource = try #require(try await session.resources().first?.resource)
            #expect(resource.url == "https://eu1.odd.example/accounts/a-2/envelopes")
            #expect(try await session.call(resource).status == 200)
        },
        Quirk(
            "a value is derived from a looked-up value", key: "`connection.derive`: `{lower(connection.NAME)}`",
            neededBy: "3: Google Calendar, Gmail"
        ) {
            let fixture = try SignInFixture(
                odd: #"""
                    connection:
                      derive:
                        user: "{capture(connection.uri, 'https://api\\.odd\\.example/users/(.*)')}"
                        mail: '{lower(connection.address)}@{connection.user}'
                      lookups:
                        uri:
                          url: https://api.odd.example/me
                          value: /uri
                          capture: { address: /name }
                          sample: { uri: 'https://api.odd.example/users/u-7', name: ADA }
                        calendar:
                          url: 'https://api.odd.example/calendars/{connection.user}'
                          value: /id
                          sample: { id: c-1 }
                    """#
            )
            let values = try await fixture.signIn().connectionValues()
            #expect(values["connection.user"]?.text == "u-7")
            #expect(values["connection.mail"]?.text == "ada@u-7")
            #expect(try await fixture.last() == "GET https://api.odd.example/calendars/u-7")
        },
        Quirk(
            "a lookup may fail, and the sign-in continues without its value", key: "`connection.lookups.NAME.optional`",
            neededBy: "2: Checkr"
        ) {
            let keys = """
                connection:
                  lookups:
                    partner:
                      url: https://api.odd.example/partner
                      where: { kind: partner }
                      value: /id
                      optional: true
                      sample: { id: p-1, kind: partner }
                api: { hosts: [api.odd.example], headers: { X-Partner: '{connection.partner|none}' } }
                """
            let fixture = try SignInFixture(odd: keys)
            let session = try await fixture.signIn()
            #expect(try await session.connectionValues()["connection.partner"]?.text == "p-1")
            let customer = try SignInFixture(odd: keys, statuses: ["https://api.odd.example/partner": 404])
            let other = try await customer.signIn()
            #expect(try await other.connectionValues()["connection.partner"] == nil)
            // The sandbox knows a partner, and refuses this.
            _ = try? await other.send(HTTPRequest(url: "https://api.odd.example/x"))
            #expect(try await customer.lastHeader("X-Partner") == "none")
            // A server that is down says nothing about the value.
            let down = try SignInFixture(odd: keys, statuses: ["https://api.odd.example/partner": 503])
            await #expect(throws: OAuthError.self) { try await down.signIn() }
        },
        Quirk(
            "only some users have a further token", key: "`exchange.NAME.optional`, `derive.NAME.optional`",
            neededBy: "OneDrive, SharePoint"
        ) {
            let keys = """
                exchange:
                  share:
                    url: https://share.odd.example/token
                    parameters: { assertion: '{token.access_token}' }
                    brings: values
                    optional: true
                    capture: { share: { from: /access_token, secret: true } }
                    sample: { access_token: s-1 }
                connection: { derive: { kind: { value: '{step.share}', optional: true } } }
                """
            let fixture = try SignInFixture(odd: keys)
            #expect(try await fixture.signIn().connectionValues()["step.share"]?.text == "s-1")
            let other = try SignInFixture(odd: keys, statuses: ["https://share.odd.example/token": 400])
            #expect(try await other.signIn().connectionValues().isEmpty)
        },
        Quirk(
            "an input is a host with a path", key: "`inputs.NAME.type: host_path`",
            neededBy: "3: Jira Data Center, Confluence Data Center, Practice Fusion"
        ) {
            let keys = """
                inputs: { site: { type: host_path } }
                endpoints: { authorization: 'https://{site}/authorize', token: 'https://{site}/token' }
                """
            let fixture = try SignInFixture(odd: keys, inputs: ["site": "odd.example:8443/apps/jira"])
            _ = try await fixture.signIn()
            #expect(await fixture.requests(to: .token).map(\.url) == ["https://odd.example:8443/apps/jira/token"])
            for site in [
                "odd.example//", "odd.example//x", "odd.example/..", "odd.example/a?b", "a@odd.example/b", "/x",
            ] {
                #expect(throws: ResolutionError.self) { try oddProvider(keys).resolve(inputs: ["site": site]) }
            }
        },
        Quirk(
            "an input falls back to another", key: "`inputs.NAME.default: '{other}...'`", neededBy: "1: ServiceNow"
        ) {
            let keys = """
                inputs:
                  host: { type: hostname, default: '{instance}.odd.example' }
                  instance: { optional: true, example: acme }
                endpoints: { authorization: 'https://{host}/authorize', token: 'https://{host}/token' }
                """
            for (inputs, host) in [
                (["instance": "dev1"], "dev1.odd.example"), (["host": "own.example"], "own.example"),
            ] {
                let fixture = try SignInFixture(odd: keys, inputs: inputs)
                _ = try await fixture.signIn()
                #expect(await fixture.requests(to: .token).map(\.url) == ["https://\(host)/token"])
            }
            #expect(throws: ResolutionError.self) { try oddProvider(keys).resolve() }
        },
        Quirk(
            "every request needs an API key that must stay secret", key: "`inputs.NAME.secret`",
            neededBy: "Bullhorn, Absorb LMS, Google Ads"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    inputs: { key: { type: text, secret: true } }
                    token: { parameters: { api_key: '{key}' } }
                    api: { hosts: [api.odd.example], headers: { X-Api-Key: '{key}' } }
                    """, inputs: ["key": "hush & more"])
            let session = try await fixture.signIn()
            #expect(
                try #require(await fixture.requests(to: .token).first).bodyText.hasSuffix("&api_key=hush%20%26%20more"))
            _ = try await session.send(HTTPRequest(url: "https://api.odd.example/x"))
            #expect(try await fixture.lastHeader("X-Api-Key") == "hush & more")
            let shown = fixture.responses.requests.map { "\($0)" }.joined()
            #expect(!shown.contains("hush"))
            #expect(!"\(fixture.client.provider)".contains("hush"))
            #expect(fixture.client.provider.inputs.isEmpty)
        },
        Quirk(
            "every call needs a query parameter", key: "`api.parameters`", neededBy: "1: a service for reviews"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token: { response: { capture: { shop: { from: /shop, example: acme } } } }
                    api: { hosts: [api.odd.example], parameters: { shop_domain: '{token.shop}', version: '2' } }
                    """
            )
            let session = try await fixture.signIn()
            _ = try await session.send(HTTPRequest(url: "https://api.odd.example/reviews?page=1"))
            #expect(try await fixture.last() == "GET https://api.odd.example/reviews?page=1&version=2&shop_domain=acme")
            _ = try await session.send(HTTPRequest(url: "https://api.odd.example/reviews?version=3"))
            #expect(try await fixture.last() == "GET https://api.odd.example/reviews?version=3&shop_domain=acme")
        },
        Quirk(
            "calls with a body need a content type", key: "`api.headers`: `Content-Type`", neededBy: "Apaleo, Podium"
        ) {
            let fixture = try SignInFixture(
                odd: "api: { hosts: [api.odd.example], headers: { Content-Type: application/vnd.odd+json } }")
            let session = try await fixture.signIn()
            _ = try await session.send(HTTPRequest(url: "https://api.odd.example/x"))
            #expect(try await fixture.lastHeader("Content-Type") == nil)
            let post = HTTPRequest(url: "https://api.odd.example/x", method: .post)
            _ = try await session.send(post, body: Array("{}".utf8))
            #expect(try await fixture.lastHeader("Content-Type") == "application/vnd.odd+json")
        },
        Quirk(
            "each call needs a new UUID", key: "`api.headers`: `{uuid()}`", neededBy: "Walmart, Hubstaff"
        ) {
            let fixture = try SignInFixture(
                odd: "api: { hosts: [api.odd.example], headers: { X-Correlation-Id: '{uuid()}' } }")
            let session = try await fixture.signIn()
            var seen = Set<String>()
            for _ in 0..<2 {
                _ = try await session.send(HTTPRequest(url: "https://api.odd.example/x"))
                let id = try #require(try await fixture.lastHeader("X-Correlation-Id"))
                #expect(id.contains(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/))
                seen.insert(id)
            }
            #expect(seen.count == 2)
        },
    ]

    static let credentials = [
        Quirk(
            "programs have tokens of their own, and no user signs in",
            key: "`client_credentials`, without `endpoints.authorization`", neededBy: "CrowdStrike, HaloPSA, Wootric"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints: { token: https://odd.example/token }
                    client_credentials: { parameters: { tenant: t1 } }
                    profile: { subject: { none: a token is for the client itself } }
                    """, secret: "s")
            #expect(try await fixture.client.tokens(for: .clientCredentials(scopes: ["read"])).scopes == ["read"])
            #expect(
                await fixture.wire(.token) == [
                    "POST https://odd.example/token\ngrant_type=client_credentials&scope=read&tenant=t1"
                ])
        },
        Quirk(
            "the secret is the user name of Basic", key: "`token.headers`: `Authorization`",
            neededBy: "2: Stripe apps"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token: { headers: { Authorization: "Basic {base64(join('', client.secret, ':'))}" } }
                    """, secret: "hush")
            _ = try await fixture.signIn()
            let request = try #require(await fixture.requests(to: .token).first)
            #expect(request.headers[.authorization] == "Basic aHVzaDo=")
            #expect(!request.bodyText.contains("hush"))
        },
        Quirk(
            "the token is the user name of Basic", key: "`api.headers`: `Authorization`", neededBy: "1: Checkr"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    api:
                      hosts: [api.odd.example]
                      headers: { Authorization: "Basic {base64(join('', token.access_token, ':'))}" }
                    """
            )
            let session = try await fixture.signIn()
            #expect(try await session.send(HTTPRequest(url: "https://api.odd.example/x")).status == 200)
            let pair = Data("\(try await session.tokens().accessToken.reveal()):".utf8).base64EncodedString()
            #expect(try await fixture.lastHeader("Authorization") == "Basic \(pair)")
            #expect(!fixture.responses.requests.map { "\($0)" }.joined().contains(pair))
        },
        Quirk(
            "a refresh has no client authentication", key: "`refresh.authentication: none`", neededBy: "1: Agiloft"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    client: { authentication: [client_secret_post] }
                    refresh: { authentication: none }
                    """, secret: "hush")
            try await fixture.signIn().refresh()
            let bodies = await fixture.requests(to: .token).map(\.bodyText)
            #expect(bodies[0].hasSuffix("&client_id=client&client_secret=hush"))
            #expect(masked(bodies[1]).hasSuffix("&refresh_token=1%2F%2F%2B%26%3D%2541%20*&client_id=client"))
        },
        Quirk(
            "revocation has another method of client authentication", key: "`revocation.authentication`",
            neededBy: "GitHub, Todoist, MusicBrainz"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    client: { authentication: [client_secret_post] }
                    revocation: { authentication: client_secret_basic }
                    """, secret: "hush")
            #expect(try await fixture.signIn().signOut(.revoke).isRevoked)
            let request = try #require(await fixture.requests(to: .revocation).first)
            #expect(request.headers[.authorization] == "Basic Y2xpZW50Omh1c2g=")
            #expect(!request.bodyText.contains("hush"))
        },
        Quirk(
            "the token to revoke is in the path", key: "`endpoints.revocation`: `{urlencode(token.refresh_token)}`",
            neededBy: "1: HubSpot"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: https://odd.example/token
                      revocation: 'https://odd.example/tokens/{urlencode(token.refresh_token)}'
                    revocation: { method: DELETE, tokens: [refresh_token], omit: [token, token_type_hint] }
                    """
            )
            let session = try await fixture.signIn()
            #expect(try await session.signOut(.revoke).failures.isEmpty)
            #expect(
                await fixture.wire(.revocation) == [
                    "DELETE https://odd.example/tokens/1%2F%2F%2B%26%3D%2541%20*?client_id=client"
                ])
            let shown = try #require(fixture.responses.requests.last)
            #expect(shown.url == "https://odd.example/tokens/[redacted]?client_id=client")
        },
        Quirk(
            "revocation has the client's id in the path, and the token as JSON",
            key: "`endpoints.revocation`: `{client.id}`",
            neededBy: "GitHub"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: https://odd.example/token
                      revocation: 'https://odd.example/applications/{client.id}/token'
                    revocation:
                      method: DELETE
                      body: json
                      tokens: [access_token]
                      rename: { token: access_token }
                      omit: [token_type_hint]
                    """, secret: "hush")
            #expect(try await fixture.signIn().signOut(.revoke).isRevoked)
            #expect(
                await fixture.wire(.revocation) == [
                    "DELETE https://odd.example/applications/client/token\n" + #"{"access_token":"*"}"#
                ])
        },
        Quirk(
            "a refresh request needs the granted scopes, or a scope of its own",
            key: "`refresh.parameters`: `{token.scope}`",
            neededBy: "Microsoft Ads, Absorb LMS, Whoop"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    scopes: { default: [read, write], separator: ',' }
                    refresh: { parameters: { scope: '{token.scope}' } }
                    """
            )
            try await fixture.signIn().refresh()
            #expect(await fixture.requests(to: .token).last?.bodyText.hasSuffix("&scope=read%2Cwrite") == true)
        },
        Quirk(
            "the response to a refresh differs from the response to the code", key: "`refresh.response`",
            neededBy: "the Web API of Slack"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token: { response: { root: /authed_user } }
                    refresh: { response: { fields: { access_token: /token } } }
                    """
            )
            let session = try await fixture.signIn()
            let first = try await session.tokens()
            #expect(try await session.refresh().accessToken != first.accessToken)
            #expect(try fixture.lastResponse().hasPrefix(#"200 {"token":"*","#))
        },
        Quirk(
            "a refresh extends the expiry of the tokens and returns no new ones", key: "`refresh.brings: expiry`",
            neededBy: "1: Coros"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token: { response: { default_expires_in: 2592000 } }
                    refresh: { brings: expiry }
                    samples:
                      token: { access_token: x, token_type: Bearer, refresh_token: y }
                      refresh: { result: '0000', message: OK }
                    """
            )
            let session = try await fixture.signIn()
            let first = try await session.tokens()
            fixture.clock.advance(by: .seconds(2_591_990))
            let second = try await session.tokens()
            #expect(second.accessToken == first.accessToken && second.refreshToken == first.refreshToken)
            #expect(second.expiresAt == fixture.clock.now + 2_592_000)
            #expect(try fixture.lastResponse() == #"200 {"result":"0000","message":"OK"}"#)
        },
    ]
}
