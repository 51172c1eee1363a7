import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import CarnetProtocol

/// A good metadata document with members changed; a member of `nil` is left out.
func metadata(changing changes: [String: JSONValue?] = [:]) -> String {
    var object = JSONObject()
    object["issuer"] = "https://id.acme.example"
    object["authorization_endpoint"] = "https://id.acme.example/authorize"
    object["token_endpoint"] = "https://id.acme.example/token"
    object["jwks_uri"] = "https://id.acme.example/jwks"
    for (name, value) in changes { object[name] = value }
    return JSONValue.object(object).jsonText()
}

@Suite("Metadata location")
struct MetadataLocationTests {
    private func locations(_ issuer: String, url: String? = nil) throws -> [String] {
        var yaml = Fixture.discovered.replacing("https://id.acme.example", with: issuer)
        if let url { yaml += "discovery_url: \(url)\n" }
        return try ProviderMetadata.locations(for: try Fixture.resolved(yaml)).map(\.text)
    }

    // DISC-03.
    @Test("The three well known forms of an issuer with a path")
    func threeWellKnownFormsOfAnIssuerWithAPath() throws {
        #expect(
            try locations("https://op.example/tenant1") == [
                "https://op.example/tenant1/.well-known/openid-configuration",
                "https://op.example/.well-known/oauth-authorization-server/tenant1",
                "https://op.example/.well-known/openid-configuration/tenant1",
            ])
    }

    // DISC-03: a slash at the end goes before anything is put there.
    @Test("Slash at the end is taken off", arguments: ["https://op.example/tenant1/", "https://op.example/tenant1"])
    func slashAtTheEndIsTakenOff(_ issuer: String) throws {
        #expect(
            try locations(issuer) == [
                "https://op.example/tenant1/.well-known/openid-configuration",
                "https://op.example/.well-known/oauth-authorization-server/tenant1",
                "https://op.example/.well-known/openid-configuration/tenant1",
            ])
    }

    @Test("Issuer without a path", arguments: ["https://op.example:8443", "https://op.example:8443/"])
    func issuerWithoutAPath(_ issuer: String) throws {
        #expect(
            try locations(issuer) == [
                "https://op.example:8443/.well-known/openid-configuration",
                "https://op.example:8443/.well-known/oauth-authorization-server",
            ])
    }

    @Test("Descriptor's own address is the only one")
    func descriptorsOwnAddressIsTheOnlyOne() throws {
        #expect(try locations("https://op.example", url: "https://op.example/meta") == ["https://op.example/meta"])
    }

    @Test("Provider without issuer has no metadata")
    func providerWithoutIssuerHasNoMetadata() throws {
        let provider = try Fixture.resolved(Fixture.plain)
        #expect(!provider.needsMetadata)
        expectError(.discovery, .badDescriptor) { try ProviderMetadata.locations(for: provider) }
    }

    @Test("Metadata is needed where an endpoint is missing")
    func metadataIsNeededWhereAnEndpointIsMissing() throws {
        #expect(try Fixture.provider(Fixture.discovered).needsMetadata)
        #expect(try !Fixture.provider().needsMetadata)
        #expect(try Fixture.provider(Fixture.openID + "discovery: required\n").needsMetadata)
        #expect(try !Fixture.provider(Fixture.discovered + "discovery: none\n").needsMetadata)
        // Without an issuer there are no ID tokens, so nothing needs keys.
        let resource = "resource: https://api.acme.example\n"
        #expect(try !Fixture.provider(Fixture.plain + resource).needsMetadata)
        #expect(
            try Fixture.provider(Fixture.plain + resource + "authorization: { pushed: always }\n").needsMetadata)
    }

    @Test("Request has no body and asks for JSON")
    func requestHasNoBodyAndAsksForJSON() throws {
        let request = try ProviderMetadata.request(try WebURL("https://op.example/m"))
        #expect(request.outgoing.head.method == .get)
        #expect(request.outgoing.head.path == "/m")
        #expect(request.outgoing.body.isEmpty)
        #expect(request.header("Accept") == "application/json")
    }
}

