import Foundation
import Testing

/// What lint passes works in the sandbox.
@Suite("Lint and try")
struct AgreementTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private static let pages = """
        endpoints:
          authorization: https://acme.example/authorize
          token: https://acme.example/token
          userinfo: https://acme.example/me
        """

    /// The result of a trial of a descriptor in which lint finds no error.
    private func tryPassed(_ keys: String) async throws -> CommandResult {
        try home.write("carnet: 1\nid: acme\nname: Acme\n\(keys)\n", to: "providers/acme.yaml")
        let lint = try await home.run("lint", "providers/acme.yaml")
        #expect(lint.status == 0, "\(lint)")
        return try await home.run("try", "acme")
    }

    @Test(
        "A subject that is, or is made of, a standard member works with any scopes, without a sample",
        arguments: ["name", "email", "preferred_username", "name/id"],
        ["\(pages)", "\(pages)\nscopes: { default: [read] }", "\(pages)\nscopes: { default: [email] }"])
    func subjectAtStandardMember(member: String, keys: String) async throws {
        let tried = try await tryPassed("\(keys)\nprofile: { claims: { subject: /\(member) } }")
        #expect(tried.status == 0 && tried.standardOutput.contains(/subject +1000/), "\(tried)")
    }

    @Test(
        "A standard claim that a template takes comes with any scopes",
        arguments: [
            "\(pages)\nprofile: { derive: { subject: 'u-{claim.username}' } }",
            """
            issuer: https://acme.example
            scopes: { default: [openid] }
            profile: { from: id_token, derive: { subject: 'u-{claim.username}' } }
            """,
        ])
    func subjectOfStandardClaim(keys: String) async throws {
        let tried = try await tryPassed(keys)
        #expect(tried.status == 0 && tried.standardOutput.contains(/subject +u-/), "\(tried)")
    }

    private static let site = """
        connection:
          lookups:
            site:
              { url: "https://api.acme.example/sites", value: /id, capture: { zone: /zone }, sample: [{ id: s1, zone: eu }] }
          derive: { place: "{connection.zone}-{connection.site}" }
        api: { headers: { X-Place: "{connection.place}" } }
        resources: [{ title: Site, url: "https://api.acme.example/sites/{connection.site}" }]
        """

    @Test("Where nobody signs in, the lookups are the client's own", arguments: ["client_credentials", "jwt_bearer"])
    func lookupsOfClient(grant: String) async throws {
        let tried = try await tryPassed(
            "endpoints: { token: 'https://acme.example/token' }\n\(grant): {}\n\(Self.site)")
        #expect(
            tried.status == 0 && tried.standardOutput.contains("> GET https://api.acme.example/sites/s1"), "\(tried)")
        #expect(tried.standardOutput.contains("> X-Place: eu-s1"))
    }

    @Test("Where users sign in, a client's own token makes no lookup")
    func lookupsOfUsers() async throws {
        let tried = try await tryPassed(
            "\(Self.pages)\nprofile: { claims: { subject: /id } }\nclient_credentials: {}\n\(Self.site)")
        #expect(tried.status == 0, "\(tried)")
        #expect(tried.standardOutput.matches(of: /GET https:\/\/api.acme.example\/sites\n/).count == 1)
    }

    @Test(
        "A grant for an assertion is tried with a key of the client, however clients authenticate",
        arguments: ["[none]", "[none, client_secret_post]", "[none, private_key_jwt]", "[client_secret_basic]"],
        ["endpoints: { token: 'https://acme.example/token' }", "issuer: https://acme.example"])
    func assertionOfAnyClient(methods: String, places: String) async throws {
        let keys = "\(places)\nclient: { authentication: \(methods) }\njwt_bearer: {}"
        for more in ["", "\ntoken_exchange: {}"] {
            let tried = try await tryPassed(keys + more)
            #expect(tried.status == 0 && tried.standardOutput.contains("> &assertion="), "\(tried)")
            #expect(more.isEmpty || tried.standardOutput.contains("> &subject_token="))
        }
    }

    @Test("What sends no request is not said to work")
    func nothingTried() async throws {
        let tried = try await tryPassed(
            "endpoints: { token: 'https://acme.example/token' }\nclient: { authentication: [none] }\ntoken_exchange: {}"
        )
        #expect(tried.standardOutput.contains("Acme was not tried (1 step, 0 requests)"), "\(tried)")
    }

    @Test("A client that asks for no scope gets those of the sample, which a template may need")
    func scopesOfSample() async throws {
        let tried = try await tryPassed(
            """
            \(Self.pages)
            profile: { claims: { subject: /id } }
            token: { response: { scope_separator: ',' } }
            scopes: { catalog: [read, write] }
            connection:
              derive: { first: "{capture(token.scope, '([a-z]+).*')}" }
              on_connect: ["https://api.acme.example/of/{connection.first}"]
            samples:
              token: { access_token: x, token_type: Bearer, expires_in: 3600, scope: 'read,write' }
              userinfo: { id: 7 }
            """)
        #expect(tried.status == 0 && tried.standardOutput.contains("GET https://api.acme.example/of/read"), "\(tried)")
        #expect(tried.standardOutput.contains(/granted +read write/))
    }

    /// What fails in a trial, and which finding says so.
    private func lintFails(_ keys: String, _ code: String) async throws {
        try home.write("carnet: 1\nid: acme\nname: Acme\n\(keys)\n", to: "acme.yaml")
        let lint = try await home.run("lint", "acme.yaml")
        #expect(lint.status == 1 && lint.standardOutput.contains("[\(code)]"), "\(lint)")
    }

    @Test(
        "A sign-in that needs an ID token or scopes asks for them",
        arguments: [
            "connection: { derive: { v: \"{jwt_claim(token.id_token, '/tid')}\" } }",
            "connection: { derive: { v: '{client.scope}' } }",
            "connection: { derive: { v: \"{map(token.scope, 't')}\" } }\ntables: { t: { a: b } }",
            "connection: { on_connect: ['https://api.acme.example/{token.scope}'] }",
            "resources: [{ title: Own, url: 'https://api.acme.example/{token.scope}' }]",
        ],
        [pages + "\nprofile: { claims: { subject: /id } }", "issuer: https://acme.example"])
    func neededScopes(need: String, places: String) async throws {
        try await lintFails("\(places)\n\(need)", "S014")
    }

    @Test("Null in a sample of a token response stays null, beside the place that has a value")
    func nullInSample() async throws {
        let tried = try await tryPassed(
            """
            \(Self.pages)
            profile: { claims: { subject: /id } }
            token:
              response:
                fields: { access_token: [/user/token, /token], refresh_token: [/user/refresh, /refresh] }
                token_sets: { user: /authed_user }
            samples:
              token:
                user: { token: null, refresh: null }
                token: x
                refresh: y
                token_type: Bearer
                expires_in: 3600
                authed_user: null
              userinfo: { id: 7 }
            """)
        #expect(tried.status == 0 && tried.standardOutput.contains(/tokens of user +none/), "\(tried)")
        #expect(tried.standardOutput.contains(/refresh token +yes/))
        for name in ["token", "refresh", "authed_user"] {
            #expect(tried.standardOutput.contains("\"\(name)\": null"), "\(tried)")
        }
    }

    @Test(
        "What only the metadata of a resource's server names is there",
        arguments: [
            "profile: { from: userinfo }", "profile: { from: userinfo }\nscopes: { default: [openid] }",
            "authorization: { pushed: always }", "discovery: preferred",
        ])
    func endpointsOfResource(keys: String) async throws {
        let tried = try await tryPassed(
            """
            resource: https://api.acme.example
            endpoints: { authorization: https://acme.example/authorize, token: https://acme.example/token }
            \(keys)
            """)
        #expect(tried.status == 0, "\(tried)")
    }

    @Test(
        "A callback names the issuer wherever the descriptor requires it",
        arguments: [
            "endpoints: { authorization: https://id.acme.example/authorize, token: https://acme.example/token }",
            "discovery_url: https://acme.example/metadata.json", "issuer: https://acme.example",
            "resource: https://api.acme.example",
        ])
    func issuerOfCallback(places: String) async throws {
        let tried = try await tryPassed(
            "\(places)\nprofile: { subject: { none: The API has no users. } }\ncallback: { iss: required }")
        #expect(tried.status == 0 && tried.standardOutput.contains(">     &iss="), "\(tried)")
    }

    @Test(
        "A header is there once, whatever its case",
        arguments: [
            "api: { headers: { Accept: a, accept: b } }", "token: { headers: { X-A: a, x-a: b } }",
            "profile: { requests: [{ url: 'https://a.example', headers: { A: a, a: b }, claims: { email: /e } }] }",
            "resources: [{ title: A, url: 'https://a.example', headers: { X-A: a, x-a: b } }]",
            "connection: { on_connect: [{ url: 'https://a.example', headers: { X-A: a, x-a: b } }] }",
        ])
    func repeatedHeader(keys: String) async throws {
        try await lintFails("issuer: https://acme.example\n\(keys)", "C008")
    }

    @Test("A sample of the profile that is an error is reported", arguments: ["invalid_token", "{ code: 190 }"])
    func errorAsProfile(error: String) async throws {
        try await lintFails(
            "\(Self.pages)\nprofile: { subject: { none: No users. } }\nsamples: { userinfo: { error: \(error) } }",
            "T003")
    }

    @Test("A table has each value that an input allows, or the template a default", arguments: [true, false])
    func valuesOfInputInTable(hasDefault: Bool) async throws {
        try home.write(
            """
            carnet: 1
            id: acme
            name: Acme
            inputs: { region: { enum: [eu, us], default: eu } }
            tables: { hosts: { eu: eu.acme.example } }
            issuer: https://acme.example
            api: { base_url: "https://{map(region, 'hosts')\(hasDefault ? "|us.acme.example" : "")}" }

            """, to: "acme.yaml")
        let lint = try await home.run("lint", "acme.yaml")
        #expect(lint.standardOutput.contains("lacks \"us\"") == !hasDefault, "\(lint)")
    }

    @Test("A claim of the ID token that a template takes is that of the sample")
    func claimOfSample() async throws {
        let tried = try await tryPassed(
            """
            issuer: https://acme.example
            scopes: { default: [openid] }
            profile: { from: id_token, derive: { subject: "{jwt_claim(token.id_token, '/oid')}" } }
            samples: { userinfo: { sub: s-1, oid: o-1 }, expect: { claims: { subject: o-1 } } }
            """)
        #expect(tried.status == 0 && tried.standardOutput.contains(/subject +o-1/), "\(tried)")
    }
}
