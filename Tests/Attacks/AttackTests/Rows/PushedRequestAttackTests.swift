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

@Suite("PAR, RAR, RES: requests that are pushed, detailed or for a resource", .searchedForSecrets)
struct PushedRequestAttackTests {
    static let pushed = Flow.signIn.with { $0.delivery.isPushed = true }

    @Test("PAR-01: Response")
    func PAR_01_answer() async throws {
        try await refuse(.pushedAuthorization, .missingField, in: Self.pushed) { $0.pushed["request_uri"] = nil }
        try await refuse(
            .pushedAuthorization, .wrongFieldType, in: Self.pushed,
            each: [5, "", "no uri", [], .string("urn:" + String(repeating: "x", count: 4096))] as [JSONValue]
        ) { $0.pushed["request_uri"] = $1 }
        try await refuse(
            .pushedAuthorization, .wrongFieldType, in: Self.pushed,
            each: [0, -1, "x", .number("1e300"), [], true] as [JSONValue]
        ) { $0.pushed["expires_in"] = $1 }
        try await refuse(.pushedAuthorization, .missingField, in: Self.pushed) { $0.pushed["expires_in"] = nil }
        try await accept(in: Self.pushed, each: [200, 201]) { $0.pushed.status = $1 }
        try await accept(in: Self.pushed) {
            $0.pushed["expires_in"] = "60"
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("PAR-02: URL has nothing but the reference")
    func PAR_02_URLHasNothingButTheReference() async throws {
        try await accept(in: Self.pushed) { scenario, outcome in
            let query = try #require(outcome.request?.url.split(separator: "?").last)
            let names = try #require(PercentEncoding.decodeForm(String(query))).map(\.name)
            #expect(names.sorted() == ["client_id", "request_uri"])
            #expect(scenario.requests(to: "/par").first?.form["state"] != nil)
        }
    }

    @Test("PAR-03: No reference in the body")
    func PAR_03_noReferenceInTheBody() async throws {
        try await accept(in: Self.pushed) { scenario, _ in
            let request = try #require(scenario.requests(to: "/par").first)
            #expect(request.method == "POST")
            #expect(request.form["request_uri"] == nil)
            #expect(request.headers[.authorization]?.hasPrefix("Basic ") == true)
        }
        let client = try Flow.signIn.client(of: Scenario())
        await expectRefusal(.reservedParameter) {
            try await client.beginSignIn(
                AuthorizationOptions(parameters: ["request_uri": "https://evil.example"]))
        }
    }

    @Test("PAR-04: Server that demands it")
    func PAR_04_serverThatDemandsIt() async throws {
        try await accept {
            $0.metadata["require_pushed_authorization_requests"] = true
        } check: {
            #expect($0.count("/par") == 1)
            #expect($1.request?.url.contains("request_uri=") == true)
        }
        try await refuse(.pushedAuthorization, .missingEndpoint) { script in
            script.metadata["require_pushed_authorization_requests"] = true
            script.metadata["pushed_authorization_request_endpoint"] = nil
        }
    }

    /// What the server refuses goes by no other way.
    @Test("PAR-05: Errors")
    func PAR_05_errors() async throws {
        try await refuse(
            .pushedAuthorization, .serverError, in: Self.pushed, each: ["invalid_request", "invalid_client"]
        ) {
            $0.pushed = .error($1)
        }
        try await refuse(.pushedAuthorization, .unexpectedStatus, in: Self.pushed, each: [302, 307, 405, 413]) {
            $0.pushed.status = $1
        }
        try await refuse(.pushedAuthorization, .serverUnavailable, in: Self.pushed, each: [500, 503]) {
            $0.pushed.status = $1
        }
        try await refuse(.pushedAuthorization, .tooManyRequests, in: Self.pushed) { $0.pushed.status = 429 }
        try await refuse(.pushedAuthorization, .transport, in: Self.pushed) { $0.pushed = .fails(.timeout) }
    }

    @Test("PAR-06: Each attempt pushes anew")
    func PAR_06_eachAttemptPushesAnew() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        var urls: Set<String> = []
        for _ in 0..<5 {
            urls.insert(try await client.beginSignIn(AuthorizationOptions(delivery: .init(isPushed: true))).url)
        }
        #expect(urls.count == 5)
        #expect(Set(scenario.requests(to: "/par").compactMap { $0.form["state"] }).count == 5)
    }

    @Test("PAR-07: Reference is opaque")
    func PAR_07_referenceIsOpaque() async throws {
        try await accept(in: Self.pushed) {
            $0.pushed["request_uri"] = "https://evil.example/request?a=b&client_id=x"
        } check: {
            let url = try #require($1.request?.url)
            #expect(url.hasPrefix("https://id.acme.example/authorize?"))
            #expect(!url.contains("&client_id=x"))
            #expect($0.log.allSatisfy { $0.url.hasPrefix("https://id.acme.example/") })
        }
    }

    @Test("RAR-01: Details are JSON")
    func RAR_01_detailsAreJSON() async throws {
        let details: JSONValue = ["type": "payment", "amount": 5]
        for isPushed in [false, true] {
            let flow = Flow.signIn.with { options in
                options.access.authorizationDetails = [details]
                options.delivery.isPushed = isPushed
            }
            try await accept(in: flow) { scenario, outcome in
                let query =
                    isPushed
                    ? try #require(scenario.requests(to: "/par").first?.body)
                    : String(try #require(outcome.request?.url.split(separator: "?").last))
                let sent = try #require(
                    PercentEncoding.decodeForm(query)?.first { $0.name == "authorization_details" }?.value)
                #expect(try JSONValue(parsing: sent) == [details])
            }
        }
        for bad in [["amount": 5], "payment", ["type": ""]] as [JSONValue] {
            let client = try Flow.signIn.client(of: Scenario())
            await expectRefusal(.badRegistration) {
                try await client.beginSignIn(AuthorizationOptions(access: .init(authorizationDetails: [bad])))
            }
        }
    }

    @Test("RES-01: Resources")
    func RES_01_resources() async throws {
        let flow = Flow.signIn.with { $0.access.resource = ["https://a.example/", "urn:b"] }
        try await accept(in: flow) { scenario, outcome in
            let query = try #require(outcome.request?.url.split(separator: "?").last)
            let sent = (PercentEncoding.decodeForm(String(query)) ?? []).filter { $0.name == "resource" }.map(\.value)
            #expect(sent == ["https://a.example/", "urn:b"])
            #expect(scenario.requests(to: "/token").first?.form["resource"] == "https://a.example/|urn:b")
        }
        for bad in ["", "relative", "https://a.example/#x", "/path", "https://a.example/ x"] {
            let client = try Flow.signIn.client(of: Scenario())
            await expectRefusal(.badRegistration) {
                try await client.beginSignIn(AuthorizationOptions(access: .init(resource: [bad])))
            }
        }
    }

    @Test("RES-02: Resource that is rejected")
    func RES_02_resourceThatIsRefused() async throws {
        try await refuse(.callback, .serverError) { $0.callback[0] = ("error", "invalid_target") }
        try await refuse(.tokenRequest, .serverError) { $0.token = .error("invalid_target") }
    }

    /// A token that looks like a JWT is as opaque as any: what it says of itself changes nothing.
    @Test("RES-03: Access token is opaque")
    func RES_03_accessTokenIsOpaque() async throws {
        let token = try SigningKey.otherRSA.token(
            ["iss": "https://evil.example", "sub": "admin", "exp": 0, "scope": "admin"], algorithm: "RS256")
        try await accept {
            $0.token["access_token"] = .string(token)
        } check: { scenario, outcome in
            #expect(outcome.tokens?.scopes == ["openid", "profile", "email"])
            #expect(outcome.tokens?.expiresAt == scenario.clock.now.addingTimeInterval(3600))
            let identity = try await outcome.session?.identity()
            #expect(identity?.subject == "user-1")
        }
    }
}
