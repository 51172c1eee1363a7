import CarnetDescriptors
import CarnetSandbox
import Foundation
import HTTPTypes
import Testing

@Suite("Client authentication")
struct ClientAuthenticationTests {
    private static let secret = "s é+&=%:"

    private func basic(_ id: String, _ secret: String) -> HTTPFields {
        [.authorization: "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()]
    }

    private func encoded(_ text: String) -> String { String(form([("", text)]).dropFirst()) }

    private func basicHeader(_ client: TestClient) -> HTTPFields {
        basic(encoded(client.registration.clientID), encoded(Self.secret))
    }

    @Test("none: only the client id, no secret, no header")
    func none() async throws {
        let client = try TestClient()
        #expect(try await client.exchange().status == 200)
        for response in [
            try await client.exchange(["client_id": nil]),
            try await client.exchange(["client_id": "nobody"]),
            try await client.exchange(["client_secret": "x"]),
            try await client.exchange(headers: basicHeader(client)),
        ] {
            #expect(response.status == 401)
            #expect(response.error == "invalid_client")
        }
    }

    @Test("client_secret_post: id and secret in the body")
    func post() async throws {
        let client = try TestClient(secret: Self.secret, method: .clientSecretPost)
        #expect(try await client.exchange(["client_secret": Self.secret]).status == 200)
        #expect(try await client.exchange(["client_secret": "wrong"]).error == "invalid_client")
        #expect(try await client.exchange().error == "invalid_client")
        #expect(try await client.exchange(headers: basicHeader(client)).error == "invalid_client")
    }

    @Test("client_secret_post in JSON, by another name")
    func postJSON() async throws {
        let yaml = acme + "token: { body: json, rename: { client_secret: secret } }\n"
        let client = try TestClient(yaml, secret: Self.secret, method: .clientSecretPost)
        #expect(try await client.exchange(["secret": Self.secret]).status == 200)
        #expect(try await client.exchange(["client_secret": Self.secret]).error == "invalid_client")
    }

    @Test("client_secret_basic: percent-encoded id and secret in the header")
    func basicPercent() async throws {
        let client = try TestClient(secret: Self.secret)
        #expect(try await client.exchange(["client_id": nil], headers: basicHeader(client)).status == 200)
        #expect(try await client.exchange(headers: basicHeader(client)).status == 200)
        let raw = basic(client.registration.clientID, Self.secret)
        let refused = try await client.exchange(["client_id": nil], headers: raw)
        #expect(refused.status == 401)
        #expect(refused.error == "invalid_client")
        #expect(refused.challenge == "Basic realm=\"acme\"")
        #expect(try await client.exchange(["client_secret": Self.secret]).error == "invalid_client")
    }

    @Test("client_secret_basic without encoding, where the descriptor says raw")
    func basicRaw() async throws {
        let client = try TestClient(acme + "client: { basic_encoding: raw }\n", secret: Self.secret)
        let raw = basic(client.registration.clientID, Self.secret)
        #expect(try await client.exchange(headers: raw).status == 200)
        #expect(try await client.exchange(["client_id": nil], headers: basicHeader(client)).error == "invalid_client")
    }

    @Test("refuses credentials that are sent twice, or that name two clients")
    func twice() async throws {
        let client = try TestClient(secret: Self.secret)
        let twice = try await client.exchange(["client_secret": Self.secret], headers: basicHeader(client))
        #expect(twice.status == 400)
        #expect(twice.error == "invalid_request")
        // A descriptor may say that its provider demands both.
        let both = try TestClient(
            acme + """
                client: { authentication: [client_secret_basic] }
                token: { parameters: { client_secret: '{client.secret}' } }

                """, secret: Self.secret)
        let accepted = try await both.exchange(["client_secret": Self.secret], headers: basicHeader(both))
        #expect(accepted.status == 200)
        #expect(try await both.exchange(headers: basicHeader(both)).error == "invalid_request")
        let other = try await client.exchange(["client_id": "other"], headers: basicHeader(client))
        #expect(other.error == "invalid_request")
    }

    @Test("refuses a header that is not Basic", arguments: ["Bearer x", "Basic", "Basic !", "Basic YQ=="])
    func badHeader(value: String) async throws {
        let client = try TestClient(secret: Self.secret)
        #expect(try await client.exchange(headers: [.authorization: value]).error == "invalid_client")
    }

    @Test("derives the method from the descriptor")
    func derivedMethod() async throws {
        let postFirst = acme + "client: { authentication: [none, client_secret_post, client_secret_basic] }\n"
        let confidential = try TestClient(postFirst, secret: Self.secret)
        #expect(try await confidential.exchange(["client_secret": Self.secret]).status == 200)
        #expect(try await confidential.exchange().status == 401)
        #expect(try await TestClient(postFirst).exchange().status == 200)
    }
}
