import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSimulation
import HTTPTypes

/// Asks the servers of one provider what can be asked without an account, one request for each endpoint.
///
/// The client, its secret, the code and the tokens of the requests are made up. A server that works rejects them in the form
/// that the descriptor describes.
struct Prober {
    static let clientID = "carnet-probe-no-such-client"

    let provider: Provider
    let transport: ProbeTransport
    let limits: TransportLimits
    private let simulation: Simulation

    init(_ provider: Provider, of descriptor: ProviderDescriptor, over transport: ProbeTransport, deadline: Duration) {
        var limits = TransportLimits(deadline: deadline)
        limits.localHosts = descriptor.ownHosts
        (self.provider, self.transport, self.limits) = (provider, transport, limits)
        simulation = Simulation(provider, clientID: Self.clientID)
    }

    private enum Endpoint: String, CaseIterable {
        case metadata
        case authorization
        case token
        case revocation
        case device = "device_authorization"
    }

    private var asked: [Endpoint] {
        Endpoint.allCases.filter { endpoint in
            switch endpoint {
            case .metadata: provider.issuer != nil || provider.discoveryURL != nil
            case .authorization: simulation.names(.authorization)
            case .token: simulation.names(.token)
            case .revocation: simulation.names(.revocation)
            case .device: simulation.names(.deviceAuthorization)
            }
        }
    }

    /// - Parameter report: Called before each request with the name of the endpoint.
    /// - Throws: `CancellationError`.
    func probe(_ report: (String) -> Void) async throws -> [ProbeOutcome] {
        var outcomes: [ProbeOutcome] = []
        // Hosts that asked for a pause are left alone.
        var resting: [String: String] = [:]
        for endpoint in asked {
            report(endpoint.rawValue)
            guard endpoint != .metadata else {
                outcomes.append(try await metadata())
                continue
            }
            let outcome: ProbeOutcome
            do throws(OAuthError) {
                let request = try request(to: endpoint)
                let host = Self.host(of: request.url)
                if let until = resting[host] {
                    outcome = ProbeOutcome(endpoint.rawValue, Self.place(request.url), .rateLimited, until)
                } else {
                    outcome = try await send(request, to: endpoint)
                }
                if outcome.verdict == .rateLimited { resting[host] = outcome.detail }
            } catch {
                if error.kind == .cancelled { throw CancellationError() }
                outcome = ProbeOutcome(endpoint.rawValue, "", .otherForm, "\(error)")
            }
            outcomes.append(outcome)
        }
        return outcomes
    }

    private func request(to endpoint: Endpoint) throws(OAuthError) -> SimulatedRequest {
        switch endpoint {
        case .metadata, .authorization: try simulation.request(.authorization)
        case .token: try simulation.request(.token)
        case .revocation: try simulation.request(.revocation)
        case .device: try simulation.deviceRequest()
        }
    }

    // MARK: Metadata

    private func metadata() async throws -> ProbeOutcome {
        let name = Endpoint.metadata.rawValue
        let url = provider.discoveryURL?.text ?? provider.issuer ?? ""
        do {
            let metadata = try await Discovery(transport: transport, limits: limits).metadata(of: provider)
            let drift = metadata.drift(from: provider).filter { $0.severity == .error }
            let text = drift.map { "\($0.key): \($0.message)" }.joined(separator: "; ")
            return ProbeOutcome(name, url, drift.isEmpty ? .asExpected : .differs, text)
        } catch let error as OAuthError {
            if error.kind == .cancelled { throw CancellationError() }
            if error.status == nil, let failure = transport.lastFailure { return Self.outcome(of: failure, name, url) }
            let (verdict, detail): (ProbeOutcome.Verdict, String) =
                switch error.status {
                case 404?, 410?: (.gone, "")
                case 429?: (.rateLimited, "")
                case (500...)?: (.serverError, "")
                case (300..<400)?: (.moved, "\(error)")
                default: (.otherForm, "\(error)")
                }
            return ProbeOutcome(name, url, verdict, status: error.status, detail)
        }
    }

    // MARK: Other endpoints

    private func send(_ request: SimulatedRequest, to endpoint: Endpoint) async throws(OAuthError) -> ProbeOutcome {
        let place = Self.place(request.url)
        do {
            return judge(try await transport.send(Self.outgoing(request), limits: limits), to: request, endpoint)
        } catch let error as TransportError {
            // A large page is a page.
            if error.kind == .responseTooLarge, endpoint == .authorization {
                return ProbeOutcome(endpoint.rawValue, place, .asExpected, "a large page")
            }
            return Self.outcome(of: error, endpoint.rawValue, place)
        } catch {
            throw OAuthError(.configuration, .cancelled, "cancelled")
        }
    }

    private static func outcome(of error: TransportError, _ name: String, _ url: String) -> ProbeOutcome {
        ProbeOutcome(name, url, error.kind == .tls ? .certificate : .unreachable, error.reason)
    }

