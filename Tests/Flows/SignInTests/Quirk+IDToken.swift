import Carnet
import CarnetFoundation
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let openID = """
    issuer: https://odd.example
    discovery: none
    endpoints:
      authorization: https://odd.example/authorize
      token: https://odd.example/token
      jwks: https://odd.example/keys
    scopes: { default: [openid] }

    """

private let start = "https://odd.example/authorize?response_type=code&client_id=client&redirect_uri="
private let end = "&code_challenge=*&code_challenge_method=S256"

extension Quirk {
    static let idToken = [
        Quirk(
            "an ID token comes, and its issuer is not known, or nothing needs it", key: "`id_token.none`",
            neededBy: "VK ID, PagerDuty"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints:
                      authorization: https://odd.example/authorize
                      token: https://odd.example/token
                      userinfo: https://odd.example/me
                    scopes: { default: [openid] }
                    id_token: { none: The issuer is not documented. }
                    profile: { claims: { subject: /id } }
                    samples:
                      token: { access_token: redacted, token_type: Bearer, id_token: redacted }
                      userinfo: { id: 7 }

                    """)
            let session = try await fixture.signIn()
            #expect(
                try fixture.responses.all.contains {
                    try JSONValue(parsing: $0.body).object?["id_token"]?.string != nil
                })
            #expect(try await session.tokens().idToken == nil)
            #expect(await fixture.store.load(session.key)?.connection.subject == "7")
            #expect(try await !fixture.authorizationURL().contains("nonce"))
        },
        Quirk(
            "the ID token's subject is a number", key: "`id_token.coerce: [sub]`",
            neededBy: "the ID tokens of Wikimedia"
        ) {
            let sample = "samples: { userinfo: { sub: 12345678901234567890 } }\n"
            let fixture = try SignInFixture(odd: openID + sample + "id_token: { coerce: [sub, iat] }")
            let session = try await fixture.signIn()
            let token = try #require(try await session.tokens().idToken)
            let written = try claims(of: token.reveal())
            #expect(written["sub"] == .number("12345678901234567890"))
            #expect(written["iat"] == .string("1800000000"))
            #expect(await fixture.store.load(session.key)?.connection.subject == "12345678901234567890")
            #expect(try await session.profile().subject == "12345678901234567890")
        },
        Quirk(
            "the ID token is signed with the client's secret", key: "`id_token.hs256: REASON`", neededBy: "LINE"
        ) {
            let secret = "0123456789abcdef0123456789abcdef"
            let keys = openID + "id_token: { hs256: web sign-in has no public keys }"
            let fixture = try SignInFixture(odd: keys, secret: secret)
            let token = try #require(try await fixture.signIn().tokens().idToken).reveal()
            #expect(token.hasPrefix("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."))
            #expect(await fixture.requests(to: .jwks).isEmpty)
            let short = try SignInFixture(odd: keys, secret: "too short")
            let error = try await #require(throws: OAuthError.self) { try await short.signIn() }
            #expect(error.kind == .badRegistration)
            let forged = try SignInFixture(odd: keys, secret: secret, faults: [.badSignature])
            let refusal = try await #require(throws: OAuthError.self) { try await forged.signIn() }
            #expect(refusal.kind == .badSignature)
        },
        Quirk(
            "the ID token is for further services of the client, and names no authorized party",
            key: "`id_token.other_audiences`", neededBy: "servers whose APIs share the ID token"
        ) {
            let fixture = try SignInFixture(odd: openID + "id_token: { other_audiences: [urn:odd:api] }")
            let token = try #require(try await fixture.signIn().tokens().idToken)
            let written = try claims(of: token.reveal())
            #expect(written["aud"] == ["client", "urn:odd:api"])
            #expect(written["azp"] == nil)
        },
        Quirk(
            "the ID token has no at_hash", key: "none: compared when it is there",
            neededBy: "servers that leave it out, as the code flow allows"
        ) {
            let fixture = try SignInFixture(odd: openID, faults: [.missingAccessTokenHash])
            let token = try #require(try await fixture.signIn().tokens().idToken)
            #expect(try claims(of: token.reveal())["at_hash"] == nil)
        },
        Quirk(
            "the ID token has a wrong at_hash", neededBy: "Fence, Elixir: social-core does not compare theirs",
            missing:
                "the access token may be another user's (OpenID Connect Core, section 3.1.3.8); with `id_token.none`, userinfo alone identifies the user"
        ),
        Quirk(
            "the callback is a POST", key: "`authorization.response_mode: form_post`", neededBy: "24: Apple"
        ) {
            let fixture = try SignInFixture(odd: "authorization: { response_mode: form_post }")
            let request = try await fixture.client.beginSignIn()
            #expect(masked(request.url) == "\(start)\(redirect)&scope=read&state=*&response_mode=form_post\(end)")
            let response = try await fixture.sandbox.callback(approving: request.url)
            #expect(response.url == SignInFixture.redirectURI)
            let form = try #require(response.form)
            #expect(masked(form) == "code=4%2F%2B%26%3D%2541%20*&state=*")
            let callback = AuthorizationCallback(postedTo: response.url, form: form)
            #expect(request.pending.matches(callback))
            _ = try await fixture.client.completeSignIn(callback, for: request.pending)
            let plain = try SignInFixture(odd: "")
            let pending = try await plain.client.beginSignIn()
            let other = try await plain.sandbox.approve(authorizationURL: pending.url)
            let query = try #require(other.split(separator: "?").last)
            let error = try await #require(throws: OAuthError.self) {
                try await plain.client.completeSignIn(
                    AuthorizationCallback(postedTo: SignInFixture.redirectURI, form: String(query)),
                    for: pending.pending)
            }
            #expect(error.kind == .malformedCallback)
            #expect(error.descriptorKey == "authorization.response_mode")
        },
        Quirk(
            "the provider drops the state", key: "`authorization.state: { in: redirect_uri, because: REASON }`",
            neededBy: "Deezer, Huawei, Mixcloud"
        ) {
            let fixture = try SignInFixture(
                odd: "authorization: { state: { in: redirect_uri, because: it is never sent back } }")
            let request = try await fixture.client.beginSignIn()
            #expect(masked(request.url) == "\(start)\(redirect)%3Fstate%3D*&scope=read\(end)")
            #expect(!request.redactedURL.contains(request.pending.id.reveal()))
            let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
            #expect(masked(callback) == "\(SignInFixture.redirectURI)?state=*&code=4%2F%2B%26%3D%2541%20*")
            let forged = AuthorizationCallback(
                url: callback.replacing(request.pending.id.reveal(), with: String(repeating: "A", count: 43)))
            #expect(!request.pending.matches(forged))
            let error = try await #require(throws: OAuthError.self) {
                try await fixture.client.completeSignIn(forged, for: request.pending)
            }
            #expect(error.kind == .stateMismatch)
            let response = AuthorizationCallback(url: callback)
            _ = try await fixture.client.completeSignIn(response, for: request.pending)
            #expect(
                await fixture.wire(.token) == [
                    "POST https://odd.example/token\ngrant_type=authorization_code&code=4%2F%2B%26%3D%2541%20*"
                        + "&redirect_uri=\(redirect)%3Fstate%3D*&code_verifier=*&client_id=client"
                ])
        },
        Quirk(
            "a refresh token can be used once, or any number of times", key: "`refresh.rotation: always_new`, `none`",
            neededBy: "nsflow, junior and others lost sessions because of this"
        ) {
            let samples = """
                samples:
                  token: { access_token: x, token_type: Bearer, refresh_token: y }
                  refresh: { access_token: x, token_type: Bearer }

                """
            let used = try await SignInFixture(odd: samples + "refresh: { rotation: always_new }").signIn()
            #expect(try await used.refresh().refreshToken == nil)
            let error = try await #require(throws: OAuthError.self) { try await used.refresh() }
            #expect(error.kind == .noRefreshToken)
            let fixture = try SignInFixture(odd: "refresh: { rotation: none }")
            let kept = try await fixture.signIn()
            let first = try await kept.tokens().refreshToken
            #expect(try await kept.refresh().refreshToken == first)
            #expect(try await kept.refresh().refreshToken == first)
            let wire = await fixture.wire(.token).suffix(2)
            #expect(Set(wire).count == 1)
        },
        Quirk(
            "only the token itself contains its expiry", key: "`refresh.expiry_from: jwt_exp`",
            neededBy: "HighLevel"
        ) {
            let sample = "samples: { token: { access_token: eyJ.eyJ.x, token_type: Bearer, refresh_token: y } }\n"
            let fixture = try SignInFixture(odd: sample + "refresh: { expiry_from: jwt_exp }")
            let session = try await fixture.signIn()
            #expect(try await session.tokens().expiresAt == fixture.clock.now.addingTimeInterval(3600))
            #expect(try await session.refresh().expiresAt == fixture.clock.now.addingTimeInterval(3600))
            #expect(try await SignInFixture(odd: sample).signIn().tokens().expiresAt == nil)
        },
    ]
}
