package import CarnetDescriptors

/// The rules of simulation. The engine's modules contain their code; the explanations are here, with all others.
package enum SimulationDiagnostics {
    package static let all = [
        claimNotInSample, claimNotRead, tokenNotInSample, badLifetime, errorNotInSample, inputWithoutExample,
        requestNotMade,
        scopeNotInSample, callbackNotAccepted, notAsExpected,
    ]

    static let codes = Set(all.map(\.code))

    /// A request that cannot be made is most often the consequence of something that another rule says better.
    static func withoutConsequences(_ found: [Diagnostic]) -> [Diagnostic] {
        guard found.contains(where: { $0.severity == .error && $0.code != requestNotMade.code }) else { return found }
        return found.filter { $0.code != requestNotMade.code }
    }

    package static let claimNotInSample = DiagnosticExplanation(
        code: "T003",
        name: "claim-not-in-sample",
        summary: "The descriptor's own sample has no subject, or not the object that the claims are read from.",
        rationale: """
            The sample is a real response, so a pointer that finds nothing in it is misspelled. Every user has a subject, \
            so the sample must contain it, even if the descriptor does not map it. Other claims may be missing.
            """,
        references: ["RFC 6901, section 4"],
        bad: [
            """
            profile: { claims: { subject: ⟦/user_id⟧ } }
            samples: { userinfo: { id: '248289761001', login: jane } }

            """,
            """
            profile: { claims: { name: /login } }
            samples: { ⟦userinfo⟧: { id: 248289761001, login: jane } }

            """,
            """
            profile: { root: ⟦/person⟧, claims: { name: /login } }
            samples: { userinfo: { user: { sub: '248289761001', login: jane } } }

            """,
            """
            profile: { claims: { subject: [], team: /team, number: /no }, derive: { subject: ⟦'{claim.team}-{claim.number}'⟧ } }
            samples: { userinfo: { team: blue } }

            """,
            """
            profile:
              requests:
                - { url: 'https://api.acme.example/emails', ⟦where⟧: { primary: true }, claims: { email: /email }, sample: [{ email: a@acme.example }] }

            """,
        ],
        good: [
            """
            profile: { root: /user, claims: { subject: [/sub, /id], name: /login } }
            samples: { userinfo: { user: { id: 248289761001, login: jane } } }

            """,
            """
            profile: { claims: { picture: /avatar_url, team: /team } }
            samples: { userinfo: { sub: '248289761001', avatar_url: null } }

            """,
        ]
    )

    package static let claimNotRead = DiagnosticExplanation(
        code: "T013",
        name: "claim-not-read",
        severity: .warning,
        summary: "A claim finds nothing in the descriptor's own sample, which has a member of a similar name.",
        rationale: """
            If the pointer is misspelled, the claim is always missing. A claim that only some users have needs no member \
            in the sample; to say that the pointer is right, add the member to the sample, with null if this user has \
            no value. The value of 'email_verified' is true or false, as a boolean or as text: the time of a \
            verification is neither.
            """,
        references: ["RFC 6901, section 4", "OpenID Connect Core 1.0, section 5.1"],
        bad: [
            """
            profile: { claims: { picture: ⟦/avatar⟧ } }
            samples: { userinfo: { sub: '248289761001', avatar_url: 'https://img.acme.example/1.png' } }

            """,
            """
            profile: { claims: { city: ⟦/city⟧ } }
            samples: { userinfo: { sub: '248289761001', address: { city: Bern } } }

            """,
            """
            profile: { claims: { email_verified: ⟦/verified_at⟧ } }
            samples: { userinfo: { sub: '248289761001', verified_at: '2026-01-01T10:00:00Z' } }

            """,
        ],
        good: [
            """
            profile: { claims: { picture: /avatar, team: /team } }
            samples: { userinfo: { sub: '248289761001', avatar: null, avatar_url: 'https://img.acme.example/1.png' } }

            """,
            """
            profile: { claims: { email_verified: /verified, email_verified_at: /verified_at } }
            samples: { userinfo: { sub: '248289761001', verified: 'true', verified_at: '2026-01-01T10:00:00Z' } }

            """,
        ]
    )

    package static let tokenNotInSample = DiagnosticExplanation(
        code: "T004",
        name: "token-not-in-sample",
        summary: "The engine rejects the descriptor's own sample of a token response.",
        rationale: """
            The sample is a real response, and the engine validates it like any other response. The access token and \
            its type must be where 'token.response' says. Otherwise every sign-in fails at its last step.
            """,
        references: ["RFC 6749, section 5.1"],
        bad: [
            "samples: { ⟦token⟧: { data: { access_token: redacted-access-token, token_type: Bearer } } }\n",
            "samples: { ⟦token⟧: { access_token: redacted-access-token } }\n",
            """
            token: { response: { fields: { access_token: /token } } }
            samples: { ⟦refresh⟧: { access_token: redacted, token_type: Bearer } }

            """,
            "samples: { ⟦token⟧: { access_token: '', token_type: Bearer } }\n",
            "samples: { ⟦token⟧: { access_token: redacted, token_type: User Access Token } }\n",
            """
            client: { dpop_bound_access_tokens: true }
            exchange:
              long:
                url: https://id.acme.example/long
                parameters: { token: '{token.access_token}' }
                ⟦sample⟧: { access_token: redacted, token_type: Bearer }

            """,
        ],
        good: [
            """
            token: { response: { root: /data } }
            samples: { token: { data: { access_token: redacted-access-token, token_type: Bearer } } }

            """,
            """
            token: { response: { default_token_type: Bearer } }
            samples: { token: { access_token: redacted-access-token } }

            """,
            """
            token: { response: { format: form } }
            samples: { token: 'access_token=redacted&scope=read%2Cwrite&token_type=bearer' }

            """,
            """
            token: { response: { capture: { site: { from: /site_id, example: s1 } } } }
            samples: { token: { access_token: redacted-access-token, token_type: Bearer } }

            """,
        ]
    )

    package static let badLifetime = DiagnosticExplanation(
        code: "T005",
        name: "bad-lifetime-in-sample",
        summary: "The lifetime in a sample of a token response has another form than the descriptor says.",
        rationale: """
            'expires_in' is a number of seconds, or a string that contains one, unless 'token.response.expires' sets \
            another form. Carnet would read a date or an absolute time as a lifetime, and would refresh the token at \
            each call or never.
            """,
        references: ["RFC 6749, section 5.1", "RFC 6749, appendix A.14"],
        bad: [
            """
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: ⟦'2026-11-21T10:00:00Z'⟧ } }

            """,
            "samples: { token: { access_token: redacted, token_type: Bearer, expires_in: ⟦1795255200⟧ } }\n",
            """
            token: { response: { expires: epoch } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: ⟦3600⟧ } }

            """,
        ],
        good: [
            "samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600 } }\n",
            "samples: { token: { access_token: redacted, token_type: Bearer, expires_in: '3600' } }\n",
            """
            token: { response: { expires: iso8601 } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: '2026-11-21T10:00:00Z' } }

            """,
        ]
    )

    package static let errorNotInSample = DiagnosticExplanation(
        code: "T007",
        name: "error-not-in-sample",
        severity: .warning,
        summary: "The engine finds no error, or an unknown one, in the descriptor's own sample of an error response.",
        rationale: """
            Without the error code, Carnet cannot report why the provider rejected a sign-in. If the sample has the \
            error code in another place than '/error', set 'token.response.errors'. The code decides what happens next: \
            after 'invalid_grant' the user signs in again, and after 'invalid_client' an operator has to act. If the \
            provider has codes of its own, map them with 'token.response.errors.codes'.
            """,
        references: ["RFC 6749, section 5.2"],
        bad: [
            "samples: { ⟦error⟧: { error: bad_verification_code, error_description: The code has expired } }\n",
            "samples: { ⟦error⟧: { code: 401, message: Bad credentials } }\n",
            """
            token: { response: { success: { field: /status, equals: [0] } } }
            samples: { ⟦error⟧: { status: 0, error: invalid_grant } }

            """,
        ],
        good: [
            "samples: { error: { error: invalid_grant, error_description: The code has expired } }\n",
            """
            token: { response: { errors: { error: /code, error_description: /message, codes: { 401: invalid_client } } } }
            samples: { error: { code: 401, message: Bad credentials } }

            """,
        ]
    )

    package static let inputWithoutExample = DiagnosticExplanation(
        code: "R001",
        name: "input-without-example",
        severity: .warning,
        summary: "An input has no example, so Carnet cannot simulate the descriptor.",
        rationale: """
            Simulation, 'carnet try' and the sandbox use the descriptor's examples for inputs without a value. If the \
            input's rules reject every value that Carnet can make up, the example is required.
            """,
        bad: [
            """
            issuer: https://id.acme.example/{tenant}
            inputs: { ⟦tenant⟧: { pattern: '[0-9]{4}' } }
            samples: { error: { error: invalid_grant } }

            """
        ],
        good: [
            """
            issuer: https://id.acme.example/{tenant}
            inputs: { tenant: { pattern: '[0-9]{4}', example: '1234' } }
            samples: { error: { error: invalid_grant } }

            """
        ]
    )

    package static let requestNotMade = DiagnosticExplanation(
        code: "R002",
        name: "request-not-made",
        summary: "The engine cannot build a request for a test client.",
        rationale: """
            The linter runs the code that builds real requests, for a client that fits the descriptor. An error here \
            therefore stops every client.
            """,
        references: ["RFC 6749, section 3.1", "RFC 9449, section 7.1"],
        bad: [
            """
            client: { dpop_bound_access_tokens: true }
            api: { token_in: ⟦{ header: X-Acme-Token }⟧ }
            samples: { error: { error: invalid_grant } }

            """
        ],
        good: [
            """
            client: { dpop_bound_access_tokens: true }
            samples: { error: { error: invalid_grant } }

            """
        ]
    )

    package static let scopeNotInSample = DiagnosticExplanation(
        code: "R003",
        name: "scope-not-in-sample",
        summary: "The engine does not find the granted scopes in the descriptor's own sample of a token response.",
        rationale: """
            The granted scopes decide which resources are open. If the pointer finds nothing, Carnet assumes that all \
            requested scopes are granted. With the wrong separator, it reads all scopes as one unknown scope.
            """,
        references: ["RFC 6749, section 3.3"],
        bad: [
            """
            scopes: { default: [read, write] }
            samples: { token: { access_token: redacted, token_type: Bearer, scope: ⟦'read,write'⟧ } }

            """,
            """
            token: { response: { fields: { scope: ⟦/scopes⟧ } } }
            samples: { token: { access_token: redacted, token_type: Bearer, scope: read } }

            """,
        ],
        good: [
            """
            scopes: { default: [read, write] }
            token: { response: { scope_separator: ',' } }
            samples: { token: { access_token: redacted, token_type: Bearer, scope: 'read,write' } }

            """
        ]
    )

    package static let callbackNotAccepted = DiagnosticExplanation(
        code: "R004",
        name: "callback-not-accepted",
        summary: "The engine rejects the descriptor's own sample of a callback.",
        rationale: """
            The sample contains the parameters with which the provider redirects the browser. The engine validates \
            them like a real callback, with the state of this attempt in place of the sample's.
            """,
        references: ["RFC 6749, section 4.1.2", "RFC 9207, section 2.4"],
        bad: [
            "samples: { ⟦callback⟧: { auth_code: redacted, state: redacted } }\n",
            "samples: { ⟦callback⟧: { code: redacted, state: redacted, iss: 'https://other.example' } }\n",
            "samples: { ⟦callback⟧: { code: redacted } }\n",
        ],
        good: [
            "samples: { callback: { code: redacted, state: redacted, iss: 'https://id.acme.example' } }\n",
            """
            callback: { rename: { code: auth_code } }
            samples: { callback: { auth_code: redacted, state: redacted, shop: acme.shops.example } }

            """,
            "samples: { callback: { error: access_denied, state: redacted } }\n",
        ]
    )

    package static let notAsExpected = DiagnosticExplanation(
        code: "R005",
        name: "sample-not-as-expected",
        summary: "The samples produce another result than 'samples.expect' states.",
        rationale: """
            'expect' states what the samples mean to the author: which scopes, which lifetime, which claims, which \
            error. The claims are those of the complete profile: the samples of 'profile.requests' and 'profile.derive' \
            count. The finding shows that, after a change of the descriptor, Carnet reads the samples differently.
            """,
        bad: [
            """
            scopes: { default: [read, write] }
            samples:
              token: { access_token: redacted, token_type: Bearer, scope: read write, expires_in: 3600 }
              userinfo: { sub: '1', login: jane }
              error: { error: invalid_grant }
              expect: { scopes: ⟦[read]⟧, expires_in: ⟦60⟧, claims: { name: ⟦jane⟧ }, error: ⟦invalid_request⟧ }

            """,
            """
            profile:
              requests:
                - { url: 'https://api.acme.example/emails', claims: { email: /email }, sample: { email: b@acme.example } }
                - { url: 'https://api.acme.example/names', claims: { name: /name } }
            samples:
              userinfo: { sub: '1', email: a@acme.example, name: Jane }
              expect: { claims: { email: ⟦a@acme.example⟧, name: ⟦Jane⟧ } }

            """,
        ],
        good: [
            """
            scopes: { default: [read, write] }
            profile: { claims: { name: /login } }
            samples:
              token: { access_token: redacted, token_type: Bearer, scope: read write, expires_in: 3600 }
              userinfo: { sub: '1', login: jane }
              error: { error: invalid_grant }
              expect: { scopes: [read, write], expires_in: 3600, claims: { name: jane }, error: invalid_grant }

            """,
            """
            profile:
              derive: { nickname: '{claim.name}!' }
              requests:
                - { url: 'https://api.acme.example/names', claims: { name: /name, tags: /tags }, sample: { name: Jane, tags: [a, b] } }
            samples:
              userinfo: { sub: '1', name: J. }
              expect: { claims: { name: Jane, nickname: Jane!, tags: [a, b] } }

            """,
        ]
    )
}
