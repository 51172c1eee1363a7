import Carnet
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// The token request of an odd provider, without what a quirk adds.
private let exchange =
    "grant_type=authorization_code&code=4%2F%2B%26%3D%2541%20*&redirect_uri=\(redirect)&code_verifier=*"

extension Quirk {
    static let values = [
        Quirk(
            "a scope contains the customer's name, host or region, or is the client id",
            key: "`scopes.default`, `{name}`, `{client.id}`",
            neededBy: "Azure AD B2C, Dynamics 365"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    inputs:
                      region: { enum: [eu, us], default: eu }
                      group: { type: text, optional: true }
                      more: { type: text, example: read write }
                    scopes:
                      default: ["{region}.photos", "{client.id}", "{group}.read", "{more}"]
                      catalog: ["{region}.photos", "{client.id}", { id: all, implies: ["{region}.photos"] }, "{group}.read"]
                    resources: [{ scope: "{region}.photos", title: Photos, url: https://api.odd.example/photos }]
                    """,
                inputs: ["region": "us", "more": "mail files"]
            )
            #expect(try await fixture.authorizationURL().contains("&scope=us.photos%20client%20mail%20files&"))
            let session = try await fixture.signIn()
            #expect(try await session.storedTokens().scopes == ["us.photos", "client", "mail", "files"])
            let resource = try #require(try await session.resources().first)
            #expect(resource.missing == [])
            #expect(try await session.call(resource.resource).status == 200)
        },
        Quirk(
            "the callback names the host of the token endpoint", key: "`callback.capture`, `tables`, `endpoints.token`",
            neededBy: "13: Zoho, Lightspeed, Wildix"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    callback: { capture: { location: { pattern: '[a-z]{2,3}', example: eu } } }
                    tables: { accounts: { us: accounts.odd.example, eu: accounts.odd-eu.example } }
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: "https://{map(callback.location, 'accounts')}/oauth/v2/token"
                    """
            )
            try await fixture.signIn().refresh()
            #expect(
                await fixture.wire(.token) == [
                    "POST https://accounts.odd-eu.example/oauth/v2/token\n\(exchange)&client_id=client",
                    "POST https://accounts.odd-eu.example/oauth/v2/token\n"
                        + "grant_type=refresh_token&refresh_token=1%2F%2F%2B%26%3D%2541%20*&client_id=client",
                ])
        },
        Quirk(
            "the callback contains values to keep", key: "`callback.capture`",
            neededBy: "22: QuickBooks (realmId), VK ID"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    callback: { capture: { company: { from: realmId, pattern: '[0-9]+', example: '4620816' } } }
                    resources:
                      - { scope: read, title: Company, url: 'https://api.odd.example/v3/company/{callback.company}' }
                    """
            )
            let session = try await fixture.signIn()
            #expect(try await session.connectionValues() == ["callback.company": ConnectionValue("4620816")])
            let resource = try #require(try await session.resources().first?.resource)
            #expect(try await session.call(resource).status == 200)
            #expect(await fixture.sandbox.requests.last?.url == "https://api.odd.example/v3/company/4620816")
            // The short form: the parameter, with a pattern of unreserved characters.
            let short = try SignInFixture(odd: "callback: { capture: { company: realmId } }")
            #expect(
                try await short.signIn().connectionValues() == ["callback.company": ConnectionValue("company")])
            let request = try await short.client.beginSignIn()
            let callback = try await short.sandbox.approve(authorizationURL: request.url)
            let forged = AuthorizationCallback(url: callback.replacing("realmId=company", with: "realmId=a%2Fb"))
            await #expect(throws: OAuthError.self) {
                try await short.client.completeSignIn(forged, for: request.pending)
            }
        },
        Quirk("the callback is signed", key: "`callback.verify`", neededBy: "Shopify") {
            let fixture = try SignInFixture(
                odd: """
                    callback:
                      verify: { parameter: hmac }
                      capture: { shop: { pattern: '[a-z0-9-]+\\.shops\\.example', example: acme.shops.example } }
                    """, secret: "hush")
            let request = try await fixture.client.beginSignIn()
            let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
            let forged = callback.replacing("shop=acme.", with: "shop=evil.")
            #expect(forged != callback)
            let error = try await #require(throws: OAuthError.self) {
                try await fixture.client.completeSignIn(AuthorizationCallback(url: forged), for: request.pending)
            }
            #expect(error.kind == .badSignedCallback)
            let session = try await fixture.client.completeSignIn(
                AuthorizationCallback(url: callback), for: request.pending)
            #expect(try await session.connectionValues()["callback.shop"]?.text == "acme.shops.example")
            #expect(callback.contains(/&hmac=[0-9a-f]{64}$/))
        },
        Quirk(
            "the state is also in the token request", key: "`token.parameters`: `{callback.state}`",
            neededBy: "1: Follow Up Boss"
        ) {
            let fixture = try SignInFixture(odd: "token: { parameters: { state: '{callback.state}' } }")
            _ = try await fixture.signIn()
            #expect(
                await fixture.wire(.token)
                    == ["POST https://odd.example/token\n\(exchange)&client_id=client&state=*"])
        },
        Quirk(
            "the token request contains a hash of secret and code",
            key: "`token.parameters`: `{sha256(join('|', client.secret, callback.code))}`", neededBy: "Smartsheet"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    client: { authentication: [client_secret_post] }
                    token:
                      omit: [client_secret]
                      parameters: { hash: "{sha256(join('|', client.secret, callback.code))}" }
                    """, secret: "hush")
            _ = try await fixture.signIn()
            let body = try #require(await fixture.requests(to: .token).first).bodyText
            #expect(masked(body).hasPrefix("\(exchange)&client_id=client&hash="))
            #expect(body.contains(/&hash=[0-9a-f]{64}$/))
        },
        Quirk(
            "the token request is signed", key: "`token.headers`: `{hmac_sha256(client.secret, request.body)}`",
            neededBy: "1: Shopline"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token:
                      headers:
                        timestamp: "{now('ms')}"
                        sign: "{hmac_sha256(client.secret, join('', request.body, now('ms')))}"
                    """, secret: "hush")
            _ = try await fixture.signIn()
            let headers = try #require(await fixture.requests(to: .token).first).headers
            #expect(HTTPField.Name("timestamp").flatMap { headers[$0] } == "1800000000000")
            #expect(HTTPField.Name("sign").flatMap { headers[$0] }?.contains(/^[0-9a-f]{64}$/) == true)
        },
        Quirk(
            "a parameter of the authorization request is random or the current time",
            key: "`authorization.parameters`: `{now()}`",
            neededBy: "13 have templates there: Amazon Selling Partner, BigCommerce"
        ) {
            let fixture = try SignInFixture(
                odd: "authorization: { parameters: { at: '{now()}', app: 'x-{client.id}' } }")
            let url = try await fixture.authorizationURL()
            #expect(url.contains(/&at=[0-9]{10}&app=x-client$/) || url.hasSuffix("&at=1800000000&app=x-client"))
            for other in [url.replacing("app=x-client", with: "app=x-other"), url.replacing("at=18", with: "at=17")] {
                let response = try await fixture.sandbox.approve(authorizationURL: other)
                #expect(response.contains("error=invalid_request"))
            }
            _ = try await fixture.signIn()
        },
        Quirk(
            "the token response contains the API's base URL", key: "`token.response.capture`, `api.base_url`",
            neededBy: "16: Salesforce, Zoho, Wrike"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token:
                      response:
                        capture: { instance_url: { from: /instance_url, example: 'https://na7.my.odd.example/' } }
                    trusted_hosts: ['*.my.odd.example']
                    api: { base_url: '{token.instance_url}' }
                    resources: [{ scope: read, title: Accounts, url: /services/accounts }]
                    """
            )
            let session = try await fixture.signIn()
            let resource = try #require(try await session.resources().first?.resource)
            #expect(resource.url == "https://na7.my.odd.example/services/accounts")
            #expect(try await session.call(resource).status == 200)
        },
        Quirk(
            "a value is looked up after the sign-in", key: "`connection.lookups`",
            neededBy: "23: Jira, Xero, Mailchimp"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    connection:
                      lookups:
                        tenant:
                          url: https://api.odd.example/connections
                          value: /tenantId
                          label: /tenantName
                          choose: ask
                          sample: [{ tenantId: t-1, tenantName: One }, { tenantId: t-2, tenantName: Two }]
                    api: { hosts: [api.odd.example], headers: { Xero-tenant-id: '{connection.tenant}' } }
                    """
            )
            let request = try await fixture.client.beginSignIn()
            let callback = AuthorizationCallback(url: try await fixture.sandbox.approve(authorizationURL: request.url))
            let session = try await fixture.client.completeSignIn(callback, for: request.pending) { choice in
                #expect(choice.candidates.map(\.label) == ["One", "Two"])
                return "t-2"
            }
            #expect(try await session.connectionValues()["connection.tenant"]?.text == "t-2")
            _ = try? await session.send(HTTPRequest(url: "https://api.odd.example/x"))
            let headers = try #require(await fixture.sandbox.requests.last).headers
            #expect(HTTPField.Name("Xero-tenant-id").flatMap { headers[$0] } == "t-2")
        },
        Quirk(
            "a value is derived from earlier values", key: "`connection.derive`",
            neededBy: "15: 11 services of Zoho, Sellsy, HighLevel"
        ) {
            let fixture = try SignInFixture(
                odd: #"""
                    token:
                      response: { capture: { api_domain: { from: /api_domain, example: 'https://www.oddapis.eu' } } }
                    connection:
                      derive: { region: "{capture(token.api_domain, 'https://www\\.oddapis\\.(.*)')}" }
                    """#
            )
            #expect(try await fixture.signIn().connectionValues()["connection.region"]?.text == "eu")
        },
        Quirk(
            "a value is a claim of a token", key: "`connection.derive`: `{jwt_claim(token.id_token, '/tid')}`",
            neededBy: "Teams, HighLevel"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    issuer: https://odd.example
                    discovery: none
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: https://odd.example/token
                      jwks: https://odd.example/keys
                    scopes: { default: [openid] }
                    connection: { derive: { who: "{jwt_claim(token.id_token, '/sub')}" } }
                    api: { headers: { X-Who: '{connection.who}' } }
                    resources: [{ scope: openid, title: Mail, url: https://api.odd.example/mail }]
                    """
            )
            let session = try await fixture.signIn()
            let who = try #require(try await session.connectionValues()["connection.who"])
            #expect(!who.isSecret)
            #expect(try await session.profile().subject == who.text)
            let mail = try #require(try await session.resources().first?.resource)
            #expect(try await session.call(mail).status == 200)
            var headers = try #require(await fixture.sandbox.requests.last).headers
            let name = try #require(HTTPField.Name("x-who"))
            #expect(headers[name] == who.text)
            headers[name] = "somebody else"
            let (refused, _) = await fixture.sandbox.respond(
                to: HTTPRequest(
                    method: .get, scheme: "https", authority: "api.odd.example", path: "/mail",
                    headerFields: headers),
                body: [])
            #expect(refused.status == 400)
        },
        Quirk(
            "the access token is exchanged for another", key: "`exchange`", neededBy: "6: Instagram, Threads, Facebook"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    exchange:
                      long_lived:
                        url: https://graph.odd.example/access_token
                        method: GET
                        parameters:
                          grant_type: ig_exchange_token
                          client_secret: '{client.secret}'
                          access_token: '{token.access_token}'
                        sample: { access_token: x, token_type: bearer, expires_in: 5184000 }
                    """, secret: "hush")
            let tokens = try await fixture.signIn().tokens()
            let sent = try #require(await fixture.sandbox.requests.last)
            #expect(
                masked("\(sent.method.rawValue) \(sent.url)") == "GET https://graph.odd.example/access_token"
                    + "?grant_type=ig_exchange_token&client_secret=hush&access_token=*")
            #expect(tokens.expiresAt == Date(timeIntervalSince1970: 1_805_184_000))
            #expect(!sent.url.contains(tokens.accessToken.reveal()))
        },
        Quirk(
            "an additional request returns a session and the API's URL", key: "`exchange.NAME.capture`, `{step.NAME}`",
            neededBy: "1: Bullhorn"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    exchange:
                      login:
                        url: https://rest.odd.example/login
                        parameters: { version: '*', access_token: '{token.access_token}' }
                        brings: values
                        after_refresh: true
                        capture:
                          session: { from: /BhRestToken, example: s-1, secret: true }
                          rest: { from: /restUrl, example: 'https://rest7.odd.example/v1/' }
                    trusted_hosts: ['*.odd.example']
                    api: { base_url: '{step.rest}', headers: { BhRestToken: '{step.session}' } }
                    resources: [{ scope: read, title: Me, url: /me }]
                    """
            )
            let session = try await fixture.signIn()
            #expect(try await session.connectionValues()["step.session"].map { "\($0)" } == "[redacted]")
            try await session.refresh()
            #expect(await fixture.sandbox.requests.count { $0.url == "https://rest.odd.example/login" } == 2)
            let resource = try #require(try await session.resources().first?.resource)
            #expect(try await session.call(resource).status == 200)
            let sent = try #require(await fixture.sandbox.requests.last)
            #expect(sent.url == "https://rest7.odd.example/v1/me")
            #expect(HTTPField.Name("BhRestToken").flatMap { sent.headers[$0] } == "s-1")
        },
        Quirk(
            "requests are needed at the start and the end of a connection",
            key: "`connection.on_connect`, `on_disconnect`", neededBy: "6: Bullhorn, integrations of Sentry"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    connection:
                      on_connect:
                        - { url: https://api.odd.example/install, method: PUT, body: json,
                            parameters: { status: installed } }
                      on_disconnect:
                        - { url: https://api.odd.example/install, method: DELETE }
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: https://odd.example/token
                      revocation: https://odd.example/revoke
                    """
            )
            let session = try await fixture.signIn()
            let first = try #require(await fixture.sandbox.requests.last)
            #expect(first.method == .put)
            #expect(first.url == "https://api.odd.example/install")
            #expect(first.bodyText == #"{"status":"installed"}"#)
            let outcome = try await session.signOut(.revoke)
            #expect(outcome.failures.isEmpty)
            let calls = await fixture.sandbox.requests.suffix(3).map { "\($0.method.rawValue) \($0.url)" }
            #expect(calls.first == "DELETE https://api.odd.example/install")
        },
    ]
}
