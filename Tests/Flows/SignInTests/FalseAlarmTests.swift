import Carnet
import CarnetDescriptors
import CarnetLint
import CarnetProtocol
import CarnetSimulation
import Foundation
import Testing

/// Descriptors about which the linter was once wrong, or silent, or hard to understand. Those that it must pass also sign in.
@Suite("What the linter once got wrong") struct FalseAlarmTests {
    private static let head = """
        carnet: 1
        id: odd
        name: Odd

        """
    private static let endpoints = """
        endpoints: { authorization: 'https://odd.example/authorize', token: 'https://odd.example/token' }
        scopes: { default: [read] }

        """

    private static func findings(_ text: String) -> [Diagnostic] {
        Linter(simulator: SampleSimulator())
            .lint(files: [SourceFile(path: "odd.yaml", text: text)]).diagnostics
    }

    /// Keys that are right, with the rule that reported them.
    static let right: [(rule: String, keys: String)] = [
        ("C003", endpoints + "token: { omit: [grant_type], parameters: { grant_type: authorized_code } }\n"),
        (
            "R002",
            """
            issuer: https://odd.example
            scopes: { default: [openid] }
            client: { authentication: [client_secret_jwt] }

            """
        ),
        (
            "E030",
            endpoints + """
                api: { base_url: 'https://api.odd.example' }
                connection:
                  lookups:
                    co: { url: /companies, value: /id, sample: { id: 7 } }
                    me: { url: '/companies/{connection.co}/me', value: /id, sample: { id: 8 } }

                """
        ),
        (
            "K105",
            endpoints + """
                inputs: { region: { optional: true } }
                tables: { apis: { eu: api.eu.odd.example } }
                api: { base_url: "https://{map(region, 'apis')|api.odd.example}" }
                resources: [{ scope: read, title: X, url: /x }]

                """
        ),
        ("C004", endpoints + "authorization: { parameters: { nonce: '{random()}' } }\n"),
        ("C003", endpoints + "authorization: { parameters: { request: authorize } }\n"),
        ("C003", endpoints + "refresh: { parameters: { scope: read } }\n"),
        (
            "T003",
            endpoints + """
                profile: { claims: { subject: /id, division: /d }, from: token }
                samples: { token: { access_token: redacted, token_type: Bearer, id: 1, d: null } }

                """
        ),
        (
            "C003",
            endpoints + """
                client: { authentication: [client_secret_basic] }
                token: { parameters: { client_id: '{client.id}' } }

                """
        ),
        (
            "T004",
            endpoints + """
                token: { response: { capture: { jwt: { from: /jwt, example: x, optional: true } } } }
                samples: { token: { access_token: redacted, token_type: Bearer } }

                """
        ),
        (
            "T006",
            endpoints + """
                token: { response: { fields: { id_token: /none } } }
                samples:
                  token: { access_token: redacted, token_type: Bearer, id_token: eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1LTEifQ. }

                """
        ),
        ("S002", endpoints.replacing("[read] }", with: "[read, write], separator: '+' }")),
        ("T062", endpoints + "profile: { claims: { subject: /id, email_verified_at: /verified } }\n"),
        ("K121", endpoints + "callback: { capture: { shop: { pattern: '[a-z]{1,128}', example: acme } } }\n"),
        (
            "C010",
            endpoints + "client: { authentication: [client_secret_basic] }\nclient_credentials: { method: GET }\n"
        ),
        ("M005", endpoints + "docs: http://odd.example/docs\n"),
        ("T062", endpoints + "profile: { claims: { subject: /id, emails: /emails } }\n"),
        (
            "S001",
            endpoints.replacing("[read]", with: "[\"role:{join('', urlencode(role), '.x')}\"]")
                + "inputs: { role: { type: text, example: 'a b', default: 'a b' } }\n"
        ),
    ]

    @Test("is passed now, and signs in", arguments: right.indices)
    func isPassed(index: Int) async throws {
        let (rule, keys) = Self.right[index]
        let found = Self.findings(Self.head + keys)
        #expect(found.filter { $0.severity == .error } == [], "\(rule)")
        let secret = keys.contains("client_secret_") ? String(repeating: "s", count: 32) : nil
        let session = try await SignInFixture(try descriptor(Self.head + keys), secret: secret).signIn()
        if keys.hasPrefix("endpoints"), keys.contains("refresh:") { _ = try await session.refresh() }
    }

