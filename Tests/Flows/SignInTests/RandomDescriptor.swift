import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport

/// A descriptor that a seed makes: a provider that works, and a few random changes to it, good and bad.
///
/// A change sets one to three keys, so several of them meet in one descriptor, and a later one may overwrite an earlier one.
/// What it covers is the list `changes`: endpoints, scopes, the authorization request, the callback, the token request and
/// response, client authentication, ID tokens, profiles, resources, revocation, inputs, tables and values known only at run
/// time, with conditions, other spellings of standard values and short forms. `grants` adds the requests outside a sign-in
/// in the browser, DPoP, signed requests and encrypted tokens. Certificates are not covered.
struct RandomDescriptor {
    struct Change: Sendable {
        let name: String
        let settings: @Sendable (inout SplitMix64) -> [(path: String, value: JSONValue)]

        init(_ name: String, _ settings: @escaping @Sendable (inout SplitMix64) -> [(path: String, value: JSONValue)]) {
            self.name = name
            self.settings = settings
        }

        init(_ path: String, _ value: JSONValue) {
            self.init("\(path): \(value.jsonText())") { _ in [(path, value)] }
        }

        /// A key with one of several values.
        init(_ path: String, anyOf values: [JSONValue]) {
            self.init("\(path): one of \(values.count)") { dice in [(path, dice.pick(values))] }
        }
    }

    let seed: UInt64
    /// JSON, which is YAML.
    var text: String { root.jsonText() }
    let root: JSONValue

    init(seed: UInt64) {
        self.seed = seed
        var dice = SplitMix64(seed: seed)
        var root: JSONValue = ["carnet": 1, "id": "odd", "name": "Odd"]
        for (path, value) in Self.start(&dice) { root.set(path.split(separator: ".")[...], value) }
        for _ in 0..<dice.below(6) {
            for (path, value) in dice.pick(Self.changes).settings(&dice) {
                root.set(path.split(separator: ".")[...], value)
            }
        }
        // A generator of its own: the other changes of a seed stay as they are.
        var further = SplitMix64(seed: ~seed)
        if further.below(3) == 0 {
            for (path, value) in further.pick(Self.conditions).settings(&further) {
                root.set(path.split(separator: ".")[...], value)
            }
        }
        var latest = SplitMix64(seed: seed &* 0x9E37_79B9)
        if latest.below(3) == 0 {
            for (path, value) in latest.pick(Self.variants).settings(&latest) {
                root.set(path.split(separator: ".")[...], value)
            }
        }
        var last = SplitMix64(seed: seed &* 0xD1B5_4A32)
        if last.below(3) == 0 {
            let grant = last.pick(Self.grants)
            // Without a sign-in, an endpoint that a callback names is not known.
            if root["endpoints"]?["token"]?.string?.contains("{") == true {
                root.set(["endpoints", "token"], "https://odd.example/token")
            }
            for (path, value) in grant.settings(&last) {
                root.set(path.split(separator: ".")[...], value)
            }
        }
        var reviewed = SplitMix64(seed: seed &* 0xA24B_AED4)
        if reviewed.below(3) == 0 {
            for (path, value) in reviewed.pick(Self.reviewed).settings(&reviewed) {
                root.set(path.split(separator: ".")[...], value)
            }
        }
        var read = SplitMix64(seed: seed &* 0x94D0_49BB)
        if read.below(6) == 0 {
            for (path, value) in read.pick(Self.read).settings(&read) {
                root.set(path.split(separator: ".")[...], value)
            }
        }
        self.root = root
    }

