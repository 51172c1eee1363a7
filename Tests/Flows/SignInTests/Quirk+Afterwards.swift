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
      userinfo: https://odd.example/me
      revocation: https://odd.example/revoke

    """

extension Quirk {
    static let afterwards = [
        Quirk(
            "refresh tokens have another endpoint", key: "`endpoints.refresh`",
            neededBy: "14: Figma, Trustpilot"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: https://odd.example/token
                      refresh: https://odd.example/token/refresh
                    """
            )
            try await fixture.signIn().refresh()
            #expect(
                await fixture.wire(.refresh) == [
                    "POST https://odd.example/token/refresh\n"
                        + "grant_type=refresh_token&refresh_token=1%2F%2F%2B%26%3D%2541%20*&client_id=client"
                ])
        },
        Quirk(
            "additional parameters in the refresh request", key: "`refresh.parameters`",
            neededBy: "5: Dynamics"
        ) {
            let fixture = try SignInFixture(
                odd: "refresh: { omit: [grant_type], parameters: { type: refresh } }")
            try await fixture.signIn().refresh()
            #expect(
                await fixture.wire(.token).last
                    == "POST https://odd.example/token\n"
                    + "refresh_token=1%2F%2F%2B%26%3D%2541%20*&client_id=client&type=refresh")
        },
        Quirk(
            "the response has no new refresh token", key: "none: the old one is kept",
            neededBy: "Google, Asana, Salesforce"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    samples:
                      token: { access_token: x, token_type: Bearer, refresh_token: y }
                      refresh: { access_token: x, token_type: Bearer }
                    """
            )
            let session = try await fixture.signIn()
            let first = try await session.tokens()
            #expect(try await session.refresh().refreshToken == first.refreshToken)
            #expect(try fixture.lastResponse() == #"200 {"access_token":"*","token_type":"Bearer"}"#)
        },
        Quirk(
            "the access token is exchanged in place of a refresh token", key: "`refresh.using: access_token`",
            neededBy: "4: Facebook, Instagram, Threads"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    refresh:
                      using: access_token
                      method: GET
                      rename: { refresh_token: access_token }
                      omit: [grant_type, client_id]
                      parameters: { grant_type: ig_refresh_token }
                    """
            )
            let session = try await fixture.signIn()
            let first = try await session.tokens()
            #expect(first.refreshToken == nil)
            #expect(try await session.refresh().accessToken != first.accessToken)
            #expect(
                await fixture.wire(.token).last
                    == "GET https://odd.example/token?access_token=*&grant_type=ig_refresh_token")
        },
        Quirk(
            "the profile is requested by POST, with parameters", key: "`profile.method`, `profile.parameters`",
            neededBy: "OpenIddict: 15; Dropbox"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + "profile: { method: POST, body: json, parameters: { fields: 'id,name' } }")
            #expect(try await fixture.signIn().profile().subject != nil)
            #expect(await fixture.wire(.userinfo).last == "POST https://odd.example/me\n" + #"{"fields":"id,name"}"#)
        },
        Quirk(
            "the Authorization header has another scheme", key: "`api.scheme`",
            neededBy: "social-core: 4; Yandex (OAuth)"
        ) {
            let fixture = try SignInFixture(odd: endpoints + "api: { scheme: OAuth }")
            let session = try await fixture.signIn()
            #expect(try await session.profile().subject != nil)
            let token = try await session.tokens().accessToken.reveal()
            #expect(await fixture.requests(to: .userinfo).first?.headers[.authorization] == "OAuth \(token)")
        },
        Quirk(
            "the claims are below another object, or have other names", key: "`profile.root`, `profile.claims`",
            neededBy: "OpenIddict: 18 and 80"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    profile: { root: /data, claims: { subject: /open_id, name: /display_name } }
                    samples: { userinfo: { data: { open_id: 7, display_name: Ada } } }
                    """
            )
            let profile = try await fixture.signIn().profile()
            #expect(profile.subject == "7")
            #expect(
                try fixture.lastResponse() == #"200 {"data":{"open_id":7,"display_name":"\#(profile.name ?? "")"}}"#)
        },
        Quirk(
            "the profile is in the token response", key: "`profile.from: token`", neededBy: "Shopify, Snowflake, Sentry"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    profile: { from: token, root: /athlete, claims: { subject: /id } }
                    samples: { token: { access_token: x, token_type: Bearer, athlete: { id: 12 } } }
                    """
            )
            #expect(try await fixture.signIn().profile().subject == "12")
            #expect(
                try fixture.lastResponse() == #"200 {"access_token":"*","token_type":"Bearer","athlete":{"id":12}}"#)
        },
        Quirk("additional headers in every call", key: "`api.headers`", neededBy: "28: Notion, Trakt") {
            let fixture = try SignInFixture(
                odd: "api: { hosts: [api.odd.example], headers: { Notion-Version: '2022-06-28' } }")
            let session = try await fixture.signIn()
            let reply = try await session.send(HTTPRequest(url: "https://api.odd.example/x"))
            #expect(reply.status == 200)
            let headers = try #require(await fixture.sandbox.requests.last).headers
            #expect(HTTPField.Name("Notion-Version").flatMap { headers[$0] } == "2022-06-28")
        },
        Quirk(
            "the profile needs the headers and parameters of every call, too",
            key: "`api.headers`, `api.parameters`; a request's own take precedence, and null removes one",
            neededBy: "Notion, Twitch, Trakt, Bungie, Basecamp"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    api:
                      headers: { Odd-Version: '1', X-Client: '{client.id}', Content-Type: application/json }
                      parameters: { v: '2' }
                    profile:
                      headers: { odd-version: '3' }
                      claims: { subject: /id }
                      requests:
                        - { url: 'https://odd.example/mail', claims: { email: /mail } }
                        - url: https://odd.example/phone
                          headers: { x-client: null }
                          parameters: { v: null }
                          claims: { phone: /phone }
                    connection:
                      lookups:
                        site: { url: 'https://odd.example/sites', value: /id, sample: { id: 1 } }
                        page: { url: 'https://odd.example/page', headers: { x-client: null }, value: /id, sample: { id: 1 } }

                    """)
            let session = try await fixture.signIn()
            let profile = try await session.profile()
            #expect(profile.failures.isEmpty)
            let requests = await fixture.sandbox.requests.suffix(5)
            #expect(
                requests.map { $0.url.replacing("https://odd.example", with: "") } == [
                    "/sites?v=2", "/page?v=2", "/me?v=2", "/mail?v=2", "/phone",
                ])
            func sent(_ name: String) -> [String?] {
                requests.map { request in HTTPField.Name(name).flatMap { request.headers[$0] } }
            }
            #expect(sent("Odd-Version") == ["1", "1", "3", "1", "1"])
            #expect(sent("X-Client") == ["client", nil, "client", "client", nil])
            #expect(sent("Content-Type") == [nil, nil, nil, nil, nil])
            // The sandbox demands them itself.
            let token = try await session.tokens().accessToken.reveal()
            for path in ["/me?v=2", "/mail?v=2", "/sites?v=2", "/me"] {
                var request = HTTPRequest(url: "https://odd.example\(path)")
                request.headerFields[.authorization] = "Bearer \(token)"
                if path == "/me" { request.headerFields[try #require(HTTPField.Name("X-Client"))] = "client" }
                let (response, body) = await fixture.sandbox.respond(to: request, body: [])
                #expect(response.status == .badRequest)
                let missing = path == "/me" ? "the parameter v=2 is missing" : "is missing"
                #expect(String(decoding: body, as: UTF8.self).contains(missing), "\(path)")
            }
        },
        Quirk(
            "revocation has other parameters", key: "`revocation.rename`, `revocation.omit`",
            neededBy: "GitHub (access_token), TikTok (client_key)"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints
                    + "revocation: { rename: { token: access_token, client_id: client_key }, omit: [token_type_hint] }"
            )
            #expect(try await fixture.signIn().signOut(.revoke).isRevoked)
            #expect(
                await fixture.wire(.revocation) == [
                    "POST https://odd.example/revoke\naccess_token=1%2F%2F%2B%26%3D%2541%20*&client_key=client",
                    "POST https://odd.example/revoke\naccess_token=*&client_key=client",
                ])
        },
        Quirk(
            "sessions are ended only by front-channel logout", key: "`logout.front_channel`",
            neededBy: "the sign-out of Microsoft Entra ID, AD FS"
        ) {
            let fixture = try SignInFixture(
                try lintedDescriptor(
                    """
                    carnet: 1
                    id: odd
                    name: Odd
                    issuer: https://odd.example
                    endpoints: { end_session: "https://odd.example/logout" }
                    scopes: { default: [openid] }
                    logout: { front_channel: true }

                    """), frontChannelLogoutURI: "https://app.example/frame?site=1")
            let tokens = try await fixture.signIn().storedTokens()
            let page = try EndSessionRequest(
                for: tokens, at: try await fixture.client.providerWithoutAccount(), as: fixture.client.registration,
                random: SeededRandomSource(seed: 4))
            let target = String(page.url.reveal().dropFirst("https://odd.example".count))
            let head = HTTPRequest(method: .get, scheme: "https", authority: "odd.example", path: target)
            let (reply, body) = await fixture.sandbox.respond(to: head, body: [])
            let policy = try #require(reply.headerFields[.contentSecurityPolicy])
            #expect(policy.hasSuffix("; frame-src https://app.example:443"))
            let html = String(decoding: body, as: UTF8.self)
            let shown = try #require(html.firstMatch(of: /<iframe src="([^"]+)"/)?.output.1)
            let source = String(shown).replacing("&amp;", with: "&")
            #expect(masked(source) == "https://app.example/frame?site=1&iss=https%3A%2F%2Fodd.example&sid=*")
            let logout = try FrontChannelLogout(
                validating: AuthorizationCallback(url: source), from: fixture.client.provider)
            #expect(try await fixture.client.endSessions(namedBy: logout).count == 1)
            #expect(await fixture.store.keys().isEmpty)
        },
        Quirk(
            "only introspection reports a token's expiry", key: "`refresh.expiry_from: introspection`",
            neededBy: "3, among them Salesforce"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: https://odd.example/token
                      introspection: https://odd.example/introspect
                    refresh: { expiry_from: introspection }
                    samples: { token: { access_token: x, token_type: Bearer, refresh_token: y } }
                    """
            )
            let session = try await fixture.signIn()
            #expect(try await session.storedTokens().expiresAt == fixture.clock.now + 3600)
            #expect(
                await fixture.wire(.introspection) == [
                    "POST https://odd.example/introspect\ntoken=*&token_type_hint=access_token&client_id=client"
                ])
            fixture.clock.advance(by: .seconds(1800))
            #expect(try await session.refresh().expiresAt == fixture.clock.now + 3600)
        },
    ]
}
