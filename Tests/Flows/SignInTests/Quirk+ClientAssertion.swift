import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import Foundation
import Testing

private let grant = "grant_type=authorization_code&code=4%2F%2B%26%3D%2541%20*"
private let rest = "&redirect_uri=\(redirect)&code_verifier=*&client_id=client"
private let type = "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
/// The times of every assertion: the clock of the fixture stands still.
private let times = #""iat":1800000000,"exp":1800000060,"jti":"*""#

/// The token request of a client that authenticates by an assertion, with the JWT taken out and apart.
private struct AssertionRequest {
    var body: String
    var header: String
    var claims: String

    init(_ fixture: SignInFixture, parameter: String = "client_assertion") async throws {
        let request = try #require(await fixture.requests(to: .token).first)
        let body = String(decoding: request.body, as: UTF8.self)
        let token = try #require(body.split(separator: "&").first { $0.hasPrefix(parameter + "=") })
            .dropFirst(parameter.count + 1)
        header = masked(JSONValue.object(try SignInTests.header(of: token)).jsonText())
        claims = masked(JSONValue.object(try SignInTests.claims(of: token)).jsonText())
        self.body = masked(body.replacing(token, with: "JWT"))
    }
}

extension Quirk {
    /// Signs in with a descriptor's keys, and compares the assertion and what is around it.
    private static func proof(
        _ keys: String, inputs: [String: String] = [:], secret: String? = nil, algorithm: SignatureAlgorithm? = .ES256,
        parameter: String = "client_assertion", header: String, claims: String, body: String
    ) -> @Sendable () async throws -> Void {
        {
            let key = try algorithm.map { try ClientKey.generate($0) }
            let fixture = try SignInFixture(odd: keys, inputs: inputs, secret: secret, signingKey: key)
            #expect(try await fixture.signIn().tokens().accessToken.isEmpty == false)
            let request = try await AssertionRequest(fixture, parameter: parameter)
            #expect(request.header == header)
            #expect(request.claims == claims)
            #expect(request.body == body)
        }
    }

