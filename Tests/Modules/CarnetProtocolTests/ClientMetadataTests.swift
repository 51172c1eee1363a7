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
        _ metadata: ClientMetadata, _ more: String = "", token: String? = nil
    ) throws -> PreparedRequest {
        let yaml =
            Fixture.openID.replacing(
                "endpoints:\n", with: "endpoints:\n  registration: https://id.acme.example/register\n") + more
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
                + #""client_name":"My \"App\"","application_type":"native"}"#)
    }

    private func document(_ metadata: ClientMetadata, _ yaml: String = "") throws -> JSONValue {
        try JSONValue(parsing: try request(metadata, yaml).bodyText)
    }

    @Test(
        "An app is native, a site is not",
        arguments: [
            (["com.example.app:/callback"], true), (["http://127.0.0.1/callback"], true),
            (["http://127.0.0.1/callback", "com.example.app:/callback"], true), (["https://app.example/cb"], false),
            (["https://app.example/cb", "http://127.0.0.1/callback"], false),
        ])
    func anAppIsNative(_ uris: [String], _ isNative: Bool) throws {
        let type = try document(ClientMetadata(redirectURIs: uris))["application_type"]
        #expect(type == (isNative ? "native" : "web"))
    }

    @Test("Everything that the host names is sent by its registered name")
    func everythingIsSent() throws {
        let uris = ClientMetadata.URI.all.map { ($0, "https://app.example/\($0.name)") }
        let metadata = ClientMetadata(
            redirectURIs: ["https://app.example/cb"], authenticationMethod: .privateKeyJWT,
            keys: [try ClientKey.generate(.ES256)], contacts: ["ada@acme.example"],
            uris: Dictionary(uniqueKeysWithValues: uris),
            algorithms: [.idToken: "ES256", .userinfo: "PS256", .requestObject: "ES256"])
        let body = try document(metadata)
        for name in [
            "client_uri", "logo_uri", "policy_uri", "tos_uri", "jwks_uri", "backchannel_logout_uri",
            "frontchannel_logout_uri", "initiate_login_uri",
        ] {
            #expect(body[name] == .string("https://app.example/\(name)"))
        }
        #expect(body["post_logout_redirect_uris"] == ["https://app.example/post_logout_redirect_uris"])
        #expect(body["frontchannel_logout_session_required"] == true)
        #expect(body["contacts"] == ["ada@acme.example"])
        #expect(body["id_token_signed_response_alg"] == "ES256")
        #expect(body["userinfo_signed_response_alg"] == "PS256")
        #expect(body["request_object_signing_alg"] == "ES256")
        // RFC 7591, section 2: jwks and jwks_uri exclude each other.
        #expect(body["jwks"] == nil)
        let client = try RegisteredClient(
            validating: .json(#"{"client_id":"c","token_endpoint_auth_method":"private_key_jwt"}"#, status: 201),
            to: try request(metadata), for: metadata)
        #expect(
            ClientRegistration(client, of: metadata).postLogoutRedirectURI
                == "https://app.example/post_logout_redirect_uris")
    }

    // RFC 7591, section 2.
    @Test("The software and its version are sent")
    func software() throws {
        let id = "4NRB1-0XZABZI9E6-5SM3R"
        func body(_ id: String?, _ version: String?) throws -> JSONValue {
            try document(
                ClientMetadata(
                    redirectURIs: ["https://app.example/cb"], softwareID: id, softwareVersion: version))
        }
        let both = try body(id, "2.1")
        #expect(both["software_id"] == .string(id) && both["software_version"] == "2.1")
        let one = try body(String(repeating: "x", count: 255), nil)
        #expect(one["software_id"] != nil && one["software_version"] == nil)
        let none = try body(nil, nil)
        #expect(none["software_id"] == nil && none["software_version"] == nil)
        let wrong: [(String?, String?)] = [
            ("", nil), (String(repeating: "x", count: 256), nil), ("a\nb", nil), (id, ""), (id, "1\u{0}"), (nil, "2.1"),
        ]
        for (id, version) in wrong {
            expectError(.registration, .badRegistration) { try body(id, version) }
        }
    }

    @Test("Algorithms follow from the descriptor")
    func algorithmsFollowFromTheDescriptor() throws {
        let yaml = """
            id_token: { algorithms: [ES256, PS256], encryption: { algorithm: ECDH-ES, content: A128GCM } }
            profile: { jwt: { algorithms: [PS256], encryption: { algorithm: ECDH-ES } } }
            introspection: { jwt: [ES384] }
            callback: { jwt: [EdDSA] }
            authorization: { response_mode: jwt, request_object: { use: always } }

            """
        let keys = [try ClientKey.generate(.ES384), try ClientKey.generate(for: .ecdhES)]
        let body = try document(ClientMetadata(redirectURIs: ["https://app.example/cb"], keys: keys), yaml)
        let expected = [
            "id_token_signed_response_alg": "ES256", "id_token_encrypted_response_alg": "ECDH-ES",
            "id_token_encrypted_response_enc": "A128GCM", "userinfo_signed_response_alg": "PS256",
            "userinfo_encrypted_response_alg": "ECDH-ES", "userinfo_encrypted_response_enc": "A128CBC-HS256",
            "introspection_signed_response_alg": "ES384", "authorization_signed_response_alg": "EdDSA",
            "request_object_signing_alg": "ES384",
        ]
        let sent = (body.object?.members ?? []).filter { $0.name.hasSuffix("_alg") || $0.name.hasSuffix("_enc") }
        #expect(Dictionary(uniqueKeysWithValues: sent.map { ($0.name, $0.value.string) }) == expected)
        expectError(.registration, .missingClientKey) {
            try document(ClientMetadata(redirectURIs: ["https://app.example/cb"]), yaml)
        }
        // Encrypted and unsigned (OpenID Connect Core, section 5.3.2).
        let unsigned = try document(
            ClientMetadata(redirectURIs: ["https://app.example/cb"], keys: keys),
            "profile: { jwt: { encryption: { algorithm: ECDH-ES } } }\n")
        #expect(unsigned["userinfo_signed_response_alg"] == nil)
        #expect(unsigned["userinfo_encrypted_response_alg"] == "ECDH-ES")
        // RS256 is a server's default.
        let usual = try document(metadata, "id_token: { algorithms: [ES256, RS256] }\n")
        #expect(usual["id_token_signed_response_alg"] == nil)
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
        expectError(.registration, .redirectNotAccepted) {
            try validate(#"{"client_id":"c","redirect_uris":["https://other.example/"]}"#)
        }
        let refused = expectError(.registration, .serverError) {
            try validate(#"{"error":"invalid_redirect_uri"}"#, status: 400)
        }
        #expect(refused?.server?.code == "invalid_redirect_uri")
    }
}
