import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol
import CarnetSandbox
import CarnetSimulation
import Foundation
import HTTPTypes
import Testing

/// Descriptors that readers of the documentation wrote from the code of other libraries, about which engine, sandbox and
/// linter once said different things.
@Suite("Descriptors of readers") struct ReaderTests {
    private static let head = "carnet: 1\nid: odd\nname: Odd\n"
    private static let api = """
        endpoints:
          authorization: https://odd.example/authorize
          token: https://odd.example/token
          userinfo: https://odd.example/me

        """
    private static let dropped = """
        scopes: { default: [openid] }
        id_token: { none: Nothing needs it. }
        profile: { claims: { subject: /id } }
        samples:
          token: { access_token: x, token_type: Bearer, id_token: redacted }
          userinfo: { id: 7 }

        """
    /// `{"alg":"none"}` and `{"sub":"u-1","tenant":"t-9"}`.
    private static let jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1LTEiLCJ0ZW5hbnQiOiJ0LTkifQ."

    private static func findings(_ keys: String) -> [Diagnostic] {
        Linter(simulator: SampleSimulator())
            .lint(files: [SourceFile(path: "odd.yaml", text: head + keys)]).diagnostics
    }

    /// Keys about which there is nothing to say, with the rule that once did.
    static let quiet: [(rule: String, keys: String)] = [
        ("K106", api + dropped),
        ("C003", api + dropped + "authorization: { parameters: { nonce: '{random()}' } }\n"),
        (
            "C008",
            api + """
                profile: { headers: { Content-Type: application/json }, claims: { subject: /id } }
                samples: { userinfo: { id: 7 } }

                """
        ),
        (
            "C020",
            api + """
                client: { authentication: [client_secret_post] }
                profile:
                  parameters: { appsecret_proof: "{hmac_sha256(client.secret, token.access_token)}" }
                  claims: { subject: /id }
                api: { hosts: [calls.odd.example] }
                samples: { userinfo: { id: 7 } }

                """
        ),
        ("T001", api + "profile: { claims: { name: /login } }\nsamples: { userinfo: { sub: '1', login: ada } }\n"),
        (
            "T003",
            api + """
                profile: { claims: { subject: /id, email: /email, city: /city } }
                samples: { userinfo: { id: 7, login: ada } }

                """
        ),
        (
            "R005",
            api + """
                profile:
                  claims: { subject: /id }
                  requests: [{ url: 'https://odd.example/mails', claims: { email: /mail }, sample: { mail: b@odd.example } }]
                samples: { userinfo: { id: 7, email: a@odd.example }, expect: { claims: { email: b@odd.example } } }

                """
        ),
        (
            "C023",
            api + """
                client: { authentication: [client_secret_basic] }
                token: { parameters: { client_id: '{client.id}', client_secret: '{client.secret}' } }
                notes: [{ about: token.parameters.client_secret, because: Their server demands both. }]
                profile: { claims: { subject: /id } }
                samples: { userinfo: { id: 7 } }

                """
        ),
        (
            "K120",
            api + """
                id_token: { none: The issuer is not documented. }
                token: { response: { capture: { jwt: /id_token } } }
                profile: { claims: { subject: [] }, derive: { subject: "{jwt_claim(token.jwt, '/sub')}" } }
                samples:
                  token: { access_token: x, token_type: Bearer, id_token: \(jwt) }
                  userinfo: { login: ada }

                """
        ),
        (
            "T004",
            api + """
                token: { response: { capture: { site: { from: /site, optional: true, example: s1 } } } }
                profile: { claims: { subject: /id } }
                samples:
                  token: { access_token: x, token_type: Bearer, refresh_token: null, site: null }
                  userinfo: { id: 7, email: null }

                """
        ),
    ]

    @Test("are quiet in the linter, and work with all that follows a sign-in", arguments: quiet.indices)
    func isQuiet(index: Int) async throws {
        let (rule, keys) = Self.quiet[index]
        #expect(Self.findings(keys) == [], "\(rule)")
        let failure = try await DescriptorTrial(descriptor(Self.head + keys), sections: []).failure
        #expect(failure == nil, "\(rule)")
    }

