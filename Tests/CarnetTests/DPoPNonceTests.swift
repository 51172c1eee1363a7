import Carnet
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// Servers that ask for their nonce again and again, or find a proof wrong.
@Suite("DPoP nonce")
struct DPoPNonceTests {
    private let provider = ScriptedProvider()

    private func refusal(_ error: String, nonce: String?) -> IncomingResponse {
        var response = IncomingResponse.json(#"{"error":"\#(error)"}"#, status: 400)
        if let name = HTTPField.Name("DPoP-Nonce") { response.head.headerFields[name] = nonce }
        return response
    }

    private func client() throws -> OAuthClient {
        try provider.client(Fixture.openID + "client: { dpop_bound_access_tokens: true, authentication: [none] }\n")
    }

    // DPOP-04.
    @Test("Demand that never ends costs one more request")
    func demandThatNeverEndsCostsOneMoreRequest() async throws {
        provider.on("/token", answer: refusal("use_dpop_nonce", nonce: "n1"))
        let client = try client()
        let error = await expectError(.tokenRequest, .serverError) { try await provider.signIn(client) }
        #expect(error?.server?.code == "use_dpop_nonce")
        #expect(provider.count("/token") == 2)
        let name = try #require(HTTPField.Name("DPoP"))
        let proofs = provider.requests(to: "/token").compactMap { $0.head.headerFields[name] }
        #expect(Set(proofs).count == 2)
    }

    // DPOP-11: the server's own words, so that a wrong clock can be told from a wrong key.
    @Test("Proof that is found wrong is not sent again")
    func proofThatIsFoundWrongIsNotSentAgain() async throws {
        provider.on("/token", answer: refusal("invalid_dpop_proof", nonce: "n1"))
        let client = try client()
        let error = await expectError(.tokenRequest, .serverError) { try await provider.signIn(client) }
        #expect(error?.server?.code == "invalid_dpop_proof")
        #expect(provider.count("/token") == 1)
    }

    // DPOP-09: a nonce that cannot be in a proof is none.
    @Test(
        "Nonce that cannot be used is not used",
        arguments: ["", "with\"quote", "with\\backslash", String(repeating: "n", count: 1025)])
    func nonceThatCannotBeUsedIsNotUsed(nonce: String) async throws {
        provider.on("/token", answer: refusal("use_dpop_nonce", nonce: nonce))
        let client = try client()
        await expectError(.tokenRequest, .serverError) { try await provider.signIn(client) }
        #expect(provider.count("/token") == 1)
    }
}