    /// An OpenID provider with metadata, one without, and an API that is neither.
    private static func start(_ dice: inout SplitMix64) -> [(path: String, value: JSONValue)] {
        let endpoints: [(path: String, value: JSONValue)] = [
            ("endpoints.authorization", "https://odd.example/authorize"),
            ("endpoints.token", "https://odd.example/token"),
        ]
        let issuer: (path: String, value: JSONValue) = ("issuer", "https://odd.example")
        // Making an RSA key takes longer than all else.
        let fast: (path: String, value: JSONValue) = ("id_token.algorithms", ["ES256"])
        switch dice.below(3) {
        case 0: return [issuer, fast, ("scopes.default", ["openid", "email"])]
        case 1:
            return endpoints + [
                issuer, fast, ("discovery", "none"), ("endpoints.jwks", "https://odd.example/jwks"),
                ("endpoints.userinfo", "https://odd.example/userinfo"),
                ("endpoints.revocation", "https://odd.example/revoke"), ("scopes.default", ["openid", "profile"]),
            ]
        default:
            return endpoints + [
                ("endpoints.userinfo", "https://api.odd.example/me"), ("profile.claims.subject", "/id"),
                ("scopes.default", ["read", "write"]),
            ]
        }
    }

    static let changes: [Change] =
        addresses + scopes + authorization + callbacks + tokenRequests + clients + tokenResponses + profiles + values

    private static let addresses = [
        Change("endpoints.revocation", "https://odd.example/revoke"),
        Change("endpoints.token", "https://odd.example/token?tenant=x"),
        Change("endpoints.token", "https://odd.example/token?client_id=x"),
        Change("endpoints.token", "http://odd.example/token"),
        Change("endpoints.token", "https://odd.example/to ken"),
        Change("endpoints.token", "https://odd.example/token#top"),
        Change("endpoints.token", "/token"),
        Change("endpoints.authorization", "https://odd.example/authorize?audience=x"),
        Change("endpoints.authorization", "https://user@odd.example/authorize"),
        Change("issuer", anyOf: ["http://odd.example", "https://odd.example?x=1", "odd.example"]),
        Change("issuer", "https://odd.example/.well-known/openid-configuration"),
        Change("discovery", anyOf: ["none", "required"]),
    ]

    private static let scopes = [
        Change("scopes.separator", anyOf: [",", ";", "%20", "+"]),
        Change(
            "scopes.default", anyOf: [["read"], ["a b"], ["a,b"], ["gr\u{F6}\u{DF}e"], ["openid"], ["openid", "read"]]),
        Change("scopes.offline", ["offline_access"]),
        Change("scopes.extra", ["user_scope": ["chat"]]),
        Change("token.response.scope_separator", anyOf: [",", " "]),
        Change("a resource") { dice in
            [
                (
                    "resources",
                    [
                        [
                            "id": "one", "title": "One", "scope": dice.pick(["read", "email", "other"]),
                            "url": dice.pick(["https://api.odd.example/one", "https://api.odd.example/{x}", "/one"]),
                        ]
                    ]
                )
            ]
        },
        Change(
            "resources",
            [
                ["id": "one", "title": "One", "scope": "read", "url": "https://api.odd.example/one"],
                ["id": "one", "title": "Two", "scope": "read", "url": "https://api.odd.example/two"],
            ]),
    ]

    private static let authorization = [
        Change("a parameter of the authorization request") { dice in
            [
                (
                    "authorization.parameters.\(dice.pick(["audience", "prompt", "access_type", "state", "nonce", "client_id", "redirect_uri", "scope", "response_type", "code_challenge", "request"]))",
                    .string(dice.text)
                )
            ]
        },
        Change("authorization.omit", anyOf: [["state"], ["nonce"], ["code_challenge_method"], ["x"]]),
        Change(
            "authorization.rename", anyOf: [["client_id": "app"], ["client_id": "scope"], ["scope": "permissions"]]),
        Change("authorization.pkce", ["none": "their guide says so"]),
        Change("authorization.nonce", ["none": "their guide says so"]),
        Change("authorization.response_type", anyOf: ["auth_code", "token", "code id_token"]),
        Change("authorization.response_mode", anyOf: ["form_post", "query", "fragment"]),
        Change("authorization.pushed", anyOf: ["never", "always"]),
        Change("authorization.encode", anyOf: [["scope": "raw"], ["redirect_uri": "raw"]]),
    ]

