package import CarnetDescriptors

/// The rules of simulation. The engine's modules contain their code; the explanations are here, with all others.
package enum SimulationDiagnostics {
    package static let all: [DiagnosticExplanation] = [
        .claimNotInSample, .claimNotRead, .tokenNotInSample, .badLifetime, .errorNotInSample, .inputWithoutExample,
        .requestNotMade, .scopeNotInSample, .callbackNotAccepted, .notAsExpected,
    ]

    static let codes = Set(all.map(\.code))

    /// A request that cannot be made, or an example that is missing for it, is most often the consequence of something that
    /// another rule says better.
    static func withoutConsequences(_ found: [Diagnostic]) -> [Diagnostic] {
        let request = DiagnosticExplanation.requestNotMade.code
        guard found.contains(where: { $0.severity == .error && $0.code != request }) else { return found }
        return found.filter { ![request, DiagnosticExplanation.inputWithoutExample.code].contains($0.code) }
    }
}

extension DiagnosticExplanation {
    package static let claimNotInSample = DiagnosticExplanation(
        "T003", name: "claim-not-in-sample",
        summary: "The descriptor's own sample is an error, or has no subject, or not the object of the claims.",
        rationale: """
            The sample is a real response, so a pointer that finds nothing in it is misspelled. Every user has a subject, \
            so the sample must contain it, even if the descriptor does not map it. Other claims may be missing.
            """,
        references: ["RFC 6901, section 4"],
        bad: """
            profile: { claims: { subject: ⟦/user_id⟧ } }
            samples: { userinfo: { id: '248289761001', login: jane } }

            profile: { claims: { name: /login } }
            samples: { ⟦userinfo⟧: { id: 248289761001, login: jane } }

            profile: { root: ⟦/person⟧, claims: { name: /login } }
            samples: { userinfo: { user: { sub: '248289761001', login: jane } } }

            profile: { claims: { subject: [], team: /team, number: /no }, derive: { subject: ⟦'{claim.team}-{claim.number}'⟧ } }
            samples: { userinfo: { team: blue } }

            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: https://acme.example/me
            profile: { subject: { none: The API has no users. } }
            samples: { ⟦userinfo⟧: { error: invalid_token } }

            profile:
              requests:
                - { url: 'https://api.acme.example/emails', ⟦where⟧: { primary: true }, claims: { email: /email }, sample: [{ email: a@acme.example }] }
            """,
        good: """
            profile: { root: /user, claims: { subject: [/sub, /id], name: /login } }
            samples: { userinfo: { user: { id: 248289761001, login: jane } } }

            profile: { claims: { picture: /avatar_url, team: /team } }
            samples: { userinfo: { sub: '248289761001', avatar_url: null } }
            """)

