import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import HTTPTypes
import Testing

@Suite("Client credentials")
struct ClientCredentialsTests {
    private func request(
        _ keys: String = "", secret: String? = "s", scopes: [String] = [], resources: [String] = []
    ) throws -> PreparedRequest {
        try TokenRequest.clientCredentials(
            scopes: scopes,
            resources: resources,
            in: RequestContext(
                at: try Fixture.provider(Fixture.plain + keys),
                as: ClientRegistration(
                    clientID: "client", credentials: secret.map { .secret(Secret($0)) } ?? .publicClient,
                    redirectURI: Attempt.redirectURI), random: SeededRandomSource(seed: 9), now: Attempt.now))
    }

    @Test("Is a form POST with the client's credentials")
    func isAFormPostWithTheClientsCredentials() throws {
        let request = try request(scopes: ["read", "write"])
        #expect(request.bodyText == "grant_type=client_credentials&scope=read%20write")
        #expect(request.header("Authorization") == "Basic Y2xpZW50OnM=")
        #expect(request.outgoing.head.path == "/token")
    }

    @Test("Asks for no scope by default")
    func asksForNoScopeByDefault() throws {
        #expect(try request().bodyText == "grant_type=client_credentials")
    }

    // RES-01.
    @Test("Several resources repeat the parameter")
    func severalResourcesRepeatTheParameter() throws {
        let request = try request(resources: ["https://a.example/", "urn:b"])
        #expect(
            request.bodyText
                == "grant_type=client_credentials&resource=https%3A%2F%2Fa.example%2F&resource=urn%3Ab")
    }

    @Test("Several resources are a list in JSON")
    func severalResourcesAreAListInJSON() throws {
        let request = try request(
            "token: { body: json }\n", resources: ["https://a.example/", "urn:b", "urn:c"])
        #expect(
            request.bodyText
                == #"{"grant_type":"client_credentials","resource":["https://a.example/","urn:b","urn:c"]}"#)
    }

    @Test(
        "What is no absolute URI is no resource",
        arguments: ["api", "https://a.example/#x", "", "1a:b", "https://a .example/", "a:"])
    func whatIsNoAbsoluteURIIsNoResource(_ resource: String) {
        expectError(.clientCredentials, .badRegistration) { try request(resources: [resource]) }
    }

    // RFC 6749, section 4.4.
    @Test("Is not for public clients")
    func isNotForPublicClients() {
        let error = expectError(.clientCredentials, .missingClientSecret) { try request(secret: nil) }
        #expect(error?.descriptorKey == "client.authentication")
    }

    @Test("What the section does not say is as in token")
    func whatTheSectionDoesNotSayIsAsInToken() throws {
        let request = try request(
            """
            token: { body: json, rename: { client_id: app, client_secret: key }, parameters: { only: code } }
            client: { authentication: [client_secret_post] }
            client_credentials: { grant_type: client, parameters: { tier: gold } }

            """)
        #expect(request.bodyText == #"{"grant_type":"client","app":"client","key":"s","tier":"gold"}"#)
    }
}
