import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

private let endpoints = """
    endpoints:
      authorization: https://odd.example/authorize
      token: https://odd.example/token
      userinfo: https://odd.example/me

    """

extension Quirk {
    static let partsAndClaims = [
        Quirk(
            "a claim is made of others, or of the token response", key: "`profile.derive`",
            neededBy: "32: Discord, Steam, Zalo"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    inputs: { title: { optional: true } }
                    token: { response: { capture: { region: { from: /region, example: eu } } } }
                    profile:
                      claims: { subject: /id, hash: /avatar, first: /first, last: /last }
                      derive:
                        subject: "{token.region}:{claim.subject}"
                        name: "{join(' ', title, claim.first, claim.middle, claim.last)}"
                        picture: "https://cdn.odd.example/{claim.subject}/{claim.hash}.png"
                        nickname: "{claim.handle}"
                      requests:
                        - { url: 'https://api.odd.example/more', claims: { middle: /middle, handle: /handle } }
                    samples: { userinfo: { id: 7, avatar: a1, first: Ada, last: Byron } }

                    """)
            let session = try await fixture.signIn()
            let profile = try await session.profile()
            #expect(profile.subject == "eu:7")
            #expect(await fixture.store.load(session.key)?.connection.subject == "eu:7")
            #expect(profile.name == "Ada 1 Byron")
            // Every template sees the claims as they were read.
            #expect(profile.picture == "https://cdn.odd.example/7/a1.png")
            #expect(profile["nickname"]?.string == "1")
        },
        Quirk(
            "a claim is made of others for users without it", key: "`profile.derive` with `when_missing`",
            neededBy: "TrainingPeaks"
        ) {
            for (member, expected) in [(", login: ada7", "ada7"), ("", "ada.byron")] {
                let fixture = try SignInFixture(
                    odd: endpoints + """
                        profile:
                          claims: { subject: /id, username: /login, given_name: /first, family_name: /last }
                          derive:
                            username:
                              value: "{lower(claim.given_name)}.{lower(claim.family_name)}"
                              when_missing: true
                            nickname: { value: "{lower(claim.given_name)}" }
                        samples: { userinfo: { id: 7, first: Ada, last: Byron\(member) } }

                        """)
                let profile = try await fixture.signIn().profile()
                #expect(profile.username == expected)
                #expect(profile["nickname"]?.string == "ada")
            }
        },
        Quirk(
            "a claim is a member of each element of a list", key: "`profile.claims` with `root` and `each`",
            neededBy: "Yammer, LINE WORKS, Cronofy"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    profile:
                      claims:
                        subject: /id
                        groups: { root: /teams, each: [/slug, /name] }
                        teams: { root: /teams, each: '' }
                    samples: { userinfo: { id: 7, teams: [{ name: red }, { other: 1 }, { slug: blue, name: Blue }] } }

                    """)
            let profile = try await fixture.signIn().profile()
            #expect(profile["groups"] == ["red", "blue"])
            #expect(profile["teams"] == [["name": "red"], ["other": 1], ["slug": "blue", "name": "Blue"]])
        },
        Quirk(
            "a claim is in one element of a list", key: "`profile.claims` with `root`, `where` and `first`",
            neededBy: "the primary address of SCIM; Frappe, Podio"
        ) {
            let claims = """
                profile:
                  from: SOURCE
                  claims:
                    subject: { root: /ids, where: { provider: odd }, first: /id }
                    email: { root: /mails, where: { primary: true, /kind/name: [work, home] }, first: [/address, /no] }
                    email_verified: { root: /mails, where: { primary: true }, first: /verified }
                    mails: { root: /mails, each: /address }
                    checked: { root: /mails, where: { verified: [true, yes] }, first: /address }
                    phone: { root: /phones, where: { primary: true }, first: /number }
                    picture: { root: /image, where: { has_image: true }, first: /url }
                    banner: { root: /image, where: { has_image: false }, first: /url }

                """
            let body = """
                ids: [{ provider: other, id: 1 }, { provider: odd, id: 7 }],
                mails: [
                  { address: a@old.example, primary: false, kind: { name: work }, verified: false },
                  { address: a@odd.example, primary: true, kind: { name: home }, verified: true }],
                phones: [{ number: 1, primary: false }],
                image: { url: 'https://odd.example/a.png', has_image: true }
                """
            for source in ["userinfo", "token"] {
                let fixture = try SignInFixture(
                    odd: endpoints + claims.replacing("SOURCE", with: source)
                        + (source == "token"
                            ? "samples: { token: { access_token: a, token_type: Bearer, \(body) } }\n"
                            : "samples: { userinfo: { \(body) } }\n"))
                let profile = try await fixture.signIn().profile()
                #expect(profile.subject == "7")
                #expect(profile.email == "a@odd.example")
                #expect(profile.isEmailVerified == true)
                #expect(profile["mails"] == ["a@old.example", "a@odd.example"])
                #expect(profile["checked"] == "a@odd.example")
                #expect(profile["phone"] == nil)
                #expect(profile["picture"] == "https://odd.example/a.png")
                #expect(profile["banner"] == nil)
            }
            // In a further response, and of a body that is the list.
            let further = try SignInFixture(
                odd: endpoints + """
                    profile:
                      claims: { subject: { where: { provider: odd }, first: /id } }
                      requests:
                        - url: https://api.odd.example/more
                          claims:
                            email: { root: /mails, where: { primary: true }, first: /address }
                            teams: { root: /teams, each: /slug }
                            nickname: /nick
                          sample:
                            nick: a
                            mails: [{ address: a@old.example }, { address: a@odd.example, primary: true }]
                            teams: [{ slug: red }, { slug: blue }]
                    samples: { userinfo: [{ provider: other, id: 1 }, { provider: odd, id: 7 }] }

                    """)
            let profile = try await further.signIn().profile()
            #expect(profile.subject == "7")
            #expect(profile.email == "a@odd.example")
            #expect(profile["teams"] == ["red", "blue"])
            #expect(profile["nickname"] == "a")
        },
        Quirk(
            "a time says that the e-mail address is verified",
            key: "`profile.claims` with `{ present: POINTER }`",
            neededBy: "Paymenter, the APIs of GitLab and Supabase"
        ) {
            func verified(_ keys: String, _ user: SandboxUser = .sample) async throws -> [JSONValue?] {
                let fixture = try SignInFixture(try oddProvider(endpoints + keys), user: user)
                let profile = try await fixture.signIn().profile()
                return [profile["email_verified"], profile["main"], profile["at"]]
            }
            let claims = """
                profile:
                  from: SOURCE
                  claims:
                    subject: /id
                    email_verified: { present: /mail/at }
                    main: { root: /mails, where: { primary: true }, present: /at }
                    at: /mail/at

                """
            let times: [(member: String, isVerified: Bool)] = [
                ("at: '2026-01-01', ", true), ("at: null, ", false), ("", false),
            ]
            for (member, isVerified) in times {
                let body =
                    "id: 7, mail: { \(member)of: x }, mails: [{ at: 1, primary: false }, { \(member)primary: true }]"
                for (source, sample) in [
                    ("userinfo", "userinfo: { \(body) }"),
                    ("token", "token: { access_token: a, token_type: Bearer, \(body) }"),
                ] {
                    let keys = claims.replacing("SOURCE", with: source) + "samples: { \(sample) }\n"
                    let time: JSONValue? = isVerified ? "2026-01-01" : nil
                    let found = try await verified(keys)
                    #expect(found == [.bool(isVerified), .bool(isVerified), time], "\(keys)")
                }
                let further = """
                    profile:
                      claims: { subject: /id }
                      requests:
                        - url: https://odd.example/mail
                          claims: { email: /mail, email_verified: { present: /at } }
                          sample: { \(member)mail: a@odd.example }

                    """
                #expect(try await verified(further)[0] == .bool(isVerified), "\(further)")
            }
            // Without a sample, the sandbox makes such a provider, too.
            for isVerified in [true, false] {
                let user = SandboxUser(label: "Ada", claims: ["subject": "7", "email_verified": .bool(isVerified)])
                let keys = "profile: { claims: { subject: /id, email_verified: { present: /at }, at: /at } }\n"
                let found = try await verified(keys, user)
                #expect(found[0] == .bool(isVerified) && (found[2]?.string != nil) == isVerified, "\(found)")
            }
        },
        Quirk(
            "the name comes in two parts", key: "nothing: `name` is `given_name` and `family_name` if it is missing",
            neededBy: "32: LinkedIn, Strava, Naver"
        ) {
            let names: [(sample: String, name: String?)] = [
                ("{ id: 7, given_name: Ada, family_name: Byron }", "Ada Byron"),
                ("{ id: 7, family_name: Byron }", "Byron"),
                ("{ id: 7, name: A. B., given_name: Ada }", "A. B."), ("{ id: 7 }", nil),
            ]
            for (sample, name) in names {
                let fixture = try SignInFixture(
                    odd: endpoints + "profile: { claims: { subject: /id } }\nsamples: { userinfo: \(sample) }\n")
                #expect(try await fixture.signIn().profile().name == name)
            }
        },
        Quirk(
            "nothing identifies the user", key: "`profile.subject: { none: REASON }`; the host names the account",
            neededBy: "Printful"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    profile: { claims: { name: /title }, subject: { none: No response has an identifier. } }
                    samples: { userinfo: { title: Shop, sub: not the user } }

                    """)
            let session = try await fixture.signIn()
            let profile = try await session.profile()
            #expect(profile.subject == nil)
            #expect(profile.name == "Shop")
            #expect(await fixture.store.load(session.key)?.connection.subject == nil)
        },
        Quirk(
            "the token is the application's; a later request has the code", key: "`token.omit: [code]`, `exchange`",
            neededBy: "WeCom, Infoflow"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    authorization: { pkce: { none: The token request has no code. } }
                    scopes: { when_empty: omit }
                    token: { omit: [code, redirect_uri, grant_type], parameters: { scope: '{client.scope}' } }
                    exchange:
                      user:
                        url: https://api.odd.example/user
                        method: GET
                        brings: values
                        parameters: { code: '{callback.code}' }
                        capture: { id: { from: /id, example: u1 } }
                        sample: { id: u1 }
                    profile: { parameters: { userid: '{step.id}' }, claims: { subject: /id } }
                    samples: { token: { access_token: a, token_type: Bearer }, userinfo: { id: 7 } }

                    """, secret: "hush")
            // It is a sign-in, and not a grant of the client's own.
            #expect(try await fixture.signIn().profile().subject == "7")
            #expect(await fixture.wire(.userinfo).last == "GET https://odd.example/me?userid=u1")
            // No scope was requested, so the parameter is left out.
            let sent = await fixture.wire(.token)
            #expect(sent == ["POST https://odd.example/token"])
        },
        Quirk(
            "the client id is in the path of the page", key: "`endpoints.authorization: https://.../{client.id}`",
            neededBy: "Instructure, Zoho Desk"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints:
                      authorization: https://odd.example/{client.id}/authorize
                      token: https://odd.example/{client.id}/token
                    samples: { token: { access_token: a, token_type: Bearer } }

                    """)
            _ = try await fixture.signIn()
            #expect(try await fixture.authorizationURL().hasPrefix("https://odd.example/client/authorize?"))
            #expect(await fixture.wire(.token).first?.hasPrefix("POST https://odd.example/client/token") == true)
        },
        Quirk(
            "a refresh repeats the redirect URI and the requested scopes",
            key: "`refresh.parameters`: `{client.redirect_uri}`, `{client.scope}`", neededBy: "Mixer, Amazon Seller"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints: { authorization: https://odd.example/authorize, token: https://odd.example/token }
                    scopes: { default: [read, write] }
                    refresh: { parameters: { redirect_uri: '{client.redirect_uri}', scope: '{client.scope}' } }

                    """)
            _ = try await fixture.signIn().refresh()
            let request = try #require(await fixture.wire(.token).last)
            let parameters = request.split(whereSeparator: "\n&".contains)
            for expected in ["grant_type=refresh_token", "redirect_uri=\(redirect)", "scope=read%20write"] {
                #expect(parameters.contains { $0 == expected }, "\(request)")
            }
        },
        Quirk(
            "the host chooses the scopes of a second parameter",
            key: "`scopes.extra`, and `AuthorizationOptions(extraScopes:)`",
            neededBy: "the Web API of Slack (user_scope)"
        ) {
            let fixture = try SignInFixture(
                odd: "scopes: { default: [read], extra: { user_scope: [chat], team: [] } }\n")
            let options = AuthorizationOptions(extraScopes: ["user_scope": ["chat", "files"], "team": ["all"]])
            _ = try await fixture.signIn(options)
            let url = try await fixture.authorizationURL(options)
            #expect(url.contains("&user_scope=chat%20files&team=all&"))
            let error = await #expect(throws: OAuthError.self) {
                _ = try await fixture.client.beginSignIn(AuthorizationOptions(extraScopes: ["bot_scope": ["x"]]))
            }
            #expect(error?.descriptorKey == "scopes.extra")
        },
        Quirk(
            "the right object is found by a list, or by a member further down",
            key: "`where`: a member or a pointer; a list has each of its elements", neededBy: "4: Xero, Bullhorn"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    profile:
                      claims: { subject: /id }
                      requests:
                        - url: https://odd.example/mails
                          root: /items
                          where: { kinds: work, /state/is: 'on' }
                          claims: { email: /address }
                          sample:
                            items:
                              - { kinds: [home], state: { is: 'on' }, address: home@odd.example }
                              - { kinds: [work, main], state: { is: 'off' }, address: old@odd.example }
                              - { kinds: [main, work], state: { is: 'on' }, address: work@odd.example }

                    """)
            #expect(try await fixture.signIn().profile().email == "work@odd.example")
        },
        Quirk(
            "the groups of the user are at another URL, for a scope",
            key: "`profile.requests`: `any_of`, and `claims` with `{ each: POINTER }`",
            neededBy: "GitHub (organizations), Discord (servers)"
        ) {
            func fixture(_ scope: String) throws -> SignInFixture {
                try SignInFixture(
                    odd: endpoints + """
                        scopes: { default: [\(scope)], catalog: [read, { id: admin, implies: [teams] }, teams] }
                        profile:
                          claims: { subject: /id }
                          requests:
                            - url: https://api.odd.example/teams
                              any_of: [all.teams, teams]
                              parameters: { per_page: '100' }
                              root: /items
                              where: { state: active }
                              claims: { groups: { each: [/slug, /id] }, teams: { each: '' }, owner: /owner }
                              sample:
                                items:
                                  - { slug: old, state: left, owner: nobody }
                                  - { slug: board, state: active, owner: ada }
                                  - { id: 7, state: active, owner: bob }
                                  - { slug: { of: x }, state: active }
                                  - { state: active }

                        """)
            }
            let works = try fixture("admin")
            let profile = try await works.signIn().profile()
            #expect(profile.failures.isEmpty)
            #expect(profile["groups"] == ["board", 7, ["of": "x"]])
            #expect(profile["teams"]?.array?.map { $0["owner"]?.string } == ["ada", "bob", nil, nil])
            #expect(profile["owner"] == "ada")
            #expect(await works.sandbox.requests.last?.url == "https://api.odd.example/teams?per_page=100")
            let without = try fixture("read")
            let session = try await without.signIn()
            let less = try await session.profile()
            #expect(less["groups"] == nil && less.failures.isEmpty)
            #expect(await without.sandbox.requests.last?.url == "https://odd.example/me")
            // The sandbox refuses what the scope does not open, as the provider does.
            let token = try await session.tokens().accessToken.reveal()
            var request = HTTPRequest(url: "https://api.odd.example/teams?per_page=100")
            request.headerFields[.authorization] = "Bearer \(token)"
            #expect(await without.sandbox.respond(to: request, body: []).0.status == .forbidden)
        },
        Quirk(
            "the access token is a parameter of the body", key: "`profile.token_in: { body: NAME, because: REASON }`",
            neededBy: "Odnoklassniki, VK"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    profile:
                      method: POST
                      token_in: { body: access_token, because: The API reads it nowhere else. }
                      parameters: { fields: all }
                      claims: { subject: /id }

                    """)
            let session = try await fixture.signIn()
            _ = try await session.profile()
            let token = try await session.tokens().accessToken.reveal()
            let request = try #require(await fixture.sandbox.requests.last)
            #expect(request.url == "https://odd.example/me")
            #expect(String(decoding: request.body, as: UTF8.self) == "fields=all&access_token=\(token)")
            #expect(request.headers[.authorization] == nil)
        },
        Quirk(
            "a JSON body has objects, lists, numbers and booleans",
            key: "`parameters`: any JSON value whose strings are templates",
            neededBy: "Wix, TikTok Shop, GraphQL variables"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + #"""
                    token: { response: { capture: { user: { from: /user, example: 'a"b\c' } } } }
                    profile:
                      method: POST
                      body: json
                      parameters:
                        query: "{join('', 'query($id: ID!) { user(id: $id) { id } }')}"
                        variables: { id: '{token.user}', first: 10, all: true, kinds: [a, '{client.id}'], none: null }
                        version: 2
                        label: '2'
                        absent: { of: '{token.scope|x}', by: "{capture(token.user, '[0-9]+')}" }
                      root: /data
                      claims: { subject: /id }

                    """#)
            #expect(try await fixture.signIn().profile().subject != nil)
            let request = try #require(await fixture.sandbox.requests.last)
            let sent = String(decoding: request.body, as: UTF8.self)
            let variables = #"{"id":"a\"b\\c","first":10,"all":true,"kinds":["a","client"],"none":null}"#
            #expect(
                sent == #"{"version":2,"label":"2","query":"query($id: ID!) { user(id: $id) { id } }","variables":"#
                    + variables + "}")
        },
        Quirk(
            "a profile or a lookup reports an error with status 200",
            key:
                "`profile.success`, `profile.errors`; also in `profile.requests`, `connection.lookups` and `on_connect`",
            neededBy: "DingTalk"
        ) {
            func fixture(_ code: String, lookup: String = "0") throws -> SignInFixture {
                try SignInFixture(
                    odd: endpoints + """
                        profile:
                          success: { field: /code, equals: [0] }
                          errors: { error: /code, error_description: /msg, codes: { 401: invalid_token } }
                          root: /data
                          claims: { subject: /id }
                        connection:
                          lookups:
                            site:
                              url: https://odd.example/sites
                              success: { field: /code, equals: [0] }
                              errors: { error: /code, error_description: /msg }
                              value: /id
                              sample: { code: \(lookup), msg: no site, id: 7 }
                        samples: { userinfo: { code: \(code), msg: expired, data: { id: 7 } } }

                        """, isLinted: code == "0" && lookup == "0")
            }
            let works = try fixture("0")
            #expect(try await works.signIn().profile().subject == "7")
            let expired = try fixture("401")
            let error = await #expect(throws: OAuthError.self) { _ = try await expired.signIn().profile() }
            #expect(error?.step == .profile)
            #expect(error?.kind == .unauthorized)
            #expect(error?.server?.code == "invalid_token")
            let refused = await #expect(throws: OAuthError.self) { _ = try await fixture("0", lookup: "5").signIn() }
            #expect(refused?.kind == .serverError)
            #expect(refused?.descriptorKey == "connection.lookups.site.success")
            #expect(refused?.server?.code == "5")
        },
        Quirk(
            "a step has the token inside another text", key: "`exchange.NAME.parameters: \"d={token.access_token}\"`",
            neededBy: "Weibo"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    endpoints: { authorization: https://odd.example/authorize, token: https://odd.example/token }
                    exchange:
                      long:
                        url: https://odd.example/long
                        parameters: { ticket: 'd={token.access_token}' }
                        sample: { access_token: odd-1, token_type: Bearer }
                    samples: { token: { access_token: id.17, token_type: Bearer } }

                    """)
            let session = try await fixture.signIn()
            let token = try await session.tokens().accessToken.reveal()
            #expect(token.hasPrefix("odd-"))
            // The tokens have the form of the samples, so that a pattern on them means the same here.
            let ticket = try #require(await fixture.sandbox.requests.last)
            let sent = String(decoding: ticket.body, as: UTF8.self)
            #expect(sent.hasPrefix("ticket=d%3Did."))
            let hasForm = sent.dropFirst("ticket=d%3Did.".count).allSatisfy(\.isNumber)
            #expect(hasForm)
        },
        Quirk(
            "the whole name has to be split", key: "`profile.derive`: `{capture(claim.name, '([^ ]+).*')}`",
            neededBy: "social-core: each backend that has only one name"
        ) {
            let split = """
                profile:
                  claims: { subject: /id }
                  derive:
                    given_name: "{capture(claim.name, '([^ ]+).*')}"
                    family_name: "{capture(claim.name, '[^ ]+ (.+)')}"

                """
            for (name, given, family) in [("Ada King Lovelace", "Ada", "King Lovelace"), ("Ada", "Ada", nil)] {
                let fixture = try SignInFixture(
                    odd: endpoints + split + "samples: { userinfo: { id: 7, name: \(name) } }\n")
                let profile = try await fixture.signIn().profile()
                #expect(profile.givenName == given)
                #expect(profile.familyName == family)
            }
        },
        Quirk(
            "a text in JSON is percent-encoded", key: "`profile.derive`: `{urldecode(claim.NAME)}`", neededBy: "Taobao"
        ) {
            // What is not encoded stays as it is.
            for (nick, expected) in [("W%C3%B6lfe+17%25", "Wölfe 17%"), ("100%", "100%")] {
                let fixture = try SignInFixture(
                    odd: """
                        endpoints: { authorization: https://odd.example/authorize, token: https://odd.example/token }
                        profile:
                          from: token
                          claims: { subject: /uid, username: /nick }
                          derive: { username: "{urldecode(claim.username)}" }
                        samples: { token: { access_token: x, token_type: Bearer, uid: 7, nick: \(nick) } }

                        """)
                #expect(try await fixture.signIn().profile().username == expected)
            }
        },
        Quirk(
            "a claim is a list of strings", key: "`profile.derive`: `{join(' ', claim.NAME)}`",
            neededBy: "Odnoklassniki"
        ) {
            let fixture = try SignInFixture(
                odd: endpoints + """
                    profile:
                      claims: { subject: /id, names: /names, none: /nobody, empty: /empty }
                      derive: { name: "{join(' ', claim.none, claim.names, claim.empty)}", nickname: "{claim.names}" }
                    samples: { userinfo: { id: 7, names: [Ada, King, 3], empty: [] } }

                    """)
            let profile = try await fixture.signIn().profile()
            #expect(profile.name == "Ada King 3")
            #expect(profile["names"] == ["Ada", "King", 3])
            #expect(profile["nickname"] == nil)
        },
        Quirk(
            "a GraphQL API reports errors with status 200, in a member that is missing otherwise",
            key: "`profile.success: { field: /errors, equals: [null] }`, `profile.errors`", neededBy: "Mautic, GraphQL"
        ) {
            func fixture(_ sample: String, isLinted: Bool) throws -> SignInFixture {
                try SignInFixture(
                    odd: endpoints + """
                        profile:
                          success: { field: /errors, equals: [null] }
                          errors: { error: /errors/0/extensions/code, codes: { UNAUTHENTICATED: invalid_token } }
                          root: /data/me
                          claims: { subject: /id }
                        samples: { userinfo: \(sample) }

                        """, isLinted: isLinted)
            }
            let works = try fixture("{ data: { me: { id: 7 } } }", isLinted: true)
            #expect(try await works.signIn().profile().subject == "7")
            let expired = try fixture(
                "{ errors: [{ message: expired, extensions: { code: UNAUTHENTICATED } }] }", isLinted: false)
            let error = await #expect(throws: OAuthError.self) { _ = try await expired.signIn().profile() }
            #expect(error?.kind == .unauthorized && error?.server?.code == "invalid_token")
        },
        Quirk(
            "only a claim of the access token identifies the user",
            key: "`profile.from: token`, `profile.derive.subject`: `{jwt_claim(token.access_token, '/NAME')}`",
            neededBy: "myUplink, Yale, Watts Vision"
        ) {
            // {"userId":"u-1"}, without a signature.
            let token = "eyJhbGciOiJub25lIn0.eyJ1c2VySWQiOiJ1LTEifQ."
            let fixture = try SignInFixture(
                odd: """
                    profile: { from: token, derive: { subject: "{jwt_claim(token.access_token, '/userId')}" } }
                    samples: { token: { access_token: \(token), token_type: Bearer } }
                    """)
            #expect(try await fixture.signIn().profile().subject == "u-1")
        },
        Quirk(
            "JSON inside a string", neededBy: "1",
            missing: "the host has the raw profile; templates build strings"
        ),
        Quirk(
            "the profile is XML", neededBy: "GSIS (Greece)",
            missing: "a second parser for one provider; the host must send this request itself"
        ),
        Quirk(
            "MD5 over the sorted parameters, or SHA-1 over each call", neededBy: "Odnoklassniki, JD, Youzan",
            missing: "a signature scheme of one provider, with hashes that no new protocol may use"
        ),
        Quirk(
            "no state in any form, the token itself in the callback, a script instead of a page",
            neededBy: "Steam, Zalo",
            missing: "it is no authorization code grant, and nothing would protect the sign-in"
        ),
    ]
}
