import CarnetFoundation
import CarnetServerTestSupport
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The document of a client whose id is a URL")
struct ClientDocumentTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    @Test("It names itself and what a registration would say")
    func document() async throws {
        let result = try await home.run(
            "client-document", "https://app.example/client.json", "--name", "My tool", "--client-uri",
            "https://app.example/", "--software-id", "4NRB1-0XZABZI9E6-5SM3R", "--software-version", "2.1",
            "--scope", "read")
        #expect(result.status == 0, "\(result)")
        let document = try JSONValue(parsing: result.standardOutput)
        #expect(document["client_id"] == "https://app.example/client.json" && document["client_name"] == "My tool")
        #expect(document["redirect_uris"] == ["http://127.0.0.1/callback", "http://localhost/callback"])
        #expect(document["token_endpoint_auth_method"] == "none" && document["application_type"] == "native")
        #expect(document["grant_types"] == ["authorization_code", "refresh_token"])
        #expect(document["client_uri"] == "https://app.example/" && document["scope"] == "read")
        #expect(document["software_id"] == "4NRB1-0XZABZI9E6-5SM3R" && document["software_version"] == "2.1")
        let insecure = try await home.run("client-document", "http://app.example/client.json")
        #expect(insecure.status != 0 && insecure.standardError.contains("https"), "\(insecure)")
    }

    @Test("A document is checked where it is served, as a server would read it")
    func checking() async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let played = Lock(PlayedServer.Response.json(200, ""))
        let server = try await PlayedServer(certificate: certificate) { _ in played.withLock { $0 } }
        let url = "https://\(server.authority)/client.json"
        func check(_ response: PlayedServer.Response) async throws -> CommandResult {
            played.withLock { $0 = response }
            return try await home.run(
                "client-document", "check", url, "--ca-file", certificate.certificatePath, "--allow-local",
                "127.0.0.1")
        }
        let good = try await home.run("client-document", url).standardOutput
        let fine = try await check(.json(200, good))
        #expect(fine.status == 0 && fine.standardOutput == "\(url) is a client id\n", "\(fine)")
        let other = try await check(.json(200, good.replacing("client.json", with: "other.json")))
        #expect(other.status == 1 && other.standardOutput.contains("it must be the URL of the document"), "\(other)")
        let page = try await check(.page(200, good))
        #expect(page.status == 1 && page.standardOutput.contains("application/json"), "\(page)")
        let moved = try await check(PlayedServer.Response(302, ["Location": "/"]))
        #expect(moved.status == 1 && moved.standardOutput.contains("without a redirect"), "\(moved)")
        let secret = try await check(
            .json(
                200,
                #"{"client_id":"\#(url)","redirect_uris":["javascript:x"],"client_secret":"s","#
                    + #""token_endpoint_auth_method":"client_secret_post","jwks":{"keys":[{"kty":"EC","d":"x"}]}}"#))
        for part in ["redirect_uris: ", "client_secret is in", "needs a shared secret", "private key"] {
            #expect(secret.status == 1 && secret.standardOutput.contains(part), "\(secret)")
        }
        try await server.stop()
    }
}