    private func judge(
        _ response: IncomingResponse, to request: SimulatedRequest, _ endpoint: Endpoint
    ) -> ProbeOutcome {
        let (status, place) = (response.status, Self.place(request.url))
        func outcome(_ verdict: ProbeOutcome.Verdict, _ detail: String = "") -> ProbeOutcome {
            ProbeOutcome(endpoint.rawValue, place, verdict, status: status, detail)
        }
        switch status {
        case 429:
            let wait = response.head.headerFields[.retryAfter].map { "the server says to retry after \($0)" }
            return outcome(.rateLimited, wait ?? "")
        case 511: return outcome(.captivePage, "a portal of the network wants a sign-in")
        case 300..<400: return redirect(response, to: request, endpoint, outcome)
        default: break
        }
        if endpoint == .token { return judgeToken(response, outcome) }
        // Some servers have the client's id in the path, which is made up.
        switch status {
        case 404, 410: return outcome(place.contains(Self.clientID) ? .asExpected : .gone)
        case 405: return outcome(.otherForm, "the server does not allow the method \(request.method)")
        case 500...: return outcome(.serverError)
        case 403 where endpoint == .authorization: return outcome(.refused)
        default: break
        }
        if endpoint != .authorization, Self.isPage(response), status == 200, !response.body.isEmpty {
            return outcome(.captivePage, "a page instead of a response of the endpoint")
        }
        return outcome(.asExpected)
    }

    /// A working token endpoint rejects the made-up code with an OAuth error, in the form of the descriptor.
    private func judgeToken(
        _ response: IncomingResponse, _ outcome: (ProbeOutcome.Verdict, String) -> ProbeOutcome
    ) -> ProbeOutcome {
        do throws(OAuthError) {
            try simulation.validate(tokenResponse: response)
            return outcome(.otherForm, "the server accepts a made-up code")
        } catch {
            if let server = error.server { return outcome(.asExpected, "error \(server.code)") }
            switch response.status {
            case 404, 410: return outcome(.gone, "")
            case 405: return outcome(.otherForm, "the server does not allow the method")
            case 500...: return outcome(.serverError, "")
            case 403 where Self.isPage(response): return outcome(.refused, "")
            case 200 where Self.isPage(response): return outcome(.captivePage, "a page instead of a token response")
            default: return outcome(.otherForm, "\(error)")
            }
        }
    }

    private static func isPage(_ response: IncomingResponse) -> Bool {
        response.head.headerFields[.contentType]?.lowercased().hasPrefix("text/html") == true
    }

    private func redirect(
        _ response: IncomingResponse, to request: SimulatedRequest, _ endpoint: Endpoint,
        _ outcome: (ProbeOutcome.Verdict, String) -> ProbeOutcome
    ) -> ProbeOutcome {
        let location = response.head.headerFields[.location] ?? ""
        if endpoint == .authorization, location.hasPrefix(simulation.registration.redirectURI) {
            return outcome(.asExpected, "an error for the client")
        }
        let target = location.contains("://") ? Self.host(of: location) : Self.host(of: request.url)
        guard isKnown(target) else { return outcome(.otherDomain, "to \(target)") }
        guard endpoint == .authorization, ![301, 308].contains(response.status) else {
            return outcome(.moved, "to \(Self.place(location))")
        }
        return outcome(.asExpected, "to \(target)")
    }

    /// Whether a host is of the provider: of a domain that one of its endpoints has.
    private func isKnown(_ host: String) -> Bool {
        let own =
            EndpointName.allCases.compactMap { simulation.provider.endpoints[$0]?.host }
            + [provider.issuer, provider.docs].compactMap { $0.map(Self.host) }
        return own.contains { Self.domain(of: $0) == Self.domain(of: host) }
    }

    // MARK: URLs

    private static func outgoing(_ request: SimulatedRequest) -> OutgoingRequest {
        let parts = request.url.split(separator: "://", maxSplits: 1)
        let rest = parts.last ?? ""
        let authority = authority(of: request.url)
        var path = String(rest.dropFirst(authority.count).prefix { $0 != "#" })
        if !path.hasPrefix("/") { path = "/" + path }
        var head = HTTPRequest(
            method: HTTPRequest.Method(rawValue: request.method) ?? .get, scheme: parts.first.map(String.init),
            authority: String(authority), path: path)
        for header in request.headers {
            guard let name = HTTPField.Name(header.name) else { continue }
            head.headerFields.append(HTTPField(name: name, value: header.value))
        }
        return OutgoingRequest(head: head, body: Array(request.body.utf8))
    }

    private static func place(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }

    private static func authority(of url: String) -> Substring {
        (url.split(separator: "://", maxSplits: 1).last ?? "").prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }

    private static func host(of url: String) -> String {
        authority(of: url).split(separator: ":").first.map { $0.lowercased() } ?? ""
    }

    /// The last two labels of a host name; an address is its own domain.
    private static func domain(of host: String) -> String {
        let labels = host.split(separator: ".")
        guard labels.last?.allSatisfy(\.isNumber) != true else { return host }
        return labels.suffix(2).joined(separator: ".")
    }
}