    package static let claimNotRead = DiagnosticExplanation(
        "T013", name: "claim-not-read", severity: .warning,
        summary: "A claim or a field finds nothing in the descriptor's own sample, or a value that it cannot be.",
        rationale: """
            A misspelled pointer finds nothing. A claim that only some users have needs no member in the sample; null there \
            shows that the pointer is right. 'email_verified' is true or false, as a boolean or text; for a time, use \
            'present'. The other standard claims are texts, and nobody has one text for both names. Without 'expires_in', \
            Carnet does not know when to refresh, and after 60 seconds or less it would refresh at each call. 'capture' keeps \
            a text or a number. One request has one response, so two samples of it agree. If the subject is the \
            organization's, all its users are one account. A claim whose template finds nothing is missing.
            """,
        references: ["RFC 6901, section 4", "OpenID Connect Core 1.0, section 5.1"],
        bad: """
            profile: { claims: { picture: ⟦/avatar_uri⟧ } }
            samples: { userinfo: { sub: '248289761001', avatar_url: 'https://img.acme.example/1.png' } }

            profile: { claims: { city: ⟦/adress/city⟧ } }
            samples: { userinfo: { sub: '248289761001', address: { city: Bern } } }

            profile: { claims: { website: ⟦/site/url⟧ } }
            samples: { userinfo: { sub: u1, site: 'https://ada.example' } }

            profile: { claims: { email: ⟦/contact/mail⟧ } }
            samples: { userinfo: { sub: u1, contact: { mail: a@acme.example, mail_confirmed: true } } }

            samples: { ⟦userinfo⟧: { sub: u1, email: a@acme.example, verified_email: true } }

            profile: { claims: { email_verified: ⟦/verified_at⟧ } }
            samples: { userinfo: { sub: '248289761001', verified_at: '2026-01-01T10:00:00Z' } }

            profile: { claims: { email: ⟦/emails⟧, name: ⟦/active⟧, picture: ⟦/image⟧ } }
            samples: { userinfo: { sub: '248289761001', emails: [a@acme.example], active: true, image: '17' } }

            samples: { ⟦token⟧: { access_token: redacted, token_type: Bearer, expiresIn: 3600 } }

            samples: { ⟦token⟧: { access_token: redacted, token_type: Bearer, refresh_token: redacted, refresh_expires_in: 1800 } }

            token: { response: { fields: { refresh_token: ⟦/refreshtoken⟧ } } }
            samples: { token: { access_token: redacted, token_type: Bearer, refresh_token: redacted } }

            token: { response: { format: form } }
            samples: { ⟦token⟧: '{"access_token":"redacted","token_type":"Bearer","expires_in":3600}' }

            refresh: { response: { fields: { expires_in: ⟦/ttl⟧ } } }
            samples: { refresh: { access_token: redacted, token_type: Bearer } }

            token: { response: { capture: { team: ⟦{ from: /teamID, optional: true }⟧ } } }
            samples: { token: { access_token: redacted, token_type: Bearer, team_id: t1 } }

            token: { response: { capture: { team: ⟦{ from: /team/id, optional: true }⟧ } } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600, team_id: t1 } }

            profile: { claims: { city: ⟦/home_city⟧ } }
            samples: { userinfo: { sub: '248289761001', home: { city: Bern } } }

            authorization: { response_mode: form_post }
            callback: { capture: { user: { pattern: '[{].*[}]', example: '{"name":{"firstName":"Jane"}}', optional: true } } }
            profile: { callback: { from: user, given_name: ⟦/firstName⟧, family_name: /name/lastName } }

            token: { response: { capture: { team: ⟦{ from: /team, optional: true }⟧ } } }
            exchange:
              long:
                url: https://id.acme.example/long
                brings: values
                capture: { ids: ⟦{ from: /ids, optional: true }⟧ }
                sample: { ids: [t1] }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600, team: { id: t1 } } }

            profile: { claims: { email_verified: ⟦{ root: /emails, first: /verified_at }⟧, phone: ⟦{ root: /phones, first: /number }⟧ } }
            samples: { userinfo: { sub: u1, emails: [{ verified_at: '2026-01-01' }], phones: [{ value: '555' }] } }

            profile: { claims: { family_name: ⟦/nick⟧, email_verified: ⟦/two_factors⟧ } }
            refresh: { rotation: always_new }
            samples:
              userinfo: { sub: u1, name: Ada Example, given_name: Ada, nick: Ada, two_factors: true, verified: true }
              ⟦refresh⟧: { access_token: redacted, token_type: Bearer, expires_in: ⟦60⟧ }

            profile: { claims: { full: /full }, derive: { given_name: ⟦"{capture(claim.full, '([a-z]+) .*')}"⟧ } }
            samples: { userinfo: { sub: u1, full: Ada Example } }

            token: { response: { capture: { site: { from: /site, optional: true, example: a } } } }
            api: { base_url: ⟦'https://{token.site}.acme.example'⟧ }
            trusted_hosts: ['*.acme.example']
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600 } }

            token: { response: { capture: { site: /site } } }
            api: { headers: { X-Region: ⟦"{map(token.site, 'regions')}"⟧ } }
            tables: { regions: { us: '1' } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600, site: eu } }

            profile: { claims: { username: ⟦/name⟧, picture: ⟦/state⟧, given_name: ⟦/created⟧ } }
            samples: { userinfo: { sub: u1, name: Ada Example, preferred_username: ada, state: active, created: '2026-01-31T10:00:00Z' } }

            profile: { claims: { subject: ⟦/team_id⟧, team: /team_id } }
            samples: { userinfo: { id: u1, team_id: t1 } }

            refresh: { rotation: none }
            samples:
              token: { access_token: redacted, token_type: Bearer, expires_in: 3600, refresh_token: redacted-1 }
              ⟦refresh⟧: { access_token: redacted, token_type: Bearer, expires_in: 3600, refresh_token: redacted-2 }

            profile:
              requests:
                - url: https://api.acme.example/mails
                  where: { primary: true }
                  claims: { email: /email, email_verified: ⟦/primary⟧ }
                  sample: [{ email: a@acme.example, primary: true, verified: false }]

            profile:
              requests:
                - { url: 'https://api.acme.example/me', claims: { email: /email }, sample: { email: a@acme.example, phone: '4' } }
                - { url: 'https://api.acme.example/me', claims: { phone: /phone }, ⟦sample⟧: { phone: '5' } }

            connection:
              lookups:
                site: { url: https://api.acme.example/sites, optional: true, ⟦where⟧: { kind: mian }, value: /id, sample: [{ id: s1, kind: main }] }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600 } }

            connection:
              lookups:
                site: { url: https://api.acme.example/sites, where: { kind: main }, value: /id, sample: [{ id: s1, kind: main }] }
                side: { url: https://api.acme.example/sites, where: { kind: side }, value: /id, ⟦sample⟧: [{ id: s2, kind: side }] }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600 } }
            """,
        good: [
            """
            profile: { claims: { picture: /avatar, team: /team } }
            samples: { userinfo: { sub: '248289761001', avatar: null, avatar_url: 'https://img.acme.example/1.png' } }

            profile: { claims: { email: /email, mail_state: /mail_verified }, requests: [{ url: 'https://a.example', claims: { name: /n } }] }
            samples: { userinfo: { sub: u1, email: a@acme.example, mail_verified: true, has_verified_email: '2026', verified: true } }

            connection:
              lookups:
                site: { url: https://api.acme.example/sites, optional: true, where: { main: true }, value: /id, sample: [{ id: s1, main: false }] }
                shop: { url: https://api.acme.example/shops, optional: true, where: { kind: main }, value: /id, sample: [] }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600 } }

            profile: { claims: { place: [/location/name, /location], city: /city, sex: /sex } }
            samples: { userinfo: { sub: '248289761001', name: Ada, location_id: 7, address: { city: Bern }, set: a } }

            profile: { claims: { email_verified: /verified, email_verified_at: /verified_at } }
            samples: { userinfo: { sub: '248289761001', verified: 'true', verified_at: '2026-01-01T10:00:00Z' } }

            profile: { claims: { email_verified: { present: /verified_at } } }
            samples: { userinfo: { sub: '248289761001', verified_at: null } }

            profile: { claims: { full: /full, name: /nick }, derive: { name: "{capture(claim.full, '.+')}" } }
            samples: { userinfo: { sub: u1, full: '', nick: Ada } }

            callback: { capture: { site: { pattern: '[a-z]+', example: eu } } }
            api: { headers: { X-Region: "{map(callback.site, 'regions')|1}" } }
            tables: { regions: { us: '1' } }
            samples: { userinfo: { sub: u1 } }

            profile: { claims: { subject: /team_id, username: /name, picture: /image } }
            samples: { userinfo: { id: 1, team_id: t1, name: ada, image: redacted } }

            profile:
              claims:
                email: { root: /emails, where: { primary: true }, first: /address }
                phone: { root: /phones, first: /number }
                mobile: { root: /numbers, where: { primary: true }, first: /number }
                teams: { root: /teams, each: /name }
                size: { root: /sizes, first: /cm }
              requests:
                - { url: 'https://api.acme.example/groups', root: /items, claims: { groups: { each: /id } }, sample: { items: [] } }
                - { url: 'https://api.acme.example/users', parameters: { page: a }, claims: { nickname: /nick }, sample: { nick: A, role: x } }
                - { url: 'https://api.acme.example/users', parameters: { page: b }, claims: { role: /role }, sample: { nick: B, role: z } }
            samples: { userinfo: { sub: '248289761001', emails: [], phones: [{ number: null }], numbers: [{ primary: false, number: '5' }], teams: null, sizes: [] } }
            """,
            "refresh: { margin: 10 }\nsamples: { token: { access_token: redacted, token_type: Bearer, expires_in: 60 } }",
            """
            token: { response: { fields: { refresh_token_expires_in: /refresh_expires_in } } }
            samples: { token: { access_token: redacted, token_type: Bearer, refresh_token: redacted, refresh_expires_in: 1800 } }

            samples: { token: { access_token: redacted, token_type: Bearer, refresh_expires_in: 0 } }
            """,
        ])

