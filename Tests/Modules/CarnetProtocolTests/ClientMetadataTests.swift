import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("Client metadata")
struct ClientMetadataTests {
    private func request(
        _ metadata: ClientMetadata, token: String? = nil
    ) throws -> PreparedRequest {
        let yaml = Fixture.openID.replacing(
            "endpoints:\n", with: "endpoints:\n  registration: https://id.acme.example/register\n")
        return try metadata.request(
            at: try Fixture.provider(yaml).discovered, initialAccessToken: token.map { Secret($0) })
    }

    private let metadata = ClientMetadata(redirectURIs: [Attempt.redirectURI], clientName: "My \"App\"")

    private func validate(
        _ body: String, _ metadata: ClientMetadata? = nil, status: Int = 201
    ) throws -> RegisteredClient {
        let metadata = metadata ?? self.metadata
        return try RegisteredClient(
            validating: .json(body, status: status), to: try request(metadata), for: metadata)
    }

    @Test("Request is JSON")
    func requestIsJSON() throws {
        #expect(
            try request(metadata).bodyText
                == #"{"redirect_uris":["com.example.app:/callback"],"token_endpoint_auth_method":"none","#
                + #""grant_types":["authorization_code","refresh_token"],"response_types":["code"],"#
                + #""client_name":"My \"App\""}"#)
    }

    @Test("Initial token is sent and not shown")
    func initialTokenIsSentAndNotShown() throws {
        let request = try request(metadata, token: "initial")
        #expect(request.header("Authorization") == "Bearer initial")
        #expect(!"\(request.redacted)".contains("initial"))
    }

    // DCR-05.
    @Test("Redirect URI is checked first")
    func redirectURIIsCheckedFirst() {
        expectError(.configuration, .redirectNotAccepted) {
            try request(ClientMetadata(redirectURIs: ["https://evil.example/#x"]))
        }
        expectError(.registration, .badRegistration) { try request(ClientMetadata(redirectURIs: [])) }
    }

    // DCR-01, DCR-03.
    @Test("Response is read tolerantly", arguments: [200, 201])
    func responseIsReadTolerantly(_ status: Int) throws {
        let client = try validate(
            #"{"client_id":"c","client_id_issued_at":"1","logo_uri":null,"client_secret_expires_at":"1800000000","#
                + #""registration_client_uri":"https://id.acme.example/r/c","registration_access_token":"t"}"#,
            status: status)
        #expect(client.clientID == "c" && client.clientSecret == nil)
        #expect(client.secretExpiresAt == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(client.managementURI?.text == "https://id.acme.example/r/c")
        #expect(client.managementToken == Secret("t"))
    }

    // DCR-02.
    @Test("Weaker authentication is rejected")
    func weakerAuthenticationIsRefused() throws {
        let confidential = ClientMetadata(
            redirectURIs: [Attempt.redirectURI], authenticationMethod: .clientSecretBasic)
        for body in [
            #"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"none"}"#, #"{"client_id":"c"}"#,
        ] {
            expectError(.registration, .badRegistration) { try validate(body, confidential) }
        }
        let other = try validate(
            #"{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"client_secret_post"}"#, confidential)
        #expect(other.authenticationMethod == .clientSecretPost)
    }

    @Test("Unusable response is rejected")
    func unusableResponseIsRefused() {
        expectError(.registration, .missingField) { try validate("{}") }
        expectError(.registration, .wrongFieldType) { try validate(#"{"client_id":5}"#) }
        expectError(.registration, .wrongFieldType) {
            try validate(#"{"client_id":"c","registration_client_uri":"file:///etc"}"#)
        }
        expectError(.registration, .redirectNotAccepted) {
            try validate(#"{"client_id":"c","redirect_uris":["https://other.example/"]}"#)
        }
        let refused = expectError(.registration, .serverError) {
            try validate(#"{"error":"invalid_redirect_uri"}"#, status: 400)
        }
        #expect(refused?.server?.code == "invalid_redirect_uri")
    }
}
