import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import HTTPTypes
import Testing

@Suite("Metadata")
struct MetadataTests {
    @Test("describes the endpoints of a five-line descriptor, and every one of them responses")
    func discovery() async throws {
        let client = try TestClient()
        let metadata = try await client.get("https://id.acme.example/.well-known/openid-configuration")
        #expect(metadata.status == 200)
        #expect(metadata.json["issuer"] == "https://id.acme.example")
        #expect(metadata.json["authorization_response_iss_parameter_supported"] == true)
        #expect(metadata.json["code_challenge_methods_supported"] == ["S256"])
        #expect(metadata.json["id_token_signing_alg_values_supported"] == ["RS256"])
        for name in EndpointName.allCases where name.isStandard {
            let url = try #require(metadata.json[name.metadataName]?.string, "\(name)")
            #expect(url.hasPrefix("https://id.acme.example/"))
            #expect(try await client.get(url).status != 404)
        }
    }

    @Test("is at the place of RFC 8414 too, which is another for an issuer with a path")
    func places() async throws {
        let client = try TestClient(acme.replacing("https://id.acme.example", with: "https://acme.example/tenant/"))
        for path in ["tenant/.well-known/openid-configuration", ".well-known/oauth-authorization-server/tenant"] {
            let metadata = try await client.get("https://acme.example/\(path)")
            #expect(metadata.json["issuer"] == "https://acme.example/tenant/")
            #expect(metadata.json["token_endpoint"] == "https://acme.example/tenant/token")
        }
    }

    @Test("is at the descriptor's own place too")
    func ownPlace() async throws {
        let client = try TestClient(acme + "discovery_url: https://meta.acme.example/conf\n")
        #expect(try await client.get("https://meta.acme.example/conf").json["issuer"] == "https://id.acme.example")
    }

    @Test("names the endpoints that the descriptor names")
    func explicitEndpoints() async throws {
        let client = try TestClient(provider: builtInProvider("google"))
        let metadata = try await client.get("https://accounts.google.com/.well-known/openid-configuration").json
        #expect(metadata["token_endpoint"] == "https://oauth2.googleapis.com/token")
        #expect(metadata["scopes_supported"]?.array?.contains("openid") == true)
    }

    @Test("invents nothing where discovery is off")
    func discoveryOff() async throws {
        let client = try TestClient(plain + "issuer: https://plain.example\ndiscovery: none\n")
        let metadata = try await client.get("https://plain.example/.well-known/openid-configuration").json
        #expect(metadata["token_endpoint"] == "https://plain.example/token")
        #expect(metadata["userinfo_endpoint"] == nil)
        #expect(try await client.get("https://plain.example/userinfo").status == 404)
    }

    @Test("says which places exist when another is asked for")
    func notFound() async throws {
        let response = try await TestClient(plain).get("https://plain.example/nowhere")
        #expect(response.status == 404)
        #expect(response.json["served"] == ["https://plain.example/authorize", "https://plain.example/token"])
    }

    @Test("tells origins apart", arguments: ["http://127.0.0.1/token", "https://plain.example:8443/token"])
    func otherOrigin(url: String) async throws {
        #expect(try await TestClient(plain).get(url).status == 404)
    }

    @Test("logs every request with the endpoint that it reached")
    func log() async throws {
        let client = try TestClient(plain)
        let code = try #require(try await client.callback()["code"])
        _ = try await client.exchange(code: code)
        let requests = await client.sandbox.requests
        #expect(requests.map(\.endpoint) == [.authorization, .token])
        #expect(requests.map(\.status.code) == [302, 200])
        #expect(requests.last?.provider == "plain")
        #expect(requests.last?.bodyText.contains("grant_type=authorization_code") == true)
    }
}
