import CarnetProtocol
import ConformanceProvider

/// The modules of FAPI 2.0 in all variants of client authentication, sender constraint, request and response.
enum FAPIModules {
    private static let prefix = "fapi2-security-profile-final-client-test-"

    /// Where a module applies.
    private struct Scope: OptionSet {
        let rawValue: Int
        static let openID = Scope(rawValue: 1)
        static let dpop = Scope(rawValue: 2)
        static let plainResponse = Scope(rawValue: 4)
        static let jarm = Scope(rawValue: 8)
    }

    private static let plays = commonPlays + jarmPlays.map { (Scope.jarm, $0) }

    private static let commonPlays: [(Scope, Play)] = [
        ([], Play("happy-path")),
        (
            [],
            Play("discovery-issuer-mismatch", .stops(.discovery, ["issuer"])) {
                $0.metadata = { $0["issuer"] = "https://op.example/other" }
            }
        ),
        (.openID, .idToken("invalid-iss", "issuer") { $0["iss"] = "https://op.example.invalid" }),
        (.openID, .idToken("invalid-aud", "another client") { $0["aud"] = "another-client" }),
        (
            .openID,
            .idToken("invalid-secondary-aud", "azp", "another client", "audience") {
                $0["aud"] = ["client", "client1"]
            }
        ),
        (
            .openID,
            Play("invalid-null-alg", .stops(.idToken, ["none", "algorithm"])) {
                $0.idTokenSignature = .none
            }
        ),
        (
            .openID,
            Play("invalid-alternate-alg", .stops(.idToken, ["rs256", "algorithm"])) {
                $0.idTokenSignature = .with("RS256")
            }
        ),
        (.openID, .idToken("invalid-expired-exp", "expired") { $0["exp"] = time(-600) }),
        (.openID, .idToken("invalid-missing-exp", "exp") { $0["exp"] = nil }),
        (.openID, .idToken("invalid-missing-aud", "aud") { $0["aud"] = nil }),
        (.openID, .idToken("invalid-missing-iss", "iss") { $0["iss"] = nil }),
        (.openID, Play("valid-aud-as-array") { $0.idToken = { $0["aud"] = ["client"] } }),
        (.openID, .idToken("invalid-nonce", "nonce") { $0["nonce"] = "another" }),
        (.openID, .idToken("invalid-missing-nonce", "nonce") { $0["nonce"] = nil }),
        (
            .plainResponse,
            Play("invalid-authorization-response-iss", .stops(.callback, ["iss"])) {
                $0.response = { $0["iss"] = "https://op.example.invalid" }
            }
        ),
        (
            .plainResponse,
            Play("remove-authorization-response-iss", .stops(.callback, ["iss"])) {
                $0.response = { $0["iss"] = nil }
            }
        ),
        (
            [],
            Play("ensure-authorization-response-with-invalid-state-fails", .stops(.callback, ["state"])) {
                $0.response = { $0["state"] = "\($0["state"] ?? "")1" }
            }
        ),
        (
            [],
            Play("ensure-authorization-response-with-invalid-missing-state-fails", .stops(.callback, ["state"])) {
                $0.response = { $0["state"] = nil }
            }
        ),
        ([], Play("token-endpoint-response-without-expires_in") { $0.token = { $0["expires_in"] = nil } }),
        (
            [],
            Play("token-type-case-insensitivity") {
                $0.token = { $0["token_type"] = $0["token_type"] as? String == "DPoP" ? "dpOp" : "bEARER" }
            }
        ),
        (.dpop, Play("rs-dpop-auth-scheme-case-insensitivity") { $0.dpopScheme = "dPoP" }),
        (.dpop, Play("happy-path-no-dpop-nonce")),
    ]

    private static let jarmClaims: [(name: String, words: [String], change: Deviation.Change)] = [
        ("without-iss-fails", ["iss"], { $0["iss"] = nil }),
        ("with-invalid-iss-fails", ["iss"], { $0["iss"] = "https://op.example.invalid" }),
        ("without-aud-fails", ["aud"], { $0["aud"] = nil }),
        ("with-invalid-aud-fails", ["aud", "another client"], { $0["aud"] = "another-client" }),
        ("without-exp-fails", ["exp"], { $0["exp"] = nil }),
        ("with-expired-exp-fails", ["expired"], { $0["exp"] = time(-600) }),
    ]