    /// Keys with a mistake: the finding, a part of its words, and whether a sign-in, or what follows it, fails.
    static let wrong: [(code: String, words: String, fails: Bool, keys: String)] = [
        (
            "T072", "subject: { none: REASON }", true,
            api + "profile: { claims: { subject: [] } }\nsamples: { userinfo: { sub: '1' } }\n"
        ),
        (
            "K120", "the subject is made before lookups", true,
            api + """
                profile: { claims: { subject: /id }, derive: { subject: '{connection.site}:{claim.subject}' } }
                connection: { lookups: { site: { url: 'https://odd.example/s', value: /id, sample: { id: 9 } } } }
                samples: { userinfo: { id: 7 } }

                """
        ),
        (
            "K120", "id_token.none drops the ID token", true,
            api + dropped + "connection: { derive: { tenant: \"{jwt_claim(token.id_token, '/tid')}\" } }\n"
        ),
        (
            "C023", "client_secret_basic sends the secret", false,
            api + """
                client: { authentication: [client_secret_basic] }
                token: { parameters: { client_secret: '{client.secret}' } }
                profile: { claims: { subject: /id } }
                samples: { userinfo: { id: 7 } }

                """
        ),
        (
            "K106", "'profile.requests.parameters.v' has no effect", false,
            api + """
                profile:
                  claims: { subject: /id }
                  requests:
                    - { url: 'https://odd.example/m', parameters: { v: null }, claims: { email: /m }, sample: { m: a@odd.example } }
                samples: { userinfo: { id: 7 } }

                """
        ),
        (
            "T013", "did you mean /avatar_url", false,
            api
                + "profile: { claims: { subject: /id, picture: /avatar_uri } }\nsamples: { userinfo: { id: 7, avatar_url: x } }\n"
        ),
        (
            "T013", "for a time, write { present: /verified_at }", false,
            api + """
                profile: { claims: { subject: /id, email_verified: /verified_at } }
                samples: { userinfo: { id: 7, verified_at: '2026-01-01' } }

                """
        ),
        (
            "T013", "another name takes any value", false,
            api + """
                profile: { claims: { subject: /id, email_verified: /verified_by } }
                samples: { userinfo: { id: 7, verified_by: mail } }

                """
        ),
        (
            "T013", "did you mean /verified_at?", false,
            api + """
                profile: { claims: { subject: /id, email_verified: { present: /verified } } }
                samples: { userinfo: { id: 7, verified_at: '2026-01-01' } }

                """
        ),
        (
            "R005", "the claim email is b@odd.example", false,
            api + """
                profile:
                  claims: { subject: /id }
                  requests: [{ url: 'https://odd.example/mails', claims: { email: /mail }, sample: { mail: b@odd.example } }]
                samples: { userinfo: { id: 7, email: a@odd.example }, expect: { claims: { email: a@odd.example } } }

                """
        ),
        (
            "T003", "no value for the subject that 'derive' makes", true,
            api + """
                profile: { claims: { subject: /uid, note: /note }, derive: { subject: "{capture(claim.note, '[0-9]+')}" } }
                samples: { userinfo: { uid: 7, note: abc } }

                """
        ),
        (
            "T003", "no value for the subject that 'derive' makes", false,
            api + """
                profile: { claims: { subject: [], team: /team, number: /no }, derive: { subject: '{claim.team}-{claim.number}' } }
                samples: { userinfo: { team: blue } }

                """
        ),
    ]

    @Test("have one finding for a mistake, and an error stops the sign-in or what follows it", arguments: wrong.indices)
    func isWrong(index: Int) async throws {
        let (code, words, fails, keys) = Self.wrong[index]
        let found = Self.findings(keys)
        #expect(found.map(\.code) == [code], "\(found)")
        #expect(found.contains { "\($0.message); \($0.help ?? "")".contains(words) }, "\(found)")
        if fails {
            let failure = try await DescriptorTrial(descriptor(Self.head + keys), sections: []).failure
            #expect(failure != nil)
        }
    }

    @Test("A subject of a captured ID token is that of the token, and a dropped ID token is never a session's")
    func capturedIDToken() async throws {
        let keys = try #require(Self.quiet.first { $0.rule == "K120" }).keys
        let fixture = try SignInFixture(try descriptor(Self.head + keys))
        let session = try await fixture.signIn()
        #expect(try await session.profile().subject == "u-1")
        #expect(await fixture.store.load(session.key)?.connection.subject == "u-1")
        #expect(try await session.tokens().idToken == nil)
    }

    @Test("The time of a verification is not email_verified, wherever it is read or made")
    func timeOfVerification() async throws {
        for keys in [
            "profile: { claims: { subject: /id, email_verified: /at } }\n",
            "profile: { claims: { subject: /id, at: /at }, derive: { email_verified: '{claim.at}' } }\n",
            """
            profile:
              claims: { subject: /id }
              requests: [{ url: 'https://odd.example/m', claims: { email_verified: /at }, sample: { at: '2026-01-01' } }]

            """,
        ] {
            let text = Self.head + Self.api + keys + "samples: { userinfo: { id: 7, at: '2026-01-01' } }\n"
            let profile = try await SignInFixture(try descriptor(text)).signIn().profile()
            #expect(profile["email_verified"] == nil, "\(keys)")
            #expect(profile.isEmailVerified == nil)
        }
    }

    @Test("A template makes no address verified that the provider calls unverified, or that it does not name")
    func derivedVerification() async throws {
        let rules = "profile: { claims: { subject: /id, number_verified: /checked }, derive: "
        let cases: [(derive: String, user: String, email: Bool?, number: String?)] = [
            ("{ email_verified: 'true' }", "email_verified: false", false, nil),
            ("{ email_verified: 'true' }", "email_verified: 'false'", false, nil),
            ("{ email_verified: 'true' }", "name: Ada", true, nil),
            ("{ email_verified: 'false' }", "email_verified: true", false, nil),
            ("{ number_verified: 'true' }", "checked: false", nil, "false"),
            ("{ email: '{claim.subject}@odd.example' }", "email_verified: true", nil, nil),
            ("{ email: '{lower(claim.email)}' }", "email_verified: true", true, nil),
            (
                "{ email: '{claim.subject}@odd.example', email_verified: '{claim.email_verified}' }",
                "email_verified: true", true, nil
            ),
        ]
        for (derive, user, email, number) in cases {
            let samples = "samples: { userinfo: { id: 7, email: Ada@odd.example, \(user) } }\n"
            let keys = Self.head + Self.api + rules + derive + " }\n" + samples
            let profile = try await SignInFixture(try descriptor(keys)).signIn().profile()
            #expect(profile.isEmailVerified == email, "\(derive), \(user)")
            #expect(profile["number_verified"]?.scalarText == number, "\(derive), \(user)")
        }
    }

    @Test("A refresh with an empty mapping of headers has none, and without one those of the code's request")
    func emptyHeaders() async throws {
        for (refresh, isSent) in [("", true), ("refresh: { headers: {} }\n", false)] {
            let fixture = try SignInFixture(
                try descriptor(Self.head + Self.api + "token: { headers: { X-Version: '2' } }\n" + refresh))
            _ = try await fixture.signIn().refresh()
            let requests = await fixture.requests(to: .token)
            #expect(requests.map { $0.headers.contains { $0.name.rawName == "X-Version" } } == [true, isSent])
        }
    }
}
