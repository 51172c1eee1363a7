import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// What a client does with the server: first with a good one, then with the hostile one.
struct Flow: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        var client: OAuthClient
        var options: AuthorizationOptions
        var request: AuthorizationRequest?
        var session: Session?
        var profile: Profile?
        var tokens: TokenSet?
        var response: IncomingResponse?
        var signOut: SignOutOutcome?
        var registered: RegisteredClient?
    }

    /// The descriptor, as YAML.
    var provider = Self.openID
    var options = AuthorizationOptions()
    /// Changes the registration of the client.
    var registration: @Sendable (inout ClientRegistration) -> Void = { _ in }
    /// Makes the good server one of this flow's kind.
    var server: @Sendable (inout Script) -> Void = { _ in }
    var limits = TransportLimits()
    /// Whether somebody signed in before, while the server was good.
    var isSignedIn = false
    /// What is done with the hostile server.
    var act: @Sendable (Scenario, inout Outcome) async throws -> Void

    static let openID = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid, profile, email] }
        api: { hosts: [api.acme.example] }

        """

    /// OAuth 2.0 alone.
    static let plain = """
        carnet: 1
        id: acme
        name: Acme
        endpoints:
          authorization: https://id.acme.example/authorize
          token: https://id.acme.example/token
          userinfo: https://id.acme.example/userinfo
          revocation: https://id.acme.example/revoke
        scopes: { default: [profile, email] }
        api: { hosts: [api.acme.example] }

        """

    /// A whole sign-in, then the profile.
    static let signIn = Flow { scenario, outcome in
        let request = try await outcome.client.beginSignIn(outcome.options)
        outcome.request = request
        outcome.session = try await outcome.client.completeSignIn(scenario.callback(request), for: request.pending)
        outcome.tokens = try await outcome.session?.storedTokens()
        outcome.profile = try await outcome.session?.profile()
    }

    /// The profile of somebody who is signed in.
    static let profile = Flow(isSignedIn: true) { _, outcome in
        outcome.profile = try await outcome.session?.profile()
    }

    static let refresh = Flow(isSignedIn: true) { _, outcome in
        outcome.tokens = try await outcome.session?.refresh()
    }

    /// A call of an API with the access token.
    static let call = Flow(isSignedIn: true) { _, outcome in
        outcome.response = try await outcome.session?.send(HTTPRequest(url: "https://api.acme.example/resource"))
    }

    static let signOut = Flow(isSignedIn: true) { _, outcome in
        outcome.signOut = try await outcome.session?.signOut(.revoke)
    }

    static let device = Flow { _, outcome in
        let device = try await outcome.client.beginDeviceSignIn()
        outcome.session = try await outcome.client.completeDeviceSignIn(device)
        outcome.tokens = try await outcome.session?.storedTokens()
    }.served { $0.idToken.claims["nonce"] = nil }

    static let plainSignIn = signIn.of(plain).served(withoutIDToken)

    static let clientCredentials = Flow(provider: plain) { _, outcome in
        outcome.tokens = try await outcome.client.tokens(for: .clientCredentials(scopes: ["profile"]))
    }

    static let register = Flow { scenario, outcome in
        let registrar = ClientRegistrar(transport: scenario)
        outcome.registered = try await registrar.register(
            ClientMetadata(redirectURIs: [Scenario.redirectURI]),
            at: try await registrar.discovered(outcome.client.provider))
    }

    static let withoutIDToken: @Sendable (inout Script) -> Void = { script in
        script.token["id_token"] = nil
        script.refresh["id_token"] = nil
    }

    func of(_ provider: String) -> Flow {
        var flow = self
        flow.provider = provider
        return flow
    }

    func adding(_ yaml: String) -> Flow { of(provider + yaml + "\n") }

    func served(_ change: @escaping @Sendable (inout Script) -> Void) -> Flow {
        var flow = self
        flow.server = change
        return flow
    }

    func limited(_ limits: TransportLimits) -> Flow {
        var flow = self
        flow.limits = limits
        return flow
    }

    func with(_ change: (inout AuthorizationOptions) -> Void) -> Flow {
        var flow = self
        change(&flow.options)
        return flow
    }

    func registered(_ change: @escaping @Sendable (inout ClientRegistration) -> Void) -> Flow {
        var flow = self
        flow.registration = change
        return flow
    }
}

extension Flow {
    init(
        provider: String = Self.openID,
        isSignedIn: Bool = false,
        act: @escaping @Sendable (Scenario, inout Outcome) async throws -> Void
    ) {
        self.provider = provider
        self.isSignedIn = isSignedIn
        self.act = act
    }

    /// Runs it; the change of the script comes once everything before the act is done.
    func run(_ scenario: Scenario, _ change: (inout Script) throws -> Void) async throws -> Outcome {
        scenario.change(server)
        var outcome = Outcome(client: try client(of: scenario), options: options)
        if isSignedIn { outcome.session = try await outcome.client.signIn(at: scenario, options) }
        try await scenario.turnHostile()
        try scenario.change(change)
        try await act(scenario, &outcome)
        return outcome
    }

    /// Expects that it ends with an error even at a good server.
    @discardableResult
    func expectRefusal(
        _ kind: OAuthError.Kind, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> OAuthError? {
        await AttackTests.expectRefusal(kind, sourceLocation: sourceLocation) { try await run(Scenario()) { _ in } }
    }

    func client(of scenario: Scenario) throws -> OAuthClient {
        var registration = ClientRegistration(
            clientID: Scenario.clientID,
            credentials: .secret(Secret(Scenario.clientSecret)),
            redirectURI: Scenario.redirectURI
        )
        self.registration(&registration)
        let keyLines = registration.certificate?.privateKeyPEM.reveal().split(separator: "\n") ?? []
        scenario.remember(keyLines.filter { !$0.hasPrefix("-----") }.map(String.init))
        scenario.remember([registration.clientSecret?.reveal() ?? ""])
        return try OAuthClient(
            try Fixture.descriptor(provider),
            registration: registration,
            transport: scenario,
            store: scenario.store,
            limits: limits,
            clock: scenario.clock,
            observer: scenario.output,
            logger: scenario.output.logger
        )
    }
}

extension OAuthClient {
    /// A sign-in whose user consents.
    func signIn(at scenario: Scenario, _ options: AuthorizationOptions = .init()) async throws -> Session {
        let request = try await beginSignIn(options)
        return try await completeSignIn(scenario.callback(request), for: request.pending)
    }
}
