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
            Flow.openID.replacingOccurrences(
                of: "api: {", with: "api: { errors: { codes: { Bad_OAuth_Token: invalid_token } },"))
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
        try await refuse(.profile, .unexpectedStatus, in: flow, each: ["Bad_OAuth_Token!", "bad_oauth_token", ""]) {
            $0.userinfo = .text($1, status: 403, type: "text/plain")
        }
        try await refuse(.profile, .unexpectedStatus, in: .profile) {
            $0.userinfo = .text("Bad_OAuth_Token", status: 403, type: "text/plain")
        }
    }

    @Test("INT-32: Any success")
    func INT_32_anySuccess() async throws {
        try await accept(each: [201, 203, 206, 299]) {
            $0.token.status = $1
        } check: {
            #expect($1.tokens != nil && $2 > 200)
        }
        try await accept(in: .refresh, each: [201, 299]) { $0.refresh.status = $1 }
        // Tokens in any other response are not read.
        try await refuse(.tokenRequest, .unexpectedStatus, each: [302, 308, 400, 401]) { $0.token.status = $1 }
        try await refuse(.tokenRequest, .serverUnavailable, each: [500, 599]) { $0.token.status = $1 }
        try await refuse(.tokenRequest, .malformedBody) { $0.token = .text("", status: 204) }
    }

    @Test("INT-33: JSON with another type")
    func INT_33_JSONWithAnotherType() async throws {
        let types = ["text/html", "text/plain", "text/javascript", "application/octet-stream", "a\u{E9}", ""]
        func named(_ type: String) -> [(name: String, value: String)] { type.isEmpty ? [] : [("Content-Type", type)] }
        try await accept(each: types) {
            $0.token.headers = named($1)
        } check: {
            #expect($1.tokens != nil && $2 != "json")
        }
        try await accept(in: .profile, each: types) { $0.userinfo.headers = named($1) }
        try await accept(each: types) { $0.metadata.headers = named($1) }
        for body in ["<html>", "[1]", "\"text\"", "1", "access_token=a&token_type=Bearer", ""] {
            try await refuse(.tokenRequest, .unexpectedContentType, each: ["text/html", "text/plain"]) {
                $0.token = .text(body, type: $1)
            }
        }
    }

    @Test("INT-34: Empty claims")
    func INT_34_emptyClaims() async throws {
        try await accept(each: ["azp", "nbf", "at_hash", "c_hash", "acr"]) { $0.idToken.claims[$1] = "" }
        try await refuse(.idToken, .missingField, each: ["iss", "sub", "aud", "exp", "iat"]) {
            $0.idToken.claims[$1] = ""
        }
        try await refuse(.idToken, .nonceMismatch) { $0.idToken.claims["nonce"] = "" }
        try await refuse(.idToken, .audienceMismatch) {
            $0.idToken.claims["aud"] = ["client", "other"]
            $0.idToken.claims["azp"] = ""
        }
    }

    @Test("INT-35: Metadata moved in its origin")
    func INT_35_metadataMovedInItsOrigin() async throws {
        func move(_ script: inout Script, to location: String) {
            script.elsewhere["https://id.acme.example/moved"] = script.metadata
            script.elsewhere["https://evil.example/moved"] = script.metadata
            script.metadata = .text("", status: 301)
            script.metadata.headers = [("Location", location)]
        }
        try await accept(each: ["/moved", "https://id.acme.example/moved"]) {
            move(&$0, to: $1)
        } check: {
            #expect($1.tokens != nil && !$2.isEmpty)
        }
        for status in [307, 308] {
            try await accept {
                move(&$0, to: "/moved"); $0.metadata.status = status
            } check: {
                #expect($1.tokens != nil)
            }
            try await refuse(.discovery, .unexpectedStatus) {
                move(&$0, to: "https://evil.example/moved")
                $0.metadata.status = status
            }
        }
        let others = [
            "https://evil.example/moved", "//evil.example/moved", "http://id.acme.example/moved",
            "https://id.acme.example:8443/moved", "https://id.acme.example@evil.example/moved",
            "\\\\evil.example\\moved", "",
        ]
        try await refuse(.discovery, .unexpectedStatus, each: others) { move(&$0, to: $1) }
        try await refuse(.discovery, .issuerMismatch, mayRequest: ["/moved"]) {
            $0.metadata["issuer"] = "https://evil.example"
            move(&$0, to: "/moved")
        }
        // Nothing else follows a redirect, also in the origin.
        for status in [301, 307, 308] {
            try await refuse(.tokenRequest, .unexpectedStatus) {
                $0.token = .text("", status: status)
                $0.token.headers = [("Location", "/moved")]
            }
        }
    }

    @Test("INT-36: GET repeated")
    func INT_36_getRepeated() async throws {
        func close(_ response: inout ServerResponse) {
            var closed = ServerResponse.fails(.closed)
            closed.later = [response]
            response = closed
        }
        try await accept {
            close(&$0.keys)
        } check: { scenario, _ in
            #expect(scenario.count("/jwks") == 2)
        }
        try await accept(in: .profile) {
            close(&$0.userinfo)
        } check: { scenario, outcome in
            #expect(outcome.profile?.subject == "user-1")
        }
        // What is used once is sent once.
        try await refuse(.tokenRequest, .transport) { close(&$0.token) }
        try await refuse(.refresh, .transport, in: .refresh) { close(&$0.refresh) }
        try await refuse(.tokenRequest, .transport, in: .signIn.adding("token: { method: GET }")) { close(&$0.token) }
        // A response that has begun is not requested again.
        try await refuse(.keys, .transport, mayRequest: []) { $0.keys = .fails(.interrupted) }
    }

    @Test("INT-37: Keys without ids, in base64")
    func INT_37_keysWithoutIDsInBase64() async throws {
        func key(_ change: (inout JSONObject) -> Void) -> JSONValue {
            var key = Script.goodKeys[0].object ?? JSONObject()
            change(&key)
            return .object(key)
        }
        let unnamed = key { $0["kid"] = nil }
        let padded = key { key in
            let text = (key["n"]?.string ?? "").map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
            key["n"] = .string(String(text) + "==")
        }
        try await accept(each: [unnamed, padded, key { $0["kid"] = "" }]) {
            $0.keys["keys"] = [$1]
        } check: {
            #expect($1.tokens != nil && $2 != .null)
        }
        // The id decides as soon as there is a choice.
        try await refuse(.idToken, .keyNotFound) { $0.keys["keys"] = [unnamed, unnamed] }
        try await refuse(.idToken, .keyNotFound) { $0.keys["keys"] = [key { $0["kid"] = "2" }] }
        try await refuse(.idToken, .keyNotFound, each: ["===", "*", " "]) { script, text in
            script.keys["keys"] = [key { $0["n"] = .string(($0["n"]?.string ?? "") + text) }]
        }
        // A token has one form.
        try await refuse(.idToken, .malformedToken, each: ["=", "=="]) { script, text in
            script.idToken.forge = { $0 + text }
        }
    }

    @Test("INT-38: DPoP nonce at any status")
    func INT_38_DPoPNonceAtAnyStatus() async throws {
        let flow = Flow.plainSignIn.adding("client: { dpop_bound_access_tokens: true }").served {
            Flow.withoutIDToken(&$0)
            $0.token["token_type"] = "DPoP"
        }
        func demand(_ script: inout Script, _ code: String, _ status: Int) {
            var demand = ServerResponse.error(code, status: status)
            demand.headers.append(("DPoP-Nonce", "n1"))
            demand.later = [script.token]
            script.token = demand
        }
        try await accept(in: flow, each: [400, 401, 403]) {
            demand(&$0, "use_dpop_nonce", $1)
        } check: { scenario, _, _ in
            #expect(scenario.count("/token") == 2)
        }
        try await refuse(.tokenRequest, .serverError, in: flow) { demand(&$0, "invalid_dpop_proof", 400) }
    }

    @Test("INT-39: Equal members")
    func INT_39_equalMembers() async throws {
        let tail = #""token_type": "Bearer", "token_type": "Bearer"}"#
        try await accept(in: .plainSignIn) {
            $0.token = .text(#"{"access_token": "AT-0123456789abcdef", "# + tail)
        } check: {
            #expect($1.tokens != nil)
        }
        try await refuse(
            .tokenRequest, .malformedBody, in: .plainSignIn,
            each: [#""bearer"}"#, #"["Bearer"]}"#, "null}", #""Bearer ", "x": 1}"#]
        ) {
            $0.token = .text(
                #"{"access_token": "AT-0123456789abcdef", "token_type": "Bearer", "token_type": "# + $1)
        }
    }

    @Test("INT-41: Registration with unrequested values")
    func INT_41_registrationWithUnrequestedValues() async throws {
        let members: [(String, JSONValue)] = [
            ("id_token_signed_response_alg", "none"), ("userinfo_signed_response_alg", "HS256"),
            ("request_object_signing_alg", "none"), ("client_secret", "{secret}"), ("scope", "admin"),
            ("grant_types", ["implicit", "password"]), ("response_types", ["token"]),
            ("redirect_uris", [.string(Scenario.redirectURI), "https://evil.example/callback"]),
            ("jwks_uri", "https://evil.example/keys"), ("initiate_login_uri", "https://evil.example/login"),
        ]
        try await accept(in: .register, each: members) {
            $0.registration["token_endpoint_auth_method"] = "none"
            $0.registration[$1.0] = $1.1
        } check: { scenario, outcome, member in
            let client = try #require(outcome.registered)
            // No further secret, method or address comes into use.
            #expect(client.clientSecret == nil && client.authenticationMethod == .none, "\(member)")
            #expect(client.redirectURIs.contains(Scenario.redirectURI), "\(member)")
            #expect(scenario.log.allSatisfy { $0.url.hasPrefix("https://id.acme.example/") }, "\(member)")
        }
        // What it says of algorithms is never believed: see JOSE-01. The one redirect URI that counts has to be there.
        try await refuse(.registration, .redirectNotAccepted, in: .register) {
            $0.registration["redirect_uris"] = ["https://evil.example/callback"]
        }
    }

    @Test("INT-40: Refused refresh of the same account")
    func INT_40_refusedRefreshOfTheSameAccount() async throws {
        let odd: [(String, JSONValue)] = [("nonce", "another"), ("aud", "another"), ("azp", "another"), ("exp", 1)]
        for (name, value) in odd {
            let scenario = Scenario()
            let error = await expectThrown(OAuthError.self) {
                try await Flow.refresh.run(scenario) { $0.idToken.claims[name] = value }
            }
            #expect(error?.disposition != .signInAgain)
            let key = try #require(try await scenario.store.keys().first)
            let stored = try #require(try await scenario.store.load(key)).connection.tokens
            #expect(scenario.tokensBefore.contains(stored.accessToken))
            let sent = scenario.hostileLog.compactMap { $0.form["refresh_token"] }
            #expect(!sent.isEmpty && stored.refreshToken.map { !sent.contains($0.reveal()) } == true, "\(name)")
        }
        // Another account leaves nothing behind.
        for name in ["sub", "iss"] {
            let scenario = Scenario()
            await expectThrown(OAuthError.self) {
                try await Flow.refresh.run(scenario) { $0.idToken.claims[name] = "https://another.example" }
            }
            let key = try #require(try await scenario.store.keys().first)
            let stored = try #require(try await scenario.store.load(key)).connection.tokens
            let sent = scenario.hostileLog.compactMap { $0.form["refresh_token"] }
            #expect(stored.refreshToken?.reveal() == sent.first, "\(name)")
        }
    }
}
