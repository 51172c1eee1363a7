import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("Token exchange")
struct TokenExchangeTests {
    private func request(_ exchange: TokenExchange, _ keys: String = "") throws -> PreparedRequest {
        try exchange.request(
            in: RequestContext(
                at: try Fixture.provider(Fixture.plain + keys),
                as: ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI),
                random: SeededRandomSource(seed: 9), now: Attempt.now))
    }

    @Test("Request is the standard's")
    func requestIsTheStandards() throws {
        let exchange = TokenExchange(
            .init(Secret("s")), actor: .init(Secret("a"), .jwt), audience: ["b", "c"], resource: ["urn:d"],
            scopes: ["read"], requestedType: .accessToken)
        let request = try request(exchange)
        #expect(
            request.bodyText
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&resource=urn%3Ad&audience=b"
                + "&audience=c&scope=read&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"
                + "&subject_token=s&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"
                + "&actor_token=a&actor_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt&client_id=client")
        #expect(!request.redacted.body.contains("subject_token=s&"))
    }

    @Test("Grant may have another name")
    func grantMayHaveAnotherName() throws {
        let request = try request(TokenExchange(.init(Secret("s"))), "token_exchange: { grant_type: swap }\n")
        #expect(request.form["grant_type"] == "swap")
    }

    @Test("Response says what it is")
    func responseSaysWhatItIs() throws {
        let exchange = TokenExchange(.init(Secret("subject-1")), requestedType: .accessToken)
        let request = try request(exchange)
        let provider = try Fixture.provider(Fixture.plain)
        func validate(_ type: String) throws -> TokenExchange.TokenType {
            let body = #"{"access_token":"new-token-1","token_type":"Bearer","issued_token_type":"\#(type)"}"#
            return try exchange.validate(.json(body), to: request, from: provider, now: Attempt.now).type
        }
        #expect(try validate(TokenExchange.TokenType.accessToken.uri) == .accessToken)
        expectError(.tokenExchange, .unsupportedTokenType) { try validate("urn:other") }
    }
}

@Suite("Rejected flows")
struct RefusedFlowTests {
    @Test("Implicit flow is rejected", arguments: ["token", "id_token", "code id_token", "id_token token"])
    func implicitFlowIsRefused(_ type: String) {
        let error = expectError(.authorization, .unsupported) {
            try Attempt(Fixture.openID + "authorization: { response_type: \(type) }\n")
        }
        #expect(error?.descriptorKey == "authorization.response_type")
    }

    @Test("Password grant is rejected")
    func passwordGrantIsRefused() throws {
        let error = expectError(.tokenRequest, .unsupported) {
            try Attempt(Fixture.openID + "token: { omit: [grant_type], parameters: { grant_type: password } }\n")
                .exchange()
        }
        #expect(error?.descriptorKey == "token.parameters.grant_type")
    }

    @Test("Password grant is rejected under another name")
    func passwordGrantIsRefusedUnderAnotherName() throws {
        let provider = try Fixture.provider(
            Fixture.plain + "jwt_bearer: { rename: { grant_type: kind }, grant_type: password }\n")
        expectError(.jwtBearer, .unsupported) {
            try ClientGrant.assertion(Secret("a.b.c")).request(
                in: RequestContext(
                    at: provider, as: ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI),
                    random: SeededRandomSource(seed: 1), now: Attempt.now))
        }
    }
}