    package static let tokenNotInSample = DiagnosticExplanation(
        "T004", name: "token-not-in-sample",
        summary: "The engine rejects the descriptor's own sample of a response.",
        rationale: """
            The sample is a real response, and the engine validates it like any other response; a string is the exact \
            body. The access token and \
            its type must be where 'token.response' says. Otherwise every sign-in fails at its last step. The issuer of an ID \
            token is compared byte for byte: a final slash counts.
            """,
        references: ["RFC 6749, section 5.1"],
        bad: [
            "samples: { ⟦token⟧: { data: { access_token: redacted-access-token, token_type: Bearer } } }",
            "samples: { ⟦token⟧: { access_token: redacted-access-token } }",
            """
            token: { response: { fields: { access_token: /token } } }
            samples: { ⟦refresh⟧: { access_token: redacted, token_type: Bearer } }
            """,
            "samples: { ⟦token⟧: { access_token: '', token_type: Bearer } }",
            """
            token: { response: { capture: { site: { from: /site/id, example: s1 } } } }
            samples: { ⟦token⟧: { access_token: redacted, token_type: Bearer, site: s1 } }
            """,
            """
            exchange:
              site:
                url: https://id.acme.example/site
                brings: values
                capture: { site: { from: /site_id, example: s1 } }
                ⟦sample⟧: { siteId: s1 }
            """,
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              userinfo: https://id.acme.example/me
            profile: { claims: { subject: /id } }
            samples: { ⟦userinfo⟧: '<user id="7"/>' }
            """,
            "samples: { ⟦token⟧: { access_token: redacted, token_type: User Access Token } }",
            "refresh: { response: { default_token_type: ⟦basic⟧ } }\nsamples: { refresh: { access_token: redacted } }",
            """
            client: { dpop_bound_access_tokens: true }
            exchange:
              long:
                url: https://id.acme.example/long
                parameters: { token: '{token.access_token}' }
                ⟦sample⟧: { access_token: redacted, token_type: Bearer }
            """,
            """
            issuer: ⟦https://id.acme.example⟧
            scopes: { default: [openid] }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600, id_token: eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2lkLmFjbWUuZXhhbXBsZS8iLCJzdWIiOiJ1MSJ9. } }
            """,
        ],
        good: """
            scopes: { default: [openid] }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600, id_token: eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2lkLmFjbWUuZXhhbXBsZSIsInN1YiI6InUxIn0. } }

            token: { response: { root: /data } }
            samples: { token: { data: { access_token: redacted-access-token, token_type: Bearer } } }

            token: { response: { default_token_type: Bearer } }
            samples: { token: { access_token: redacted-access-token } }

            token: { response: { format: form } }
            samples: { token: 'access_token=redacted&scope=read%2Cwrite&token_type=bearer' }

            token: { response: { capture: { site: { from: /site_id, example: s1, optional: true } } } }
            samples: { token: { access_token: redacted-access-token, token_type: Bearer } }
            """)

    package static let badLifetime = DiagnosticExplanation(
        "T005", name: "bad-lifetime-in-sample",
        summary: "The lifetime in a sample of a token response has another form than the descriptor says.",
        rationale: """
            'expires_in' is a number of seconds, or a string that contains one, unless 'token.response.expires' sets \
            another form. Carnet would read a date, an absolute time or milliseconds as a lifetime, and would refresh the \
            token at each call or never. If a number that looks like milliseconds is in seconds, write 'expires: seconds'.
            """,
        references: ["RFC 6749, section 5.1", "RFC 6749, appendix A.14"],
        bad: """
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: ⟦'2026-11-21T10:00:00Z'⟧ } }

            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: ⟦1795255200⟧ } }

            token: { response: { expires: epoch } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: ⟦3600⟧ } }

            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: ⟦3600000⟧ } }

            token: { response: { expires: milliseconds } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: ⟦3600⟧ } }
            """,
        good: [
            "samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600 } }",
            "samples: { token: { access_token: redacted, token_type: Bearer, expires_in: '3600' } }",
            "samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 5184000 } }",
            """
            token: { response: { expires: seconds } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 1800000 } }
            """,
            """
            token: { response: { expires: iso8601 } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: '2026-11-21T10:00:00Z' } }
            """,
        ])

    package static let errorNotInSample = DiagnosticExplanation(
        "T007", name: "error-not-in-sample", severity: .warning,
        summary: "The engine finds no error, or an unknown one, in the descriptor's own sample of an error response.",
        rationale: """
            Without the error code, Carnet cannot report why the provider rejected a sign-in. If the sample has the \
            error code in another place than '/error', set 'token.response.errors'. The code decides what happens next: \
            after 'invalid_grant' the user signs in again, and after 'invalid_client' an operator has to act. If the \
            provider has codes of its own, map them with 'token.response.errors.codes'.
            """,
        references: ["RFC 6749, section 5.2"],
        bad: [
            "samples: { ⟦error⟧: { error: bad_verification_code, error_description: The code has expired } }",
            "samples: { ⟦error⟧: { code: 401, message: Bad credentials } }",
            "samples: { ⟦error⟧: 'error=invalid_grant&error_description=expired' }",
            "samples: { ⟦error⟧: Bad credentials }",
            """
            token: { response: { success: { field: /status, equals: [0] } } }
            samples: { ⟦error⟧: { status: 0, error: invalid_grant } }

            token: { response: { errors: { error_description: ⟦/mesage⟧ } } }
            samples: { error: { error: invalid_grant, message: The code has expired } }
            """,
        ],
        good: """
            samples: { error: { error: invalid_grant, error_description: The code has expired } }

            token: { response: { errors: { error: /code, error_description: /message, codes: { 401: invalid_client } } } }
            samples: { error: { code: 401, message: Bad credentials } }

            token: { response: { format: form } }
            samples: { error: 'error=invalid_grant&error_description=expired' }

            token: { response: { errors: { codes: { Bad credentials: invalid_grant } } } }
            samples: { error: Bad credentials }
            """)

    package static let inputWithoutExample = DiagnosticExplanation(
        "R001", name: "input-without-example", severity: .warning,
        summary: "An input or a kept value has no example, so Carnet cannot simulate the descriptor.",
        rationale: """
            Simulation, 'carnet try' and the sandbox use the descriptor's examples for inputs without a value. If the \
            input's rules reject every value that Carnet can make up, the example is required. A value that 'capture' keeps \
            of a response needs an example, or a sample of the response that has it.
            """,
        bad: """
            issuer: https://{host}
            inputs: { ⟦host⟧: { type: hostname, pattern: '[a-z.]*:[0-9]{4}' } }
            samples: { error: { error: invalid_grant } }

            token: { response: { capture: { ⟦site⟧: /site_id } } }
            samples: { error: { error: invalid_grant } }
            """,
        good: """
            issuer: https://{host}
            inputs: { host: { type: hostname, pattern: '[a-z.]*:[0-9]{4}', example: 'id.acme.example:8443' } }
            samples: { error: { error: invalid_grant } }

            token: { response: { capture: { site: /site_id } } }
            samples: { token: { access_token: redacted, token_type: Bearer, site_id: s1 } }
            """)
}
