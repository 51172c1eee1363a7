import Carnet
import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetTransport

extension GatewayLoader {
    func client(
        of provider: GatewayProvider, _ descriptor: ProviderDescriptor, _ rules: GatewayRules,
        _ registrations: Registrations, _ store: any TokenStore
    ) async throws -> OAuthClient {
        let inputs = Dictionary(provider.inputs.items.map { ($0.name, $0.value) }) { $1 }
        if let sandbox {
            return try await sandbox.client(
                of: descriptor.variant(provider.environment), for: provider, inputs: inputs, at: rules.origin,
                store: store)
        }
        var own = ClientSource()
        own.clientID = provider.clientID
        if let name = provider.clientIDVariable {
            own.clientID = try places.value(of: .environment(name), "client_id", provider.line(of:), environment)
                .reveal()
        }
        own.clientSecret = try provider.clientSecret.map {
            try places.value(of: $0, "client_secret", provider.line(of:), environment)
        }
        (own.inputs, own.environment) = (inputs, provider.environment)
        // A registration of the file is complete. Values of other places are for other clients.
        var source =
            own.clientID == nil ? ClientSource(merging: [own, try registrations.source(for: descriptor)]) : own
        if !descriptor.isFromNamedPlace, source.credential != nil {
            throw Registrations.untrusted(descriptor, with: "the \(source.credential ?? "secret")")
        }
        guard source.clientID != nil || !provider.signsIn else {
            throw missingClientID(of: provider, descriptor, rules)
        }
        // Keys of an issuer need no client; an introspection does.
        if source.clientID == nil { source.clientID = rules.origin.site }
        source.redirectURI = rules.origin.site + GatewayPaths.callback(of: provider.id)
        if provider.returnsAfterSignOut { source.postLogoutRedirectURI = rules.origin.site + GatewayPaths.signedOut }
        var registration = try registrations.registration(for: descriptor, from: source)
        let resolved = try descriptor.variant(registration.environment).resolve(
            inputs: registration.inputs, clientID: registration.clientID)
        if provider.signsIn { try resolved.requireSignIn() }
        if !provider.scopes.isEmpty {
            registration.scopes = (registration.scopes ?? resolved.defaultScopes(of: registration)) + provider.scopes
        }
        return try OAuthClient(
            descriptor, registration: registration,
            transport: makeNetworkTransport(localAccess: .named(by: resolved)), store: store,
            usedTokens: store as? any UsedTokenStore,
            observer: console.isVerbose ? VerboseObserver(console: console) : nil, logger: logger)
    }

    /// Where an operator writes what a registration lacks.
    func writing(_ provider: GatewayProvider, _ descriptor: ProviderDescriptor) -> ProviderFailure.Writing {
        let place = places.place(provider.line(of: "inputs"))
        // A registration of the file is complete.
        let isWhole = provider.clientID != nil || provider.clientIDVariable != nil
        return ProviderFailure.Writing(
            place: places.place(provider.span.start.line),
            input: { input in
                ["write inputs: { \(input): VALUE } at providers, \(place)"]
                    + (isWhole ? [] : Registrations.waysToGive(input, of: descriptor, isOption: false))
            },
            secret: "write client_secret_env: NAME or client_secret_file: PATH at providers, \(place)")
    }

    private func missingClientID(
        of provider: GatewayProvider, _ descriptor: ProviderDescriptor, _ rules: GatewayRules
    ) -> Failure {
        let place = places.place(provider.span.start.line)
        let redirectURI = rules.origin.site + GatewayPaths.callback(of: provider.id)
        return Failure(
            .usage, "\(place): \(provider.id) has no client_id",
            details: [Failure.Detail(name: "redirect_uri", text: redirectURI)],
            next: descriptor.registrationSteps + [
                "register the redirect URI \(redirectURI)"
                    + (provider.returnsAfterSignOut
                        ? " and the post-logout redirect URI \(rules.origin.site + GatewayPaths.signedOut)" : ""),
                "then write { id: \(provider.id), client_id: ID, client_secret_env: NAME } at providers, \(place),",
                "or set \(ClientSource.variable(provider.id, "CLIENT_ID"))",
            ])
    }
}

extension Provider {
    /// - Throws: `Failure` if nobody can sign in at a page, or nothing says who does.
    func requireSignIn() throws {
        guard let obstacle = self.obstacleToSites else { return }
        throw Failure(
            .usage, "\(self.id) has \(obstacle), so nobody can sign in with it at a gateway",
            next: ["write sign_in: false for an issuer of bearer alone, or remove it from providers"])
    }
}
