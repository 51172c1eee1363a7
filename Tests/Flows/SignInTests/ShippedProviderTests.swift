import Carnet
import CarnetCatalog
import CarnetSandbox
import Foundation
import HTTPTypes
import Testing

/// The three sample systems, each driven by its descriptor alone. `CatalogueTests` signs in to all providers.
@Suite("The providers that come with Carnet")
struct ShippedProviderTests {
    @Test("sign in, profile, refresh and revocation work for each", arguments: ["google", "cloudentity", "auth0"])
    func wholeSignIn(id: ProviderID) async throws {
        let descriptor = try ProviderRegistry.builtIn.descriptor(id)
        let fixture = try SignInFixture(descriptor, inputs: descriptor.exampleInputs())
        let session = try await fixture.signIn()
        let first = try await session.tokens()
        let profile = try await session.profile()
        #expect(profile.subject != nil)
        #expect(profile.name != nil)
        let refreshed = try await session.refresh()
        #expect(refreshed.accessToken != first.accessToken)
        #expect(refreshed.refreshToken != nil)
        let outcome = try await session.signOut(.revoke)
        #expect(outcome.isRevoked, "\(outcome.failures)")
        #expect(await fixture.store.keys().isEmpty)
    }

    @Test("Google: the authorization request asks for offline access with S256")
    func googleAuthorization() async throws {
        let fixture = try SignInFixture(try ProviderRegistry.builtIn.descriptor(.google))
        let request = try await fixture.client.beginSignIn()
        #expect(request.url.hasPrefix("https://accounts.google.com/o/oauth2/v2/auth?"))
        let parameters = query(of: request.url)
        #expect(
            Set(parameters.keys) == [
                "client_id", "code_challenge", "code_challenge_method", "access_type", "redirect_uri", "response_type",
                "scope", "state", "nonce",
            ]
        )
        #expect(parameters["access_type"] == "offline")
        #expect(parameters["response_type"] == "code")
        #expect(parameters["code_challenge_method"] == "S256")
        #expect(parameters["scope"] == "openid profile email")
        #expect(request.url.contains("scope=openid%20profile%20email"))
    }

    @Test("Google: the token request is a form, the refresh keeps the old refresh token")
    func googleTokens() async throws {
        let fixture = try SignInFixture(try ProviderRegistry.builtIn.descriptor(.google))
        let session = try await fixture.signIn()
        let first = try await session.tokens()
        let refreshed = try await session.refresh()
        #expect(refreshed.refreshToken == first.refreshToken)
        let requests = await fixture.requests(to: .token)
        try #require(requests.count == 2)
        #expect(requests.allSatisfy { $0.headers[.contentType] == "application/x-www-form-urlencoded" })
        let exchange = query(of: "?" + String(decoding: requests[0].body, as: UTF8.self))
        #expect(Set(exchange.keys) == ["grant_type", "client_id", "code", "code_verifier", "redirect_uri"])
        #expect(exchange["code_verifier"]?.count == 43)
        let refresh = query(of: "?" + String(decoding: requests[1].body, as: UTF8.self))
        #expect(Set(refresh.keys) == ["grant_type", "client_id", "refresh_token"])
    }

    @Test("Google: profile and e-mail are granted under their long names too")
    func googleScopes() async throws {
        let fixture = try SignInFixture(try ProviderRegistry.builtIn.descriptor(.google))
        let session = try await fixture.signIn()
        #expect(try await session.resources().contains { $0.isOpen })
        let profile = try await session.profile()
        #expect(profile.givenName != nil)
        #expect(profile.familyName != nil)
        #expect(profile.picture != nil)
        #expect(profile.email != nil)
    }

    @Test("Cloudentity: three inputs make every URL, and the token request is a form")
    func cloudentity() async throws {
        let fixture = try SignInFixture(
            try ProviderRegistry.builtIn.descriptor(.cloudentity),
            inputs: ["tenant": "acme", "workspace": "demo", "region": "us"]
        )
        let request = try await fixture.client.beginSignIn(AuthorizationOptions(requestsRefreshToken: false))
        #expect(request.url.hasPrefix("https://acme.us.authz.cloudentity.io/acme/demo/oauth2/authorize?"))
        #expect(query(of: request.url)["scope"] == "email openid profile")
        let session = try await fixture.signIn()
        #expect(try await session.tokens().refreshToken != nil)
        let body = await fixture.requests(to: .token).first?.body ?? []
        let exchange = query(of: "?" + String(decoding: body, as: UTF8.self))
        #expect(Set(exchange.keys) == ["grant_type", "client_id", "code", "code_verifier", "redirect_uri"])
        #expect(fixture.client.provider.authorization.prefersEphemeralSession)
    }

    @Test("Auth0: the token and refresh requests are JSON")
    func auth0() async throws {
        let fixture = try SignInFixture(
            try ProviderRegistry.builtIn.descriptor(.auth0),
            inputs: ["domain": "example.eu.auth0.com"]
        )
        let request = try await fixture.client.beginSignIn()
        #expect(request.url.hasPrefix("https://example.eu.auth0.com/authorize?"))
        #expect(query(of: request.url)["audience"] == nil)
        #expect(query(of: request.url)["scope"] == "openid profile email offline_access")
        let session = try await fixture.signIn()
        try await session.refresh()
        let requests = await fixture.requests(to: .token)
        try #require(requests.count == 2)
        for request in requests {
            #expect(request.headers[.contentType] == "application/json")
            #expect(try JSONValue(parsing: request.body).object != nil)
        }
        #expect(try JSONValue(parsing: requests[0].body)["grant_type"] == "authorization_code")
        #expect(try JSONValue(parsing: requests[1].body)["grant_type"] == "refresh_token")
        let profile = try await session.profile()
        #expect(profile.name != nil)
        #expect(profile.email != nil)
    }

    @Test("Dropbox: a POST that carries nothing has no content type, which Dropbox would refuse")
    func emptyForm() async throws {
        let fixture = try SignInFixture(try ProviderRegistry.builtIn.descriptor("dropbox"), secret: "secret")
        let session = try await fixture.signIn()
        _ = try await session.profile()
        #expect(try await session.signOut(.revoke).isRevoked)
        let requests = await fixture.requests(to: .userinfo) + fixture.requests(to: .revocation)
        #expect(!requests.isEmpty)
        for request in requests {
            #expect(request.method == .post)
            #expect(request.body.isEmpty)
            #expect(request.headers[.contentType] == nil)
        }
    }

    @Test("Auth0: the audience is sent when there is one")
    func auth0Audience() async throws {
        let fixture = try SignInFixture(
            try ProviderRegistry.builtIn.descriptor(.auth0),
            inputs: ["domain": "example.eu.auth0.com", "audience": "https://api.example.com/?a=1&b=ü"]
        )
        let request = try await fixture.client.beginSignIn()
        #expect(query(of: request.url)["audience"] == "https://api.example.com/?a=1&b=ü")
        _ = try await fixture.signIn()
    }
}
