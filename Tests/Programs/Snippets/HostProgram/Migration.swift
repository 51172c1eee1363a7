import Carnet
import CarnetHTTP
import HTTPTypes

func callAPI(_ session: Session) async throws -> [UInt8] {
    try await session.send(HTTPRequest(url: "https://api.acme.example/me")).body
}

func bearerRequest(of session: Session) async throws -> HTTPRequest {
    let token = try await session.accessToken()
    var request = HTTPRequest(method: .get, scheme: "https", authority: "api.acme.example", path: "/me")
    request.headerFields[.authorization] = "Bearer \(token.reveal())"
    return request
}

func restoredSession(_ client: OAuthClient) async throws -> Session? {
    guard let account = try await client.accounts().first else { return nil }
    return try await client.session(for: account)
}
