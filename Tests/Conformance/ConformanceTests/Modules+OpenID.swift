import Carnet
import CarnetProtocol
import ConformanceProvider

/// A deviation of the provider, and what the client must do about it.
struct Play: Sendable {
    var name: String
    var deviation = Deviation()
    var expectation = Module.Expectation.completes

    init(
        _ name: String, _ expectation: Module.Expectation = .completes, _ change: (inout Deviation) -> Void = { _ in }
    ) {
        self.name = name
        self.expectation = expectation
        change(&deviation)
    }

    static func idToken(_ name: String, _ words: String..., change: @escaping Deviation.Change) -> Play {
        Play(name, .stops(.idToken, words)) { $0.idToken = change }
    }
}

/// The modules of OpenID Connect, in the order of the suite's plans.
enum OpenIDModules {
    private static let prefix = "oidcc-client-test"

    private static let basicPlays: [Play] = [
        Play(""),
        .idToken("-invalid-iss", "issuer") { $0["iss"] = "https://op.example.invalid" },
        .idToken("-missing-sub", "sub") { $0["sub"] = nil },
        .idToken("-invalid-aud", "another client") { $0["aud"] = "another-client" },
        .idToken("-missing-iat", "iat") { $0["iat"] = nil },
        Play("-kid-absent-single-jwks") { $0.keys = .oneWithoutID },
        Play("-kid-absent-multiple-jwks", .mayStop) { $0.keys = .severalWithoutID },
        Play("-idtoken-sig-rs256"),
        Play("-idtoken-sig-none", .stops(.idToken, ["none", "algorithm"])) { $0.idTokenSignature = .none },
        Play("-invalid-sig-rs256", .stops(.idToken, ["signature"])) { $0.idTokenSignature = .spoiled },
        Play("-userinfo-invalid-sub", .stops(.profile, ["another user"])) { $0.userinfo = { $0["sub"] = "user-2" } },
        .idToken("-nonce-invalid", "nonce") { $0["nonce"] = "another" },
        Play("-scope-userinfo-claims"),
        Play("-client-secret-basic"),
    ]

    static let basic = basicPlays.map { make($0, .basic, ["client_secret_basic"]) }

    static let formPost =
        basicPlays.map { play in
            var module = make(play, .formPost, ["client_secret_basic", "form_post"])
            module.setup.responseMode = .formPost
            module.lines += "authorization: { response_mode: form_post }\n"
            return module
        } + [formPostError]

    private static let formPostError: Module = {
        let play = Play("-form-post-error", .stops(.callback, ["login_required"])) {
            $0.authorizationError = "login_required"
        }
        var module = make(play, .formPost, ["client_secret_basic", "form_post"])
        module.setup.responseMode = .formPost
        module.lines += "authorization: { response_mode: form_post }\n"
        module.isSilent = true
        return module
    }()

    private static let configPlays: [Play] = [
        Play("-discovery-openid-config"),
        Play("-discovery-jwks-uri-keys"),
        Play("-discovery-issuer-mismatch", .stops(.discovery, ["issuer"])) {
            $0.metadata = { $0["issuer"] = "https://op.example/other" }
        },
        Play("-idtoken-sig-none", .stops(.idToken, ["none", "algorithm"])) { $0.idTokenSignature = .none },
        Play("-signing-key-rotation-just-before-signing") { $0.rotation = .whileSigningSecond },
        Play("-signing-key-rotation") { $0.rotation = .afterFirstSignIn },
    ]

    static let config = configPlays.map { play in
        var module = make(play, .config, ["client_secret_basic"])
        if case .none = play.deviation.rotation {} else { module.flow = .twoSignIns }
        return module
    }

    /// The suite sets `request_uri` for this plan; these are its modules without that variant.
    static let dynamic =
        (configPlays + [Play("-dynamic-registration"), Play("-userinfo-signed")]).map { play in
            var module = make(play, .dynamic, ["dynamic_client", "plain_http_request"])
            module.setup.isDynamic = true
            module.setup.clientSecret = nil
            module.flow = .registration
            if play.name == "-userinfo-signed" { module.setup.userinfoSignature = "RS256" }
            return module
        }

