import Carnet
import CarnetSandbox
import CarnetTesting
import Crypto
import Foundation
import Testing

/// The beginning of the authorization URL of an odd provider, and its end.
private let start = "https://odd.example/authorize?response_type=code&client_id=client&redirect_uri=\(redirect)"
private let end = "&state=*&code_challenge=*&code_challenge_method=S256"

/// The keys of an odd provider that signs ID tokens.
private let openID = """
    issuer: https://odd.example
    discovery: none
    endpoints:
      authorization: https://odd.example/authorize
      token: https://odd.example/token
      jwks: https://odd.example/keys
    scopes: { default: [openid] }

    """

extension Quirk {
    /// Signs in with a descriptor's keys, and compares the authorization URL.
    private static func proof(_ keys: String, _ url: String) -> @Sendable () async throws -> Void {
        {
            let fixture = try SignInFixture(odd: keys)
            #expect(try await fixture.authorizationURL() == url)
            #expect(try await fixture.signIn().tokens().accessToken.isEmpty == false)
        }
    }

    static let authorization = [
        Quirk(
            "additional parameters", key: "`authorization.parameters`", neededBy: "105: nearly everyone",
            proof: proof("authorization: { parameters: { owner: user } }", "\(start)&scope=read\(end)&owner=user")
        ),
        Quirk(
            "a parameter is a JSON object", key: "`authorization.parameters`", neededBy: "the claims of Twitch",
            proof: proof(
                "authorization: { parameters: { claims: { userinfo: { email: null } } } }",
                "\(start)&scope=read\(end)&claims=%7B%22userinfo%22%3A%7B%22email%22%3Anull%7D%7D")
        ),
        Quirk(
            "a provider's parameter has the name of a standard one", key: "`authorization.parameters`",
            neededBy: "1: BambooHR (request)",
            proof: proof(
                "authorization: { parameters: { request: authorize } }", "\(start)&scope=read\(end)&request=authorize")
        ),
        Quirk(
            "a parameter requests a refresh token", key: "`authorization.offline_parameters`",
            neededBy: "37: Google, Dropbox, Reddit"
        ) {
            let fixture = try SignInFixture(odd: "authorization: { offline_parameters: { access_type: offline } }")
            #expect(try await fixture.authorizationURL() == "\(start)&scope=read\(end)&access_type=offline")
            #expect(
                try await fixture.authorizationURL(.init(requestsRefreshToken: false)) == "\(start)&scope=read\(end)")
            #expect(try await fixture.signIn().tokens().refreshToken != nil)
            #expect(try await fixture.signIn(.init(requestsRefreshToken: false)).tokens().refreshToken == nil)
        },
        Quirk(
            "a scope requests a refresh token", key: "`scopes.offline`",
            neededBy: "45: Microsoft, Atlassian, X"
        ) {
            let fixture = try SignInFixture(odd: "scopes: { default: [read], offline: [offline_access] }")
            #expect(try await fixture.authorizationURL() == "\(start)&scope=read%20offline_access\(end)")
            #expect(try await fixture.signIn().tokens().refreshToken != nil)
            #expect(try await fixture.signIn(.init(requestsRefreshToken: false)).tokens().refreshToken == nil)
        },
        Quirk(
            "a parameter makes the provider ask for consent again", key: "`authorization.reconsent_parameters`",
            neededBy: "48: Google, Strava"
        ) {
            let fixture = try SignInFixture(odd: "authorization: { reconsent_parameters: { prompt: consent } }")
            #expect(
                try await fixture.authorizationURL(.init(prompt: [.consent]))
                    == "\(start)&scope=read\(end)&prompt=consent")
            #expect(try await fixture.authorizationURL() == "\(start)&scope=read\(end)")
        },
        Quirk(
            "the response type has another value", key: "`authorization.response_type`",
            neededBy: "2: the former OAuth of Azure DevOps (Assertion), Follow Up Boss",
            proof: proof(
                "authorization: { response_type: auth_code }",
                start.replacing("=code&", with: "=auth_code&") + "&scope=read\(end)"
            )
        ),
        Quirk(
            "standard parameters are omitted", key: "`authorization.omit`", neededBy: "1: the former OAuth of monday",
            proof: proof(
                "authorization: { omit: [response_type] }",
                start.replacing("response_type=code&", with: "") + "&scope=read\(end)"
            )
        ),
        Quirk(
            "standard parameters have non-standard names", key: "`authorization.rename`",
            neededBy: "6: TikTok, WeChat, Deezer",
            proof: proof(
                "authorization: { rename: { client_id: client_key } }",
                start.replacing("client_id", with: "client_key") + "&scope=read\(end)"
            )
        ),
        Quirk(
            "the scope parameter has another name", key: "`authorization.rename`",
            neededBy: "Freelancer (advanced_scopes), Deezer (perms)",
            proof: proof("authorization: { rename: { scope: perms } }", "\(start)&perms=read\(end)")
        ),
        Quirk(
            "a second scope parameter", key: "`scopes.extra`", neededBy: "1: the Web API of Slack (user_scope)",
            proof: proof(
                "scopes: { default: [read], separator: ',', extra: { user_scope: [identity.basic, identity.email] } }",
                "\(start)&scope=read&user_scope=identity.basic%2Cidentity.email\(end)"
            )
        ),
        Quirk(
            "scopes have another separator", key: "`scopes.separator`", neededBy: "21: Linear, Strava, TikTok (comma)",
            proof: proof("scopes: { default: [read, write], separator: ',' }", "\(start)&scope=read%2Cwrite\(end)")
        ),
        Quirk(
            "an empty scope must be sent", key: "`scopes.when_empty`", neededBy: "4; at Pipedrive it must be omitted",
            proof: proof("scopes: { default: [], when_empty: send }", "\(start)&scope=\(end)")
        ),
        Quirk(
            "a parameter is sent without encoding", key: "`authorization.encode: raw`",
            neededBy: "1: Pennylane; Unsplash",
            proof: proof(
                "scopes: { default: [read, 'user:email'], separator: '+' }\nauthorization: { encode: { scope: raw } }",
                "\(start)&scope=read+user:email\(end)"
            )
        ),
        Quirk(
            "spaces must be plus signs", key: "`authorization.encode: plus`", neededBy: "the former API of SoundCloud",
            proof: proof(
                "scopes: { default: [read, 'user:email'] }\nauthorization: { encode: { scope: plus } }",
                "\(start)&scope=read+user%3Aemail\(end)"
            )
        ),
        Quirk(
            "the authorization page reads its parameters from the URL's fragment",
            key: "`authorization.fragment_route`",
            neededBy: "2: Apollo, Shopline",
            proof: proof(
                "authorization: { fragment_route: /oauth/authorize }",
                start.replacing("authorize?", with: "authorize#/oauth/authorize?") + "&scope=read\(end)"
            )
        ),
        Quirk(
            "the authorization URL ends in a constant fragment", key: "`authorization.fragment`",
            neededBy: "WeChat (#wechat_redirect)",
            proof: proof(
                "authorization: { fragment: wechat_redirect }", "\(start)&scope=read\(end)#wechat_redirect")
        ),
        Quirk(
            "no PKCE", key: "`authorization.pkce: { none: REASON }`", neededBy: "86: Slack, LinkedIn",
            proof: proof("authorization: { pkce: { none: refused } }", "\(start)&scope=read&state=*")
        ),
        Quirk(
            "the code challenge is in hexadecimal digits", key: "`authorization.pkce: { encoding: hex }`",
            neededBy: "TikTok (desktop)"
        ) {
            let fixture = try SignInFixture(odd: "authorization: { pkce: { encoding: hex } }")
            let request = try await fixture.client.beginSignIn()
            let sent = query(of: request.url)
            #expect(sent["code_challenge_method"] == "S256")
            let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
            _ = try await fixture.client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
            let body = try #require(await fixture.requests(to: .token).first?.bodyText)
            let verifier = try #require(query(of: "https://odd.example/?" + body)["code_verifier"])
            let hash = SHA256.hash(data: Data(verifier.utf8)).map { String(format: "%02x", $0) }.joined()
            #expect(sent["code_challenge"] == hash)
        },
        Quirk(
            "only the callback names the granted scopes", key: "`scopes.granted_from: callback`",
            neededBy: "Strava; with a parameter also at Facebook (granted_scopes)"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    scopes: { default: [read, write], separator: ',', granted_from: callback }
                    callback: { rename: { scope: granted_scopes } }
                    """)
            let request = try await fixture.client.beginSignIn()
            let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
            #expect(callback.contains("&granted_scopes=read%2Cwrite"))
            // The person leaves one out. Nobody can add one to the address.
            let fewer = callback.replacing("granted_scopes=read%2Cwrite", with: "granted_scopes=read,admin")
            let session = try await fixture.client.completeSignIn(
                AuthorizationCallback(url: fewer), for: request.pending)
            #expect(try await session.tokens().scopes == ["read"])
            #expect(try fixture.lastResponse().contains("scope") == false)
        },
        Quirk(
            "the ID token has no nonce", key: "`authorization.nonce: { none: REASON }`",
            neededBy: "Asana, LinkedIn; with the scope openid also Docusign and Dropbox"
        ) {
            let fixture = try SignInFixture(odd: openID + "authorization: { nonce: { none: never repeated } }")
            #expect(try await fixture.authorizationURL() == "\(start)&scope=openid\(end)")
            #expect(try await fixture.signIn().tokens().idToken != nil)
        },
        Quirk(
            "the ID token contains the nonce only sometimes", key: "`authorization.nonce: { optional: REASON }`",
            neededBy: "FACEIT, QuickBooks, World ID"
        ) {
            let fixture = try SignInFixture(
                odd: openID + "authorization: { nonce: { optional: left out after a consent } }")
            #expect(
                try await fixture.authorizationURL()
                    == "\(start)&scope=openid" + end.replacing("&code_challenge=", with: "&nonce=*&code_challenge="))
            let token = try #require(await fixture.signIn().tokens().idToken)
            #expect(try claims(of: token.reveal())["nonce"] == nil)
        },
        Quirk(
            "the code has another name in the callback", key: "`callback.rename`",
            neededBy: "3: Amazon Selling Partner (spapi_oauth_code)"
        ) {
            let fixture = try SignInFixture(odd: "callback: { rename: { code: spapi_oauth_code } }")
            let request = try await fixture.client.beginSignIn()
            let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
            #expect(
                masked(callback)
                    == "\(SignInFixture.redirectURI)?spapi_oauth_code=4%2F%2B%26%3D%2541%20*&state=*")
            let response = AuthorizationCallback(url: callback)
            _ = try await fixture.client.completeSignIn(response, for: request.pending)
            #expect(await fixture.requests(to: .token).count == 1)
        },
        Quirk(
            "the state has another name", key: "`authorization.rename`, `callback.rename`",
            neededBy: "Shopline (customField)"
        ) {
            for (keys, sent, returned) in [
                ("authorization: { rename: { state: customField } }", "customField", "customField"),
                ("callback: { rename: { state: relay } }", "state", "relay"),
            ] {
                let fixture = try SignInFixture(odd: keys)
                let expected = "\(start)&scope=read" + end.replacing("&state=", with: "&\(sent)=")
                #expect(try await fixture.authorizationURL() == expected)
                let request = try await fixture.client.beginSignIn()
                let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
                #expect(masked(callback).hasSuffix("&\(returned)=*"))
                let response = AuthorizationCallback(url: callback)
                #expect(request.pending.matches(response))
                _ = try await fixture.client.completeSignIn(response, for: request.pending)
            }
        },
        Quirk(
            "errors of the callback have other codes", key: "`callback.errors.codes`, `callback.rename`",
            neededBy: "LinkedIn (user_cancelled_login), Deezer"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    callback:
                      rename: { error: error_reason, error_description: errorMessage }
                      errors: { codes: { user_cancelled_login: access_denied } }
                    """,
                faults: [.denied]
            )
            let request = try await fixture.client.beginSignIn()
            let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
            #expect(
                masked(callback)
                    == "\(SignInFixture.redirectURI)?error_reason=user_cancelled_login"
                    + "&errorMessage=the%20user%20denied%20access&state=*")
            let response = AuthorizationCallback(url: callback)
            let error = try await #require(throws: OAuthError.self) {
                try await fixture.client.completeSignIn(response, for: request.pending)
            }
            #expect(error.server?.code == "access_denied")
            #expect(error.server?.message == "the user denied access")
            #expect(error.disposition == .signInAgain)
            // The standard's own error is understood as well.
            let second = try await fixture.client.beginSignIn()
            let standard = AuthorizationCallback(
                url: "\(SignInFixture.redirectURI)?error=server_error&state=\(second.pending.id.reveal())")
            let own = try await #require(throws: OAuthError.self) {
                try await fixture.client.completeSignIn(standard, for: second.pending)
            }
            #expect(own.server?.code == "server_error")
        },
        Quirk(
            "the callback has a tenant or a webhook instead of a code",
            neededBy: "2: Microsoft's admin consent, Sentry",
            missing: "it is no authorization code grant"),
        Quirk(
            "the client secret is a parameter of the authorization request",
            neededBy: "Neato",
            missing: "the request is a URL, which the browser keeps and the user can read"),
        Quirk("user data is only in the first callback", key: "`profile.callback`", neededBy: "Apple") {
            let keys = """
                authorization: { response_mode: form_post }
                callback:
                  capture:
                    user:
                      pattern: '[{].+[}]'
                      example: '{"name":{"firstName":"Jane","lastName":"Doe"},"email":"jane@odd.example"}'
                      optional: true
                profile: { callback: { from: user, given_name: /name/firstName, family_name: /name/lastName } }
                """
            let fixture = try SignInFixture(odd: openID + keys)
            func signIn() async throws -> (form: String, session: Session) {
                let request = try await fixture.client.beginSignIn()
                let response = try await fixture.sandbox.callback(approving: request.url)
                let form = response.form ?? ""
                let callback = AuthorizationCallback(postedTo: response.url, form: form)
                return (form, try await fixture.client.completeSignIn(callback, for: request.pending))
            }
            let user =
                "user=%7B%22name%22%3A%7B%22firstName%22%3A%22Jane%22%2C%22lastName%22%3A%22Doe%22%7D%2C"
                + "%22email%22%3A%22jane%40odd.example%22%7D"
            for round in 1...2 {
                let (form, session) = try await signIn()
                #expect(form.hasSuffix("&\(user)") == (round == 1))
                #expect(form.contains("user=") == (round == 1))
                let profile = try await session.profile()
                #expect(profile.givenName == "Jane")
                #expect(profile.familyName == "Doe")
                // Nobody signs it: it says no more than a name.
                #expect(profile.email == nil)
            }
        },
    ]
}
