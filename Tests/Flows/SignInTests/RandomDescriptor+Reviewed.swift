import CarnetFoundation
import CarnetTestSupport

extension RandomDescriptor {
    /// Keys about which a review found lint and the engine, or both and the sandbox, to disagree.
    static let reviewed: [Change] = [
        Change("a nonce of the descriptor's own") { dice in
            [("authorization.parameters.nonce", .string(dice.pick(["{random()}", "fixed"])))]
        },
        Change("a renamed parameter in the query") { dice in
            [("token.rename", ["code": "key"]), ("token.query_parameters", [.string(dice.pick(["code", "key"]))])]
        },
        Change("the encoding of a renamed parameter") { dice in
            [
                ("token.rename", ["redirect_uri": "back"]),
                ("token.encode", dice.pick([["redirect_uri": "raw"], ["back": "raw"]])),
            ]
        },
        Change("headers and parameters of the API") { dice in
            [
                ("api.headers", ["X-Version": "2", "Accept": "application/vnd.odd+json"]),
                ("api.parameters", ["v": "1"]),
                dice.pick([
                    ("profile.headers", ["x-version": "3"]), ("profile.headers", ["x-version": nil]),
                    ("profile.parameters", ["v": nil]), ("profile.parameters", ["v": "2"]),
                    (
                        "connection.lookups.place",
                        [
                            "url": "https://api.odd.example/places", "headers": ["X-VERSION": nil], "value": "/id",
                            "sample": ["id": 1],
                        ]
                    ),
                    (
                        "profile.requests",
                        [["url": "https://api.odd.example/emails", "claims": ["email": "/email"]]]
                    ),
                ]),
            ]
        },
        Change("an environment") { dice in
            [
                (
                    "environments.test",
                    dice.pick([
                        ["endpoints": ["revocation": "https://test.odd.example/revoke"]],
                        ["endpoints": ["revocation": "/revoke"]], ["scopes": ["default": ["a b"]]],
                        ["api": ["headers": ["X-Version": "3"]]],
                    ])
                )
            ]
        },
        Change("a captured value in a URL") { dice in
            [
                (
                    "token.response.capture.user",
                    ["from": "/user", "example": "u1", "secret": dice.pick([true, false])]
                ),
                ("endpoints.userinfo", "https://api.odd.example/users/{token.user}"),
            ]
        },
        Change("an ID token in the sample") { dice in
            [
                (
                    "samples.token",
                    ["access_token": "redacted", "token_type": "Bearer", "id_token": "redacted", "expires_in": 3600]
                ),
                dice.pick([("id_token.none", "their guide says so"), ("profile.format", "auto")]),
            ]
        },
        Change("another subject than sub") { dice in
            [
                ("profile.claims.subject", "/uid"),
                ("samples.userinfo", dice.pick([["sub": "1", "uid": "1"], ["sub": "1", "uid": "2"]])),
            ]
        },
        Change("a condition on a list, or by a pointer") { dice in
            [
                (
                    "profile.requests",
                    [
                        [
                            "url": "https://api.odd.example/emails", "claims": ["email": "/email"],
                            "where": dice.pick([["kinds": "work"], ["/is/main": true]]),
                            "sample": [
                                ["kinds": ["home"], "is": ["main": false], "email": "a@odd.example"],
                                ["kinds": ["work"], "is": ["main": true], "email": "b@odd.example"],
                            ],
                        ]
                    ]
                )
            ]
        },
        Change("claims that are made of others") { dice in
            [
                (
                    "profile.derive",
                    dice.pick([
                        ["nickname": "{join('-', claim.name, claim.email)}"], ["nickname": "{claim.nobody}"],
                        ["nickname": "{token.access_token}"], ["nickname": "{claim.name|none} {token.scope}"],
                    ])
                )
            ]
        },
        Change("parameters that are JSON") { dice in
            [
                ("profile.method", "POST"), ("profile.body", .string(dice.pick(["json", "form", "query"]))),
                (
                    "profile.parameters",
                    [
                        "variables": [
                            "of": .string(dice.pick(["{token.scope|x}", "{token.nothing}"])), "first": 1, "all": true,
                        ]
                    ]
                ),
            ]
        },
        Change("a profile that says that all went well") { dice in
            [
                ("profile.success", dice.pick([["field": "/ok"], ["field": "/code", "equals": [0]]])),
                ("samples.userinfo", dice.pick([["sub": "1", "id": 1], ["sub": "1", "id": 1, "ok": false]])),
            ]
        },
        Change("the client id in the page's URL") { dice in
            [
                (
                    "endpoints.authorization",
                    .string(
                        dice.pick([
                            "https://odd.example/{client.id}/authorize",
                            "https://odd.example/{client.secret}/authorize",
                        ]))
                )
            ]
        },
        Change("the token in the body of the profile's request") { dice in
            [
                ("profile.token_in", ["body": "access_token", "because": "their guide says so"]),
                ("profile.method", .string(dice.pick(["POST", "GET"]))),
            ]
        },
    ]
}

