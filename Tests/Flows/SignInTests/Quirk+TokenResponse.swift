import Carnet
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

extension Quirk {
    static let tokenResponse = [
        Quirk(
            "the lifetime is in minutes or milliseconds", key: "`token.response.expires`",
            neededBy: "2: Fiserv (milliseconds)"
        ) {
            for (kind, value) in [("minutes", "60"), ("milliseconds", "3600000")] {
                let fixture = try SignInFixture(odd: "token: { response: { expires: \(kind) } }")
                let tokens = try await fixture.signIn().tokens()
                #expect(tokens.expiresAt == fixture.clock.now.addingTimeInterval(3600))
                #expect(try fixture.lastResponse().contains(#""expires_in":\#(value),"#))
            }
        },
        Quirk(
            "the response has the time of the expiry instead of a lifetime",
            key: "`token.response.expires`, `fields.expires_in`",
            neededBy: "1: Clover"
        ) {
            let kinds = [
                ("epoch", "1800003600"), ("epoch_milliseconds", "1800003600000"),
                ("iso8601", #""2027-01-15T09:00:00Z""#),
            ]
            for (kind, value) in kinds {
                let fixture = try SignInFixture(
                    odd: "token: { response: { expires: \(kind), fields: { expires_in: /expires_at } } }")
                let tokens = try await fixture.signIn().tokens()
                #expect(tokens.expiresAt == Date(timeIntervalSince1970: 1_800_003_600))
                #expect(try fixture.lastResponse().contains(#""expires_at":\#(value)"#))
            }
        },
        Quirk("a lifetime of 0 means no expiry", key: "`token.response.expires.zero_means`", neededBy: "Mailchimp") {
            let sample = "samples: { token: { access_token: x, token_type: Bearer, expires_in: 0 } }"
            let fixture = try SignInFixture(
                odd: "token: { response: { expires: { zero_means: never } } }\n\(sample)")
            #expect(try await fixture.signIn().tokens().expiresAt == nil)
            #expect(try fixture.lastResponse() == #"200 {"access_token":"*","token_type":"Bearer","expires_in":0}"#)
            let plain = try SignInFixture(odd: sample)
            let session = try await plain.signIn()
            #expect(try await session.storedTokens().expiresAt == plain.clock.now)
        },
        Quirk(
            "the response has no lifetime, but the documentation does", key: "`token.response.default_expires_in`",
            neededBy: "6: Jobber, Stripe Apps, Coros"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token: { response: { default_expires_in: 900 } }
                    samples: { token: { access_token: x, token_type: Bearer } }
                    """
            )
            let tokens = try await fixture.signIn().tokens()
            #expect(tokens.expiresAt == fixture.clock.now.addingTimeInterval(900))
            #expect(try fixture.lastResponse() == #"200 {"access_token":"*","token_type":"Bearer"}"#)
        },
        Quirk(
            "the response says how long the refresh token lives",
            key: "`token.response.fields.refresh_token_expires_in`", neededBy: "Keycloak, QuickBooks, TikTok"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token: { response: { fields: { refresh_token_expires_in: /refresh_expires_in } } }
                    samples:
                      token: { access_token: x, token_type: Bearer, refresh_token: y, refresh_expires_in: 7200 }
                    """
            )
            let session = try await fixture.signIn()
            #expect(try await session.tokens().refreshTokenExpiresAt == fixture.clock.now + 7200)
            #expect(try fixture.lastResponse().hasSuffix(#","refresh_expires_in":7200}"#))
            fixture.clock.advance(by: .seconds(7199))
            #expect(try await session.refresh().refreshTokenExpiresAt == fixture.clock.now + 7200)
            fixture.clock.advance(by: .seconds(7200))
            let error = try await #require(throws: OAuthError.self) { try await session.refresh() }
            #expect(error.kind == .sessionEnded)
        },
        Quirk(
            "only the documentation says how long the refresh token lives",
            key: "`token.response.default_refresh_token_expires_in`", neededBy: "Podio"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token: { response: { default_refresh_token_expires_in: 7200 } }
                    samples: { token: { access_token: x, token_type: Bearer, refresh_token: y } }
                    """
            )
            let session = try await fixture.signIn()
            #expect(try await session.tokens().refreshTokenExpiresAt == fixture.clock.now + 7200)
            #expect(try !fixture.lastResponse().contains("7200"))
            fixture.clock.advance(by: .seconds(7199))
            // The sandbox replaces the token.
            #expect(try await session.refresh().refreshTokenExpiresAt == fixture.clock.now + 7200)
            fixture.clock.advance(by: .seconds(7200))
            let error = try await #require(throws: OAuthError.self) { try await session.refresh() }
            #expect(error.kind == .sessionEnded)
        },
        Quirk(
            "the response separates scopes in another way than the request", key: "`token.response.scope_separator`",
            neededBy: "GitHub, LinkedIn, Pinterest, Todoist"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    scopes: { default: [read, "user:email"] }
                    token: { response: { scope_separator: "," } }
                    samples: { token: { access_token: x, token_type: Bearer, scope: "" } }
                    """
            )
            #expect(try await fixture.signIn().tokens().scopes == ["read", "user:email"])
            #expect(
                try fixture.lastResponse()
                    == #"200 {"access_token":"*","token_type":"Bearer","scope":"read,user:email"}"#)
            #expect(try await fixture.authorizationURL().contains("&scope=read%20user%3Aemail&"))
        },
        Quirk("the scopes are a list", key: "none: always understood", neededBy: "Twitch") {
            let fixture = try SignInFixture(
                odd: """
                    scopes: { default: [read, write] }
                    samples: { token: { access_token: x, token_type: Bearer, scope: [read] } }
                    """
            )
            #expect(try await fixture.signIn().tokens().scopes == ["read", "write"])
            #expect(try fixture.lastResponse().contains(#""scope":["read","write"]"#))
        },
        Quirk(
            "a successful response has another status than 200", key: "`token.response.success.statuses`",
            neededBy: "1 (201)"
        ) {
            let fixture = try SignInFixture(odd: "token: { response: { success: { statuses: [201] } } }")
            #expect(try await fixture.signIn().tokens().scopes == ["read"])
            #expect(try fixture.lastResponse().hasPrefix("201 {"))
        },
        Quirk(
            "errors have the status 200, and a member of the body identifies them",
            key: "`token.response.success.field`, `equals`", neededBy: "Slack, Withings, TikTok Ads"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token: { response: { success: { field: /status, equals: [0] } } }
                    samples:
                      token: { status: 0, access_token: x, token_type: Bearer, refresh_token: y }
                      error: { status: 601, error: x }
                    """,
                faults: [.refreshRevoked]
            )
            let session = try await fixture.signIn()
            #expect(
                try fixture.lastResponse()
                    == #"200 {"status":0,"access_token":"*","token_type":"Bearer","refresh_token":"1//+&=%41 *"}"#)
            let error = try await #require(throws: OAuthError.self) { try await session.refresh() }
            #expect(error.kind == .sessionEnded)
            #expect(
                try fixture.lastResponse()
                    == #"200 {"status":601,"error":"invalid_grant","error_description":"#
                    + #""the refresh token is revoked"}"#)
        },
        Quirk(
            "errors have other codes than OAuth's", key: "`token.response.errors`, `errors.codes`",
            neededBy: "Slack, WeChat, Kick, Twitch"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token:
                      response: { errors: { error: /errcode, error_description: /errmsg,
                          codes: { "40030": invalid_grant } } }
                    samples: { error: { errcode: "40029", errmsg: invalid code } }
                    """,
                faults: [.refreshRevoked]
            )
            let session = try await fixture.signIn()
            let error = try await #require(throws: OAuthError.self) { try await session.refresh() }
            #expect(error.kind == .sessionEnded)
            #expect(error.server?.code == "invalid_grant")
            #expect(try fixture.lastResponse() == #"400 {"errcode":"40030","errmsg":"the refresh token is revoked"}"#)
        },
        Quirk(
            "the token type has a non-standard name", key: "`token.response.accept_token_types`",
            neededBy: "eBay"
        ) {
            let key = "token: { response: { accept_token_types: [User Access Token] } }"
            let fixture = try SignInFixture(odd: key)
            #expect(try await fixture.signIn().tokens().accessToken.isEmpty == false)
            #expect(try fixture.lastResponse().contains(#""token_type":"User Access Token""#))
            let refusing = try SignInFixture(
                odd: "samples: { token: { access_token: x, token_type: User Access Token } }", isLinted: false)
            let error = try await #require(throws: OAuthError.self) { try await refusing.signIn() }
            #expect(error.kind == .unsupportedTokenType)
        },
        Quirk(
            "the token type is missing", key: "`token.response.default_token_type`", neededBy: "WeChat, Weibo, Douban"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token: { response: { default_token_type: Bearer } }
                    samples: { token: { access_token: x } }
                    """
            )
            #expect(try await fixture.signIn().tokens().tokenType == "Bearer")
            #expect(try fixture.lastResponse() == #"200 {"access_token":"*"}"#)
        },
        Quirk(
            "the fields are below another object, or have other names", key: "`token.response.root`, `fields`",
            neededBy: "7: Withings, Yammer; integrations of Sentry, Clover, Qiita"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    token: { response: { root: /body, fields: { access_token: /accessToken, expires_in: /ttl } } }
                    samples: { token: { body: { accessToken: x, token_type: Bearer, ttl: "60" } } }
                    """
            )
            let tokens = try await fixture.signIn().tokens()
            #expect(tokens.expiresAt == fixture.clock.now.addingTimeInterval(60))
            #expect(
                try fixture.lastResponse() == #"200 {"body":{"accessToken":"*","token_type":"Bearer","ttl":"60"}}"#)
        },
        Quirk(
            "the response is form-encoded", key: "`token.response.format: form`", neededBy: "QQ, StackExchange, Deezer"
        ) {
            let fixture = try SignInFixture(odd: "token: { response: { format: form } }")
            #expect(try await fixture.signIn().tokens().scopes == ["read"])
            let body = try #require(fixture.responses.all.last).body
            #expect(String(decoding: body, as: UTF8.self).hasPrefix("access_token="))
            #expect(fixture.responses.all.last?.head.headerFields[.contentType] == "text/html; charset=utf-8")
        },
        Quirk(
            "the response is JSON with another content type, in a function call, or behind a guard",
            key: "`token.response.format: json`, `jsonp`, `guarded`",
            neededBy: "golang/oauth2 guesses for text/plain; QQ; Xiaomi"
        ) {
            for (format, start) in [
                ("json", "{"), ("jsonp", #"callback( {"access_token":""#),
                ("guarded", #"&&&START&&&{"access_token":""#),
            ] {
                let fixture = try SignInFixture(
                    odd: "token: { response: { format: \(format) } }", faults: [.refreshRevoked])
                let session = try await fixture.signIn()
                #expect(try await session.tokens().scopes == ["read"])
                let reply = try #require(fixture.responses.all.last)
                #expect(reply.head.headerFields[.contentType] != "application/json")
                #expect(String(decoding: reply.body, as: UTF8.self).hasPrefix(start))
                let error = try await #require(throws: OAuthError.self) { try await session.refresh() }
                #expect(error.kind == .sessionEnded)
            }
        },
        Quirk(
            "one response contains two tokens", key: "`token.response.token_sets`", neededBy: "1: the Web API of Slack"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: https://odd.example/token
                      revocation: https://odd.example/revoke
                    token: { response: { token_sets: { user: /authed_user } } }
                    """
            )
            let session = try await fixture.signIn()
            let (app, first) = (try await session.tokens(), try #require(try await session.tokenSet("user")))
            let user = try await first.tokens()
            #expect(user.accessToken != app.accessToken && user.refreshToken != app.refreshToken)
            #expect(try await first.refresh().accessToken != user.accessToken)
            #expect(try await session.tokens() == app)
            #expect(try await fixture.client.accounts().count == 1)
            await #expect(throws: OAuthError.self) { try await session.tokenSet("other") }
            #expect(try await session.signOut(.revoke).isRevoked)
            #expect(await fixture.requests(to: .revocation).count == 4)
            #expect(await fixture.store.keys().isEmpty)
        },
    ]
}
