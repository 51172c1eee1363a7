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
