import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import Foundation
import HTTPTypes
import Testing

@Suite("Impersonating further providers")
struct ImpersonationTests {
    @Test("A provider that comes later is served, and one that changes keeps what it has issued")
    func later() async throws {
        let sandbox = Sandbox(providers: [], clients: [:] as [ProviderID: [SandboxClient]])
        let client = try TestClient(provider: makeProvider(acme), sandbox: sandbox)
        #expect(try await client.get("https://id.acme.example/.well-known/openid-configuration").status == 404)
        await sandbox.impersonate(client.provider, clients: [client.registration])
        let token = try #require(try await client.exchange().json["access_token"]?.string)
        let changed = try makeProvider(acme.replacing("name: Acme", with: "name: Acme Two"))
        await sandbox.impersonate(changed, clients: [client.registration])
        let userinfo = try await client.endpoint(.userinfo)
        #expect(try await client.get(userinfo, bearer: token).status == 200)
        #expect(try await client.authorize().status == 302)
    }

    @Test("The picture of a profile can be looked at by anyone, and nothing else there can")
    func picture() async throws {
        let client = try TestClient()
        let picture = try await client.get("https://example.com/ada.png")
        #expect(picture.status == 200)
        #expect(picture.head.headerFields[.contentType] == "image/svg+xml")
        #expect(try await client.get("https://example.com/other.png").status == 404)
    }
}
