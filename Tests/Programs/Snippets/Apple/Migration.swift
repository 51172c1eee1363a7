import Carnet
import CarnetApple
import Foundation

func freshToken(_ session: Session) async throws -> String {
    try await session.accessToken().reveal()
}

@MainActor
func restore(_ client: OAuthClient) async -> SignInModel {
    let model = SignInModel(client, agent: WebAuthenticationSessionUserAgent())
    await model.restore()
    return model
}

@MainActor
func logOut(_ model: SignInModel) async {
    await model.signOut(.everywhere)
}

func callAPI(_ session: Session) async throws -> [UInt8] {
    try await session.send(HTTPRequest(url: "https://api.acme.example/me")).body
}