    private static let callbacks = [
        Change("callback.rename", anyOf: [["code": "auth_code"], ["error": "code"], ["state": "nonce"], ["x": "y"]]),
        Change("a value of the callback") { dice in
            let example = dice.pick(["acme", "Acme", "4620816"])
            return [
                (
                    "callback.capture",
                    ["shop": ["pattern": dice.pick(["[a-z]+", "[0-9]+", ".+"]), "example": .string(example)]]
                ),
                ("token.parameters.shop", "{callback.shop}"),
            ]
        },
        Change("token.parameters.shop", "{callback.shop}"),
    ]

    private static let tokenRequests = [
        Change("token.method", anyOf: ["GET", "POST", "DELETE"]),
        Change("token.body", anyOf: ["form", "json", "query"]),
        Change("token.query_parameters", anyOf: [["redirect_uri"], ["code"]]),
        Change("token.omit", anyOf: [["redirect_uri"], ["code_verifier"], ["grant_type"], ["client_id"]]),
        Change(
            "token.rename",
            anyOf: [
                ["client_id": "app", "code": "auth_code"], ["client_id": "code"], ["code": "app", "client_id": "app"],
            ]),
        Change("a parameter of the token request") { dice in
            let name = dice.pick([
                "audience", "action", "grant_type", "code", "client_secret", "state", "code_verifier", "scope",
            ])
            return [("token.parameters.\(name)", .string(dice.text))]
        },
        Change("token.parameters.grant_type", "password"),
        Change("another grant type") { dice in
            [("token.omit", ["grant_type"]), ("token.parameters.grant_type", "authorized_code")]
        },
        Change("a header of the token request") { dice in
            let name = dice.pick(["Accept", "X-Version", "Authorization", "Content-Type", "Host", "X Version"])
            return [("token.headers.\(name)", .string(dice.pick(["2", "text/x", "a b"])))]
        },
        Change("refresh.rotation", anyOf: ["always_new", "never"]),
        Change("refresh.margin", anyOf: [30, 3600, 86400]),
        Change("refresh.using", "access_token"),
        Change("refresh.parameters.action", "again"),
    ]

    private static let clients = [
        Change(
            "client.authentication",
            anyOf: [
                ["none"], ["client_secret_basic"], ["client_secret_post"], ["client_secret_jwt"], ["private_key_jwt"],
                [],
                ["none", "client_secret_post"], ["none", "none"],
            ]),
        Change("client.assertion.algorithm", anyOf: ["ES256", "HS256", "RS256"]),
        Change("client.assertion.audience", anyOf: ["issuer", "token_endpoint", "https://odd.example/token"]),
        Change("claims of the client assertion") { dice in
            [
                ("client.authentication", ["private_key_jwt"]),
                ("client.assertion.claims", dice.pick([["team": "T1"], ["jti": "x"]])),
            ]
        },
        Change("client.basic_encoding", "raw"),
        Change("id_token.algorithms", anyOf: [["ES256"], ["ES384"], ["EdDSA", "ES256"]]),
        Change("id_token.hs256", "their guide says so"),
        Change(
            "revocation",
            anyOf: [["method": "GET"], ["method": "DELETE"], ["token_in": "authorization"], ["body": "json"]]),
    ]

    private static let tokenResponses = [
        Change("token.response.root", "/data"),
        Change(
            "token.response.fields",
            anyOf: [
                ["access_token": "/token"], ["refresh_token": "/data/refresh"],
                ["refresh_token_expires_in": "/refresh_expires_in"],
            ]),
        Change("token.response.format", "form"),
        Change("token.response.default_expires_in", anyOf: [20, 7200]),
        Change("token.response.expires", anyOf: ["iso8601", "epoch"]),
        Change("token.response.success", ["field": "/status", "equals": [0]]),
        Change("a sample of the token response") { dice in
            let body: [JSONValue] = [
                ["access_token": "redacted", "token_type": "Bearer", "expires_in": 3600],
                ["access_token": "redacted", "token_type": "Bearer", "expires_in": 20, "refresh_token": "redacted"],
                ["token": "redacted", "token_type": "Bearer"], ["access_token": "redacted"],
                ["access_token": "redacted", "token_type": "Bearer", "id_token": "redacted", "scope": "read,write"],
            ]
            return [("samples.token", dice.pick(body))]
        },
    ]

