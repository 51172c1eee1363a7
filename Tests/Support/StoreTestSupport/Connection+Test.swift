public import Carnet
import CarnetProtocol
import Foundation

extension Connection {
    /// An account whose tokens all begin with `s3cret`.
    public static func test(account: String = "ada@example.com", token: String = "s3cret-access-token") -> Self {
        Self(
            key: ConnectionKey(provider: StormProvider.key.provider, account: account),
            clientID: "client",
            tokens: TokenSet(
                accessToken: Secret(token),
                tokenType: "Bearer",
                refreshToken: Secret("s3cret-refresh-token"),
                idToken: Secret("s3cret.id.token"),
                scopes: ["openid"],
                issuedAt: Date(timeIntervalSince1970: 1_767_225_600)
            ),
            binding: CredentialBinding(servers: ["https://acme.example:443"], resources: [])
        )
    }
}