    static let comprehensive: [Module] =
        Setup.Authentication.allCases.map { method in
            var module = make(Play(""), .comprehensive, [method.rawValue])
            module.setup.announced = [method]
            authenticate(&module.setup, by: method)
            return module
        } + [
            variant(Play("-missing-aud", .stops(.idToken, ["aud"])) { $0.idToken = { $0["aud"] = nil } }),
            variant(Play("-userinfo-bearer-header")),
            variant(Play("-userinfo-signed"), "RS256") { $0.setup.userinfoSignature = "RS256" },
            variant(Play(""), "ES256") { $0.setup.signature = "ES256" },
            variant(Play(""), "HS256", hs256),
            variant(
                Play("-invalid-sig-es256", .stops(.idToken, ["signature"])) { $0.idTokenSignature = .spoiled }, "ES256"
            ) {
                $0.setup.signature = "ES256"
            },
            variant(
                Play("-invalid-sig-hs256", .stops(.idToken, ["signature", "not signed"])) {
                    $0.idTokenSignature = .spoiled
                }, "HS256",
                hs256),
            variant(Play(""), "request_object") { module in
                authenticate(&module.setup, by: .privateKeyJWT)
                module.setup.request = .requestObject
                module.lines = "authorization: { request_object: { use: always, repeat: [response_type, scope] } }\n"
            },
            variant(Play("-aggregated-claims", .completes, aggregated), "client_secret_basic") { module in
                module.claims = ["address", "phone_number"]
                module.lines = """
                    profile:
                      claims: { address: /address, phone_number: /phone_number }
                      sources:
                        - { issuer: https://op.example, jwks: https://op.example/keys-of-this-run, claims: [address, phone_number] }

                    """
            },
        ]
        + [Setup.Authentication.tlsClientAuth, .selfSignedTLSClientAuth].map { method in
            variant(Play("-mtls-endpoint-aliases"), method.rawValue) { module in
                authenticate(&module.setup, by: method)
            }
        }

    private static func hs256(_ module: inout Module) {
        module.setup.signature = "HS256"
        module.lines = "id_token: { hs256: the module signs with the secret }\n"
    }

    static let refresh: [Module] = [
        Play("-refresh-token"),
        Play("-refresh-token-invalid-issuer", .stops(.idToken, ["issuer"])) {
            $0.refreshedIDToken = { $0["iss"] = "https://op.example.invalid" }
        },
        Play("-refresh-token-invalid-sub", .stops(.idToken, ["user", "sub"])) {
            $0.refreshedIDToken = { $0["sub"] = "user-2" }
        },
    ].map { play in
        var module = make(play, .refresh, ["client_secret_basic"])
        module.flow = .refresh
        module.setup.returnsRefreshToken = true
        module.setup.refreshesIDToken = true
        return module
    }

    private static let encrypted: [(name: String, signature: String?)] = [
        ("rp-userinfo-enc", nil), ("rp-userinfo-sig+enc", "RS256"),
    ]

    static let older = encrypted.map { name, signature in
        var module = make(Play(""), .older, ["client_secret_basic"])
        module.name = name
        module.setup.userinfoSignature = signature
        module.setup.encryptsUserinfo = true
        module.setup.clientKeys = [ClientKeys.decryptionJWK]
        let jwt = signature.map { ", algorithms: [\($0)]" } ?? ""
        module.lines = "profile: { jwt: { encryption: { algorithm: RSA-OAEP, content: A128GCM }\(jwt) } }\n"
        return module
    }

    // MARK: Parts

    static func make(_ play: Play, _ plan: Module.Plan, _ variant: [String]) -> Module {
        var module = Module(plan: plan, name: prefix + play.name, variant: variant)
        module.setup.clientSecret = ClientKeys.secret
        module.setup.announced = [.clientSecretBasic, .clientSecretPost, .clientSecretJWT, .privateKeyJWT]
        module.deviation = play.deviation
        module.expectation = play.expectation
        if play.name == "-scope-userinfo-claims" {
            module.scopes = ["openid", "profile", "email", "phone", "address"]
            module.claims = ["name", "email", "phone_number", "address"]
            module.lines = "profile: { claims: { phone_number: /phone_number, address: /address } }\n"
        }
        return module
    }

    private static func variant(
        _ play: Play, _ variant: String = "client_secret_basic", _ change: (inout Module) -> Void = { _ in }
    ) -> Module {
        var module = make(play, .comprehensive, [variant])
        change(&module)
        return module
    }

    static func authenticate(_ setup: inout Setup, by method: Setup.Authentication) {
        setup.authentication = method
        setup.announced = [method]
        let usesSecret: Set<Setup.Authentication> = [.clientSecretBasic, .clientSecretPost, .clientSecretJWT]
        setup.clientSecret = usesSecret.contains(method) ? ClientKeys.secret : nil
        if method == .privateKeyJWT { setup.clientKeys = [ClientKeys.jwk] }
        guard method.isMutualTLS else { return }
        setup.certificate = ClientKeys.certificate?.chain.first
        setup.hasCertificateAliases = true
    }

    /// The provider itself is the source of the aggregated claims, as in the suite.
    private static func aggregated(_ deviation: inout Deviation) {
        deviation.aggregates = ["phone_number": "+44 20 7946 0000", "address": "London"]
    }
}
