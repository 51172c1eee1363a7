import Carnet
import CarnetCatalog
import CarnetTool

// The function of Docs/providers/README.md.

func makeAuth0Client() throws -> OAuthClient {
    try OAuthClient(
        ProviderRegistry.builtIn.descriptor("auth0"),
        registration: ClientRegistration(
            clientID: "YOUR CLIENT ID",
            credentials: .secret(Secret("YOUR CLIENT SECRET")),
            redirectURI: "https://app.example/sign-in/auth0/callback",
            inputs: ["domain": "dev-example.us.auth0.com"]
        ),
        transport: SystemTransport()
    )
}
