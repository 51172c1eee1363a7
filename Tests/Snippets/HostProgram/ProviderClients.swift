import Carnet
import CarnetCatalog
import CarnetHTTP

// The forms that the Swift of Docs/providers has.

func makeGoogleClient() throws -> OAuthClient {
    try OAuthClient(
        provider: "google",
        in: .builtIn,
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
        provider: "auth0",
        in: .builtIn,
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
        provider: "apple",
        in: .builtIn,
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
        provider: "lichess",
        in: .builtIn,
        registration: ClientRegistration(
            clientID: "YOUR CLIENT ID",
            redirectURI: "https://app.example/sign-in/lichess/callback"
        ),
        transport: AsyncHTTPTransport()
    )
}

func makeLoginGovClient(signingKey: ClientKey) throws -> OAuthClient {
    try OAuthClient(
        provider: "login-gov",
        in: .builtIn,
        registration: ClientRegistration(
            clientID: "YOUR CLIENT ID",
            credentials: .signingKey(signingKey),
            redirectURI: "https://app.example/sign-in/login-gov/callback"
        ),
        transport: AsyncHTTPTransport()
    )
}