    private static let profiles = [
        Change("profile.from", anyOf: ["userinfo", "id_token", "token"]),
        Change("profile.root", "/user"),
        Change("profile.claims.name", anyOf: ["/login", "/user/name", "/name"]),
        Change("profile.method", anyOf: ["GET", "POST", "DELETE"]),
        Change("profile.body", anyOf: ["json", "form"]),
        Change("profile.parameters", ["fields": "id,name"]),
        Change("profile.token_in", ["header": "X-Token"]),
        Change(
            "profile.requests",
            anyOf: [
                [["url": "https://api.odd.example/emails", "claims": ["email": "/email"]]],
                [["url": "https://api.odd.example/emails", "claims": ["subject": "/id"]]],
            ]),
        Change(
            "samples.userinfo",
            anyOf: [["sub": "1", "name": "Ann"], ["id": 1, "login": "ann"], ["user": ["id": 1, "name": "Ann"]]]),
        Change("another scheme") { dice in
            [("api.scheme", dice.pick(["OAuth", "Bearer ", "none"])), ("profile.token_in", "authorization")]
        },
    ]

    private static let values = [
        Change("an input in a URL") { dice in
            [
                (
                    "inputs.tenant",
                    dice.pick([
                        ["example": "acme"], ["example": "a/c"], ["default": "acme"], ["optional": true],
                        ["type": "hostname", "example": "acme.example"],
                        ["pattern": "[0-9]+", "default": "acme"], ["enum": ["acme", "b c"]],
                    ])
                ),
                ("endpoints.revocation", "https://odd.example/{tenant}/revoke"),
            ]
        },
        Change("an input that is not declared") { _ in [("authorization.parameters.tenant", "{tenent}")] },
        Change("an input that may be missing") { _ in
            [("inputs.hint", ["optional": true, "type": "text"]), ("authorization.parameters.hint", "{hint}")]
        },
        Change("a host from a table") { dice in
            [
                ("callback.capture.region", ["pattern": "[a-z]+", "example": .string(dice.pick(["eu", "us"]))]),
                ("tables.hosts", ["eu": "odd-eu.example"]),
                (
                    "endpoints.token",
                    .string(
                        dice.pick([
                            "https://{map(callback.region, 'hosts')|odd.example}/token",
                            "https://{map(callback.region, 'hosts')}/token",
                            "https://{map(callback.region, 'host')}/token",
                        ]))
                ),
            ]
        },
        Change("a base URL from the token response") { dice in
            [
                (
                    "token.response.capture.site",
                    ["from": "/site", "example": .string(dice.pick(["https://a.odd.example", "a.odd.example"]))]
                ),
                ("api.base_url", .string(dice.pick(["{token.site}", "https://{token.site}/v1", "{token.sight}"]))),
                ("resources", [["id": "one", "title": "One", "scope": "read", "url": "/one"]]),
            ]
        },
        Change("trusted_hosts", ["*.odd.example"]),
        Change("a lookup") { dice in
            [
                (
                    "connection.lookups.company",
                    [
                        "url": dice.pick([
                            "https://api.odd.example/companies", "https://api.odd.example/{connection.company}",
                        ]),
                        "value": dice.pick(["/id", "/key"]), "sample": ["id": 7],
                    ]
                )
            ]
        },
        Change("an exchange step") { dice in
            [
                (
                    "exchange.long",
                    [
                        "url": "https://odd.example/exchange", "parameters": ["token": "{token.access_token}"],
                        "sample": [
                            "access_token": "redacted", "token_type": "Bearer",
                            "expires_in": dice.pick([600, 5_184_000]),
                        ],
                    ]
                )
            ]
        },
    ]

