import Foundation
import Testing

/// Shapes of descriptors on which lint, `try` and the engine have to agree.
@Suite("Judges")
struct JudgesTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private static let head = "carnet: 1\nid: acme\nname: Acme\n"
    private static let pages = """
        endpoints:
          authorization: https://id.acme.example/authorize
          token: https://id.acme.example/token

        """

    private static func organization(_ source: String) -> String {
        "inputs: { hd: { type: text, optional: true, example: acme.example } }\nissuer: https://id.acme.example\n"
            + "scopes: { default: [openid] }\n"
            + "profile: { \(source)claims: { subject: { where: { hd: '{hd}' }, first: /sub } } }\n"
    }

    private func judge(_ text: String) async throws -> (lint: CommandResult, trial: CommandResult) {
        try home.write(Self.head + text, to: "acme.yaml")
        return (
            try await home.run("lint", "--fail-on", "never", "acme.yaml"),
            try await home.run("try", "acme.yaml")
        )
    }

    @Test(
        "What lint accepts, the engine signs in to",
        arguments: [
            (
                Self.pages
                    + "profile: { from: token, derive: { subject: \"{jwt_claim(token.access_token, '/userId')}\" } }\n"
                    + "samples: { token: { access_token: eyJhbGciOiAibm9uZSJ9.eyJ1c2VySWQiOiAidS0xIn0., token_type: Bearer } }\n",
                "subject u-1", "Ada Example"
            ),
            (
                Self.pages
                    + "profile: { from: token, derive: { subject: \"{jwt_claim(token.access_token, '/no-such')}\" } }\n",
                "no sample shows where the provider has the subject", "Ada Example"
            ),
            (
                Self.pages
                    + "  userinfo: /me\nprofile: { claims: { subject: /id } }\napi: { base_url: https://api.acme.example }\n",
                "https://api.acme.example/me", "failed"
            ),
            (
                Self.pages
                    + "  userinfo: /me\nprofile: { claims: { subject: /id }, requests: [{ url: /mail, claims: { email: /mail } }] }\n"
                    + "token: { response: { capture: { base: { from: /base, example: 'https://a.acme.example' } } } }\n"
                    + "trusted_hosts: ['*.acme.example']\napi: { base_url: '{token.base}' }\n",
                "https://a.acme.example/mail", "failed"
            ),
            (
                "endpoints: { token: https://id.acme.example/token }\nclient_credentials: {}\n",
                "Client credentials grant", "Callback"
            ),
            (
                "endpoints: { token: https://id.acme.example/token }\nprofile: { subject: { none: the client itself } }\n",
                "Client credentials grant", "Callback"
            ),
            (
                "endpoints: { token: https://id.acme.example/token }\nclient: { authentication: [client_secret_post] }\nclient_credentials: {}\n"
                    + "token: { omit: [grant_type], query_parameters: [client_id, client_secret] }\n",
                "Client credentials grant", "Callback"
            ),
            (
                "endpoints: { token: https://id.acme.example/token, device_authorization: https://id.acme.example/device }\n"
                    + "profile: { subject: { none: a device } }\n",
                "Sign-in on another device", "Callback"
            ),
            (
                Self.pages + "  userinfo: https://id.acme.example/me\n"
                    + "profile: { claims: { subject: /id }, success: { field: /errors, equals: [null] } }\n"
                    + "samples: { userinfo: { id: 1 } }\n",
                "Acme works", "failed"
            ),
            // A value of a lookup in the URL of the profile.
            (
                Self.pages + "  userinfo: https://api.acme.example/{connection.site}/me\n"
                    + "profile: { claims: { subject: /id } }\nsamples: { userinfo: { id: u-7 } }\n"
                    + "connection: { lookups: { site: { url: https://api.acme.example/sites, value: /id, sample: [{ id: s1 }] } } }\n",
                "https://api.acme.example/s1/me", "failed"
            ),
            // A claim of a token in URLs, with a sample that has it and without one.
            (
                Self.pages + "connection: { derive: { region: \"{jwt_claim(token.access_token, '/region')}\" } }\n"
                    + "api: { base_url: 'https://api.acme.example/{connection.region}' }\nscopes: { default: [read] }\n"
                    + "resources: [{ scope: read, title: Albums, url: /albums }]\n"
                    + "samples: { token: { access_token: eyJhbGciOiAibm9uZSJ9.eyJyZWdpb24iOiAiZXUxIn0., token_type: Bearer } }\n",
                "https://api.acme.example/eu1/albums", "failed"
            ),
            (
                Self.pages + "  userinfo: \"https://api.acme.example/{connection.region}/me\"\n"
                    + "connection: { derive: { region: \"{jwt_claim(token.access_token, '/region')}\" } }\n"
                    + "profile: { claims: { subject: /id } }\n",
                "https://api.acme.example/example/me", "failed"
            ),
            (
                Self.pages
                    + "connection: { derive: { home: \"{capture(jwt_claim(token.access_token, '/iss'), 'https://(.+)')}\" } }\n",
                "home", "failed"
            ),
            // Conditions that name a place, and a list.
            (
                Self.pages
                    + "connection: { lookups: { site: { url: https://api.acme.example/sites, where: { /state/is: main, tags: eu }, value: /id, "
                    + "sample: [{ id: s1, state: { is: side }, tags: [eu] }, { id: s2, state: { is: main }, tags: [de, eu] }] } } }\n"
                    + "scopes: { default: [read] }\n"
                    + "resources: [{ scope: read, title: Albums, url: 'https://api.acme.example/{connection.site}' }]\n",
                "https://api.acme.example/s2", "failed"
            ),
            // An optional lookup that finds nothing in its own sample.
            (
                Self.pages
                    + "connection: { lookups: { site: { url: https://api.acme.example/site, value: /id, optional: true, sample: {} } } }\n"
                    + "resources: [{ title: Albums, all_of: [], url: 'https://api.acme.example/{connection.site}' }]\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600 } }\n",
                "Acme works", "failed"
            ),
            // The URL of the metadata is all that is known.
            ("discovery_url: https://id.acme.example/metadata.json\n", "Acme works", "failed"),
            (
                "discovery_url: https://id.acme.example/metadata.json\n"
                    + "id_token: { algorithms: [ES256] }\nscopes: { default: [openid] }\n",
                "Acme works", "failed"
            ),
            // A request without a parameter, and a parameter without a value.
            (Self.pages + "exchange: { wide: { url: https://api.acme.example/wide } }\n", "Acme works", "failed"),
            (Self.pages + "token: { parameters: { scope: '{client.scope}' } }\n", "Acme works", "failed"),
            // An input with a pattern and no example.
            (
                "issuer: https://{host}/{tenant}\ninputs: { host: { type: hostname, pattern: '[a-z]+[.]acme[.]example' }, tenant: { pattern: '[0-9]{4}' } }\n",
                "https://a.acme.example/1111/", "failed"
            ),
            // One URL for the page and for devices.
            (
                Self.pages + "  device_authorization: https://id.acme.example/authorize\n",
                "Sign-in on another device", "failed"
            ),
            // A guard before the JSON, a JSON value in the URL, a repeated parameter, and a code in a parameter of its own.
            (
                Self.pages + "token: { response: { format: guarded } }\n"
                    + "samples: { token: '&&&START&&&{\"access_token\":\"redacted\",\"token_type\":\"Bearer\"}' }\n",
                "Acme works", "failed"
            ),
            (
                Self.pages + "authorization: { parameters: { claims: { userinfo: { email: null } } } }\n",
                "claims=%7B%22userinfo%22", "failed"
            ),
            (
                Self.pages
                    + "token: { parameters: { audience: [a, b] }, encode: { audience: repeated } }\nrefresh: { rotation: none }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer } }\n",
                "&audience=b", "failed"
            ),
            (
                Self.pages
                    + "token: { body: json, omit: [code], parameters: { auth: { value: '{callback.code}' } } }\n",
                "Acme works", "failed"
            ),
            // A sample of a user without a name.
            (
                Self.pages + "  userinfo: https://id.acme.example/me\n"
                    + "profile: { claims: { subject: /id, name: /full_name } }\nsamples: { userinfo: { id: 7, full_name: '' } }\n",
                "\"full_name\": \"\"", "Ada Example"
            ),
            // A user without what the URL of a further request takes, in the sample: the other claims are there.
            (
                Self.pages + "  userinfo: https://id.acme.example/me\n"
                    + "profile: { claims: { subject: /id, org: /org }, requests: [{ url: 'https://id.acme.example/u/{claim.org}', claims: { role: /role } }] }\n"
                    + "samples: { userinfo: { id: 7, org: null } }\n",
                "the request for role is not sent: the user has no value for {claim.org}", "failed"
            ),
            // An ID token of a sign-in that sends no nonce, as it asks for no openid.
            (
                "issuer: https://id.acme.example\nid_token: { algorithms: [ES256] }\nscopes: { default: [email] }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600, id_token: redacted } }\n",
                "signature, issuer, audience, times\n", "nonce"
            ),
            (
                "issuer: https://id.acme.example\nid_token: { algorithms: [ES256] }\nscopes: { default: [openid] }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 3600, id_token: redacted } }\n",
                "signature, issuer, audience, times, nonce\n", "failed"
            ),
            // A list of members of the first response.
            (
                Self.pages + "  userinfo: https://id.acme.example/me\n"
                    + "profile: { claims: { subject: /id, groups: { root: /teams, each: /name } } }\n"
                    + "samples: { userinfo: { id: 1, teams: [{ name: red }, { name: blue }] } }\n",
                "[\"red\",\"blue\"]", "failed"
            ),
            // A refresh token that a later step brings, and an ID token that is the access token.
            (
                Self.pages
                    + "exchange: { long: { url: https://id.acme.example/long, parameters: { t: '{token.access_token}' }, "
                    + "sample: { access_token: redacted, token_type: Bearer, refresh_token: redacted } } }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer } }\n",
                "refresh token  yes", "issued no refresh token"
            ),
            (
                "issuer: https://id.acme.example\nid_token: { algorithms: [ES256] }\nscopes: { default: [openid] }\n"
                    + "token: { response: { fields: { access_token: /id_token } } }\n"
                    + "connection: { derive: { site: \"{jwt_claim(token.access_token, '/site')}\" } }\n"
                    + "api: { base_url: 'https://api.acme.example/{connection.site}' }\n"
                    + "resources: [{ scope: openid, title: Albums, url: /albums }]\n",
                "https://api.acme.example/example/albums", "failed"
            ),
            (
                Self.pages + "  userinfo: https://id.acme.example/me\nprofile: { claims: { subject: /id } }\n"
                    + "token: { response: { fields: { access_token: /id_token } } }\nid_token: { none: no issuer }\n",
                "Acme works", "failed"
            ),
            // What is no secret is shown.
            (
                Self.pages + "  device_authorization: https://id.acme.example/device\n"
                    + "profile: { from: token, claims: { subject: /uid, email: /email } }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer, uid: u-1, email: eve@acme.example } }\n",
                "\"email\": \"eve@acme.example\"", "\"email\": \"[redacted]\""
            ),
            (
                Self.pages + "  userinfo: https://id.acme.example/me\nprofile: { claims: { subject: /id } }\n"
                    + "samples: { userinfo: { id: 1, error: { code: none }, country: { code: FI } } }\n",
                "\"code\": \"FI\"", "\"code\": \"[redacted]\""
            ),
            // What a client is known for, in URLs; and the exact time, beside and inside other texts.
            (
                Self.pages + "  userinfo: \"https://id.acme.example/me?r={urlencode(client.redirect_uri)}\"\n"
                    + "profile: { claims: { subject: /id } }\n"
                    + "authorization: { parameters: { back: '{client.redirect_uri}', wanted: '{client.scope}' } }\n"
                    + "scopes: { default: [read] }\n"
                    + "exchange: { wide: { url: 'https://id.acme.example/{client.id}', parameters: { t: '{token.access_token}' }, brings: values } }\n"
                    + "connection: { lookups: { site: { url: 'https://api.acme.example/{client.id}?r={urlencode(client.redirect_uri)}', "
                    + "value: /id, sample: [{ id: s1 }] } } }\n",
                "Acme works", "failed"
            ),
            (
                Self.pages + "  userinfo: https://id.acme.example/me\n  revocation: https://id.acme.example/revoke\n"
                    + "profile: { claims: { subject: /id } }\n"
                    + "token: { body: json, parameters: { stamp: { at: [\"{now('ms')}\"] } } }\n"
                    + "revocation: { parameters: { at: \"{now('ms')}\" } }\n"
                    + "api: { headers: { X-Sign: \"{hmac_sha256(client.secret, now('ms'))}\", X-Time: \"{now('ms')}\" } }\n"
                    + "exchange: { wide: { url: https://id.acme.example/wide, brings: values, "
                    + "parameters: { t: '{token.access_token}', at: \"on {now()}\", any: '{random()}' } } }\n"
                    + "connection: { lookups: { site: { url: https://api.acme.example/sites, value: /id, sample: [{ id: s1 }], "
                    + "headers: { X-At: \"{join(' ', now('iso8601'), now('ms'))}\" } } } }\n",
                "Acme works", "failed"
            ),
            // An exchanged token belongs to no sign-in that has a key.
            (
                Self.pages + "client: { dpop_bound_access_tokens: true }\ntoken_exchange: {}\n", "Token exchange",
                "failed"
            ),
            // A subject that is derived: of claims without a sample, and of a sample of the tokens.
            (
                Self.pages + "  userinfo: https://id.acme.example/me\n"
                    + "profile: { claims: { team: /team, number: /number }, derive: { subject: '{claim.team}-{claim.number}' } }\n",
                "Acme works", "failed"
            ),
            (
                Self.pages + "  userinfo: https://id.acme.example/me\ntoken: { response: { capture: { uid: /uid } } }\n"
                    + "profile: { derive: { subject: '{token.uid}' } }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer, uid: u-1 } }\n",
                "subject u-1", "no sample shows"
            ),
        ])
    func agreed(_ text: String, _ shown: String, _ hidden: String) async throws {
        let (lint, trial) = try await judge(text)
        #expect(!lint.standardOutput.contains("error:"), "\(lint)")
        #expect(trial.status == 0, "\(trial)")
        #expect(trial.standardOutput.contains(shown) && !trial.standardOutput.contains(hidden), "\(trial)")
    }

    /// What random descriptors had, before lint, the engine and the sandbox agreed on it.
    private static let unusual: [(text: String, shown: String)] = [
        (
            "issuer: https://id.acme.example\nid_token: { other_audiences: [acme] }\nscopes: { default: [openid] }\n",
            "Sign-out at the provider"
        ),
        // Metadata that the descriptor has only the URL of: it names the issuer.
        (
            "discovery_url: https://id.acme.example/metadata.json\nscopes: { default: [openid] }\n"
                + "id_token: { algorithms: [ES256] }\n",
            "iss     https://id.acme.example\n"
        ),
        (
            "discovery_url: https://id.acme.example/metadata.json\nissuer_match: { none: a gateway }\n"
                + "scopes: { default: [openid] }\nid_token: { algorithms: [ES256] }\n",
            "Acme works"
        ),
        ("discovery_url: https://id.acme.example/metadata.json\njwt_bearer: {}\n", "JWT bearer grant"),
        // Tenants of a certain form, and those of a server that a resource names.
        (
            "issuer: https://id.acme.example\nscopes: { default: [openid] }\nid_token: { algorithms: [ES256] }\n"
                + "issuer_match: { template: 'https://id.acme.example/{tenantid}', pattern: '[0-9]+' }\n",
            "Acme works"
        ),
        (
            "resource: https://id.acme.example\nissuer_match: { template: 'https://id.acme.example/{tenantid}' }\n",
            "Acme works"
        ),
        // An OpenID provider that is used without OpenID Connect has no profile.
        (
            Self.pages + "issuer: https://id.acme.example\ndiscovery: none\n",
            "no scope openid for an ID token"
        ),
        // Claims that are elsewhere, which no client fetches.
        (
            "issuer: https://id.acme.example\nscopes: { default: [openid, email] }\nid_token: { algorithms: [ES256] }\n"
                + "profile: { sources: [{ issuer: https://a.example, jwks: https://a.example/k, claims: [email], algorithms: [ES256] }] }\n",
            "left out"
        ),
        // Values of the sign-in in parameters, in JSON and encoded, and none where there is no ID token.
        (
            "issuer: https://id.acme.example\n"
                + "authorization: { parameters: { to: 'a-{client.redirect_uri|none}' } }\n",
            "to=a-http"
        ),
        (
            Self.pages + "exchange: { wide: { url: https://api.acme.example/wide, "
                + "parameters: { of: { as: '{base64url(token.access_token)}' } } } }\n",
            "Acme works"
        ),
        (
            Self.pages + "exchange: { wide: { url: https://api.acme.example/wide, "
                + "headers: { X-Of: '{lower(token.id_token)}' } } }\n",
            "Acme works"
        ),
        (
            Self.pages + "exchange: { wide: { url: https://api.acme.example/wide, "
                + "parameters: { of: \"{random('16')}\" } } }\n",
            "Acme works"
        ),
        (
            "issuer: https://id.acme.example\nscopes: { default: [openid] }\nid_token: { algorithms: [ES256] }\n"
                + "exchange: { wide: { url: https://api.acme.example/wide, parameters: { of: '{token.id_token}' } } }\n",
            "Acme works"
        ),
        (
            Self.pages + "refresh: { parameters: { of: { a: 'x-{token.access_token|none}', b: 1 }, "
                + "us: \"{jwt_claim(token.access_token, '/uid')}\", eu: { c: \"{jwt_claim(token.id_token, '/sub')}\" } } }\n",
            "Acme works"
        ),
        (Self.pages + "refresh: { parameters: { scope: read } }\n", "Acme works"),
        (
            Self.pages + "refresh: { omit: [refresh_token], headers: { X-Of: '{token.refresh_token}' } }\n",
            "Acme works"
        ),
        (
            Self.pages + "token: { omit: [refresh_token] }\n"
                + "refresh: { parameters: { session: { id: '{token.refresh_token}' } } }\n",
            "Acme works"
        ),
        // A list without a place, the scopes in a URL, and a resource whose server the descriptor knows in part.
        (
            "issuer: https://id.acme.example\nrevocation: { success: { field: [] } }\n", "Revocation"
        ),
        (
            "issuer: https://id.acme.example\nscopes: { default: [openid] }\nid_token: { algorithms: [ES256] }\n"
                + "exchange: { wide: { url: 'https://api.acme.example/wide?for={token.scope}' } }\n",
            "?for=openid"
        ),
        (
            Self.pages + "resource: https://api.acme.example\ndiscovery: preferred\njwt_bearer: {}\n",
            "JWT bearer grant"
        ),
        (
            Self.pages + "resource: https://api.acme.example\nauthorization: { response_mode: query.jwt }\n"
                + "callback: { jwt: [ES256] }\n",
            "Acme works"
        ),
        // A random value of a revocation, a value that a step brings with its tokens, and an alias of what the token
        // endpoint does.
        (
            "issuer: https://id.acme.example\nrevocation: { parameters: { of: '{uuid()}' } }\n", "Revocation"
        ),
        (
            Self.pages + "exchange: { wide: { url: https://api.acme.example/wide, "
                + "response: { capture: { site: { from: /site, example: s1 } } } } }\n",
            "Acme works"
        ),
        (
            "issuer: https://id.acme.example\nclient: { tls_client_certificate_bound_access_tokens: true }\n"
                + "endpoints: { mtls_endpoint_aliases: { refresh: https://mtls.acme.example/refresh } }\n",
            "Acme works"
        ),
        // A proof at an alias, the scopes that nobody sends, a step with a status of its own, a scope with a value in it, and
        // the name of a parameter that is not sent.
        (
            "issuer: https://id.acme.example\nclient: { tls_client_certificate_bound_access_tokens: true, "
                + "dpop_bound_access_tokens: true }\n"
                + "endpoints: { mtls_endpoint_aliases: { token: https://mtls.acme.example/token } }\n",
            "Acme works"
        ),
        (
            "issuer: https://id.acme.example\nscopes: { default: [openid] }\nauthorization: { omit: [scope] }\n",
            "Acme works"
        ),
        (
            Self.pages + "exchange: { wide: { url: https://api.acme.example/wide, "
                + "response: { success: { statuses: [202] } } } }\n",
            "< 202"
        ),
        (
            Self.pages + "exchange: { wide: { url: https://api.acme.example/wide, response: { format: guarded } } }\n",
            "Acme works"
        ),
        (
            "endpoints: { token: https://id.acme.example/token }\nclient_credentials: {}\n"
                + "scopes: { catalog: [read], default: ['x{client.id}'] }\n",
            "Client credentials grant"
        ),
        (Self.pages + "token: { rename: { refresh_token: scope } }\n", "Acme works"),
        // Grants with one name, which their parameters tell apart.
        (
            "issuer: https://id.acme.example\ntoken_exchange: { grant_type: own }\nrefresh: { grant_type: own }\n",
            "Token exchange"
        ),
        (
            "endpoints: { token: https://id.acme.example/token }\njwt_bearer: { body: json, grant_type: 'urn:own' }\n"
                + "client_credentials: { grant_type: 'urn:own' }\n",
            "JWT bearer grant"
        ),
        // A client that has nothing but its key, and an assertion that is a token.
        (
            "endpoints: { token: https://id.acme.example/token }\nclient: { authentication: [none] }\n"
                + "jwt_bearer: { omit: [assertion, grant_type, client_id], "
                + "headers: { Authorization: 'Bearer {request.assertion}' } }\n",
            "> Authorization: [redacted]"
        ),
        // A type of tokens that a client without a key never gets, and an endpoint that is its own alias.
        (
            Self.pages + "  userinfo: https://id.acme.example/me\n"
                + "token: { response: { accept_token_types: [DPoP, OAuth] } }\n",
            "Acme works"
        ),
        (
            "endpoints: { token: https://id.acme.example/token, mtls_endpoint_aliases: { token: https://id.acme.example/token } }\n"
                + "client_credentials: {}\n",
            "Client credentials grant"
        ),
        // Values of the callback: of its sample, and of the standard.
        (
            Self.pages + "  userinfo: https://{callback.shop}/me\nprofile: { claims: { subject: /id } }\n"
                + "trusted_hosts: ['*.acme.example']\ncallback: { capture: { shop: { pattern: '[a-z.]+' } } }\n"
                + "refresh: { parameters: { of: '{callback.shop}' } }\n"
                + "samples: { userinfo: { id: 1 }, callback: { code: redacted, state: redacted, shop: a.acme.example } }\n",
            "https://a.acme.example/me"
        ),
        (
            Self.pages + "  userinfo: https://id.acme.example/me\nprofile: { claims: { subject: /id } }\n"
                + "callback: { capture: { used: { from: code, pattern: '.+', secret: true } } }\n"
                + "refresh: { parameters: { was: '{callback.used}' } }\n"
                + "api: { headers: { X-Was: '{sha256(callback.used)}', X-By: '{sha256(token.refresh_token)|none}' } }\n",
            "Acme works"
        ),
        (
            "issuer: https://id.acme.example\ncallback: { capture: { by: { from: iss, pattern: 'https://.+' }, state: {} } }\n"
                + "refresh: { parameters: { by: '{callback.by}', state: '{callback.state}' } }\n",
            "Acme works"
        ),
        (
            Self.pages + "  revocation: https://id.acme.example/revoke\ncallback: { capture: { first: state } }\n"
                + "revocation: { parameters: { of: '{callback.first}', by: '{token.refresh_token|none}' } }\n",
            "Revocation"
        ),
        (
            Self.pages + "exchange: { wide: { url: https://api.acme.example/wide, parameters: "
                + "{ t: '{token.access_token}', code: '{callback.code|none}', of: '{token.refresh_token|none}' } } }\n",
            "Acme works"
        ),
        // Values of one request in a resource's header, and the tokens of a sign-in in the place of the usual one.
        (
            Self.pages + "scopes: { default: [read] }\nresources: [{ scope: read, title: Albums, "
                + "url: https://api.acme.example/albums, headers: { X-Id: '{uuid()}', X-At: \"{now('ms')}\", "
                + "X-Of: '{base64url(token.scope)}' } }]\n",
            "https://api.acme.example/albums"
        ),
        (
            "issuer: https://id.acme.example\nscopes: { default: [openid] }\n"
                + "api: { headers: { Authorization: '{token.id_token}' } }\nprofile: { from: userinfo }\n",
            "Profile"
        ),
        // Refresh tokens are revoked by requests that carry them as access tokens are carried.
        (
            Self.pages + "  revocation: https://id.acme.example/revoke\n"
                + "revocation: { tokens: [refresh_token, access_token], token_in: { header: X-Token } }\n",
            "Revocation"
        ),
        // The scopes of a sign-in include those that the metadata demands.
        (
            "resource: https://api.acme.example/\nscopes: { default: [openid] }\n"
                + "refresh: { headers: { X-Of: '{client.scope}' } }\n",
            "Refresh"
        ),
        // The endpoint that the profile names is one that the metadata has.
        (
            Self.pages
                + "  jwks: https://id.acme.example/keys\nissuer: https://id.acme.example\nprofile: { from: userinfo }\n",
            "Profile"
        ),
        ("issuer: https://id.acme.example\nprofile: { from: userinfo, jwt: {}, format: guarded }\n", "Profile"),
        // The redirect URI's own parameters are signed.
        (
            Self.pages + "authorization: { state: { in: redirect_uri, because: Acme drops it } }\n"
                + "callback: { verify: { parameter: hmac } }\n",
            "Acme works"
        ),
        // Calls at one URL, such as that of GraphQL, and a resource there.
        (
            Self.pages + "connection: { lookups: { "
                + "a: { url: https://api.acme.example/graph, method: POST, body: json, parameters: { query: one }, value: /id, sample: { id: a1 } }, "
                + "b: { url: https://api.acme.example/graph, method: POST, body: json, parameters: { query: two }, value: /id, sample: { id: b1 } } } }\n",
            "Acme works"
        ),
        (
            Self.pages + "connection: { lookups: { a: { url: https://api.acme.example/sites, "
                + "parameters: { fields: id }, value: /id, sample: { id: a1 } } } }\nscopes: { default: [read] }\n"
                + "resources: [{ scope: read, title: Sites, url: https://api.acme.example/sites }]\n",
            "Acme works"
        ),
        // A subject of one organization, with a sample, of another customer, and of users without a sample.
        (
            Self.organization("from: id_token, ") + "samples: { userinfo: { sub: u-1, hd: acme.example } }\n",
            "Acme works"
        ),
        (Self.organization("from: id_token, "), "Acme works"), (Self.organization(""), "Acme works"),
        // An empty JSON object is a body.
        (
            Self.pages + "connection: { lookups: { a: { url: https://api.acme.example/all, method: POST, body: json, "
                + "value: /id, sample: { id: a1 } } }, on_connect: [{ url: https://api.acme.example/hi, method: POST, "
                + "body: json }] }\nexchange: { a: { url: https://api.acme.example/step, body: json, brings: values, "
                + "sample: {} } }\n",
            "Acme works"
        ),
        // Steps at one URL, such as that of GraphQL, and at the URL of the token endpoint.
        (
            Self.pages + "exchange: { a: { url: https://api.acme.example/graph, brings: values, "
                + "parameters: { t: '{token.access_token}', query: a }, capture: { x: /x }, sample: { x: x1 } }, "
                + "b: { url: https://api.acme.example/graph, brings: values, "
                + "parameters: { t: '{token.access_token}', query: '{step.x}' }, capture: { z: /z }, sample: { z: z1 } } }\n",
            "Acme works"
        ),
        (
            Self.pages + "exchange: { wide: { url: https://id.acme.example/token, "
                + "parameters: { t: '{token.access_token}', grant_type: wide } } }\n",
            "Acme works"
        ),
    ]

    @Test("What lint accepts, the engine signs in to, however unusual it is", arguments: Self.unusual)
    func unusualDescriptor(_ text: String, _ shown: String) async throws { try await agreed(text, shown, "failed") }

    @Test(
        "What lint reports as an error, the command does not try",
        arguments: [
            (
                Self.pages.replacingOccurrences(of: "https://id.acme.example/token", with: "/token")
                    + "api: { base_url: https://api.acme.example }\n", "E002"
            ),
            ("endpoints: { token: https://id.acme.example/token }\n", "E008"),
            (
                Self.pages + "  userinfo: https://id.acme.example/me\nprofile: { claims: { subject: /encodedID } }\n"
                    + "samples: { userinfo: { encodedId: a1 } }\n", "T003"
            ),
            (Self.pages + "token: { headers: { Authorization: Basic } }\n", "C008"),
            (Self.pages + "token: { omit: [refresh_token] }\n", "C018"),
            ("issuer: https://id.acme.example\nenvironments: { test: { discovery: none } }\n", "E008"),
            (
                "issuer: https://id.acme.example\nscopes: { default: [openid] }\nprofile: { subject: { none: nobody } }\n",
                "T070"
            ),
            (
                "issuer: https://id.acme.example\nprofile: { claims: { subject: { root: /user, each: /id } } }\n",
                "T072"
            ),
            (Self.pages + "token: { response: { fields: { access_token: /id_token } } }\n", "S007"),
            (
                Self.pages.replacingOccurrences(of: "/authorize", with: "/{client.redirect_uri}")
                    + "samples: { token: { access_token: redacted, token_type: Bearer } }\n", "R002"
            ),
            (
                Self.pages
                    + "connection: { lookups: { site: { url: https://api.acme.example/sites, where: { kind: main }, value: /id, "
                    + "sample: [{ id: s1, kind: side }] } } }\n", "K121"
            ),
            (
                "inputs: { site: { example: a } }\n" + Self.pages
                    + "connection: { lookups: { site: { url: https://api.acme.example/sites, where: { url: 'https://{site}.acme.exmaple' }, value: /id, "
                    + "sample: [{ id: s1, url: 'https://a.acme.example' }] } } }\n", "K121"
            ),
            (
                Self.pages + "token: { response: { capture: { site: /site } } }\ntrusted_hosts: ['*.acme.example']\n"
                    + "api: { base_url: '{token.site}' }\nscopes: { default: [read] }\n"
                    + "resources: [{ scope: read, title: Albums, url: /albums }]\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer, site: 'https://other.example' } }\n",
                "R002"
            ),
            (
                Self.pages + "callback: { capture: { x: code } }\nrefresh: { parameters: { was: '{callback.x}' } }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer } }\n",
                "R002"
            ),
            (
                Self.pages + "  device_authorization: https://id.acme.example/{client.redirect_uri}/device\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer } }\n",
                "R002"
            ),
            (
                "issuer: https://id.acme.example\ncallback: { capture: { by: iss } }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer } }\n",
                "R002"
            ),
            // Values and a URL that the sample cannot give.
            (
                Self.pages + "token: { response: { capture: { url: /url } } }\n"
                    + "connection: { derive: { team: \"{capture(token.url, 'https://([a-z]+)[.]acme[.]example')}\" } }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer, url: 'https://t1.acme.example' } }\n",
                "R002"
            ),
            (
                Self.pages + "token: { response: { capture: { region: /region } } }\n"
                    + "tables: { hosts: { us: us.acme.example } }\n"
                    + "connection: { derive: { host: \"{map(token.region, 'hosts')}\" } }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer, region: eu } }\n",
                "R002"
            ),
            (
                Self.pages
                    + "  revocation: \"https://id.acme.example/{capture(token.url, 'https://([a-z]+)[.]acme[.]example')}\"\n"
                    + "token: { response: { capture: { url: /url } } }\n"
                    + "samples: { token: { access_token: redacted, token_type: Bearer, url: 'https://t1.acme.example' } }\n",
                "R002"
            ),
        ])
    func refused(_ text: String, _ code: String) async throws {
        let (lint, trial) = try await judge(text)
        #expect(lint.standardOutput.contains("[\(code)]"), "\(lint)")
        #expect(trial.status == 1 && trial.standardError.contains("[\(code)]"), "\(trial)")
    }

    @Test("Lint names the sample that a profile of the token response needs")
    func sampleOfProfile() async throws {
        let (lint, _) = try await judge(
            Self.pages + "profile: { from: token, claims: { subject: /uid } }\n"
                + "samples: { userinfo: { uid: u-1 }, expect: { claims: { subject: u-1 } } }\n")
        #expect(lint.standardOutput.contains("'samples.userinfo' has no effect"), "\(lint)")
        #expect(lint.standardOutput.contains("help: add samples.token\n"), "\(lint)")
    }

    @Test("A sample that is JSON is no form")
    func sampleOfAnotherFormat() async throws {
        let (lint, _) = try await judge(
            Self.pages + "  userinfo: https://id.acme.example/me\n"
                + "profile: { claims: { subject: /id }, format: form }\ntoken: { response: { format: form } }\n"
                + "samples: { userinfo: '{\"id\":7}', token: '{\"access_token\":\"redacted\",\"token_type\":\"Bearer\"}' }\n"
        )
        #expect(lint.standardOutput.contains("samples.token is JSON, and its format is form [T013]"), "\(lint)")
        #expect(lint.standardOutput.contains("samples.userinfo is JSON, and its format is form [T013]"), "\(lint)")
    }

    @Test("A place of an input that is sent as it is written fails the trial, and lint names the key")
    func unfilledPlace() async throws {
        let (lint, trial) = try await judge(
            "inputs: { host: { type: hostname, example: a.acme.example } }\n" + Self.pages
                + "  userinfo: https://{host}/me\nauthorization: { response_type: '{host}' }\n")
        #expect(lint.standardOutput.contains("[K124]"), "\(lint)")
        #expect(trial.status == 1, "\(trial)")
    }

    @Test(
        "A refusal of the sandbox names the key to correct, and gives no advice about a real provider",
        arguments: [
            ("authorization: { parameters: { claims: x } }\n", "authorization.parameters.claims"),
            ("authorization: { parameters: { max_age: abc } }\n", "authorization.parameters.max_age"),
            ("token: { parameters: { client_id: x }, omit: [client_id] }\n", "token"),
        ])
    func refusalOfSandbox(_ text: String, _ key: String) async throws {
        let (_, trial) = try await judge(Self.pages + text)
        #expect(trial.status == 1 && trial.standardOutput.contains("correct \(key): the sandbox"), "\(trial)")
        #expect(trial.standardOutput.contains("descriptor key      \(key) (acme.yaml:"), "\(trial)")
        for advice in ["is registered", "documentation", "sign-in again"] {
            #expect(!trial.standardOutput.contains(advice), "\(trial)")
        }
    }

    @Test("The sample of a client's own tokens is judged by their section")
    func sampleOfOwnTokens() async throws {
        let start =
            "endpoints: { token: https://id.acme.example/token }\n"
            + "samples: { token: { access_token: redacted, token_type: Bearer, expiresIn: 3600 } }\n"
        let (wrong, _) = try await judge(
            start + "client_credentials: { response: { fields: { expires_in: /expiresin } } }\n")
        #expect(
            wrong.standardOutput.contains(
                "did you mean client_credentials: { response: { fields: { expires_in: /expiresIn } } }?"), "\(wrong)")
        let (right, trial) = try await judge(
            start + "client_credentials: { response: { fields: { expires_in: /expiresIn } } }\n")
        #expect(right.standardOutput.contains("no findings") && trial.status == 0, "\(right) \(trial)")
    }

    @Test("A kept value that no example has is named by lint, and ends the trial")
    func keptValueWithoutExample() async throws {
        let (lint, trial) = try await judge(Self.pages + "token: { response: { capture: { site: /site } } }\n")
        #expect(lint.standardOutput.contains("because {token.site} has no example [R001]"), "\(lint)")
        #expect(trial.status == 1 && trial.standardOutput.contains("site"), "\(trial)")
    }

    @Test("A URL that no sign-in makes known says what it needs")
    func whatAURLNeeds() async throws {
        let (lint, trial) = try await judge(
            Self.pages + "inputs: { region: { example: eu } }\ntables: { hosts: { us: us.acme.example } }\n"
                + "trusted_hosts: ['*.acme.example']\nscopes: { default: [read] }\n"
                + "resources: [{ title: A, scope: read, url: \"https://{map(region, 'hosts')}/a\" }]\n")
        #expect(lint.standardOutput.contains("[R002]"), "\(lint)")
        let needed = "add samples.token or examples with the values"
        #expect(trial.status == 1 && trial.standardError.contains(needed), "\(trial)")
    }

    @Test("A provider without a page to sign in at has no button, and each command names what it has")
    func withoutPage() async throws {
        try home.write(
            Self.head
                + "endpoints: { token: https://id.acme.example/token, device_authorization: https://id.acme.example/device }\n"
                + "client: { authentication: [none] }\nclient_credentials: {}\nprofile: { subject: { none: a device } }\n",
            to: "providers/acme.yaml")
        let login = try await home.run("login", "acme", "--client-id", "x", "--providers", "providers")
        #expect(login.status == 2 && login.standardError.contains("acme has no page to sign in at"), "\(login)")
        for advice in ["run carnet login acme --device", "run carnet call acme --client-credentials"] {
            #expect(login.standardError.contains(advice), "\(login)")
        }
        let routes = "routes: [{ allow: { provider: acme, subject: 1 } }]\n"
        for (signsIn, status, shown) in [("true", 2, "acme has no page to sign in at"), ("false", 0, "providers acme")]
            as [(String, Int32, String)]
        {
            try home.write(
                "gateway: 1\norigin: https://apps.example\nbearer: [acme]\n"
                    + "providers: [{ id: acme, client_id: x, sign_in: \(signsIn) }]\n" + routes, to: "gateway.yaml")
            let check = try await home.run("gateway", "check", "gateway.yaml", "--providers", "providers")
            #expect(check.status == status && (check.standardError + check.standardOutput).contains(shown), "\(check)")
        }
    }

    @Test("Two people whose subject is a claim of the access token have two accounts")
    func twoPeople() async throws {
        try home.write(
            Self.head + Self.pages
                + "profile: { from: token, derive: { subject: \"{jwt_claim(token.access_token, '/userId')}\" } }\n",
            to: "providers/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme", "--ask", "--providers", "providers")
        defer { sandbox.run.stop() }
        for user in ["0", "1"] {
            let login = try await home.startLogin(["acme", "--sandbox", sandbox.address, "--providers", "providers"])
            try await Browser().agree(at: login.address, as: user)
            let result = try await login.run.finish()
            #expect(result.status == 0 && !result.standardError.contains("who signed in"), "\(result)")
        }
        let accounts = try await home.run("accounts", "--json").standardOutput
        #expect(accounts.contains("100000000000000000001") && accounts.contains("100200300"), "\(accounts)")
    }

    @Test("One finding for a catalogue with gaps")
    func oneFinding() async throws {
        let (lint, _) = try await judge(
            Self.pages + "scopes: { default: [alpha, bravo, charlie, delta], catalog: [zulu] }\n")
        #expect(lint.standardOutput.components(separatedBy: "[S004]").count == 2, "\(lint)")
        #expect(lint.standardOutput.contains("nor are 3 more"), "\(lint)")
    }
}
