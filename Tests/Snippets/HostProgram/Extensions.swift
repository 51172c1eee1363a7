import Carnet
import Foundation

func signIn(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    try await client.signIn(with: browser)
}

func registration() -> ClientRegistration {
    ClientRegistration(clientID: "client", redirectURI: "http://127.0.0.1/callback")
}

func signInOnAnotherDevice(with client: OAuthClient) async throws -> Session {
    let device = try await client.beginDeviceSignIn()
    print("Open \(device.verificationURI.text) and enter \(device.userCode)")
    return try await client.completeDeviceSignIn(device)
}

func ownToken(of client: OAuthClient) async throws -> TokenSet {
    try await client.clientCredentials(scopes: ["reports"], resource: ["https://api.acme.example/"])
}

func signInPushed(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    try await client.signIn(with: browser, options: AuthorizationOptions(isPushed: true))
}

func signInSigned(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    try await client.signIn(with: browser, options: AuthorizationOptions(isSigned: true))
}

func signInWithSignedAnswer(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    try await client.signIn(with: browser, options: AuthorizationOptions(responseMode: .jwt))
}

func signInForOneResource(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    try await client.signIn(with: browser, options: AuthorizationOptions(resource: ["https://api.acme.example/"]))
}

func signInForOnePayment(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    let payment: JSONValue = ["type": "payment_initiation", "instructedAmount": ["currency": "EUR", "amount": "5.00"]]
    return try await client.signIn(with: browser, options: AuthorizationOptions(authorizationDetails: [payment]))
}

func signInFreshly(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    try await client.signIn(with: browser, options: AuthorizationOptions(maxAge: 300, acrValues: ["urn:acme:mfa"]))
}

func signInForSingleClaims(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    let claims: JSONValue = ["userinfo": ["email": ["essential": true]]]
    return try await client.signIn(with: browser, options: AuthorizationOptions(claims: claims.object))
}

func restored(_ kept: Data, _ callback: AuthorizationCallback, with client: OAuthClient) async throws -> Session {
    let pending = try JSONDecoder().decode(PendingAuthorization.self, from: kept)
    return try await client.completeSignIn(callback, for: pending)
}

func call(_ url: WebURL, of session: Session, with client: OAuthClient, in browser: any UserAgent) async throws {
    do {
        _ = try await session.call(url)
    } catch let error as OAuthError {
        guard let stepUp = error.stepUp else { throw error }
        let stronger = try await client.signIn(with: browser, options: AuthorizationOptions().steppingUp(to: stepUp))
        _ = try await stronger.call(url)
    }
}

func boundRegistration() -> ClientRegistration {
    ClientRegistration(clientID: "client", redirectURI: "http://127.0.0.1/callback", dpopBoundAccessTokens: true)
}

func tokenOfServiceAccount(_ client: OAuthClient) async throws -> TokenSet {
    try await client.tokens(for: JWTBearerGrant(subject: "ada@acme.example", scopes: ["calendar"]))
}

func isStillGood(_ session: Session) async throws -> Bool {
    try await session.introspect().isActive
}

func tokenForBilling(of session: Session) async throws -> TokenSet {
    try await session.exchange { TokenExchange(TokenExchange.TypedToken($0), audience: ["billing"]) }.tokens
}

func signIn(
    at descriptor: ProviderDescriptor, _ transport: any Transport, in browser: any UserAgent
) async throws -> Session {
    let metadata = ClientMetadata(redirectURIs: ["http://127.0.0.1/callback"], clientName: "Reports")
    let registering = AutomaticRegistration(metadata, transport: transport)
    let registration = try await registering.registration(at: try descriptor.resolve())
    return try await OAuthClient(descriptor, registration: registration, transport: transport).signIn(with: browser)
}

func signOutEverywhere(_ session: Session, showing page: (Secret) -> Void) async throws {
    if let url = try await session.signOut(.everywhere).endSessionURL { page(url) }
}

func providerLoggedOut(_ client: OAuthClient, _ form: [UInt8], _ contentType: String?) async throws -> [ConnectionKey] {
    let token = try BackChannelLogoutRequest.logoutToken(in: form, mediaType: contentType)
    return try await client.endSessions(namedBy: token)
}

func keyRegistration(_ key: ClientKey) -> ClientRegistration {
    ClientRegistration(clientID: "client", signingKey: key, redirectURI: "http://127.0.0.1/callback")
}

func certificateRegistration(_ certificate: ClientCertificate) -> ClientRegistration {
    ClientRegistration(clientID: "client", certificate: certificate, redirectURI: "http://127.0.0.1/callback")
}

func reports(_ url: WebURL, of client: OAuthClient) async throws -> IncomingResponse {
    try await client.callWithOwnToken(url, scopes: ["reports"])
}
