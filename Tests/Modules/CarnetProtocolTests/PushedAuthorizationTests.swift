import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let yaml = Fixture.openID.replacing(
    "endpoints:\n", with: "endpoints:\n  pushed_authorization_request: https://id.acme.example/par\n")

@Suite("Pushed authorization")
struct PushedAuthorizationTests {
    private func push(secret: String? = nil, _ keys: String = "") throws -> (Attempt, PreparedRequest) {
        let attempt = try Attempt(
            yaml + keys, secret: secret, options: AuthorizationOptions(access: .init(resource: ["urn:a", "urn:b"])))
        let push = try attempt.request.pushing(
            in: RequestContext(
                at: attempt.provider.discovered, as: attempt.registration, random: SeededRandomSource(seed: 9),
                now: Attempt.now))
        return (attempt, push)
    }

    private func refer(_ response: IncomingResponse, _ keys: String = "") throws -> AuthorizationRequest {
        let (attempt, request) = try push(keys)
        return try attempt.request.referring(
            to: response, request: request, at: attempt.provider.discovered, now: Attempt.now)
    }

    private let reply = IncomingResponse.json(#"{"request_uri":"urn:x:1","expires_in":60}"#, status: 201)

    // PAR-01, PAR-03.
    @Test("Body has what the URL had")
    func bodyHasWhatTheURLHad() throws {
        let (attempt, request) = try push()
        #expect(request.outgoing.head.path == "/par")
        #expect(request.form == attempt.sent)
        #expect(request.form["resource"] == "urn:a|urn:b")
        #expect(request.form["client_id"] == "client" && request.form["request_uri"] == nil)
        #expect(!request.redacted.body.contains(attempt.state))
    }

    @Test("Confidential client authenticates")
    func confidentialClientAuthenticates() throws {
        let (_, request) = try push(secret: "s")
        #expect(request.header("Authorization") == "Basic Y2xpZW50OnM=")
        #expect(request.form["client_id"] == "client" && request.form["client_secret"] == nil)
    }

    // PAR-02.
    @Test("URL has the reference alone")
    func urlHasTheReferenceAlone() throws {
        let request = try refer(reply)
        #expect(request.url == "https://id.acme.example/authorize?client_id=client&request_uri=urn%3Ax%3A1")
        #expect(!request.redactedURL.contains("urn%3Ax"))
        #expect(request.expiresAt == Attempt.now + 60)
    }

    @Test("Provider may want parameters in both places")
    func providerMayWantParametersInBothPlaces() throws {
        let request = try refer(reply, "authorization: { pushed: { repeat: [response_type, scope] } }\n")
        #expect(
            request.url.hasSuffix(
                "request_uri=urn%3Ax%3A1&response_type=code&scope=openid%20profile%20email%20offline_access"))
    }

    // PAR-05.
    @Test("Refusal is an error", arguments: [400, 405, 413, 429, 500, 302])
    func refusalIsAnError(_ status: Int) {
        #expect(throws: OAuthError.self) { try refer(.json(#"{"error":"invalid_request"}"#, status: status)) }
    }

    // PAR-01, PAR-07.
    @Test(
        "Unusable response is rejected",
        arguments: [
            #"{"request_uri":5,"expires_in":60}"#, #"{"request_uri":"","expires_in":60}"#,
            #"{"request_uri":"a b:c","expires_in":60}"#, #"{"request_uri":"no uri","expires_in":60}"#,
            #"{"request_uri":"urn:x:1","expires_in":-1}"#,
            #"{"request_uri":"urn:x:1","expires_in":"soon"}"#,
        ])
    func unusableResponseIsRefused(_ body: String) {
        expectError(.pushedAuthorization, .wrongFieldType) { try refer(.json(body, status: 201)) }
    }

    @Test("Missing reference or lifetime is named")
    func missingReferenceIsNamed() {
        expectError(.pushedAuthorization, .missingField) { try refer(.json(#"{"expires_in":60}"#, status: 201)) }
        let endless = expectError(.pushedAuthorization, .missingField) {
            try refer(.json(#"{"request_uri":"urn:x:1"}"#, status: 201))
        }
        #expect(endless?.message.contains("has no expires_in") == true)
    }

    @Test("A refusal leads to the redirect URI, as at the authorization page")
    func refusalLeadsToTheRedirect() {
        let body = #"{"error":"invalid_request","error_description":"redirect_uri: not registered"}"#
        let error = expectError(.pushedAuthorization, .serverError) { try refer(.json(body, status: 400)) }
        #expect(error?.hint?.contains("this redirect URI is registered") == true)
    }

    @Test(
        "Descriptor decides and the host within it",
        arguments: [
            ("", nil, true), ("", false, false), ("authorization: { pushed: always }\n", false, true),
            ("authorization: { pushed: never }\n", true, false),
        ] as [(String, Bool?, Bool)])
    func descriptorDecidesAndTheHostWithinIt(_ keys: String, _ wanted: Bool?, _ isPushed: Bool) throws {
        #expect(try Fixture.provider(yaml + keys).discovered.pushesAuthorization(wanted: wanted) == isPushed)
        #expect(try Fixture.provider().discovered.pushesAuthorization(wanted: nil) == false)
    }
}