    static let clientAssertions = [
        Quirk(
            "the client signs an assertion with its private key", key: "`client.authentication: [private_key_jwt]`",
            neededBy: "1: Xero's custom connections; banks and health records",
            proof: proof(
                "client: { authentication: [private_key_jwt] }",
                header: #"{"alg":"ES256","typ":"JWT","kid":"*"}"#,
                claims: #"{"iss":"client","sub":"client","aud":"https://odd.example/token",\#(times)}"#,
                body: "\(grant)\(rest)&\(type)&client_assertion=JWT"
            )
        ),
        Quirk(
            "the client signs an assertion with its secret", key: "`client.authentication: [client_secret_jwt]`",
            neededBy: "Keycloak, Connect2id",
            proof: proof(
                "client: { authentication: [client_secret_jwt] }", secret: String(repeating: "s", count: 32),
                algorithm: nil, header: #"{"alg":"HS256","typ":"JWT"}"#,
                claims: #"{"iss":"client","sub":"client","aud":"https://odd.example/token",\#(times)}"#,
                body: "\(grant)\(rest)&\(type)&client_assertion=JWT"
            )
        ),
        Quirk(
            "the assertion's audience is the token endpoint although there is an issuer",
            key: "`client.assertion.audience: token_endpoint`", neededBy: "login.gov, glewlwyd",
            proof: proof(
                """
                issuer: https://odd.example
                discovery: none
                client: { authentication: [private_key_jwt], assertion: { audience: token_endpoint, algorithm: RS256 } }
                """, algorithm: .RS256,
                header: #"{"alg":"RS256","typ":"JWT","kid":"*"}"#,
                claims: #"{"iss":"client","sub":"client","aud":"https://odd.example/token",\#(times)}"#,
                body: "\(grant)\(rest)&\(type)&client_assertion=JWT"
            )
        ),
        Quirk(
            "the assertion's issuer is the redirect URI's host, its subject is a constant, and it has no key id",
            key: "`client.assertion.issuer: redirect_host`, `client.assertion.key_id: none`", neededBy: "1: Revolut",
            proof: proof(
                """
                client:
                  authentication: [private_key_jwt]
                  assertion: { issuer: redirect_host, audience: https://bank.example, key_id: none, lifetime: 90 }
                """,
                header: #"{"alg":"ES256","typ":"JWT"}"#,
                claims: #"{"iss":"127.0.0.1","sub":"client","aud":"https://bank.example","#
                    + times.replacing("060", with: "090") + "}",
                body: "\(grant)\(rest)&\(type)&client_assertion=JWT"
            )
        ),
        Quirk(
            "the client secret is a JWT that the client signs", key: "`client.assertion.send_as: client_secret`",
            neededBy: "Apple",
            proof: proof(
                """
                inputs: { team: { example: TEAM }, key: { example: KEY } }
                client:
                  authentication: [private_key_jwt]
                  assertion:
                    { algorithm: ES256, issuer: '{team}', key_id: '{key}', audience: https://id.example,
                        send_as: client_secret }
                """, inputs: ["team": "T1", "key": "K1"], parameter: "client_secret",
                header: #"{"alg":"ES256","typ":"JWT","kid":"K1"}"#,
                claims: #"{"iss":"T1","sub":"client","aud":"https://id.example",\#(times)}"#,
                body: "\(grant)\(rest)&client_secret=JWT"
            )
        ),
        Quirk(
            "the assertion has additional claims", key: "`client.assertion.claims`",
            neededBy: "the JWT bearer grant of Salesforce and Docusign",
            proof: proof(
                """
                inputs: { tenant: { example: t } }
                client: { authentication: [private_key_jwt], assertion: { claims: { tenant: '{tenant}', v: '1' } } }
                """, inputs: ["tenant": "t1"], algorithm: .EdDSA,
                header: #"{"alg":"EdDSA","typ":"JWT","kid":"*"}"#,
                claims: #"{"iss":"client","sub":"client","aud":"https://odd.example/token",\#(times),"#
                    + #""tenant":"t1","v":"1"}"#,
                body: "\(grant)\(rest)&\(type)&client_assertion=JWT"
            )
        ),
        Quirk(
            "the secret is sent as a client assertion, and the code as an assertion",
            key: "`token.rename`, `token.omit`, `token.parameters`", neededBy: "the former OAuth of Azure DevOps"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    client: { authentication: [client_secret_post] }
                    token:
                      omit: [grant_type, client_id]
                      rename: { client_secret: client_assertion, code: assertion }
                      parameters:
                        grant_type: urn:ietf:params:oauth:grant-type:jwt-bearer
                        client_assertion_type: urn:ietf:params:oauth:client-assertion-type:jwt-bearer
                    """, secret: "s")
            _ = try await fixture.signIn()
            #expect(
                await fixture.wire(.token) == [
                    "POST https://odd.example/token\n"
                        + grant.replacing("grant_type=authorization_code&code", with: "assertion")
                        + "&redirect_uri=\(redirect)&code_verifier=*&client_assertion=s"
                        + "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&\(type)"
                ]
            )
        },
        Quirk(
            "the assertion is the token of the Authorization header",
            key: "`jwt_bearer.headers`: `{request.assertion}`",
            neededBy: "GitHub Apps"
        ) {
            let fixture = try SignInFixture(
                odd: """
                    inputs: { installation: { example: '7' } }
                    endpoints: { token: 'https://odd.example/installations/{installation}/access_tokens' }
                    client: { authentication: [none] }
                    jwt_bearer:
                      body: json
                      omit: [assertion, grant_type, client_id]
                      headers: { Authorization: 'Bearer {request.assertion}' }
                    token:
                      response:
                        success: { statuses: [201] }
                        fields: { access_token: /token, expires_in: /expires_at }
                        expires: iso8601
                        default_token_type: Bearer
                    """, inputs: ["installation": "8"], signingKey: try ClientKey.generate(.RS256))
            let tokens = try await fixture.client.tokens(for: .assertion())
            #expect(!tokens.accessToken.isEmpty)
            let request = try #require(await fixture.requests(to: .token).first)
            #expect(request.url == "https://odd.example/installations/8/access_tokens" && request.bodyText == "{}")
            let header = try #require(request.headers[.authorization])
            #expect(header.hasPrefix("Bearer eyJ"))
            #expect(try SignInTests.claims(of: header.dropFirst(7))["iss"] == "client")
        },
    ]
}
