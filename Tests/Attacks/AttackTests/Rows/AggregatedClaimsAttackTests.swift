// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("IDT: claims that others sign", .searchedForSecrets)
struct AggregatedClaimsAttackTests {
    private static let trusting =
        Flow.openID + """
            profile:
              claims: { score: /credit_score }
              sources: [{ issuer: https://bank.example, jwks: https://bank.example/keys, claims: [credit_score, email] }]

            """

    private static let token: Token = {
        var token = Token()
        token.claims = JSONObject()
        token.claims["iss"] = "https://bank.example"
        token.claims["credit_score"] = "650"
        for name in ["sub", "email", "name"] { token.claims[name] = "of-the-bank" }
        return token
    }()

    /// A profile whose claims of these names come from the bank.
    private func flow(_ names: [String] = ["credit_score"], _ change: (inout Token) -> Void = { _ in }) throws -> Flow {
        var token = Self.token
        change(&token)
        let compact = try Scenario().compact(token, nonce: "", accessToken: "")
        return flow(names, ["JWT": .string(compact)])
    }

    private func flow(_ names: [String], _ source: JSONValue) -> Flow {
        Flow.profile.of(Self.trusting).served { script in
            var claims = JSONObject()
            for name in names { claims[name] = "bank" }
            script.userinfo["_claim_names"] = .object(claims)
            script.userinfo["_claim_sources"] = ["bank": source]
            script.elsewhere["https://bank.example/keys"] = script.keys
        }
    }

    /// Expects that the source gives nothing, for this reason, and takes nothing from the rest of the profile.
    private func refuse(
        _ kind: OAuthError.Kind, in flow: Flow, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await accept(in: flow, sourceLocation: sourceLocation) { scenario, outcome in
            #expect(outcome.profile?.failures.map(\.kind) == [kind], sourceLocation: sourceLocation)
            #expect(outcome.profile?["score"] == nil, sourceLocation: sourceLocation)
            #expect(outcome.profile?.email == "ada@acme.example", sourceLocation: sourceLocation)
            #expect(!scenario.log.contains { $0.url.contains("evil") }, sourceLocation: sourceLocation)
            for failure in outcome.profile?.failures ?? [] { scenario.output.hear(failure) }
        }
    }

    @Test("IDT-26: Claims that another signs")
    func IDT_26_claimsThatAnotherSigns() async throws {
        try await accept(in: try flow()) { scenario, outcome in
            #expect(outcome.profile?["score"] == "650")
            #expect(outcome.profile?.failures.isEmpty == true)
            #expect(scenario.count("/keys") == 1)
        }
        try await refuse(.issuerMismatch, in: try flow { $0.claims["iss"] = "https://evil.example" })
        try await refuse(.badSignature, in: try flow { $0.key = .otherRSA })
        try await refuse(.audienceMismatch, in: try flow { $0.claims["aud"] = "other" })
        try await refuse(.expiredToken, in: try flow { $0.claims["exp"] = "{now-3600}" })
        try await refuse(
            .unsupportedAlgorithm,
            in: try flow { token in
                token.header["alg"] = "none"
                token.algorithm = nil
            })
    }

    @Test("IDT-26: Claims that are elsewhere")
    func IDT_26_claimsThatAreElsewhere() async throws {
        let source: JSONValue = ["endpoint": "https://evil.example/claims", "access_token": "a-token-for-the-endpoint"]
        try await refuse(.unsupported, in: flow(["credit_score"], source))
    }

    /// Nobody but the provider says who the user is, and what it says itself stays.
    @Test("IDT-26: Claims that nobody else may give")
    func IDT_26_claimsThatNobodyElseMayGive() async throws {
        try await accept(in: try flow(["sub", "iss", "email", "name"])) { _, outcome in
            #expect(outcome.profile?.subject == "user-1")
            #expect(outcome.profile?.email == "ada@acme.example")
            #expect(outcome.profile?.name == "Ada")
            let identity = try await outcome.session?.identity()
            #expect(identity?.issuer == Scenario.issuer)
        }
    }
}
