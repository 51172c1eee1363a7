import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// The management of a registration (RFC 7592).
@Suite("Client management")
struct ClientManagementTests {
    private func client(secret: String? = nil) throws -> RegisteredClient {
        RegisteredClient(
            clientID: "c", clientSecret: secret.map { Secret($0) },
            authenticationMethod: secret == nil ? .none : .clientSecretBasic, redirectURIs: [Attempt.redirectURI],
            managementURI: try WebURL("https://id.acme.example/register/c?x=1"), managementToken: Secret("the-token"))
    }

    private let metadata = ClientMetadata(redirectURIs: [Attempt.redirectURI], clientName: "Other")

    // DCR-04.
    @Test("Token is sent to its own address and never shown")
    func tokenIsSentToItsOwnAddressAndNeverShown() throws {
        let requests = [
            try client().readRequest(), try client().deleteRequest(),
            try client(secret: "the-secret").updateRequest(metadata, at: try Fixture.provider().discovered),
        ]
        for request in requests {
            #expect(request.header("Authorization") == "Bearer the-token")
            #expect(request.outgoing.head.path == "/register/c?x=1")
            #expect(!"\(request.redacted)".contains("the-token") && !"\(request.redacted)".contains("the-secret"))
        }
        #expect(requests.map(\.outgoing.head.method) == [.get, .delete, .put])
        #expect(requests[0].outgoing.body.isEmpty && requests[1].outgoing.body.isEmpty)
    }

    @Test("Update names the client and nothing of the server's own")
    func updateNamesTheClientAndNothingOfTheServersOwn() throws {
        let request = try client(secret: "s").updateRequest(metadata, at: try Fixture.provider().discovered)
        let body = try JSONValue(parsing: request.bodyText)
        #expect(body["client_id"] == "c" && body["client_secret"] == "s" && body["client_name"] == "Other")
        for name in ["registration_access_token", "registration_client_uri", "client_id_issued_at"] {
            #expect(body[name] == nil)
        }
    }

    // DCR-04.
    @Test("New token replaces the old and what is left out stays")
    func newTokenReplacesTheOldAndWhatIsLeftOutStays() throws {
        let client = try client()
        let request = try client.updateRequest(metadata, at: try Fixture.provider().discovered)
        let rotated = try client.validate(
            .json(#"{"client_id":"c","registration_access_token":"new"}"#), to: request, for: metadata)
        #expect(rotated.managementToken == Secret("new") && rotated.managementURI == client.managementURI)
        let same = try client.validate(.json(#"{"client_id":"c"}"#), to: request, for: metadata)
        #expect(same.managementToken == Secret("the-token"))
    }

    // DCR-02, DCR-05.
    @Test("Keys are registered by their public parts")
    func keysAreRegisteredByTheirPublicParts() throws {
        let key = try ClientKey.generate(.ES256, id: "k1")
        let metadata = ClientMetadata(
            redirectURIs: [Attempt.redirectURI], authenticationMethod: .privateKeyJWT, keys: [key])
        let client = try client()
        let request = try client.updateRequest(metadata, at: try Fixture.provider().discovered)
        let body = try JSONValue(parsing: request.bodyText)
        #expect(body["jwks"] == ["keys": [key.publicJWK]] && body["jwks"]?["keys"]?.array?.first?["d"] == nil)
        expectError(.registration, .badRegistration) {
            try client.validate(
                .json(#"{"client_id":"c","token_endpoint_auth_method":"none"}"#), to: request, for: metadata)
        }
        var keyless = metadata
        keyless.keys = []
        expectError(.registration, .missingClientKey) {
            try client.updateRequest(keyless, at: try Fixture.provider().discovered)
        }
    }

    @Test("Secret is kept unless it is replaced")
    func secretIsKeptUnlessItIsReplaced() throws {
        let client = try client(secret: "old")
        let request = try client.readRequest()
        let method = #""token_endpoint_auth_method":"client_secret_basic""#
        #expect(
            try client.validate(.json("{\"client_id\":\"c\",\(method)}"), to: request).clientSecret == Secret("old"))
        let response = "{\"client_id\":\"c\",\"client_secret\":\"new\",\(method)}"
        #expect(try client.validate(.json(response), to: request).clientSecret == Secret("new"))
    }

    // DCR-03.
    @Test("List of one method is that method")
    func listOfOneMethodIsThatMethod() throws {
        let client = try client(secret: "s")
        let request = try client.readRequest()
        func method(_ list: String) throws -> ClientAuthenticationMethod {
            try client.validate(
                .json("{\"client_id\":\"c\",\"token_endpoint_auth_method\":\(list)}"), to: request
            ).authenticationMethod
        }
        #expect(try method(#"["client_secret_post"]"#) == .clientSecretPost)
        for list in ["[]", "[7]", #"["client_secret_post","none"]"#] {
            expectError(.registration, .wrongFieldType) { try method(list) }
        }
    }

    @Test("Response about another client is rejected")
    func responseAboutAnotherClientIsRefused() throws {
        let client = try client()
        let request = try client.readRequest()
        expectError(.registration, .badRegistration) {
            try client.validate(.json(#"{"client_id":"another"}"#), to: request)
        }
    }

    @Test("Void token and refusals are reported apart")
    func voidTokenAndRefusalsAreDistinguished() throws {
        let client = try client()
        let request = try client.deleteRequest()
        expectError(.registration, .unauthorized) {
            try client.validateDeletion(.empty(status: 401), to: request)
        }
        expectError(.registration, .unauthorized) { try client.validate(.empty(status: 401), to: request) }
        expectError(.registration, .unexpectedStatus) {
            try client.validateDeletion(.empty(status: 405), to: request)
        }
        try client.validateDeletion(.empty(status: 204), to: request)
        let unmanaged = RegisteredClient(clientID: "c", managementURI: nil, managementToken: nil)
        expectError(.registration, .unsupported) { try unmanaged.readRequest() }
    }
}
