import Carnet
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

private let hosts = "hosts: [api.odd.example]"

extension SignInFixture {
    /// The latest request as `METHOD URL`, and the headers of these names.
    fileprivate func lastRequest(_ headers: String...) async throws -> [String] {
        var lines = [try await last()]
        for name in headers { lines.append("\(name): \(try await lastHeader(name) ?? "(none)")") }
        return lines
    }
}

extension Quirk {
    static let profile = [
        Quirk(
            "the e-mail address needs a second request", key: "`profile.requests`",
            neededBy: "GitHub, Bitbucket, LinkedIn v2"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    profile:
                      claims: { subject: /id }
                      requests:
                        - url: https://api.odd.example/emails
                          headers: { Accept: application/vnd.odd+json }
                          where: { primary: true, verified: true }
                          claims: { email: /email, email_verified: /verified }
                    samples: { userinfo: { id: 7, name: Ada, email: null } }
                    """
            )
            let session = try await fixture.signIn()
            let profile = try await session.profile()
            #expect(profile.failures.isEmpty)
            #expect(profile.subject == "7")
            #expect(profile.email == "ada@example.com")
            #expect(profile.isEmailVerified == true)
            let token = try await session.tokens().accessToken.reveal()
            #expect(
                try await fixture.lastRequest("Authorization", "Accept") == [
                    "GET https://api.odd.example/emails", "Authorization: Bearer \(token)",
                    "Accept: application/vnd.odd+json",
                ])
            #expect(
                try fixture.lastResponse()
                    == #"200 [{"email":"another","verified":false,"primary":false},"#
                    + #"{"email":"ada@example.com","verified":true,"primary":true}]"#)
        },
        Quirk(
            "a further request names the user", key: "`profile.requests`, `{claim.NAME}`",
            neededBy: "APIs with /users/ID"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    profile:
                      claims: { subject: /id }
                      requests:
                        - url: https://api.odd.example/users/{claim.subject}
                          claims: { team: /team, nick: /nick }
                          sample: { team: t9 }
                        - url: https://api.odd.example/teams
                          parameters: { id: '{claim.team}' }
                          where: { owner: '{claim.subject}' }
                          claims: { team_name: /name }
                          sample: [{ owner: 8, name: Others }, { owner: 7, name: Ours }]
                        - url: https://api.odd.example/nicks/{claim.nick}
                          claims: { nickname: /name }
                    samples: { userinfo: { id: 7 } }
                    """
            )
            let profile = try await fixture.signIn().profile()
            #expect(
                await fixture.sandbox.requests.suffix(2).map { "\($0.method.rawValue) \($0.url)" } == [
                    "GET https://api.odd.example/users/7", "GET https://api.odd.example/teams?id=t9",
                ])
            #expect(profile.claims.first { $0.name == "team_name" }?.value == .string("Ours"))
            // Without the claim there is no request, and the others are as they were read.
            #expect(profile.failures.map(\.kind) == [.valueMissing])
            #expect(profile.claims.contains { $0.name == "team" } && profile.subject == "7")
        },
        Quirk(
            "a further request is for what the first response lacks",
            key: "`profile.requests`, `when_missing`",
            neededBy: "GitHub"
        ) {
            for (mail, expected) in [("null", "ada@odd.example"), ("own@odd.example", "own@odd.example")] {
                let fixture = try SignInFixture(
                    odd: endpoints + """
                        profile:
                          claims: { subject: /id }
                          requests:
                            - url: https://api.odd.example/email
                              when_missing: true
                              claims: { email: /email, email_verified: /verified }
                              sample: { email: ada@odd.example, verified: true }
                            - url: https://api.odd.example/nick
                              when_missing: true
                              claims: { email: /email, nickname: /nick }
                              sample: { email: other@odd.example, nick: ace }
                        samples: { userinfo: { id: 7, email: \(mail) } }
                        """)
                let profile = try await fixture.signIn().profile()
                #expect(profile.email == expected)
                #expect(profile["nickname"] == "ace")
                // Nobody verified the address that the first response has.
                #expect(profile.isEmailVerified == (mail == "null" ? true : nil))
                let requested = await fixture.sandbox.requests.filter { $0.url.hasSuffix("/email") }
                #expect(requested.count == (mail == "null" ? 1 : 0))
            }
        },
        Quirk(
            "the introspection response identifies the user",
            key: "`endpoints.userinfo`, `profile.parameters: {client.secret}`",
            neededBy: "the former token information of HubSpot"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: https://odd.example/token
                      userinfo: https://odd.example/introspect
                    client: { authentication: [client_secret_post] }
                    profile:
                      method: POST
                      parameters:
                        token: '{token.access_token}'
                        client_id: '{client.id}'
                        client_secret: '{client.secret}'
                      claims: { subject: /user_id, email: /user }
                    """, secret: "hush")
            let session = try await fixture.signIn()
            #expect(try await session.profile().email == "ada@example.com")
            let request = try #require(await fixture.requests(to: .userinfo).last)
            let token = try await session.tokens().accessToken.reveal()
            #expect(request.bodyText == "token=\(token)&client_id=client&client_secret=hush")
            #expect(!fixture.responses.requests.map { "\($0)" }.joined().contains("hush"))
        },
        Quirk(
            "the access token is sent in another header", key: "`api.token_in: { header: NAME }`",
            neededBy: "7: Shopify, TikTok Ads, BigCommerce"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + "api: { \(hosts), token_in: { header: X-Odd-Token } }")
            let session = try await fixture.signIn()
            let token = try await session.tokens().accessToken.reveal()
            let header = "X-Odd-Token: \(token)"
            _ = try await session.send(HTTPRequest(url: "https://api.odd.example/x?a=b"))
            #expect(
                try await fixture.lastRequest("X-Odd-Token", "Authorization")
                    == ["GET https://api.odd.example/x?a=b", header, "Authorization: (none)"])
            #expect(try await session.profile().subject != nil)
            #expect(
                try await fixture.lastRequest("X-Odd-Token", "Authorization")
                    == ["GET https://odd.example/me", header, "Authorization: (none)"])
            let error = try await #require(throws: OAuthError.self) {
                try await session.send(HTTPRequest(url: "https://elsewhere.example/"))
            }
            #expect(error.kind == .undeclaredHost)
        },
        Quirk(
            "the access token is sent in the query",
            key: "`api.token_in`, `profile.token_in: { query: NAME, because: REASON }`",
            neededBy: "social-core: 39"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints
                    + "profile: { parameters: { fields: id } }\n"
                    + "api: { \(hosts), token_in: { query: oauth_token, because: no headers } }")
            let session = try await fixture.signIn()
            _ = try await session.send(HTTPRequest(url: "https://api.odd.example/x?a=b"))
            #expect(
                masked(try await fixture.lastRequest("Authorization").joined(separator: "\n"))
                    == "GET https://api.odd.example/x?a=b&oauth_token=*\nAuthorization: (none)")
            #expect(try await session.profile().subject != nil)
            #expect(await fixture.wire(.userinfo).last == "GET https://odd.example/me?fields=id&oauth_token=*")
        },
        Quirk(
            "a request of the profile or the connection has no access token",
            key: "`token_in: { none: REASON }`", neededBy: "StockTwits"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: https://odd.example/token
                      userinfo: https://api.odd.example/users/{token.user}
                    token: { response: { capture: { user: { from: /user, example: u1 } } } }
                    api: { headers: { X-Odd: all }, parameters: { key: k1 } }
                    profile:
                      token_in: { none: The profile is public. }
                      claims: { subject: /id }
                      requests:
                        - url: https://api.odd.example/email
                          token_in: authorization
                          claims: { email: /email }
                    connection:
                      lookups:
                        site:
                          url: https://api.odd.example/sites
                          token_in: { none: The list is public. }
                          value: /id
                          sample: { id: s1 }

                    """)
            let session = try await fixture.signIn()
            let profile = try await session.profile()
            #expect(profile.subject != nil && profile.email != nil)
            #expect(try await session.connectionValues()["connection.site"]?.text == "s1")
            for url in ["https://api.odd.example/users/u1", "https://api.odd.example/sites"] {
                let request = try #require(await fixture.sandbox.requests.last { $0.url == url })
                #expect(request.headers[.authorization] == nil)
                #expect(HTTPField.Name("X-Odd").flatMap { request.headers[$0] } == nil)
            }
            let token = try await session.tokens().accessToken.reveal()
            let email = try #require(await fixture.sandbox.requests.last)
            #expect(email.url == "https://api.odd.example/email?key=k1")
            #expect(email.headers[.authorization] == "Bearer \(token)")
            // The sandbox finds out a client that sends the token all the same.
            var request = HTTPRequest(url: "https://api.odd.example/users/u1")
            request.headerFields[.authorization] = "Bearer \(token)"
            #expect(await fixture.sandbox.respond(to: request, body: []).0.status == .badRequest)
        },
        Quirk(
            "the Authorization header contains only the token", key: "`api.scheme: none`",
            neededBy: "the personal tokens of ClickUp"
        ) {
            let fixture = try SignInFixture(odd: endpoints + "api: { scheme: none }")
            let session = try await fixture.signIn()
            #expect(try await session.profile().subject != nil)
            let token = try await session.tokens().accessToken.reveal()
            #expect(
                try await fixture.lastRequest("Authorization")
                    == ["GET https://odd.example/me", "Authorization: \(token)"])
        },
        Quirk(
            "the profile is JSON with another content type, or in a function call",
            key: "`profile.format: json`, `jsonp`",
            neededBy: "Wikimedia, Mixcloud; QQ's openid call"
        ) {
            let formats = [
                ("json", "text/html; charset=utf-8", #"{"openid":"x"}"#),
                ("jsonp", "text/javascript", #"callback( {"openid":"x"} );"# + "\n"),
            ]
            for (format, type, body) in formats {
                let fixture = try SignInFixture(
                    odd: endpoints + "profile: { format: \(format), claims: { subject: /openid } }\n"
                        + "samples: { userinfo: { openid: x } }")
                #expect(try await fixture.signIn().profile().subject == "x")
                let reply = try #require(fixture.responses.all.last)
                #expect(reply.head.headerFields[.contentType] == type)
                let text = String(decoding: reply.body, as: UTF8.self)
                #expect(format == "json" ? try JSONValue(parsing: reply.body).jsonText() == body : text == body)
            }
        },
        Quirk(
            "an expired access token gets 403 with a non-standard error code", key: "`api.errors.codes`",
            neededBy: "Salesforce, Netatmo, GoTo"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    api: { errors: { codes: { Bad_Odd_Token: invalid_token } } }
                    samples: { token: { access_token: x, refresh_token: x, token_type: Bearer } }
                    """)
            let session = try await fixture.signIn()
            let old = try await session.tokens()
            #expect(old.expiresAt == nil)
            fixture.clock.advance(by: .seconds(86_400))
            #expect(try await session.profile().subject != nil)
            #expect(try await session.tokens().accessToken != old.accessToken)
            let statuses = fixture.responses.all.suffix(3).map(\.status)
            #expect(statuses == [403, 200, 200], "refused, refreshed, and asked again")
        },
        Quirk(
            "revocation is a DELETE, or returns another status",
            key: "`revocation.method`, `revocation.success`", neededBy: "Facebook, GitHub (204)"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    revocation:
                      method: DELETE
                      body: json
                      rename: { token: access_token }
                      omit: [token_type_hint, client_id]
                      tokens: [access_token]
                      success: { statuses: [204] }
                    client: { authentication: [client_secret_basic] }
                    """,
                secret: "s"
            )
            #expect(try await fixture.signIn().signOut(.revoke).isRevoked)
            #expect(
                await fixture.wire(.revocation)
                    == ["DELETE https://odd.example/revoke\n" + #"{"access_token":"*"}"#])
            #expect(fixture.responses.all.last?.status == 204)
        },
        Quirk(
            "a revocation request has the token in the Authorization header, and the body of the response reports success",
            key: "`revocation.token_in`, `revocation.success.field`", neededBy: "Facebook"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + "revocation: { method: DELETE, token_in: authorization, success: { field: /success } }"
            )
            let session = try await fixture.signIn()
            let token = try await session.tokens().accessToken.reveal()
            #expect(try await session.signOut(.revoke).isRevoked)
            #expect(
                try await fixture.lastRequest("Authorization")
                    == ["DELETE https://odd.example/revoke", "Authorization: Bearer \(token)"])
            #expect(try fixture.lastResponse() == #"200 {"success":true}"#)
        },
        Quirk(
            "a revocation request names the account",
            key: "`revocation.omit`, `revocation.parameters`", neededBy: "Stripe Connect"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    token: { response: { capture: { account: { from: /account, example: a1 } } } }
                    revocation:
                      tokens: [access_token]
                      omit: [token, token_type_hint]
                      parameters: { account: '{token.account}' }
                    """)
            let session = try await fixture.signIn()
            #expect(try await session.signOut(.revoke).isRevoked)
            let sent = await fixture.wire(.revocation)
            #expect(sent == ["POST https://odd.example/revoke\nclient_id=client&account=a1"])
        },
        Quirk(
            "the access token is in the path of the profile's URL", neededBy: "HubSpot",
            missing: "Carnet puts no token into a URL; the host program must send this request itself"),
    ]
}
