import Carnet
import CarnetCatalog
import CarnetHTTP

// The forms that the Swift of Docs/providers has.

func makeGoogleClient() throws -> OAuthClient {
    try OAuthClient(
        ProviderRegistry.builtIn.descriptor("google"),
        registration: ClientRegistration(
            clientID: "YOUR CLIENT ID",
            credentials: .secret(Secret("YOUR CLIENT SECRET")),
            redirectURI: "https://app.example/sign-in/google/callback"
        ),
        transport: AsyncHTTPTransport()
    )
}

func makeAuth0Client() throws -> OAuthClient {
    try OAuthClient(
        ProviderRegistry.builtIn.descriptor("auth0"),
        registration: ClientRegistration(
            clientID: "YOUR CLIENT ID",
            credentials: .secret(Secret("YOUR CLIENT SECRET")),
            redirectURI: "https://app.example/sign-in/auth0/callback",
            inputs: ["domain": "dev-example.us.auth0.com"]
        ),
        transport: AsyncHTTPTransport()
    )
}

func makeAppleClient(signingKey: ClientKey) throws -> OAuthClient {
    try OAuthClient(
        ProviderRegistry.builtIn.descriptor("apple"),
        registration: ClientRegistration(
            clientID: "YOUR CLIENT ID",
            credentials: .signingKey(signingKey),
            redirectURI: "https://app.example/sign-in/apple/callback",
            inputs: ["team": "ABCDE12345"]
        ),
        transport: AsyncHTTPTransport()
    )
}

func makeLichessClient() throws -> OAuthClient {
    try OAuthClient(
        ProviderRegistry.builtIn.descriptor("lichess"),
        registration: ClientRegistration(
            clientID: "YOUR CLIENT ID",
            redirectURI: "https://app.example/sign-in/lichess/callback"
        ),
        transport: AsyncHTTPTransport()
    )
}

func makeLoginGovClient(signingKey: ClientKey) throws -> OAuthClient {
    try OAuthClient(
        ProviderRegistry.builtIn.descriptor("login-gov"),
        registration: ClientRegistration(
            clientID: "YOUR CLIENT ID",
            credentials: .signingKey(signingKey),
            redirectURI: "https://app.example/sign-in/login-gov/callback"
        ),
        transport: AsyncHTTPTransport()
    )
}
