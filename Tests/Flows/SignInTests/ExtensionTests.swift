import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

private let openID = """
    carnet: 1
    id: acme
    name: Acme
    issuer: https://id.acme.example
    scopes: { default: [openid, email] }
    resources:
      - { scope: email, title: Mail, url: "https://api.acme.example/mail" }

    """

/// Expects an `OAuthError` of a kind.
private func expectKind<Value>(_ kind: OAuthError.Kind, _ body: () async throws -> Value) async {
    await #expect { _ = try await body() } throws: { ($0 as? OAuthError)?.kind == kind }
}

@Suite("Pushed request")
struct PushedRequestTests {
    @Test("A server that demands pushed requests gets them")
    func aServerThatDemandsPushedRequests() async throws {
        let fixture = try SignInFixture(try descriptor(openID + "authorization: { pushed: always }\n"), secret: "s")
        let request = try await fixture.client.beginSignIn()
        #expect(
            masked(request.url).hasSuffix("?client_id=client&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A*")
        )
        #expect(request.expiresAt == fixture.clock.now + 60)
        #expect(try await fixture.signIn().tokens().idToken != nil)
        #expect(await fixture.requests(to: .pushedAuthorizationRequest).count == 2)
        await #expect(throws: SandboxRefusal.self) {
            _ = try await fixture.sandbox.approve(
                authorizationURL: "https://id.acme.example/authorize?client_id=client")
        }
    }

    @Test("A sign-in may push where the server takes both")
    func aSignInMayPushWhere() async throws {
        let fixture = try SignInFixture(try descriptor(openID))
        _ = try await fixture.signIn()
        #expect(await fixture.requests(to: .pushedAuthorizationRequest).isEmpty)
        _ = try await fixture.signIn(AuthorizationOptions(delivery: .init(isPushed: true)))
        #expect(await fixture.requests(to: .pushedAuthorizationRequest).count == 1)
    }

    // PAR-06.
    @Test("A reference is good for one use and one minute")
    func aReferenceIsGoodForOne() async throws {
        let fixture = try SignInFixture(try descriptor(openID))
        let options = AuthorizationOptions(delivery: .init(isPushed: true))
        let used = try await fixture.client.beginSignIn(options).url
        _ = try await fixture.sandbox.approve(authorizationURL: used)
        await #expect(throws: SandboxRefusal.self) { try await fixture.sandbox.approve(authorizationURL: used) }
        let old = try await fixture.client.beginSignIn(options).url
        fixture.clock.advance(by: .seconds(61))
        await #expect(throws: SandboxRefusal.self) { try await fixture.sandbox.approve(authorizationURL: old) }
    }

    @Test("What the server rejects is not sent by another way")
    func whatTheServerRefuses() async throws {
        let scopes = "scopes: { default: [openid, email], catalog: [openid, email] }"
        let fixture = try SignInFixture(
            try descriptor(openID.replacing("scopes: { default: [openid, email] }", with: scopes)))
        await expectKind(.serverError) {
            try await fixture.client.beginSignIn(
                AuthorizationOptions(scopes: ["openid", "other"], delivery: .init(isPushed: true)))
        }
    }
}

@Suite("Sign-in options")
struct SignInOptionTests {
    @Test("Tokens are for the resources and details that were asked for")
    func tokensAreForTheResources() async throws {
        let fixture = try SignInFixture(try descriptor(openID))
        let details: [JSONValue] = [["type": "payment", "amount": "5"]]
        let session = try await fixture.signIn(
            AuthorizationOptions(access: .init(resource: ["https://api.acme.example/"], authorizationDetails: details)))
        #expect(try await session.storedTokens().authorizationDetails == #"[{"type":"payment","amount":"5"}]"#)
        #expect(
            await fixture.wire(.token).first?.hasSuffix("&resource=https%3A%2F%2Fapi.acme.example%2F&client_id=client")
                == true)
        #expect(try await session.refresh().authorizationDetails != nil)
        #expect(
            await fixture.wire(.token).last?.hasSuffix("&resource=https%3A%2F%2Fapi.acme.example%2F&client_id=client")
                == true)
    }

    @Test("A sign-in proves its age and its means")
    func aSignInProvesItsAge() async throws {
        let fixture = try SignInFixture(try descriptor(openID))
        let options = AuthorizationOptions(
            authentication: .init(acrValues: ["urn:a"], maxAge: 60), prompt: [.login], uiLocales: ["de"])
        #expect(try await fixture.signIn(options).tokens().idToken != nil)
        await fixture.sandbox.setFaults([.weakSignIn])
        await expectKind(.authenticationTooOld) {
            try await fixture.signIn(AuthorizationOptions(authentication: .init(maxAge: 60)))
        }
        let claims = try JSONValue(parsing: #"{"id_token":{"acr":{"essential":true,"value":"urn:a"}}}"#)
        await expectKind(.authenticationTooWeak) {
            try await fixture.signIn(AuthorizationOptions(access: .init(claims: claims.object)))
        }
        await expectKind(.authenticationTooWeak) {
            var demanded = AuthenticationRequirements(acrValues: ["urn:a"])
            demanded.areRequired = true
            return try await fixture.signIn(AuthorizationOptions(authentication: demanded))
        }
        #expect(
            try await fixture.signIn(AuthorizationOptions(authentication: .init(acrValues: ["urn:a"]))).tokens().idToken
                != nil,
            "acr_values is a wish (OpenID Connect Core, section 3.1.2.1)")
        #expect(try await fixture.signIn().tokens().idToken != nil, "nothing was asked for")
    }

    @Test("A resource that wants another sign-in says which, and gets it")
    func aResourceThatWantsAnotherSign() async throws {
        let fixture = try SignInFixture(try descriptor(openID), faults: [.stepUp])
        let session = try await fixture.signIn()
        let mail = try #require(try await session.resources().first?.resource)
        var stepUp: AuthenticationRequirements?
        do {
            _ = try await session.call(mail)
        } catch let error as OAuthError {
            #expect(error.kind == .insufficientAuthentication && error.disposition == .signInAgain)
            stepUp = error.stepUp
        }
        #expect(await fixture.requests(to: .token).count == 1, "a refresh would not help")
        let wanted = try #require(stepUp)
        #expect(wanted.acrValues == ["urn:carnet:acr:2"] && wanted.maxAge == 3600 && wanted.areRequired)
        let stronger = try await fixture.signIn(AuthorizationOptions(authentication: wanted))
        #expect(try await stronger.call(mail).status == 200)
    }
}