@Suite("Metadata")
struct MetadataTests {
    private let provider: Provider

    init() throws { provider = try Fixture.resolved(Fixture.discovered) }

    private func validate(_ body: String, status: Int = 200) throws -> ProviderMetadata {
        try ProviderMetadata(validating: .json(body, status: status), for: provider)
    }

    @Test("Endpoints are merged")
    func endpointsAreMerged() throws {
        let merged = provider.merging(try validate(metadata()))
        #expect(merged.endpoints[.token]?.text == "https://id.acme.example/token")
        #expect(merged.endpoints[.jwks]?.text == "https://id.acme.example/jwks")
        #expect(merged.endpoints[.userinfo] == nil)
    }

    // DISC-01, DISC-02.
    @Test("Another issuer is rejected and named")
    func anotherIssuerIsRefusedAndNamed() {
        let issuer = "https://evil.example"
        let error = expectError(.discovery, .issuerMismatch) {
            try validate(metadata(changing: ["issuer": .string(issuer)]))
        }
        #expect(error?.message.contains("\"\(issuer)\"") == true)
        #expect(error?.message.contains("https://id.acme.example") == true)
        #expect(error?.descriptorKey == "issuer")
    }

    // DISC-02: the issuer as the descriptor writes it, slash and all.
    @Test("Issuer with a slash at the end")
    func issuerWithASlashAtTheEnd() throws {
        let slash = try Fixture.resolved(Fixture.discovered.replacing("acme.example", with: "acme.example/realm/"))
        _ = try ProviderMetadata(
            validating: .json(metadata(changing: ["issuer": "https://id.acme.example/realm/"])), for: slash)
        expectError(.discovery, .issuerMismatch) {
            try ProviderMetadata(
                validating: .json(metadata(changing: ["issuer": "https://id.acme.example/realm"])), for: slash)
        }
    }