    private static let jarmPlays =
        jarmClaims.map { claim in
            Play("ensure-jarm-" + claim.name, .stops(.callback, claim.words)) { $0.signedResponse = claim.change }
        } + [
            Play("ensure-jarm-with-invalid-sig-fails", .stops(.callback, ["signature"])) {
                $0.responseSignature = .spoiled
            },
            Play("ensure-jarm-signature-is-not-none", .stops(.callback, ["none", "algorithm"])) {
                $0.responseSignature = .none
            },
        ]

    private static func time(_ offset: Int) -> Int { Driver.now + offset }

    struct Variant: Sendable {
        var authentication = Setup.Authentication.privateKeyJWT
        var constraint = Setup.Constraint.dpop
        var isOpenID = true
        var isSigned = false
        var isJARM = false
        var hasDetails = false

        /// The names of the suite.
        var names: [String] {
            [
                authentication == .privateKeyJWT ? "private_key_jwt" : "mtls", constraint.rawValue,
                isOpenID ? "openid_connect" : "plain_oauth", isSigned ? "signed_non_repudiation" : "unsigned",
                isJARM ? "jarm" : "plain_response",
            ] + (hasDetails ? ["rar"] : [])
        }
    }

    /// The four combinations of authentication and constraint.
    private static func combinations(_ variant: Variant) -> [Variant] {
        [Setup.Authentication.privateKeyJWT, .tlsClientAuth].flatMap { method in
            [Setup.Constraint.dpop, .mtls].map { constraint in
                var variant = variant
                variant.authentication = method
                variant.constraint = constraint
                return variant
            }
        }
    }

    static let security: [Module] =
        [Variant(), Variant(isOpenID: false)].flatMap { combinations($0) }.flatMap { modules($0, .security) }
        + [Variant(hasDetails: true), Variant(isOpenID: false, hasDetails: true)].flatMap { combinations($0) }
        .flatMap { modules($0, .security).prefix(1) }

    private static let signingVariants = [
        Variant(isSigned: true), Variant(isJARM: true), Variant(isSigned: true, isJARM: true),
    ]

    static let signing: [Module] = signingVariants.flatMap { combinations($0) }.flatMap { modules($0, .signing) }

    private static func modules(_ variant: Variant, _ plan: Module.Plan) -> [Module] {
        plays.filter { scope, _ in
            (variant.isOpenID || !scope.contains(.openID)) && (variant.constraint == .dpop || !scope.contains(.dpop))
                && !scope.contains(variant.isJARM ? .plainResponse : .jarm)
        }.map { make($0.1, variant, plan) }
    }

    private static func make(_ play: Play, _ variant: Variant, _ plan: Module.Plan) -> Module {
        var module = Module(plan: plan, name: prefix + play.name, variant: variant.names)
        module.deviation = play.deviation
        module.expectation = play.expectation
        var setup = Setup()
        OpenIDModules.authenticate(&setup, by: variant.authentication)
        if variant.isSigned { setup.clientKeys = [ClientKeys.jwk] }
        if variant.constraint == .mtls { setup.certificate = ClientKeys.certificate?.chain.first }
        setup.constraint = variant.constraint
        setup.isFAPI = true
        setup.isOpenID = variant.isOpenID
        setup.signature = "PS256"
        setup.request = variant.isSigned ? .pushedRequestObject : .pushed
        setup.responseMode = variant.isJARM ? .jwt : .query
        setup.hasCertificateAliases = true
        setup.requiresDPoPNonce = play.name != "happy-path-no-dpop-nonce"
        if variant.hasDetails { setup.detailsType = "account_information" }
        module.setup = setup
        module.details = variant.hasDetails
        if !variant.isOpenID { module.scopes = ["accounts"] }
        return module
    }

    static let clientCredentials = combinations(Variant(isOpenID: false)).flatMap { variant in
        ["happy-path", "happy-path-no-dpop-nonce", "token-type-case-insensitivity"].compactMap { name -> Module? in
            guard variant.constraint == .dpop || name != "happy-path-no-dpop-nonce",
                let play = plays.first(where: { $0.1.name == name })?.1
            else { return nil }
            var module = make(play, variant, .clientCredentials)
            module.variant = Array(module.variant.prefix(2))
            module.setup.request = .plain
            module.flow = .clientCredentials
            return module
        }
    }
}
