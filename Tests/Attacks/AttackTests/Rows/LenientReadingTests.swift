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

/// What real servers were seen doing, accepted with the argument of `Docs/security.md`, and what is refused beside it.
@Suite("INT: servers that deviate, read leniently", .searchedForSecrets)
struct LenientReadingTests {
    /// The server of a script has the date of its clock; an hour later than here.
    @Test("INT-27: Wrong clock")
    func INT_27_wrongClock() async throws {
        let date = ("Date", "Thu, 01 Jan 2026 01:00:00 GMT")
        try await accept {
            $0.token.headers.append(date)
            $0.idToken.claims["iat"] = "{now+3600}"
            $0.idToken.claims["exp"] = "{now+3900}"
        } check: {
            #expect($1.tokens != nil)
        }
        try await refuse(.idToken, .issuedInFuture) {
            $0.idToken.claims["iat"] = "{now+3600}"
            $0.idToken.claims["exp"] = "{now+3900}"
        }
        try await refuse(.idToken, .issuedInFuture) {
            $0.token.headers.append(date)
            $0.idToken.claims["iat"] = "{now+7200}"
            $0.idToken.claims["exp"] = "{now+7500}"
        }
    }

    @Test("INT-28: Other means than wished")
    func INT_28_otherMeansThanWished() async throws {
        let flow = Flow.signIn.with { $0.authentication = .init(acrValues: ["urn:strong"]) }
        try await accept(in: flow, each: ["urn:weak", nil] as [JSONValue?]) { $0.idToken.claims["acr"] = $1 }
    }

    @Test("INT-29: Metadata elsewhere")
    func INT_29_metadataElsewhere() async throws {
        for type in ["text/plain", "application/octet-stream"] {
            try await accept { script in
                script.metadata.headers = [("Content-Type", type)]
            } check: {
                #expect($1.tokens != nil)
            }
        }
        for (status, type) in [(200, "text/html"), (302, "text/html"), (500, "application/json"), (200, "text/plain")] {
            try await accept { script in
                script.serverMetadata = script.metadata
                script.metadata = .text("<html>", status: status, type: type)
            } check: {
                #expect($1.tokens != nil)
            }
        }
        // A wrong issuer ends it there.
        try await refuse(.discovery, .issuerMismatch) { script in
            script.serverMetadata = script.metadata
            script.metadata["issuer"] = "https://evil.example"
        }
    }

    @Test("INT-30: Own further audiences")
    func INT_30_ownFurtherAudiences() async throws {
        let flow = Flow.signIn.adding("id_token: { other_audiences: [urn:api] }")
        try await accept(in: flow) {
            $0.idToken.claims["aud"] = ["client", "urn:api"]
        } check: {
            #expect($1.tokens != nil)
        }
        try await refuse(
            .idToken, .audienceMismatch, in: flow, each: [["client", "urn:other"], ["urn:api"]] as [JSONValue]
        ) { $0.idToken.claims["aud"] = $1 }
        try await refuse(.idToken, .authorizedPartyMismatch, in: flow) {
            $0.idToken.claims["aud"] = ["client", "urn:api"]
            $0.idToken.claims["azp"] = "urn:api"
        }
    }

    @Test("INT-31: Expired token is forbidden")
    func INT_31_expiredTokenIsForbidden() async throws {
        let flow = Flow.profile.of(
            Flow.openID.replacingOccurrences(of: "api: {", with: "api: { unauthorized: [Bad_OAuth_Token],"))
        let refusals = [
            ServerResponse.text("Bad_OAuth_Token\n", status: 403, type: "text/plain"),
            .text("Bad_OAuth_Token", status: 200, type: "text/plain"),
            .text(#"{"error":"Bad_OAuth_Token"}"#, status: 200, type: "application/json"),
        ]
        try await accept(in: flow, each: refusals) { script, refusal in
            var refused = refusal
            refused.later = [script.userinfo]
            script.userinfo = refused
        } check: { scenario, outcome, _ in
            #expect(outcome.profile?.subject == "user-1")
            #expect(scenario.requests(to: "/token").last?.form["grant_type"] == "refresh_token")
        }
        try await refuse(.profile, .insufficientScope, in: flow, each: ["Bad_OAuth_Token!", "bad_oauth_token", ""]) {
            $0.userinfo = .text($1, status: 403, type: "text/plain")
        }
        try await refuse(.profile, .insufficientScope, in: .profile) {
            $0.userinfo = .text("Bad_OAuth_Token", status: 403, type: "text/plain")
        }
    }
}
