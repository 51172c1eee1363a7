import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

@testable import CarnetSimulation

/// What Carnet does at one provider: the requests that the engine builds for a test client, and what it reads in responses.
struct ProviderConduct {
    let simulation: Simulation
    private let resolved: Provider

    init(_ id: String) throws {
        let descriptor = try ProviderRegistry.builtIn.descriptor(ProviderID(rawValue: id))
        resolved = try descriptor.resolve(inputs: descriptor.simulatedInputs().values)
        simulation = Simulation(resolved)
    }

    var provider: FilledProvider { simulation.provider }

    /// The request of a step; `nil` if Carnet makes none at this provider.
    func request(_ step: SimulatedStep) throws -> SentRequest? {
        guard simulation.steps.contains(step) else { return nil }
        // An invented endpoint stands for one that only the metadata would name.
        if step == .revocation, simulation.inventedEndpoints.contains(.revocation) { return nil }
        return SentRequest(try simulation.request(step))
    }

    func deviceRequest() throws -> SentRequest? {
        guard provider.endpoints[.deviceAuthorization] != nil else { return nil }
        let context = RequestContext(
            at: provider, as: simulation.registration, random: SimulatedRandomSource(), now: Simulation.now)
        return SentRequest(SimulatedRequest(try DeviceAuthorization.request(in: context).request))
    }

    /// The authorization request of a host that wants a refresh token, or of one that wants none.
    func authorizationRequest(isOffline: Bool) throws -> SentRequest {
        let options = AuthorizationOptions(requestsRefreshToken: isOffline)
        let request = try AuthorizationRequest(
            to: provider.discovered, as: simulation.registration, options: options, random: SimulatedRandomSource(),
            now: Simulation.now)
        return SentRequest(url: request.url)
    }

    /// The authorization request for two scopes of which no provider knows anything.
    func requestForTwoScopes() throws -> SentRequest {
        let simulation = Simulation(resolved, scopes: ["first1", "second2"])
        return SentRequest(try simulation.request(.authorization))
    }

    /// How the client authenticates in the token request, with each method that the provider accepts.
    func authentication() throws -> Set<String> {
        var found = Set<String>()
        for method in provider.client.authentication {
            let request = SentRequest(try Simulation(resolved, authenticationMethod: method).request(.token))
            found.insert(request.clientAuthentication)
        }
        return found
    }

    /// A claim of the profile for a response with a value at one place: among the sample's values, else alone.
    func claim(_ name: String, ofValueAt pointer: JSONPointer) throws -> Bool {
        let marker = "marked-value"
        let sample = provider.profile.source == .tokenResponse ? provider.samples.token : provider.samples.userinfo
        return try [sample ?? [:], [:]].contains { body in
            var body = body
            body.set(.string(marker), at: pointer)
            let profile = try Profile(stored: body.jsonText(), from: provider)
            if profile[name]?.scalarText == marker { return true }
            return try provider.profile.requests.contains { further in
                let request = try Profile.request(further, simulation.tokens, at: provider)
                let response = IncomingResponse(
                    head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
                    body: Array(body.jsonText().utf8))
                return try profile.adding(response, to: request, for: further, from: provider)[name]?.scalarText
                    == marker
            }
        }
    }

    /// The refresh token that is left after a refresh whose response has none.
    var keepsRefreshToken: Bool {
        get throws {
            var body = provider.samples.refresh ?? provider.samples.token ?? [:]
            for pointer in provider.refreshResponse.fields.refreshToken.pointers where body[pointer] != nil {
                body.set(.null, at: pointer)
            }
            let response = try simulation.validate(token: body, isRefresh: true)
            let tokens = simulation.tokens.merging(
                response, rotation: provider.refresh.rotation, now: Simulation.now)
            return tokens.refreshToken != nil
        }
    }

    /// The error code that the engine reads in the response to a refused refresh; `nil` if it reads none.
    func refusedRefresh(status: Int, body: String) throws -> String? {
        let response = IncomingResponse(
            head: HTTPResponse(status: .init(code: status), headerFields: [.contentType: "application/json"]),
            body: Array(body.utf8))
        do {
            _ = try TokenResponse(
                validating: response, to: try simulation.refreshRequest(), from: provider, refreshing: simulation.tokens
            )
            return nil
        } catch let error as OAuthError {
            return error.kind == .serverError ? error.server?.code : nil
        }
    }

    /// Whether a sign-in brings something to refresh with.
    var refreshes: Bool {
        get throws {
            if provider.refresh.using == .accessToken { return true }
            if !provider.authorization.offlineParameters.isEmpty || !provider.scopes.offline.isEmpty { return true }
            guard let sample = provider.samples.token else { return false }
            return try simulation.validate(token: sample).refreshToken != nil
        }
    }

    var lifetime: Int? {
        get throws {
            guard let sample = provider.samples.token else { return nil }
            let tokens = TokenSet(try simulation.validate(token: sample), requested: [], now: Simulation.now)
            return tokens.expiresAt.map { Int($0.timeIntervalSince(tokens.issuedAt).rounded()) }
        }
    }

    /// The lifetime of the refresh token in seconds; `nil` if the sample does not say it.
    var refreshTokenLifetime: Int? {
        get throws {
            guard let sample = provider.samples.token else { return nil }
            let tokens = TokenSet(try simulation.validate(token: sample), requested: [], now: Simulation.now)
            return tokens.refreshTokenExpiresAt.map { Int($0.timeIntervalSince(tokens.issuedAt).rounded()) }
        }
    }

    /// Whether Carnet accepts a token response with this type.
    func accepts(tokenType: String) throws -> Bool {
        guard var body = provider.samples.token else { return false }
        let rules = provider.token.response
        for pointer in rules.fields.tokenType.pointers.prefix(1) {
            body.set(.string(tokenType), at: JSONPointer(tokens: rules.root.tokens + pointer.tokens))
        }
        return (try? simulation.validate(token: body)) != nil
    }

    var acceptsLoopback: Bool {
        SimulatedRedirectURI.fitting(provider.redirects).map { $0.hasPrefix("http://") } ?? false
    }
}
