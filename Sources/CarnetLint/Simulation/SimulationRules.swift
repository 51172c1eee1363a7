package import CarnetDescriptors

/// What a simulation finds. The code that finds it is where the engine is; the explanations are here with all others.
package enum SimulationRules {
    package static let all = [
        claimNotInSample, tokenNotInSample, badLifetime, errorNotInSample, inputWithoutExample, requestNotMade,
        scopeNotInSample, callbackNotAccepted, notAsExpected,
    ]

    static let codes = Set(all.map(\.code))

    /// A request that cannot be made is most often the consequence of something that another rule says better.
    static func withoutConsequences(_ found: [Diagnostic]) -> [Diagnostic] {
        guard found.contains(where: { $0.severity == .error && $0.code != requestNotMade.code }) else { return found }
        return found.filter { $0.code != requestNotMade.code }
    }

    package static let claimNotInSample = RuleExplanation(
        code: "T003",
        name: "claim-not-in-sample",
        summary: "A claim's pointer leads to nothing in the descriptor's own sample.",
        rationale: """
            The sample is a real response, so a pointer that finds nothing in it is most often misspelled, and the claim \
            would always be missing. The subject must be there; it is looked for even if the descriptor does not map it.
            """,
        references: ["RFC 6901, section 4"],
        bad: [
            """
            profile: { claims: { picture: ⟦/avatar⟧ } }
            samples: { userinfo: { sub: '248289761001', avatar_url: 'https://img.acme.example/1.png' } }

            """,
            """
            profile: { claims: { name: /login } }
            samples: { ⟦userinfo⟧: { id: 248289761001, login: jane } }

            """,
            """
            profile: { root: ⟦/person⟧, claims: { name: /login } }
            samples: { userinfo: { user: { sub: '248289761001', login: jane } } }

            """,
        ],
        good: [
            """
            profile: { root: /user, claims: { subject: [/sub, /id], name: /login } }
            samples: { userinfo: { user: { id: 248289761001, login: jane } } }

            """
        ]
    )

    package static let tokenNotInSample = RuleExplanation(
        code: "T004",
        name: "token-not-in-sample",
        summary: "The engine does not take the descriptor's own sample of a token response.",
        rationale: """
            The sample is a real response, and it is judged by the code that judges real ones: the access token and its \
            type must be where 'token.response' says, or every sign-in fails at its last step.
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
        ]
    )

    package static let badLifetime = RuleExplanation(
        code: "T005",
        name: "bad-lifetime-in-sample",
        summary: "The lifetime in a sample of a token response is not what the descriptor says it is.",
        rationale: """
            'expires_in' is a number of seconds, or a text that holds one, unless 'token.response.expires' says otherwise. \
            A date or an absolute time in its place would be taken for a lifetime, and the token would be refreshed always \
            or never.
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

    package static let errorNotInSample = RuleExplanation(
        code: "T007",
        name: "error-not-in-sample",
        severity: .warning,
        summary: "The engine finds no error in the descriptor's own sample of an error response.",
        rationale: """
            The provider's own words are what helps a person when a sign-in fails. If the sample has them elsewhere than at \
            '/error', 'token.response.errors' has to say where.
            """,
        references: ["RFC 6749, section 5.2"],
        bad: [
            "samples: { ⟦error⟧: { code: 401, message: Bad credentials } }\n",
            """
            token: { response: { success: { field: /status, equals: [0] } } }
            samples: { ⟦error⟧: { status: 0, error: invalid_grant } }

            """,
        ],
        good: [
            "samples: { error: { error: invalid_grant, error_description: The code has expired } }\n",
            """
            token: { response: { errors: { error: /code, error_description: /message } } }
            samples: { error: { code: 401, message: Bad credentials } }

            """,
        ]
    )

    package static let inputWithoutExample = RuleExplanation(
        code: "R001",
        name: "input-without-example",
        severity: .warning,
        summary: "An input has no example, so nothing can be simulated.",
        rationale: """
            Simulation, 'carnet try' and the sandbox fill the inputs that nobody gives with the descriptor's own examples. \
            Where the input's rules refuse every value that could be made up, the example is needed.
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

    package static let requestNotMade = RuleExplanation(
        code: "R002",
        name: "request-not-made",
        summary: "The engine cannot make a request for a pretend client.",
        rationale: """
            The request is made by the code that makes real ones, for a client that fits the descriptor; what stops it there \
            stops every client.
            """,
        references: ["RFC 6749, section 3.1"],
        bad: [
            """
            endpoints:
              authorization: ⟦https://id.acme.example/authorize?audience=x⟧
              token: https://id.acme.example/token
            authorization: { parameters: { audience: y } }
            samples: { error: { error: invalid_grant } }

            """
        ],
        good: [
            """
            endpoints:
              authorization: https://id.acme.example/authorize?audience=x
              token: https://id.acme.example/token
            samples: { error: { error: invalid_grant } }

            """
        ]
    )

    package static let scopeNotInSample = RuleExplanation(
        code: "R003",
        name: "scope-not-in-sample",
        summary: "The granted scopes do not come out of the descriptor's own sample of a token response.",
        rationale: """
            What is granted decides which resources are open. A pointer that leads to nothing grants whatever was asked for, \
            and with the wrong separator all scopes together are one that nobody knows.
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

    package static let callbackNotAccepted = RuleExplanation(
        code: "R004",
        name: "callback-not-accepted",
        summary: "The engine does not take the descriptor's own sample of a callback.",
        rationale: """
            The sample holds the parameters that the provider sends the browser back with. They are judged by the code that \
            judges real callbacks, with the state of this attempt in the place of the sample's.
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

    package static let notAsExpected = RuleExplanation(
        code: "R005",
        name: "sample-not-as-expected",
        summary: "Something else comes out of the samples than 'samples.expect' says.",
        rationale: """
            'expect' says in the author's words what the samples mean: which scopes, which lifetime, which claims, which \
            error. A change of the descriptor that reads them otherwise is found here.
            """,
        bad: [
            """
            scopes: { default: [read, write] }
            samples:
              token: { access_token: redacted, token_type: Bearer, scope: read write, expires_in: 3600 }
              userinfo: { sub: '1', login: jane }
              error: { error: invalid_grant }
              expect: { scopes: ⟦[read]⟧, expires_in: ⟦60⟧, claims: { name: ⟦jane⟧ }, error: ⟦invalid_request⟧ }

            """
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

            """
        ]
    )
}