    /// Other spellings of what a standard says, and short forms.
    private static let variants = [
        Change("token.grant_type", anyOf: ["authorized_code", "password", "authorization_code"]),
        Change("refresh.grant_type", anyOf: ["again", "refresh_token"]),
        Change("authorization.pkce", anyOf: [["encoding": "hex"], ["encoding": "base64url"]]),
        Change("authorization.nonce", ["optional": "their guide says so"]),
        Change("callback.errors.codes", ["cancelled": "access_denied"]),
        Change("granted scopes in the callback") { dice in
            [("scopes.granted_from", "callback"), ("callback.rename.scope", dice.pick(["scopes", "code", "granted"]))]
        },
        Change("a short form of a callback's value") { dice in
            [
                ("callback.capture.shop", dice.pick(["shopId", ["from": "shopId"], ["pattern": "[0-9]+"]])),
                ("token.parameters.shop", "{callback.shop}"),
            ]
        },
        Change("a lookup of the whole body") { dice in
            [
                (
                    "connection.lookups.site",
                    [
                        "url": "https://api.odd.example/sites", "value": dice.pick(["/id", "/0/id"]),
                        "root": dice.pick(["", "/data", "/none"]), "choose": "first",
                        "sample": dice.pick([[["id": 1], ["id": 2]], ["data": [["id": 1]]], ["data": ["id": 1]]]),
                    ]
                )
            ]
        },
        Change("an exchange step with encodings") { dice in
            let encoding = dice.pick(["raw", "plus", "percent"])
            // What is sent raw is sent as it must be decoded.
            let kind = encoding == "raw" ? "x" : dice.text
            return [
                (
                    "exchange.wide",
                    [
                        "url": "https://odd.example/wide",
                        "parameters": ["token": "{token.access_token}", "kind": .string(kind)],
                        "encode": ["kind": .string(encoding)], "query_parameters": ["kind"],
                        "brings": "values", "sample": ["ok": true],
                    ]
                )
            ]
        },
        Change("a condition on a request of the profile") { dice in
            [
                (
                    "profile.requests",
                    [
                        [
                            "url": "https://api.odd.example/emails", "claims": ["email": "/email"],
                            "where": ["primary": dice.pick([true, "{token.scope|x}", "{tenent}"])],
                        ]
                    ]
                )
            ]
        },
    ]

    /// Conditions, derived values, secret inputs, and requests that differ from the others.
    private static let conditions = [
        Change("a lookup with a condition") { dice in
            [
                (
                    "connection.lookups.cloud",
                    [
                        "url": "https://api.odd.example/clouds", "root": "",
                        "where": dice.pick([["kind": "one"], ["kind": "{tenant|one}"], ["kind": "two", "is": "true"]]),
                        "value": "/id", "optional": dice.pick([true, false]),
                        "capture": dice.pick([["place": "/place"], ["place": "/plaice"]]),
                        "sample": [["id": 1, "kind": "one", "place": "x"], ["id": 2, "kind": "one", "place": "y"]],
                        "choose": dice.pick(["first", "only"]),
                    ]
                )
            ]
        },
        Change("a derived value") { dice in
            [
                (
                    "connection.derive.name",
                    .string(
                        dice.pick(["{lower(connection.company)}", "{connection.name}", "{callback.state|x}-{uuid()}"]))
                ),
                (
                    "connection.lookups.company",
                    ["url": "https://api.odd.example/companies", "value": "/id", "sample": ["id": 7]]
                ),
            ]
        },
        Change("a secret input") { dice in
            [
                ("inputs.key", ["type": "text", "secret": true, "example": "k 1&2"]),
                dice.pick([
                    ("token.parameters.key", "{key}"), ("api.headers.X-Key", "{key}"),
                    ("refresh.headers.X-Key", "{key}"),
                    ("authorization.parameters.key", "{key}"), ("endpoints.revocation", "https://odd.example/{key}"),
                ]),
            ]
        },
        Change("another authentication") { dice in
            [
                ("client.authentication", ["client_secret_post"]),
                dice.pick([
                    ("refresh.authentication", "none"), ("revocation.authentication", "client_secret_basic"),
                    ("token.headers.Authorization", "Basic {base64(join('', client.secret, ':'))}"),
                    ("token.headers.Authorization", "Basic x"),
                ]),
            ]
        },
        Change("a refresh of its own") { dice in
            [
                dice.pick([
                    ("refresh.response", ["fields": ["access_token": "/token"]]),
                    ("refresh.parameters.scope", "{token.scope}"),
                    ("token.response.token_sets", ["user": "/user"]), ("api.parameters", ["version": "2"]),
                ])
            ]
        },
    ]
}

