import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import Foundation
import HTTPTypes
import Testing

@Suite("Token request")
struct TokenRequestTests {
    // TOK-01, CAUTH-04.
    @Test("Exchange is a form POST of a public client")
    func exchangeIsAFormPostOfAPublicClient() throws {
        let request = try Attempt().exchange()
        #expect(request.outgoing.head.method == .post)
        #expect(request.outgoing.head.path == "/token")
        #expect(request.outgoing.head.authority == "id.acme.example")
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.header("Authorization") == nil)
        #expect(request.form["grant_type"] == "authorization_code")
        #expect(request.form["code"] == "the-code")
        #expect(request.form["redirect_uri"] == Attempt.redirectURI)
        #expect(request.form["client_id"] == "client")
        #expect(request.form["code_verifier"]?.count == 43)
        #expect(request.form.count == 5)
    }

    // HTTP-13.
    @Test("Asks for JSON")
    func asksForJSON() throws {
        #expect(try Attempt().exchange().header("Accept") == "application/json")
    }

    // AREQ-06, ARES-17: the code goes out as it came in.
    @Test("Code survives form encoding", arguments: ["a+b", "4/0A+b&x=1%2F", "a=b", "100%", "a b", "a;b", "~!*'()"])
    func codeSurvivesFormEncoding(_ code: String) throws {
        let request = try Attempt().exchange(code: code)
        #expect(request.form["code"] == code)
        #expect(request.form.count == 5)
    }

    @Test("Refresh token and client survive form encoding", arguments: awkwardValues)
    func refreshTokenAndClientSurviveFormEncoding(_ value: String) throws {
        let provider = try Fixture.provider(
            Fixture.openID
                + "client: { authentication: [client_secret_post] }\nrefresh: { parameters: { extra: \"{x}\" } }\n"
                + "inputs: { x: { type: text } }\n",
            inputs: ["x": value]
        )
        let registration = ClientRegistration(
            clientID: value,
            credentials: .secret(Secret(value)),
            redirectURI: Attempt.redirectURI
        )
        let request = try TokenRequest.refresh(Secret(value), at: provider, as: registration)
        #expect(
            request.form == [
                "grant_type": "refresh_token", "refresh_token": value, "client_id": value, "client_secret": value,
                "extra": value,
            ])
    }

    @Test("Values survive JSON encoding", arguments: awkwardValues)
    func valuesSurviveJSONEncoding(_ value: String) throws {
        let provider = try Fixture.provider(Fixture.openID + "token: { body: json }\n")
        let registration = ClientRegistration(clientID: value, redirectURI: Attempt.redirectURI)
        let request = try TokenRequest.refresh(Secret(value), at: provider, as: registration)
        #expect(request.header("Content-Type") == "application/json")
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(request.outgoing.body)) as? [String: String])
        #expect(body == ["grant_type": "refresh_token", "refresh_token": value, "client_id": value])
    }

    @Test("Values survive query encoding", arguments: awkwardValues)
    func valuesSurviveQueryEncoding(_ value: String) throws {
        let provider = try Fixture.provider(
            Fixture.openID.replacingOccurrences(of: "/token\n", with: "/token?v=1\n") + "token: { body: query }\n")
        let registration = ClientRegistration(clientID: value, redirectURI: Attempt.redirectURI)
        let request = try TokenRequest.refresh(Secret(value), at: provider, as: registration)
        let path = try #require(request.outgoing.head.path)
        #expect(path.hasPrefix("/token?v=1&grant_type=refresh_token&"))
        #expect(decodedForm(String(path.dropFirst("/token?".count)))["refresh_token"] == value)
        #expect(request.outgoing.body.isEmpty)
    }

    @Test("Endpoint query that repeats a parameter is rejected")
    func endpointQueryThatRepeatsAParameterIsRefused() throws {
        let provider = try Fixture.provider(
            Fixture.openID.replacingOccurrences(of: "/token\n", with: "/token?client_id=evil\n")
                + "token: { body: query }\n")
        let registration = ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI)
        expectError(.refresh, .reservedParameter) {
            try TokenRequest.refresh(Secret("r"), at: provider, as: registration)
        }
    }

    // RFC 8707, section 2.2.
    @Test(
        "A refresh names the resources of the sign-in, unless the descriptor says otherwise",
        arguments: [
            ("", ["resource": "https://a.example/|urn:b"]),
            ("token: { rename: { resource: audience } }", ["audience": "https://a.example/|urn:b"]),
            ("refresh: { omit: [resource] }", [:]),
            ("refresh: { parameters: { resource: \"urn:own\" } }", ["resource": "urn:own"]),
        ])
    func aRefreshNamesTheResources(_ keys: String, _ expected: [String: String]) throws {
        let provider = try Fixture.provider(Fixture.openID + keys + "\n")
        let registration = ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI)
        let request = try TokenRequest.refresh(
            Secret("r"), resources: ["https://a.example/", "urn:b"], at: provider, as: registration)
        let pairs = PercentEncoding.decodeForm(String(decoding: request.outgoing.body, as: UTF8.self)) ?? []
        let sent = Dictionary(pairs.map { ($0.name, $0.value) }) { $0 + "|" + $1 }
        #expect(sent.filter { ["resource", "audience"].contains($0.key) } == expected)
    }

    @Test("Renamed and omitted parameters")
    func renamedAndOmittedParameters() throws {
        let attempt = try Attempt(
            Fixture.openID + "token: { rename: { client_id: app_id }, omit: [redirect_uri] }\n")
        let form = try attempt.exchange().form
        #expect(form["app_id"] == "client")
        #expect(form["client_id"] == nil)
        #expect(form["redirect_uri"] == nil)
    }

    @Test(
        "Descriptor parameters cannot repeat the protocol's",
        arguments: ["grant_type", "code", "client_id", "code_verifier", "redirect_uri"])
    func descriptorParametersCannotRepeatTheProtocols(_ name: String) throws {
        let attempt = try Attempt(Fixture.openID + "token: { parameters: { \(name): x } }\n")
        let error = expectError(.tokenRequest, .reservedParameter) { try attempt.exchange() }
        #expect(error?.descriptorKey == "token.parameters.\(name)")
    }

    // CAUTH-01.
    @Test(
        "Basic encodes ID and secret first",
        arguments: zip(
            ["s+/%:&=@é x", "plain"],
            ["client%20id:s%2B%2F%25%3A%26%3D%40%C3%A9%20x", "client%20id:plain"]
        ))
    func basicEncodesIdAndSecretFirst(_ secret: String, _ pair: String) throws {
        let request = try Attempt(clientID: "client id", secret: secret).exchange()
        #expect(request.header("Authorization") == "Basic " + Data(pair.utf8).base64EncodedString())
    }

    // CAUTH-01, INT-01.
    @Test("Basic sends raw where the descriptor says so")
    func basicSendsRawWhereTheDescriptorSaysSo() throws {
        let request = try Attempt(Fixture.openID + "client: { basic_encoding: raw }\n", secret: "s+/%").exchange()
        #expect(request.header("Authorization") == "Basic " + Data("client:s+/%".utf8).base64EncodedString())
    }

    // CAUTH-02, CAUTH-03.
    @Test("Credentials are sent one way only")
    func credentialsAreSentOneWayOnly() throws {
        let basic = try Attempt(secret: "s3cret").exchange()
        #expect(basic.header("Authorization") != nil)
        #expect(basic.form["client_secret"] == nil)
        let post = try Attempt(
            Fixture.openID + "client: { authentication: [client_secret_post] }\n",
            secret: "s3cret"
        ).exchange()
        #expect(post.header("Authorization") == nil)
        #expect(post.form["client_secret"] == "s3cret")
        #expect(post.form["client_id"] == "client")
    }

    @Test("Descriptor cannot add a second authorization header")
    func descriptorCannotAddASecondAuthorizationHeader() throws {
        let attempt = try Attempt(
            Fixture.openID + "token: { headers: { Authorization: Basic eDp5 } }\n",
            secret: "s3cret"
        )
        expectError(.tokenRequest, .badHeader) { try attempt.exchange() }
    }

    // HTTP-10.
    @Test("Control characters never become a header", arguments: ["a\r\nX-Evil: 1", "a\nb", "a\u{0}b"])
    func controlCharactersNeverBecomeAHeader(_ value: String) {
        expectError(.tokenRequest, .badHeader) {
            try Attempt(
                Fixture.openID
                    + "client: { basic_encoding: raw }\ntoken: { headers: { X-App: \"{x}\" } }\n".replacing(
                        "{x}", with: value.debugDescription.dropFirst().dropLast())
            ).exchange()
        }
    }

    // RT-05.
    @Test("Refresh leaves the scope out")
    func refreshLeavesTheScopeOut() throws {
        let attempt = try Attempt()
        let request = try TokenRequest.refresh(Secret("r"), at: attempt.provider, as: attempt.registration)
        #expect(request.form == ["grant_type": "refresh_token", "refresh_token": "r", "client_id": "client"])
        #expect(request.step == .refresh)
    }

    @Test("Refresh goes to its own endpoint as the token request is shaped")
    func refreshGoesToItsOwnEndpointAsTheTokenRequestIsShaped() throws {
        let provider = try Fixture.provider(
            Fixture.openID.replacingOccurrences(
                of: "  jwks:", with: "  refresh: https://id.acme.example/refresh\n  jwks:")
                + "token: { body: json }\n")
        let registration = ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI)
        let request = try TokenRequest.refresh(Secret("r"), at: provider, as: registration)
        #expect(request.outgoing.head.path == "/refresh")
        #expect(request.header("Content-Type") == "application/json")
    }

    // REV-01, CAUTH-11.
    @Test("Revocation names the token and its kind")
    func revocationNamesTheTokenAndItsKind() throws {
        let attempt = try Attempt(secret: "s3cret")
        let request = try TokenRequest.revoke(
            Secret("r"), hint: "refresh_token", at: attempt.provider, as: attempt.registration)
        #expect(request.form == ["token": "r", "token_type_hint": "refresh_token"])
        #expect(request.header("Authorization")?.hasPrefix("Basic ") == true)
        #expect(request.outgoing.head.path == "/revoke")
    }

    // SESS-08: a code of one registration is not sent with the credentials of another.
    @Test("Attempt of another client makes no request")
    func attemptOfAnotherClientMakesNoRequest() throws {
        let attempt = try Attempt()
        let other = ClientRegistration(
            clientID: "other", credentials: .secret(Secret("s3cret")), redirectURI: Attempt.redirectURI)
        let validated = try attempt.validate("state=\(attempt.state)&code=c")
        expectError(.tokenRequest, .badRegistration) {
            try TokenRequest.authorizationCode(validated, at: attempt.provider, as: other)
        }
        _ = try TokenRequest.authorizationCode(validated, at: attempt.provider, as: attempt.registration)
    }
}
