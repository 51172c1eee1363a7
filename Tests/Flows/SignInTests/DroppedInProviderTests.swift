import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("A dropped-in provider")
struct DroppedInProviderTests {
    static let acme = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid, profile, email] }
        """

    @Test("of five lines signs in through discovery")
    func fiveLines() async throws {
        let fixture = try SignInFixture(try descriptor(Self.acme))
        let session = try await fixture.signIn()
        #expect(try await session.tokens().scopes == ["openid", "profile", "email"])
        #expect(try await session.profile().email != nil)
        let urls = await fixture.sandbox.requests.map(\.url)
        #expect(urls.first == "https://id.acme.example/.well-known/openid-configuration")
        #expect(urls.filter { $0.contains(".well-known/openid-configuration") }.count == 1)
    }

    @Test("with unusual parameters, bodies and responses signs in with only its keys")
    func oddities() async throws {
        let fixture = try SignInFixture(
            try descriptor(
                """
                carnet: 1
                id: odd
                name: Odd
                endpoints:
                  authorization: https://odd.example/dialog?p=policy
                  token: https://api.odd.example/token
                  userinfo: https://api.odd.example/me
                client: { authentication: [client_secret_post] }
                scopes: { separator: ",", default: [read, "user:email"] }
                authorization:
                  rename: { client_id: client_key }
                  parameters: { display: "a b&c=d" }
                token:
                  body: json
                  rename: { client_id: app_id, client_secret: secret, code: auth_code }
                  response:
                    root: /data
                    fields: { access_token: /token, expires_in: /ttl }
                    default_token_type: Bearer
                profile: { root: /user, claims: { subject: /id, name: /login } }
                samples:
                  token: { ok: true, data: { token: x, ttl: "7200", scope: "read,user:email" } }
                  userinfo: { user: { id: 9007199254740993, login: ada } }
                """
            ),
            secret: "s"
        )
        let session = try await fixture.signIn()
        let tokens = try await session.tokens()
        #expect(tokens.scopes == ["read", "user:email"])
        #expect(tokens.expiresAt == fixture.clock.now.addingTimeInterval(7200))
        #expect(session.key.account == "9007199254740993")
        let profile = try await session.profile()
        #expect(profile.subject == "9007199254740993")
        #expect(profile.name == "ada")
    }

    @Test(
        "keeps reserved and non-ASCII characters of every value",
        arguments: [BodyEncoding.form, .json], ["client_secret_basic", "client_secret_post"]
    )
    func reservedCharacters(body: BodyEncoding, method: String) async throws {
        let odd = "a+b&c=d%20e f;g:ü€😀/?#"
        let fixture = try SignInFixture(
            try descriptor(
                """
                carnet: 1
                id: odd
                name: Odd
                inputs: { note: { type: text } }
                issuer: https://id.odd.example
                scopes: { default: [openid] }
                client: { authentication: [\(method)] }
                authorization: { parameters: { note: "{note}" } }
                token: { body: \(body.rawValue), parameters: { note: "{note}" } }
                """
            ),
            inputs: ["note": odd],
            clientID: "id " + odd,
            secret: "secret " + odd
        )
        let session = try await fixture.signIn()
        #expect(try await session.refresh().accessToken.isEmpty == false)
        let authorization = try #require(await fixture.requests(to: .authorization).first)
        #expect(query(of: authorization.url)["note"] == odd)
    }

    @Test("is granted fewer scopes than it asked for, and says what each resource still needs")
    func resources() async throws {
        let fixture = try SignInFixture(
            try descriptor(
                Self.acme + """

                    resources:
                      - { scope: openid, title: Transfer, url: https://api.acme.example/transfer }
                      - { scope: email_extra, title: Extra, url: https://api.acme.example/extra }
                      - { all_of: [profile, phone], title: Phone, url: https://api.acme.example/phone }
                    """
            )
        )
        let session = try await fixture.signIn()
        let access = try await session.resources()
        #expect(access.map(\.isOpen) == [true, false, false])
        #expect(access.map(\.missing) == [[], ["email_extra"], ["phone"]])
        let response = try await session.call(access[0].resource)
        #expect(response.status == 200)
        await #expect(throws: OAuthError.self) { try await session.call(access[1].resource) }
        #expect(await fixture.sandbox.requests.contains { $0.url.hasSuffix("/extra") } == false)
    }
}