extension RandomDescriptor {
    /// Keys about which descriptors of a further catalogue found them to disagree.
    static let read: [Change] = [
        Change("an ID token that is requested and dropped") { dice in
            [
                ("scopes.default", ["openid"]), ("id_token.none", "nothing needs it"),
                (
                    "samples.token",
                    [
                        "access_token": "redacted", "token_type": "Bearer",
                        "id_token": .string(dice.pick(["redacted", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1LTEifQ."])),
                    ]
                ),
                dice.pick([
                    ("authorization.parameters", ["nonce": "{random()}"]), ("profile.from", "id_token"),
                    ("token.response.capture", ["jwt": "/id_token"]),
                    ("connection.derive", ["tid": "{jwt_claim(token.id_token, '/sub')}"]),
                ]),
            ]
        },
        Change("the subject is switched off") { dice in
            [
                ("profile.claims", ["subject": [], "team": "/team"]),
                dice.pick([
                    ("profile.derive", ["subject": "{claim.team}"]), ("profile.subject", ["none": "nobody has one"]),
                    ("profile.format", "auto"),
                ]),
                ("samples.userinfo", ["team": "blue", "sub": "1"]), ("scopes.default", ["read"]),
            ]
        },
        Change("a subject of later values") { dice in
            [
                ("scopes.default", ["read"]),
                (
                    "profile.derive",
                    ["subject": .string(dice.pick(["{connection.site}", "{claim.number}", "x-{claim.subject}"]))]
                ),
                (
                    "connection.lookups",
                    ["site": ["url": "https://api.odd.example/sites", "value": "/id", "sample": ["id": 9]]]
                ),
                (
                    "profile.requests",
                    [["url": "https://api.odd.example/numbers", "claims": ["number": "/number"]]]
                ),
            ]
        },
        Change("the secret in the header and in the body") { dice in
            [
                ("client.authentication", .array([.string(dice.pick(["client_secret_basic", "client_secret_post"]))])),
                ("token.parameters", ["client_secret": "{client.secret}"]),
            ]
        },
        Change("null in a sample") { dice in
            [
                (
                    "token.response.capture.site",
                    ["from": "/site", "example": "s1", "optional": dice.pick([true, false])]
                ),
                (
                    "samples.token",
                    ["access_token": "redacted", "token_type": "Bearer", "site": nil, "refresh_token": nil]
                ),
            ]
        },
        Change("a refresh without the headers of the code's request") { dice in
            [
                ("token.headers", ["X-Version": "2"]), ("token.omit", ["redirect_uri"]),
                ("refresh", dice.pick([["headers": [:]], ["headers": ["X-Version": "3"], "omit": []]])),
            ]
        },
        Change("a content type without content") { dice in
            [
                ("profile.headers", ["Content-Type": "application/json"]),
                ("profile.method", .string(dice.pick(["GET", "POST"]))),
            ]
        },
    ]
}