    /// Keys that are wrong, with the finding and a part of its words.
    static let wrong: [(code: String, words: String, keys: String)] = [
        ("C007", "no parameter \"scope\"", "refresh: { omit: [scope] }\n"),
        ("C008", "make it from the client's secret, a token", "api: { headers: { Authorization: x } }\n"),
        (
            "K005", "put other braces between quotes",
            "profile: { method: POST, parameters: { query: '{ viewer { id } }' } }\n"
        ),
        ("K002", "between quotes: '{tenant}'", "authorization: { parameters: { tenant: {tenant} } }\n"),
        ("K106", "without an issuer there are no ID tokens", "authorization: { nonce: required }\n"),
        (
            "K106", "id_token.none says that there are no ID tokens",
            "discovery_url: https://id.odd.example/m\nid_token: { none: a reason }\nauthorization: { omit: [nonce] }\n"
        ),
        (
            "K120", "keep it: token: { response: { capture: { shop",
            "callback: { capture: { realm: realmId } }\nrefresh: { headers: { X-A: '{token.shop}' } }\n"
        ),
        (
            "E007", "start the template with {token.instance_url}",
            """
            token: { response: { capture: { instance_url: { from: /instance_url, example: 'https://a.odd.example' } } } }
            trusted_hosts: ['*.odd.example']
            api: { base_url: "https://{token.instance_url}/x" }
            resources: [{ scope: read, title: X, url: /x }]

            """
        ),
        (
            "K120", "no key keeps the value",
            "refresh: { parameters: { x: '{callback.redirect_uri}' } }\n"
        ),
        ("K101", "did you mean {client.id}?", "token: { parameters: { a: '{client_id}' } }\n"),
        ("K101", "did you mean {token.access_token}?", "profile: { parameters: { a: '{access_token}' } }\n"),
        ("K101", "did you mean {token.scope}?", "refresh: { parameters: { a: '{scopes}' } }\n"),
        (
            "C021", "write the standard's name: client_secret",
            "token: { rename: { client_secret: key }, query_parameters: [key] }\n"
        ),
        (
            "C006", "has the standard's name on the left: client_id: app_id",
            "token: { rename: { app_id: client_id } }\n"
        ),
        (
            "C022", "not in base64", "token: { headers: { Authorization: 'Basic {client.id}:{client.secret}' } }\n"
        ),
        (
            "E042", "but not endpoints.authorization; replace it too",
            "environments: { sandbox: { endpoints: { token: 'https://sandbox.odd.example/token' } } }\n"
        ),
        (
            "K106", "token_in says where the access token is sent",
            "connection: { on_connect: [{ url: 'https://odd.example/hook', headers: { Authorization: null } }] }\n"
        ),
        (
            "E002", "give the input another name",
            """
            inputs: { issuer: { type: identifier } }
            issuer: https://{issuer}.odd.example
            api: { base_url: '{issuer}/v1' }

            """
        ),
        (
            "K004", "a [ has no ]", "callback: { capture: { shop: { pattern: '[a-z', example: acme } } }\n"
        ),
    ]

    /// Whole descriptors that lint once passed although no sign-in succeeds: the error, and why the sign-in fails.
    static let missed: [(code: String, words: String, kind: OAuthError.Kind, keys: String)] = [
        (
            "S007", "id_token: { none: REASON }", .badDescriptor,
            endpoints + "samples: { token: { access_token: x, token_type: Bearer, id_token: redacted } }\n"
        ),
        (
            "T070", "remove the claim", .subjectMismatch,
            """
            issuer: https://odd.example
            scopes: { default: [openid] }
            profile: { claims: { subject: /uid } }
            samples: { userinfo: { sub: a, uid: b } }

            """
        ),
        (
            "T070", "derive it with from: id_token", .subjectMismatch,
            """
            issuer: https://odd.example
            scopes: { default: [openid] }
            profile: { from: userinfo, derive: { subject: "{jwt_claim(token.id_token, '/oid')}" } }
            samples:
              token:
                access_token: x
                token_type: Bearer
                id_token: eyJhbGciOiAiUlMyNTYifQ.eyJzdWIiOiAicy0xIiwgIm9pZCI6ICJvLTEifQ.
              userinfo: { sub: s-1, oid: o-1 }

            """
        ),
        (
            "T070", "id_token: { none: REASON }", .subjectMismatch,
            """
            issuer: https://odd.example
            scopes: { default: [openid] }
            profile: { claims: { uid: /uid }, derive: { subject: '{lower(claim.uid)}' } }
            samples: { userinfo: { sub: a, uid: B } }

            """
        ),
        (
            "K120", "\"token.user\" is secret", .missingEndpoint,
            """
            endpoints:
              authorization: https://odd.example/authorize
              token: https://odd.example/token
              userinfo: 'https://odd.example/users/{token.user}'
            token: { response: { capture: { user: { from: /user, example: u1, secret: true } } } }
            profile: { claims: { subject: /id } }

            """
        ),
    ]