extension RandomDescriptor {
    /// Further grants and requests, and keys that bind or hide what is sent.
    static let grants: [Change] = [
        Change("a device sign-in") { dice in
            [
                ("endpoints.device_authorization", "https://odd.example/device"),
                dice.pick([
                    ("device.parameters.audience", .string(dice.text)), ("device.parameters.client_id", "x"),
                    ("device.rename", ["client_id": "app"]), ("device.rename", ["client_id": "scope"]),
                    ("device.method", "GET"), ("device.body", "json"), ("device.omit", ["client_id"]),
                    ("device.headers.X-Version", "2"), ("device.headers.Host", "x"),
                    ("device.response", ["root": "/data"]),
                    ("device.response", ["fields": ["device_code": "/code", "interval": "/wait"]]),
                    ("device.token.parameters.audience", .string(dice.text)),
                    ("device.token.parameters.device_code", "x"), ("device.token.grant_type", "device_code"),
                    ("device.token.omit", ["device_code"]), ("device.token.rename", ["device_code": "code"]),
                    ("device.token.body", dice.pick(["json", "query"])), ("device.token.method", "GET"),
                ]),
            ]
        },
        Change("a token of the client's own") { dice in
            [
                (
                    "client.authentication",
                    dice.pick([["client_secret_basic"], ["client_secret_post"], ["private_key_jwt"]])
                ), dice.grant("client_credentials", renaming: "scope"),
            ]
        },
        Change("a token for another") { dice in [dice.grant("token_exchange", renaming: "subject_token")] },
        Change("a token for an assertion") { dice in
            [
                ("client.authentication", ["private_key_jwt"]),
                dice.pick([
                    dice.grant("jwt_bearer", renaming: "assertion"), ("jwt_bearer.scope_in", "assertion"),
                    ("jwt_bearer.assertion.audience", dice.pick(["issuer", "token_endpoint", "https://x.example"])),
                    ("jwt_bearer.assertion.lifetime", dice.pick([30, 7200])),
                    ("jwt_bearer.assertion.claims", dice.pick([["team": "T1"], ["aud": "x"]])),
                    ("jwt_bearer.assertion.algorithm", dice.pick(["ES256", "HS256"])),
                ]),
            ]
        },
        Change("introspection") { dice in
            [
                ("endpoints.introspection", "https://odd.example/introspect"),
                ("client.authentication", ["client_secret_post"]),
                dice.pick([
                    ("introspection.parameters.audience", .string(dice.text)), ("introspection.parameters.token", "x"),
                    ("introspection.rename", ["token": "access"]), ("introspection.omit", ["token"]),
                    ("introspection.method", "GET"), ("introspection.body", dice.pick(["json", "query"])),
                    ("introspection.authentication", dice.pick(["none", "client_secret_basic"])),
                    ("introspection.headers.Content-Type", "text/x"),
                ]),
            ]
        },
        Change("the page that ends the session") { dice in
            [
                ("endpoints.end_session", "https://odd.example/logout"),
                dice.pick([
                    ("logout.parameters.audience", .string(dice.text)), ("logout.parameters.state", "x"),
                    ("logout.rename", ["id_token_hint": "hint"]), ("logout.rename", ["id_token_hint": "state"]),
                    ("logout.omit", ["id_token_hint"]),
                ]),
            ]
        },
        Change("a request without what it is about") { dice in
            [
                dice.pick([
                    ("token.omit", ["code"]), ("refresh.omit", ["refresh_token"]), ("revocation.omit", ["token"]),
                    ("jwt_bearer.omit", ["assertion"]),
                ])
            ]
        },
        Change("tokens bound to a key") { dice in
            [
                ("client.dpop_bound_access_tokens", true),
                // A bound token is sent with its own scheme.
                ("api.scheme", "Bearer"),
                dice.pick([
                    (
                        "exchange.bound",
                        [
                            "url": "https://odd.example/bound", "parameters": ["token": "{token.access_token}"],
                            "sample": ["access_token": "redacted", "token_type": dice.pick(["Bearer", "DPoP"])],
                        ]
                    ),
                    ("api.token_in", ["header": "X-Token"]), ("api.scheme", "OAuth"),
                    ("revocation.token_in", "authorization"), ("token.headers.DPoP", "x"), ("refresh.margin", 30),
                ]),
            ]
        },
        Change("a parameter of an endpoint's URL") { dice in
            let section = dice.pick(["token", "client_credentials", "token_exchange"])
            return [
                ("endpoints.token", "https://odd.example/token?tenant=x"),
                ("client.authentication", ["client_secret_post"]),
                ("\(section).parameters.\(dice.pick(["tenant", "region"]))", .string(dice.pick(["x", "y"]))),
                ("\(section).body", dice.pick(["form", "json", "query"])),
            ]
        },
        Change("signed authorization requests") { dice in
            [
                ("client.authentication", ["private_key_jwt"]),
                (
                    "authorization.request_object",
                    dice.pick([
                        "always", ["use": "always", "repeat": ["scope"]], ["use": "always", "audience": "x"],
                        ["use": "always", "lifetime": 60], ["use": "always", "algorithm": "ES384"],
                        ["use": "always", "repeat": ["redirect_uri", "request"]],
                    ])
                ),
            ]
        },
        Change("encrypted ID tokens") { dice in
            [
                (
                    "id_token.encryption",
                    [
                        "algorithm": .string(dice.pick(["ECDH-ES", "ECDH-ES+A128KW"])),
                        "content": .string(dice.pick(["A128GCM", "A256CBC-HS512"])),
                    ]
                )
            ]
        },
    ]
}

