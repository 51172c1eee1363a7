import Carnet
import CarnetSandbox
import Foundation
import Testing

/// Profiles with claims that somebody else has signed.
@Suite("Aggregated claims")
struct AggregatedClaimsTests {
    private static let provider = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid, email] }
        profile:
          claims: { score: /credit_score }
          sources:
            - { issuer: https://bank.example, jwks: https://bank.example/keys, algorithms: [ES256], claims: [credit_score] }
            - { issuer: https://mail.example, jwks: https://mail.example/keys, claims: [email] }

        """

    @Test("Claims come from their sources, and nothing is fetched from elsewhere", arguments: ["", "  jwt: [RS256]\n"])
    func claimsComeFromTheirSources(more: String) async throws {
        let fixture = try SignInFixture(descriptor(Self.provider + more))
        let session = try await fixture.signIn()
        let profile = try await session.profile()
        #expect(profile["score"] == "the credit_score" && profile.email == "ada@example.com")
        #expect(profile.failures.map(\.kind) == [.unsupported], "one claim is distributed")
        _ = try await session.profile()
        let requests = await fixture.sandbox.requests.map(\.url)
        #expect(requests.filter { $0.hasSuffix(".example/keys") }.count == 2, "the sources' keys are kept")
        #expect(!requests.contains { $0.contains("elsewhere") })
    }
}
