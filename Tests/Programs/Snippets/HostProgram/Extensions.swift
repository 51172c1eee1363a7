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
    print("Open \(device.verificationURI) and enter \(device.userCode)")
    return try await client.completeDeviceSignIn(device)
}

func ownToken(of client: OAuthClient) async throws -> TokenSet {
    try await client.tokens(for: .clientCredentials(scopes: ["reports"], resource: ["https://api.acme.example/"]))
}

func signInPushed(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    try await client.signIn(with: browser, options: AuthorizationOptions(delivery: .init(isPushed: true)))
}

func signInSigned(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    try await client.signIn(with: browser, options: AuthorizationOptions(delivery: .init(isSigned: true)))
}

func signInWithSignedResponse(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    try await client.signIn(with: browser, options: AuthorizationOptions(delivery: .init(responseMode: .jwt)))
}

func signInForOneResource(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    let access = AuthorizationOptions.Access(resource: ["https://api.acme.example/"])
    return try await client.signIn(with: browser, options: AuthorizationOptions(access: access))
}

func signInForOnePayment(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    let payment: JSONValue = ["type": "payment_initiation", "instructedAmount": ["currency": "EUR", "amount": "5.00"]]
    let access = AuthorizationOptions.Access(authorizationDetails: [payment])
    return try await client.signIn(with: browser, options: AuthorizationOptions(access: access))
}

func signInFreshly(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    let authentication = AuthenticationRequirements(acrValues: ["urn:acme:mfa"], maxAge: 300)
    return try await client.signIn(with: browser, options: AuthorizationOptions(authentication: authentication))
}

func signInForSingleClaims(with client: OAuthClient, in browser: any UserAgent) async throws -> Session {
    let claims: JSONValue = ["userinfo": ["email": ["essential": true]]]
    return try await client.signIn(with: browser, options: AuthorizationOptions(access: .init(claims: claims.object)))
}

func restored(_ kept: Data, _ callback: AuthorizationCallback, with client: OAuthClient) async throws -> Session {
    let pending = try JSONDecoder().decode(PendingAuthorization.self, from: kept)
    return try await client.completeSignIn(callback, for: pending)
}

func send(
    _ request: HTTPRequest, of session: Session, with client: OAuthClient, in browser: any UserAgent
) async throws {
    do {
        _ = try await session.send(request)
    } catch let error as OAuthError {
        guard let stepUp = error.stepUp else { throw error }
        let stronger = try await client.signIn(with: browser, options: AuthorizationOptions(authentication: stepUp))
        _ = try await stronger.send(request)
    }
}

func boundRegistration() -> ClientRegistration {
    ClientRegistration(clientID: "client", redirectURI: "http://127.0.0.1/callback", dpopBoundAccessTokens: true)
}

func tokenOfServiceAccount(_ client: OAuthClient) async throws -> TokenSet {
    try await client.tokens(for: .assertion(subject: "ada@acme.example", scopes: ["calendar"]))
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
    try await client.endSessions(byLogoutRequest: form, mediaType: contentType)
}

func keyRegistration(_ key: ClientKey) -> ClientRegistration {
    ClientRegistration(clientID: "client", credentials: .signingKey(key), redirectURI: "http://127.0.0.1/callback")
}

func certificateRegistration(_ certificate: ClientCertificate) -> ClientRegistration {
    ClientRegistration(
        clientID: "client", credentials: .certificate(certificate), redirectURI: "http://127.0.0.1/callback")
}

func reports(of client: OAuthClient) async throws -> IncomingResponse {
    let request = HTTPRequest(url: "https://api.acme.example/reports")
    return try await client.send(request, with: .clientCredentials(scopes: ["reports"]))
}