    // DISC-01, LOG-02.
    @Test("Issuer is quoted harmlessly")
    func issuerIsQuotedHarmlessly() throws {
        let issuer = "\u{1B}[31m\n" + String(repeating: "e\u{301}", count: 100_000)
        let error = try #require(
            expectError(.discovery, .issuerMismatch) { try validate(metadata(changing: ["issuer": .string(issuer)])) })
        #expect("\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect("\(error)".utf8.count < 2000)
    }

    // DISC-06, DISC-08, INT-22: the failure stays with the endpoint, and its use fails with an error.
    @Test(
        "Endpoint that nobody uses may be malformed",
        arguments: [5, [], "/revoke", "http://id.acme.example/x", "javascript:alert(1)"] as [JSONValue])
    func endpointThatNobodyUsesMayBeMalformed(_ value: JSONValue) throws {
        let merged = provider.merging(
            try validate(
                metadata(changing: [
                    "revocation_endpoint": value, "registration_endpoint": value, "userinfo_endpoint": value,
                ])))
        #expect(merged.endpoints[.token]?.text == "https://id.acme.example/token")
        let error = expectError(.revocation, .badDescriptor) { try merged.endpoint(.revocation, for: .revocation) }
        #expect(error?.message.hasPrefix("the metadata's revocation_endpoint is invalid: ") == true)
        #expect(error?.descriptorKey == "endpoints.revocation")
        // A profile does not come from elsewhere because its endpoint cannot be asked.
        #expect(Profile.source(at: merged.bound) == .userinfo)
        expectError(.profile, .badDescriptor) { try merged.endpoint(.userinfo, for: .profile) }
    }

    // INT-22: what the descriptor names is not looked at in the metadata.
    @Test("Endpoint of the descriptor is not rejected")
    func endpointOfTheDescriptorIsNotRefused() throws {
        let own = try Fixture.resolved(
            Fixture.discovered + "endpoints: { revocation: https://id.acme.example/own }\n")
        let document = metadata(changing: ["revocation_endpoint": 5])
        let merged = own.merging(try ProviderMetadata(validating: .json(document), for: own))
        #expect(try merged.endpoint(.revocation, for: .revocation).text == "https://id.acme.example/own")
    }

    // INT-22: lists of what few ask for.
    @Test("List that nobody uses may be malformed")
    func listThatNobodyUsesMayBeMalformed() throws {
        for name in ["authorization", "userinfo", "introspection", "request_object"] {
            let validated = try validate(metadata(changing: ["\(name)_signing_alg_values_supported": "RS256"]))
            #expect(validated.callbackAlgorithms.isEmpty && validated.profileAlgorithms.isEmpty)
        }
    }

    // INT-22: a boolean as a text means what it says, so that a protection that is announced is in force.
    @Test("Boolean may be a string", arguments: [("true", true), ("false", false)])
    func booleanMayBeAText(_ text: String, _ expected: Bool) throws {
        let validated = try validate(
            metadata(changing: [
                "authorization_response_iss_parameter_supported": .string(text),
                "require_pushed_authorization_requests": .string(text),
            ]))
        #expect(validated.announcesIssuerParameter == expected && validated.demandsPushedAuthorization == expected)
    }

    // DISC-08: http on this machine, where sandboxes and tests are.
    @Test(
        "Loopback endpoint may be HTTP",
        arguments: ["http://127.0.0.1:8080/token", "http://localhost:1/token", "http://[::1]:9/token"])
    func loopbackEndpointMayBeHTTP(_ url: String) throws {
        #expect(try validate(metadata(changing: ["token_endpoint": .string(url)])).endpoints[.token]?.text == url)
    }

    @Test(
        "Host that only looks like loopback is not",
        arguments: ["http://127.0.0.1.evil.example/x", "http://localhost.evil.example/", "http://127.evil/"])
    func hostThatOnlyLooksLikeLoopbackIsNot(_ url: String) {
        expectError(.discovery, .badDescriptor) { try validate(metadata(changing: ["token_endpoint": .string(url)])) }
    }

    // CFG-05, DISC-12: what the descriptor says wins, and is not even looked at in the metadata.
    @Test("Descriptor's endpoints win")
    func descriptorsEndpointsWin() throws {
        let own = try Fixture.resolved()
        let found = try ProviderMetadata(
            validating: .json(metadata(changing: ["token_endpoint": "https://evil.example/token", "jwks_uri": 5])),
            for: own)
        #expect(own.merging(found).endpoints[.token]?.text == "https://id.acme.example/token")
    }

    // DISC-22, JOSE-01.
    @Test("None and symmetric algorithms never become allowed")
    func noneAndSymmetricAlgorithmsNeverBecomeAllowed() throws {
        let found = try validate(
            metadata(changing: ["id_token_signing_alg_values_supported": ["none", "HS256", "ES256", "future"]]))
        #expect(found.signatureAlgorithms == [.ES256])
        let empty = try validate(metadata(changing: ["id_token_signing_alg_values_supported": ["none"]]))
        #expect(empty.signatureAlgorithms == [])
        let expectations = try IDTokenExpectations(
            from: provider.merging(empty).discovered,
            as: ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI),
            nonce: .ofRefresh,
            accessToken: Secret("at")
        )
        #expect(expectations.algorithms == [.RS256])
    }

    // JOSE-03: the descriptor's list is not widened.
    @Test("Descriptor's algorithms are not widened")
    func descriptorsAlgorithmsAreNotWidened() throws {
        let own = try Fixture.resolved(Fixture.discovered + "id_token: { algorithms: [ES256] }\n")
        let found = try ProviderMetadata(
            validating: .json(metadata(changing: ["id_token_signing_alg_values_supported": ["RS256", "ES256"]])),
            for: own)
        #expect(own.merging(found).idToken.algorithms == [.ES256])
    }

    // ARES-06.
    @Test("Announced issuer parameter is required")
    func announcedIssuerParameterIsDemanded() throws {
        let found = try validate(metadata(changing: ["authorization_response_iss_parameter_supported": true]))
        #expect(provider.merging(found).callback.requiresIssuer)
        #expect(try !provider.merging(validate(metadata())).callback.requiresIssuer)
    }
}