extension SplitMix64 {
    /// A key of the request of a grant, which has a parameter that is often renamed.
    fileprivate mutating func grant(_ section: String, renaming name: String) -> (path: String, value: JSONValue) {
        let keys: [(path: String, value: JSONValue)] = [
            ("\(section).parameters.tenant", .string(text)), ("\(section).parameters.grant_type", "x"),
            ("\(section).grant_type", "own"), ("\(section).omit", ["grant_type"]), ("\(section).omit", [.string(name)]),
            ("\(section).rename", [name: "other"]), ("\(section).rename", [name: "grant_type"]),
            ("\(section).body", pick(["json", "query"])), ("\(section).method", pick(["GET", "DELETE"])),
            ("\(section).headers.Content-Type", "text/x"), ("\(section).headers.X-Version", "2"),
            ("\(section).response", pick([["fields": ["access_token": "/token"]], ["root": "/data"]])),
        ]
        return pick(keys)
    }
}

extension SplitMix64 {
    /// A value that is hard to encode, or a plain one.
    var text: String {
        mutating get { pick(["x", "a b", "1+1=2", "50%", "a&b", "\u{FC}ber", "none", "https://x.example/?a=b"]) }
    }
}

extension JSONValue {
    /// Sets a value below a path of members; what is no object on the way is replaced.
    fileprivate mutating func set(_ path: ArraySlice<Substring>, _ value: JSONValue) {
        guard let name = path.first.map(String.init) else {
            self = value
            return
        }
        var object = object ?? JSONObject()
        var member = object[name] ?? .object(JSONObject())
        member.set(path.dropFirst(), value)
        object[name] = member
        self = .object(object)
    }
}
