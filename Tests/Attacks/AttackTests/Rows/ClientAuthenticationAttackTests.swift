// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("CAUTH: client authentication", .searchedForSecrets)
struct ClientAuthenticationAttackTests {
    private static let awkward = "s+e/c%r:e&t=@é x"

    @Test("CAUTH-01: Basic is percent encoded")
    func CAUTH_01_basicIsPercentEncoded() async throws {
        let flow = Flow.signIn.registered { $0.clientSecret = Secret(Self.awkward) }
        try await accept(in: flow) { scenario, _ in
            let expected = "client:s%2Be%2Fc%25r%3Ae%26t%3D%40%C3%A9%20x"
            #expect(
                scenario.requests(to: "/token").first?.headers[.authorization]
                    == "Basic " + Data(expected.utf8).base64EncodedString())
        }
        try await accept(in: flow.adding("client: { basic_encoding: raw }")) { scenario, _ in
            #expect(
                scenario.requests(to: "/token").first?.headers[.authorization]
                    == "Basic " + Data("client:\(Self.awkward)".utf8).base64EncodedString())
        }
    }

    @Test(
        "CAUTH-02: One method a request",
        arguments: [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost, .clientSecretJWT])
    func CAUTH_02_oneMethodARequest(method: ClientAuthenticationMethod) async throws {
        let flow = Flow.refresh.registered { $0.authenticationMethod = method }
            .adding("client: { authentication: [\(method.rawValue)] }")
        try await accept(in: flow) { scenario, _ in
            for request in scenario.requests(to: "/token") {
                let ways = [
                    request.headers[.authorization] != nil, request.form["client_secret"] != nil,
                    request.form["client_assertion"] != nil,
                ]
                #expect(ways.filter { $0 }.count == 1)
            }
        }
    }

    @Test("CAUTH-03: Secret in the body")
    func CAUTH_03_secretInTheBody() async throws {
        let flow = Flow.signIn.registered { registration in
            registration.authenticationMethod = .clientSecretPost
            registration.clientSecret = Secret(Self.awkward)
        }
        try await accept(in: flow) { scenario, _ in
            #expect(scenario.requests(to: "/token").first?.form["client_secret"] == Self.awkward)
            #expect(scenario.requests(to: "/token").first?.form["client_id"] == Scenario.clientID)
        }
    }

    @Test("CAUTH-04: Public client")
    func CAUTH_04_publicClient() async throws {
        try await accept(in: .refresh.registered { $0.clientSecret = nil }) { scenario, _ in
            for request in scenario.requests(to: "/token") {
                #expect(request.form["client_id"] == Scenario.clientID)
                #expect(request.form["client_secret"] == nil)
                #expect(request.headers[.authorization] == nil)
            }
        }
        await Flow.signIn.registered { $0.clientSecret = Secret("") }.expectRefusal(.badRegistration)
    }

    /// A client with a key, at a server that takes assertions.
    private func signing(_ key: ClientKey, _ flow: Flow = .refresh) -> Flow {
        flow.registered { registration in
            registration.clientSecret = nil
            registration.signingKey = key
        }.adding("client: { authentication: [private_key_jwt] }")
    }

    private func claims(_ assertion: String?) throws -> JSONValue {
        let segment = try #require(assertion?.split(separator: ".").dropFirst().first)
        return try JSONValue(parsing: try #require(Base64URL.decode(segment.utf8)))
    }

    @Test("CAUTH-05: Assertions are new each time")
    func CAUTH_05_assertionsAreNewEachTime() async throws {
        let flow = signing(try ClientKey.generate(.ES256))
        try await accept(in: flow) { scenario, _ in
            let all = try scenario.requests(to: "/token").map { try claims($0.form["client_assertion"]) }
            #expect(all.count == 2)
            #expect(Set(all.compactMap { $0["jti"]?.string }).count == 2)
            for claims in all {
                #expect(claims["iss"] == "client")
                #expect(claims["sub"] == "client")
                let lifetime = (claims["exp"]?.integer ?? 0) - (claims["iat"]?.integer ?? 0)
                #expect((1...300).contains(lifetime))
                #expect(claims["jti"]?.string?.utf8.count ?? 0 >= 22)
            }
        }
    }

    @Test("CAUTH-06: Audience is the issuer")
    func CAUTH_06_audienceIsTheIssuer() async throws {
        let key = try ClientKey.generate(.ES256)
        try await accept(in: signing(key)) { scenario, _ in
            let claims = try claims(scenario.requests(to: "/token").first?.form["client_assertion"])
            #expect(claims["aud"]?.string == Scenario.issuer)
        }
        let legacy = signing(key).of(
            Flow.openID + "client: { authentication: [private_key_jwt], assertion: { audience: token_endpoint } }\n")
        try await accept(in: legacy) { scenario, _ in
            let claims = try claims(scenario.requests(to: "/token").first?.form["client_assertion"])
            #expect(claims["aud"] == "https://id.acme.example/token")
        }
    }

    @Test("CAUTH-07: Secret too short to sign")
    func CAUTH_07_secretTooShortToSign() async throws {
        let flow = Flow.signIn.adding("client: { authentication: [client_secret_jwt] }")
        try await control(flow)
        await flow.registered { $0.clientSecret = Secret("8-bytes!") }.expectRefusal(.badRegistration)
    }

    @Test("CAUTH-08: Weak keys")
    func CAUTH_08_weakKeys() async throws {
        _ = try ClientKey(pem: Secret(SigningKey.rsaPEM))
        let error = await expectThrown(ClientKeyError.self) { try ClientKey(pem: Secret(SigningKey.weakRSAPEM)) }
        #expect(error?.reason.isEmpty == false)
    }

    private func basic(_ pair: String) -> String { "Basic " + Data(pair.utf8).base64EncodedString() }

    private static let encoded = "client:s%2Be%2Fc%25r%3Ae%26t%3D%40%C3%A9%20x"

    /// A server that does not decode, and says so before it looks at the rest of the request.
    private static func refusing(_ status: Int, then good: ServerResponse) -> ServerResponse {
        var response = ServerResponse.error("invalid_client", status: status)
        response.later = [good]
        return response
    }

    @Test("CAUTH-15: Other encoding once, and remembered", arguments: [400, 401])
    func CAUTH_15_otherEncodingOnceAndRemembered(status: Int) async throws {
        let flow = Flow.refresh.registered { $0.clientSecret = Secret(Self.awkward) }
            .served { $0.token = Self.refusing(status, then: $0.token) }
        try await accept(in: flow) { scenario, _ in
            let requests = scenario.requests(to: "/token")
            let raw = basic("client:\(Self.awkward)")
            #expect(requests.map { $0.headers[.authorization] } == [basic(Self.encoded), raw, raw])
            #expect(Set(requests.map(\.url)).count == 1)
            #expect(requests[0].form == requests[1].form)
        }
        // Each attempt has a proof of its own.
        let proving = Flow.signIn.registered { registration in
            registration.clientSecret = Secret(Self.awkward)
            registration.dpopBoundAccessTokens = true
        }.served { script in
            script.token["token_type"] = "DPoP"
            script.token = Self.refusing(status, then: script.token)
        }
        try await accept(in: proving) { scenario, _ in
            let proofs = scenario.requests(to: "/token").map { $0.headers[HTTPField.Name("DPoP")!] }
            #expect(proofs.count == 2 && !proofs.contains(nil) && Set(proofs).count == 2)
        }
    }

    /// A server that announces both methods, and has registered the client with `client_secret_post`.
    @Test(
        "CAUTH-15: Announced body after the header",
        arguments: [
            (401, "invalid_client", awkward), (401, "invalid_client", "plain"), (403, "unauthorized_client", "plain"),
        ])
    func CAUTH_15_announcedBodyAfterTheHeader(status: Int, code: String, secret: String) async throws {
        let forms = secret == Self.awkward ? 3 : 2
        func flow(_ announced: JSONValue?) -> Flow {
            Flow.refresh.registered { $0.clientSecret = Secret(secret) }.served { script in
                script.metadata["token_endpoint_auth_methods_supported"] = announced
                let refusal = ServerResponse.error(code, status: status)
                let good = script.token
                script.token = refusal
                script.token.later = Array(repeating: refusal, count: forms - 2) + [good]
            }
        }
        try await accept(in: flow(["client_secret_basic", "client_secret_post"])) { scenario, _ in
            let requests = scenario.requests(to: "/token")
            #expect(requests.count == forms + 1)
            #expect(Set(requests.map(\.url)).count == 1)
            for request in requests.prefix(forms - 1) {
                #expect(method(of: request) == .clientSecretBasic)
                #expect(request.form["client_secret"] == nil)
            }
            for request in requests.suffix(2) {
                #expect(method(of: request) == .clientSecretPost)
                #expect(request.form["client_secret"] == secret)
                #expect(request.form["client_id"] == Scenario.clientID)
            }
        }
        let both: JSONValue = ["client_secret_basic", "client_secret_post"]
        for refused in [
            flow(["client_secret_basic"]), flow(nil),
            flow(both).registered { $0.authenticationMethod = .clientSecretBasic },
            flow(both).adding("client: { authentication: [client_secret_basic, client_secret_post] }"),
        ] {
            let scenario = Scenario()
            await expectRefusal(.serverError) { try await refused.run(scenario) { _ in } }
            #expect(scenario.requests(to: "/token").allSatisfy { $0.form["client_secret"] == nil })
        }
    }

    /// The server's first response is reported, because it is that of the standard's form.
    @Test("CAUTH-15: First refusal is reported")
    func CAUTH_15_firstRefusalIsReported() async throws {
        let flow = Flow.signIn.registered { $0.clientSecret = Secret(Self.awkward) }.served { script in
            script.token = .error("unauthorized_client", status: 400)
            script.token.later = [.error("invalid_client", status: 401)]
        }
        let error = await flow.expectRefusal(.serverError)
        #expect(error?.server?.code == "unauthorized_client")
    }

    @Test("CAUTH-15: No other attempt")
    func CAUTH_15_noOtherAttempt() async throws {
        func attempts(
            _ response: ServerResponse, _ kind: OAuthError.Kind, secret: String = Self.awkward, _ lines: String = ""
        ) async throws -> Int {
            let scenario = Scenario()
            scenario.change { $0.token = response }
            var flow = Flow.signIn.registered { $0.clientSecret = Secret(secret) }
            if !lines.isEmpty { flow = flow.adding(lines) }
            let client = try flow.client(of: scenario)
            await expectRefusal(kind, at: .tokenRequest) { try await client.signIn(at: scenario) }
            #expect(try await scenario.store.keys().isEmpty)
            return scenario.count("/token")
        }
        let refusal = ServerResponse.error("invalid_client", status: 401)
        #expect(try await attempts(refusal, .serverError) == 2)
        #expect(try await attempts(refusal, .serverError, secret: "the-same-in-both") == 1)
        for lines in [
            "client: { basic_encoding: percent }", "client: { basic_encoding: raw }",
            "client: { authentication: [client_secret_post] }",
        ] {
            #expect(try await attempts(refusal, .serverError, lines) == 1, "\(lines)")
        }
        // The server may have used the code.
        #expect(try await attempts(.error("invalid_grant"), .serverError) == 1)
        #expect(try await attempts(.error("invalid_request"), .serverError) == 1)
        #expect(try await attempts(.error("invalid_client", status: 500), .serverUnavailable) == 1)
        #expect(try await attempts(.error("access_denied", status: 403), .serverError) == 1)
        #expect(try await attempts(.fails(.interrupted), .transport) == 1)
    }

    /// The method that a request used.
    private func method(of request: Scenario.Request?) -> ClientAuthenticationMethod? {
        guard let request else { return nil }
        if request.headers[.authorization] != nil { return .clientSecretBasic }
        if request.form["client_assertion"] != nil { return .clientSecretJWT }
        return request.form["client_secret"] != nil ? .clientSecretPost : ClientAuthenticationMethod.none
    }

    /// Metadata, descriptor and registration: the later one decides.
    @Test("CAUTH-14: Announced method is used")
    func CAUTH_14_announcedMethodIsUsed() async throws {
        typealias Case = (
            announced: JSONValue?, described: String, registered: ClientAuthenticationMethod?,
            used: ClientAuthenticationMethod
        )
        let cases: [Case] = [
            (nil, "", nil, .clientSecretBasic), ([], "", nil, .clientSecretBasic),
            (["client_secret_post"], "", nil, .clientSecretPost),
            (["client_secret_jwt"], "", nil, .clientSecretJWT),
            (["client_secret_jwt", "client_secret_post"], "", nil, .clientSecretPost),
            (["client_secret_jwt", "client_secret_post", "client_secret_basic"], "", nil, .clientSecretBasic),
            (["none"], "", nil, .clientSecretBasic), (["private_key_jwt", "new_method"], "", nil, .clientSecretBasic),
            (["client_secret_post"], "[client_secret_basic, client_secret_post, none]", nil, .clientSecretBasic),
            (["client_secret_post"], "[client_secret_basic]", nil, .clientSecretBasic),
            (["client_secret_post"], "", .clientSecretBasic, .clientSecretBasic),
            (["client_secret_jwt"], "", .clientSecretJWT, .clientSecretJWT),
            (["client_secret_post"], "[client_secret_basic, client_secret_jwt]", .clientSecretJWT, .clientSecretJWT),
        ]
        for (announced, described, registered, used) in cases {
            var flow = Flow.signIn.registered { registration in
                registration.clientSecret = Secret("a-secret-of-more-than-thirty-two-bytes")
                registration.authenticationMethod = registered
            }
            if !described.isEmpty { flow = flow.adding("client: { authentication: \(described) }") }
            flow = flow.served { $0.metadata["token_endpoint_auth_methods_supported"] = announced }
            try await accept(in: flow) { scenario, _ in
                #expect(method(of: scenario.requests(to: "/token").first) == used, "\(announced as Any) \(described)")
            }
        }
    }

    /// What is shown of every request, in every method; the harness searches it in every row besides.
    @Test(
        "CAUTH-10: Secret is never shown", arguments: [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost])
    func CAUTH_10_secretIsNeverShown(method: ClientAuthenticationMethod) async throws {
        let flow = Flow.signOut.registered { $0.authenticationMethod = method }
        try await accept(in: flow) { scenario, _ in
            #expect(scenario.log.allSatisfy { !$0.query.contains(Scenario.clientSecret) })
            #expect(scenario.output.text.contains { $0.contains("[redacted]") })
            #expect(scenario.output.text.allSatisfy { !$0.contains(Scenario.clientSecret) })
        }
    }

    @Test("CAUTH-11: The same at every endpoint")
    func CAUTH_11_theSameAtEveryEndpoint() async throws {
        let flow = Flow(isSignedIn: true) { scenario, outcome in
            _ = try await outcome.client.beginSignIn(AuthorizationOptions(delivery: .init(isPushed: true)))
            _ = try await outcome.client.beginDeviceSignIn()
            outcome.signOut = try await outcome.session?.signOut(.revoke)
        }
        try await accept(in: flow) { scenario, _ in
            let header = scenario.requests(to: "/token").first?.headers[.authorization]
            #expect(header?.hasPrefix("Basic ") == true)
            for path in ["/par", "/device_authorization", "/revoke"] {
                #expect(scenario.requests(to: path).first?.headers[.authorization] == header, "\(path)")
            }
        }
    }
}
