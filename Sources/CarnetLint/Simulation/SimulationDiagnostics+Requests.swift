import CarnetDescriptors

/// The rules about what is sent, and about what the author expects of all responses together.
extension DiagnosticExplanation {
    package static let requestNotMade = DiagnosticExplanation(
        "R002", name: "request-not-made", summary: "The engine cannot build a request for a test client.",
        rationale: """
            The linter runs the code that builds real requests, for a client that fits the descriptor. An error here \
            therefore stops every client.
            """,
        references: ["RFC 6749, section 3.1", "RFC 9449, section 7.1"],
        bad: """
            client: { dpop_bound_access_tokens: true }
            api: { token_in: ⟦{ header: X-Acme-Token }⟧ }

            client: { dpop_bound_access_tokens: true }
            revocation: { token_in: ⟦{ header: X-Acme-Token }⟧ }

            token: { response: { capture: { site: /site } } }
            trusted_hosts: ['*.acme.example']
            scopes: { default: [read] }
            resources: [{ scope: read, title: Albums, url: ⟦'{token.site}/albums'⟧ }]
            samples: { token: { access_token: redacted, token_type: Bearer, site: 'https://other.example' } }

            token: { response: { capture: { site: /site } } }
            trusted_hosts: ['*.acme.example']
            api: { base_url: ⟦'{token.site}'⟧ }
            samples: { token: { access_token: redacted, token_type: Bearer, site: 'https://other.example' } }

            token: { response: { capture: { site: /site } } }
            trusted_hosts: ['*.acme.example']
            connection: { lookups: { me: { url: ⟦'{token.site}/me'⟧, value: /id, sample: { id: 1 } } } }
            samples: { token: { access_token: redacted, token_type: Bearer, site: 'https://other.example' } }

            token: { response: { capture: { region: /region } } }
            tables: { hosts: { us: us.acme.example } }
            connection: { derive: { host: ⟦"{map(token.region, 'hosts')}"⟧ } }
            samples: { token: { access_token: redacted, token_type: Bearer, region: eu } }

            token: { response: { capture: { site: /site } } }
            connection:
              lookups:
                me:
                  url: https://api.acme.example/teams
                  ⟦where⟧: { name: "{capture(token.site, 'team-([a-z]+)')}" }
                  value: /id
                  sample: [{ id: 1, name: blue }]
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600, site: blue } }
            """,
        good: """
            client: { dpop_bound_access_tokens: true }
            """)

    package static let scopeNotInSample = DiagnosticExplanation(
        "R003", name: "scope-not-in-sample",
        summary: "The engine does not find the granted scopes in the descriptor's own sample of a token response.",
        rationale: """
            The granted scopes decide which resources are open. If the pointer finds nothing, Carnet assumes that all \
            requested scopes are granted. With the wrong separator, it reads all scopes as one unknown scope.
            """,
        references: ["RFC 6749, section 3.3"],
        bad: """
            scopes: { default: [photos.read] }
            samples: { token: { access_token: redacted, token_type: Bearer, scope: ⟦photos_read⟧ } }

            scopes: { default: [read, write] }
            samples: { token: { access_token: redacted, token_type: Bearer, scope: ⟦'read,write'⟧ } }

            token: { response: { fields: { scope: ⟦/scopes⟧ } } }
            samples: { token: { access_token: redacted, token_type: Bearer, scope: read } }

            refresh: { response: { fields: { scope: ⟦/scopes⟧ } } }
            samples: { refresh: { access_token: redacted, token_type: Bearer, scope: read } }
            """,
        good: """
            scopes: { default: [read, write] }
            token: { response: { scope_separator: ',' } }
            samples: { token: { access_token: redacted, token_type: Bearer, scope: 'read,write' } }

            token: { response: { fields: { scope: /scopes } } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600, scopes: null } }
            """)

    package static let callbackNotAccepted = DiagnosticExplanation(
        "R004", name: "callback-not-accepted",
        summary: "The engine rejects the descriptor's own sample of a callback.",
        rationale: """
            The sample contains all parameters with which the provider redirects the browser, the code and the state \
            included. The engine validates them like a real callback, with the state of this attempt in place of the \
            sample's.
            """,
        references: ["RFC 6749, section 4.1.2", "RFC 9207, section 2.4"],
        bad: [
            "samples: { ⟦callback⟧: { auth_code: redacted, state: redacted } }",
            "samples: { ⟦callback⟧: { code: redacted, state: redacted, iss: 'https://other.example' } }",
            "samples: { ⟦callback⟧: { code: redacted } }",
        ],
        good: [
            "samples: { callback: { code: redacted, state: redacted, iss: 'https://id.acme.example' } }",
            """
            callback: { rename: { code: auth_code } }
            samples: { callback: { auth_code: redacted, state: redacted, shop: acme.shops.example } }
            """,
            "samples: { callback: { error: access_denied, state: redacted } }",
        ])

    package static let notAsExpected = DiagnosticExplanation(
        "R005", name: "sample-not-as-expected",
        summary: "The samples produce another result than 'samples.expect' states.",
        rationale: """
            'expect' states what the samples mean to the author: which scopes, which lifetime, which claims, which \
            error. The claims are those of the complete profile: the samples of 'profile.requests' and 'profile.derive' \
            count. The finding shows that, after a change of the descriptor, Carnet reads the samples differently.
            """,
        bad: """
            scopes: { default: [read, write] }
            samples:
              token: { access_token: redacted, token_type: Bearer, scope: read write, expires_in: 3600 }
              userinfo: { sub: '1', login: jane }
              error: { error: invalid_grant }
              expect: { scopes: ⟦[read]⟧, expires_in: ⟦60⟧, claims: { name: ⟦jane⟧ }, error: ⟦invalid_request⟧ }

            profile:
              requests:
                - { url: 'https://api.acme.example/emails', claims: { email: /email }, sample: { email: b@acme.example } }
                - { url: 'https://api.acme.example/names', claims: { name: /name } }
            samples:
              userinfo: { sub: '1', email: a@acme.example, name: Jane }
              expect: { claims: { email: ⟦a@acme.example⟧, name: ⟦Jane⟧ } }

            samples: { userinfo: { sub: '1', name: Jane }, expect: { claims: { name: ⟦null⟧ } } }
            """,
        good: """
            scopes: { default: [read, write] }
            profile: { claims: { name: /login } }
            samples:
              token: { access_token: redacted, token_type: Bearer, scope: read write, expires_in: 3600 }
              userinfo: { sub: '1', login: jane }
              error: { error: invalid_grant }
              expect: { scopes: [read, write], expires_in: 3600, claims: { name: jane }, error: invalid_grant }

            profile:
              derive: { nickname: '{claim.name}!' }
              requests:
                - { url: 'https://api.acme.example/names', claims: { name: /name, tags: /tags }, sample: { name: Jane, tags: [a, b] } }
            samples:
              userinfo: { sub: '1', name: J. }
              expect: { claims: { name: Jane, nickname: Jane!, tags: [a, b], email: null } }
            """)
}