    @Test("is an error of lint, and the sign-in or its profile fails", arguments: missed.indices)
    func isMissedNoMore(index: Int) async throws {
        let (code, words, kind, keys) = Self.missed[index]
        let found = Self.findings(Self.head + keys).filter { $0.severity == .error }
        #expect(found.map(\.code) == [code])
        #expect(found.contains { "\($0.message); \($0.help ?? "")".contains(words) }, "\(found)")
        let fixture = try SignInFixture(try descriptor(Self.head + keys))
        let error = await #expect(throws: OAuthError.self) { _ = try await fixture.signIn().profile() }
        #expect(error?.kind == kind)
    }

    @Test("names the value that is missing in a URL") func missingValue() async throws {
        let keys = """
            endpoints:
              authorization: https://odd.example/authorize
              token: https://odd.example/token
              userinfo: 'https://odd.example/users/{token.user}'
            token: { response: { capture: { user: { from: /user, optional: true } } } }
            profile: { claims: { subject: /id } }
            samples: { token: { access_token: x, token_type: Bearer } }

            """
        let fixture = try SignInFixture(try descriptor(Self.head + keys))
        let error = await #expect(throws: OAuthError.self) { _ = try await fixture.signIn().profile() }
        #expect(error?.descriptorKey == "endpoints.userinfo")
        #expect(error?.message.contains("{token.user} is not known") == true, "\(error?.message ?? "")")
    }

    @Test("Null for Authorization removes the API's own, and the token is sent as usual")
    func nullForAuthorization() async throws {
        let fixture = try SignInFixture(
            odd: """
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                  userinfo: https://odd.example/me
                api: { headers: { Authorization: 'Token {token.access_token}' } }
                profile: { claims: { subject: /id }, headers: { Authorization: null } }
                samples: { userinfo: { id: 7 } }

                """)
        _ = try await fixture.signIn().profile()
        #expect(try await fixture.last() == "GET https://odd.example/me")
        #expect(try await fixture.lastHeader("Authorization")?.hasPrefix("Bearer ") == true)
    }

    @Test("A further request of the profile has no half of joined values")
    func noHalfOfJoinedValues() async throws {
        let fixture = try SignInFixture(
            odd: """
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                  userinfo: https://odd.example/me
                profile:
                  claims: { subject: /id, team: /team }
                  requests:
                    - url: https://odd.example/more
                      parameters: { id: "{claim.subject}", who: "{join(':', claim.team, claim.subject)}" }
                      claims: { email: /email }
                samples: { userinfo: { id: 7 } }

                """)
        _ = try await fixture.signIn().profile()
        #expect(try await fixture.last() == "GET https://odd.example/more?id=7")
    }

    @Test("A nonce of the descriptor's own is reported where Carnet sends one")
    func aSecondNonce() {
        let text =
            Self.head + """
                issuer: https://odd.example
                scopes: { default: [openid] }
                authorization: { parameters: { nonce: '{random()}' } }

                """
        #expect(Self.findings(text).map(\.code) == ["C003"])
    }

    @Test("A template with a value that no key keeps stops the provider where it is loaded")
    func anUnknownValueStopsTheProvider() throws {
        let text = Self.head + Self.endpoints + "refresh: { parameters: { x: '{callback.redirect_uri}' } }\n"
        let odd = try descriptor(text)
        #expect(throws: ResolutionError.self) { try odd.resolve() }
    }

    @Test("is reported now, once, and in words that help", arguments: wrong.indices)
    func isReported(index: Int) throws {
        let (code, words, keys) = Self.wrong[index]
        let found = Self.findings(Self.head + Self.endpoints + keys)
        let finding = try #require(found.first, "\(keys)")
        #expect(finding.code == code, "\(found)")
        #expect("\(finding.message); \(finding.help ?? "")".contains(words), "\(finding)")
        #expect(found.filter { $0.severity == .error }.count <= 1, "\(found)")
    }
}
