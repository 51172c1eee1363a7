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

@Suite("UI: the profile (userinfo)", .searchedForSecrets)
struct ProfileAttackTests {
    @Test("UI-01: Subject of another")
    func UI_01_subjectOfAnother() async throws {
        try await refuse(
            .profile, .subjectMismatch,
            each: ["user-2", "User-1", "user-1 "] as [JSONValue?]
        ) { $0.userinfo["sub"] = $1 }
        try await refuse(
            .profile, .missingField, each: ["", nil, true, ["user-1"], .null, ["sub": "user-1"]] as [JSONValue?]
        ) { $0.userinfo["sub"] = $1 }
    }

    @Test("UI-02: Token in the header alone")
    func UI_02_tokenInTheHeaderAlone() async throws {
        try await accept { scenario, outcome in
            let request = try #require(scenario.requests(to: "/userinfo").first)
            let token = try #require(outcome.tokens?.accessToken.reveal())
            #expect(request.headers[.authorization] == "Bearer \(token)")
            #expect(request.query.isEmpty)
            #expect(request.body.isEmpty)
        }
    }

    @Test("UI-03: Token that is rejected", arguments: [400, 401])
    func UI_03_tokenThatIsRefused(status: Int) async throws {
        let flow = Flow.profile.served { $0.token["refresh_token"] = nil }
        let error = try await refuse(.profile, .unauthorized, in: flow) { script in
            script.userinfo = ServerResponse(.object(JSONObject()), status: status)
            script.userinfo.headers.append(
                ("WWW-Authenticate", #"Bearer error="invalid_token", error_description="it expired""#))
        }
        #expect(error?.server?.code == "invalid_token")
        #expect(error?.server?.message == "it expired")
        // With a refresh token the client refreshes once; here that fails, and nothing is asked a second time.
        try await refuse(.refresh, .serverUnavailable, in: .profile, mayRequest: ["/userinfo"]) { script in
            script.refresh = .error("temporarily_unavailable", status: 503)
            script.userinfo = .error("invalid_token", status: status)
        }
    }

    @Test("UI-03: Forbidden")
    func UI_03_forbidden() async throws {
        let forbidden = try await refuse(.profile, .insufficientScope, in: .profile) { script in
            script.userinfo.status = 403
            script.userinfo.headers.append(
                ("WWW-Authenticate", #"Bearer error="insufficient_scope", scope="profile""#))
        }
        #expect(forbidden?.hint?.contains("profile") == true)
        let unexpected = [302, 400, 403, 404, 410], unavailable = [500, 503]
        var errors = try await refuse(.profile, .unexpectedStatus, in: .profile, each: unexpected) {
            $0.userinfo.status = $1
        }
        errors += try await refuse(.profile, .serverUnavailable, in: .profile, each: unavailable) {
            $0.userinfo.status = $1
        }
        errors += try await refuse(.profile, .tooManyRequests, in: .profile, each: [429]) { $0.userinfo.status = $1 }
        #expect(errors.map(\.status) == unexpected + unavailable + [429])
    }

    /// The profile has names of its own; no claim of it stands in for one of the ID token.
    @Test("UI-06: Claims of the ID token in the profile")
    func UI_06_claimsOfTheIDTokenInTheProfile() async throws {
        try await accept(in: .signIn) {
            for (name, value) in [("iss", "https://evil.example"), ("aud", "other"), ("nonce", "x")] {
                $0.userinfo[name] = .string(value)
            }
            $0.userinfo["exp"] = 0
            $0.userinfo["auth_time"] = 0
        } check: { _, outcome in
            let identity = try await outcome.session?.identity()
            #expect(outcome.profile?["iss"] == nil)
            #expect(identity?.issuer == Scenario.issuer)
            #expect(identity?.subject == "user-1")
            #expect(try await outcome.session?.tokens() != nil)
        }
    }

    @Test("UI-07: Claims of odd types")
    func UI_07_claimsOfOddTypes() async throws {
        try await accept {
            $0.userinfo["email_verified"] = 1
            $0.userinfo["address"] = "Somewhere 5"
            $0.userinfo["updated_at"] = "2026-01-01T00:00:00Z"
            $0.userinfo["name"] = .null
            $0.userinfo["picture"] = .string("data:image/png;base64," + String(repeating: "A", count: 500_000))
            $0.userinfo["email"] = ["a@b"]
        } check: { _, outcome in
            #expect(outcome.profile?.isEmailVerified == nil)
            #expect(outcome.profile?.name == nil)
            #expect(outcome.profile?.email == nil)
            #expect(outcome.profile?.subject == "user-1")
        }
        try await refuse(.profile, .transport, in: .profile) { $0.userinfo = .fails(.responseTooLarge) }
    }

    @Test("UI-08: Number that is too long for a double")
    func UI_08_numberThatIsTooLongForADouble() async throws {
        let flow = Flow.plainSignIn.of(Flow.plain + "profile: { claims: { subject: /id } }\n")
            .served { script in
                Flow.withoutIDToken(&script)
                script.userinfo = ServerResponse(["id": .number("9007199254740993")])
            }
        try await accept(in: flow) { _, outcome in
            #expect(outcome.profile?.subject == "9007199254740993")
            let identity = try await outcome.session?.identity()
            #expect(identity?.subject == "9007199254740993")
        }
    }

    @Test("UI-09: Response that is no profile")
    func UI_09_answerThatIsNoProfile() async throws {
        try await refuse(.profile, .unexpectedStatus, in: .profile, each: [301, 302, 303, 307, 308]) { script, status in
            script.userinfo.status = status
            script.userinfo.headers.append(("Location", "https://evil.example/"))
        }
        try await refuse(.profile, .unexpectedContentType, in: .profile, each: ["text/html", "text/plain"]) {
            $0.userinfo = .text("<html>", type: $1)
        }
        try await refuse(.profile, .malformedToken, in: .profile) {
            $0.userinfo.headers = [("Content-Type", "application/jwt")]
        }
        try await refuse(.profile, .malformedBody, in: .profile, each: ["", "<p>", "{"]) { $0.userinfo = .text($1) }
        try await refuse(.profile, .missingField, in: .profile, each: ["[]", "null", "5", "{}"]) {
            $0.userinfo = .text($1)
        }
    }

    @Test("UI-10: Endpoint that does not exist")
    func UI_10_endpointThatDoesNotExist() async throws {
        try await accept {
            $0.metadata["userinfo_endpoint"] = nil
        } check: { scenario, outcome in
            #expect(outcome.profile?.email == "ada@acme.example")
            #expect(scenario.count("/userinfo") == 0)
        }
        let error = try await refuse(.profile, .missingEndpoint, in: .signIn.adding("profile: { from: userinfo }")) {
            $0.metadata["userinfo_endpoint"] = nil
        }
        #expect(error?.descriptorKey == "endpoints.userinfo")
    }

    @Test("UI-11: Address that nobody verified")
    func UI_11_addressThatNobodyVerified() async throws {
        try await accept(in: .profile.adding("profile: { derive: { email_verified: 'true' } }")) {
            $0.userinfo["email"] = "victim@acme.example"
            $0.userinfo["email_verified"] = false
        } check: { _, outcome in
            #expect(outcome.profile?.isEmailVerified == false)
        }
        try await accept(in: .profile.adding("profile: { derive: { email: '{claim.name}@acme.example' } }")) {
            $0.userinfo["name"] = "victim"
            $0.userinfo["email_verified"] = true
        } check: { _, outcome in
            #expect(outcome.profile?.email == "victim@acme.example")
            #expect(outcome.profile?.isEmailVerified == nil)
        }
    }

    @Test("UI-13: Account that a condition of the subject refuses", arguments: ["id_token", "userinfo"])
    func UI_13_accountOfAnotherOrganization(source: String) async throws {
        let condition = "{ where: { hd: '{hd}' }, first: /sub }"
        let flow = Flow.signIn.adding(
            "inputs: { hd: { type: text, optional: true } }\n"
                + "profile: { from: \(source), claims: { subject: \(condition) } }"
        ).served { script in
            script.idToken.claims["hd"] = "acme.example"
            script.userinfo["hd"] = "acme.example"
        }
        let limited = flow.registered { $0.inputs = ["hd": "acme.example"] }
        let kind = source == "userinfo" ? OAuthError.Kind.missingField : .subjectMismatch
        // The ID token does not stand in for the account.
        try await refuse(
            source == "userinfo" ? .profile : .idToken, kind, in: limited,
            each: ["evil.example", "ACME.example", nil, .null, true] as [JSONValue?], mayRequest: ["/userinfo"]
        ) { script, domain in
            script.idToken.claims["hd"] = domain
            script.userinfo["hd"] = domain
        }
        // Without a value of the input, the condition does not count.
        try await accept(in: flow) { script in
            script.idToken.claims["hd"] = nil
            script.userinfo["hd"] = nil
        } check: { _, outcome in
            #expect(outcome.profile?.subject == "user-1")
        }
    }

    @Test("UI-12: Subject that cannot be made")
    func UI_12_subjectThatCannotBeMade() async throws {
        let made = Flow.plainSignIn.adding(
            "profile: { derive: { subject: \"{capture(claim.name, '^Ada ([0-9]+)$')}\" } }")
        for (name, subject) in [("Ada 7", "7"), ("Eve", nil)] {
            try await accept(in: made) {
                $0.userinfo["name"] = .string(name)
            } check: { _, outcome in
                // The subject as it was read may be another account's.
                #expect(outcome.profile != nil && outcome.profile?.subject == subject)
            }
        }
    }
}
