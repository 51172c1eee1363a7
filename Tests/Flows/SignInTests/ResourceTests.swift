import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// A protected resource, of which the descriptor knows only the URL.
@Suite("A resource as a way to find a provider")
struct ResourceTests {
    private static let url = "https://mcp.example/mcp"
    private static let four = "carnet: 1\nid: mine\nname: Mine\nresource: \(url)\n"

    @Test("Four lines are enough for a sign-in, calls, a refresh and a revocation")
    func fourLinesAreEnough() async throws {
        let fixture = try SignInFixture(try descriptor(Self.four))
        let session = try await fixture.signIn()
        #expect(try await session.send(HTTPRequest(url: Self.url)).status == 200)
        try await session.refresh()
        #expect(try await session.send(HTTPRequest(url: Self.url)).status == 200)
        for request in await fixture.wire(.token) {
            #expect(request.hasSuffix("&resource=https%3A%2F%2Fmcp.example%2Fmcp&client_id=client"), "\(request)")
        }
        #expect(try await session.signOut(.revoke).isRevoked)
    }

    @Test("Default scopes of the resource are requested, with offline_access, which the server announces")
    func defaultScopes() async throws {
        let fixture = try SignInFixture(
            try descriptor(Self.four + "scopes: { default: [read], catalog: [read, offline_access] }\n"))
        #expect(try await fixture.signIn().storedTokens().scopes == ["read", "offline_access"])
    }

    @Test("An issuer beside the resource saves the search for it")
    func anIssuerBesideTheResource() async throws {
        let fixture = try SignInFixture(try descriptor(Self.four + "issuer: https://id.mcp.example\n"))
        let session = try await fixture.signIn()
        #expect(try await session.send(HTTPRequest(url: Self.url)).status == 200)
        #expect(await fixture.sandbox.requests.allSatisfy { !$0.url.contains("oauth-protected-resource") })
    }

    @Test("With hand-written endpoints, the resource is where the tokens go, and nothing is searched for")
    func handWrittenEndpoints() async throws {
        let endpoints = """
            endpoints: { authorization: https://id.mcp.example/authorize, token: https://id.mcp.example/token }
            scopes: { default: [read] }

            """
        let fixture = try SignInFixture(try descriptor(Self.four + endpoints))
        let session = try await fixture.signIn()
        #expect(try await session.send(HTTPRequest(url: Self.url)).status == 200)
        #expect(await fixture.sandbox.requests.allSatisfy { !$0.url.contains("well-known") })
        let first = try #require(await fixture.sandbox.requests.first)
        #expect(first.url.hasPrefix("https://id.mcp.example/authorize?"), "\(first.url)")
        #expect(await fixture.wire(.token).last?.contains("resource=https%3A%2F%2Fmcp.example%2Fmcp") == true)
    }

    @Test("A sign-in on a device, and a token of the client itself, are for the resource too")
    func otherGrants() async throws {
        let fixture = try SignInFixture(try descriptor(Self.four), secret: "s")
        _ = try await fixture.client.tokens(for: .clientCredentials())
        #expect(await fixture.wire(.token).last?.contains("resource=https%3A%2F%2Fmcp.example%2Fmcp") == true)
        let response = try await fixture.client.send(HTTPRequest(url: Self.url), with: .clientCredentials())
        #expect(response.status == 200)
        _ = try await fixture.client.beginDeviceSignIn()
        #expect(
            await fixture.wire(.deviceAuthorization).last?.contains("resource=https%3A%2F%2Fmcp.example%2Fmcp") == true)
    }

    @Test("A token for another resource opens nothing, and the sandbox says where the metadata is")
    func aTokenForAnotherResource() async throws {
        let fixture = try SignInFixture(try descriptor(Self.four))
        let other = AuthorizationOptions(access: .init(resource: ["https://mcp.example/other"]))
        let session = try await fixture.signIn(other)
        await #expect { try await session.send(HTTPRequest(url: Self.url)) } throws: { error in
            (error as? OAuthError)?.kind == .unauthorized
        }
        let (response, _) = await fixture.sandbox.respond(to: HTTPRequest(url: Self.url), body: [])
        #expect(response.status == .unauthorized)
        #expect(
            response.headerFields[.wwwAuthenticate]?.contains(
                #"resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp""#) == true)
    }
}
