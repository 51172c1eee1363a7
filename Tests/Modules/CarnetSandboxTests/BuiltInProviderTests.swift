import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import Testing

@Suite("The providers of the repository")
struct BuiltInProviderTests {
    @Test(
        "are impersonated whole: sign-in, profile, refresh",
        arguments: [("google", BodyEncoding.form), ("cloudentity", .form), ("auth0", .json)]
    )
    func wholeSignIn(id: String, encoding: BodyEncoding) async throws {
        let client = try TestClient(provider: builtInProvider(id))
        let tokens = try await client.exchange(as: encoding)
        #expect(tokens.status == 200, "\(tokens.text)")
        #expect(!tokens.text.contains("redacted"))
        let idToken = try JWT(#require(tokens.json["id_token"]?.string))
        #expect(try idToken.isSigned(by: await client.keySet()))
        #expect(idToken.claims["iss"]?.string == client.provider.issuer)
        let accessToken = try #require(tokens.json["access_token"]?.string)
        let profile = try await client.get(client.endpoint(.userinfo), bearer: accessToken)
        #expect(profile.json["sub"] == idToken.claims["sub"])
        #expect(profile.json["name"] == "Ada Example")
        let refreshed = try await client.refresh(#require(tokens.json["refresh_token"]?.string))
        #expect(refreshed.status == 200)
        #expect((refreshed.json["refresh_token"] != nil) == (id != "google"))
    }
}
