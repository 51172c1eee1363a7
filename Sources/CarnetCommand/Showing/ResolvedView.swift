import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSimulation

/// A provider as the engine sees it, and the requests of a test client.
struct ResolvedView {
    let provider: JSONValue
    /// The requests by step, in their order.
    let requests: JSONValue
    /// Endpoints in the requests that only the provider's metadata name.
    let invented: [String]
    private let registration: ClientRegistration

    init(_ provider: Provider, as source: ClientSource) {
        self.provider = JSONValue(provider)
        let simulation = Simulation(
            provider, clientID: source.clientID, hasSecret: source.clientID == nil ? nil : source.clientSecret != nil,
            redirectURI: source.redirectURI, scopes: source.scopes)
        registration = simulation.registration
        invented = simulation.inventedEndpoints.map(\.rawValue).sorted()
        requests = Self.requests(simulation)
    }

    private static func requests(_ simulation: Simulation) -> JSONValue {
        var requests = JSONObject()
        for step in simulation.steps {
            do throws(OAuthError) {
                requests[step.rawValue] = json(try simulation.request(step))
            } catch {
                requests[step.rawValue] = ["error": .string(error.description)]
            }
        }
        return .object(requests)
    }

    private static func json(_ request: SimulatedRequest) -> JSONValue {
        var object: JSONObject = ["method": .string(request.method), "url": .string(request.url)]
        if !request.headers.isEmpty {
            object["headers"] = .object(JSONObject(request.headers.map { Named($0.name, .string($0.value)) }))
        }
        if !request.body.isEmpty { object["body"] = .string(request.body) }
        return .object(object)
    }

    /// The requests that cannot be made, and why.
    var problems: [String] {
        (requests.object?.members ?? []).compactMap { step in
            step.value["error"]?.string.map { "the \(step.name) request cannot be made: \($0)" }
        }
    }

    /// Two YAML documents: the provider, and the requests.
    var lines: [String] {
        var lines = provider.yamlLines
        lines += [
            "---",
            "# The exact requests of the client \(registration.clientID.printable). Values that begin with simulated- are examples: a sign-in",
            "# generates state, nonce and code verifier, and the server issues the code and the tokens.",
        ]
        if !invented.isEmpty {
            lines.append(
                "# Only the metadata of the provider names these endpoints: \(invented.joined(separator: ", ")).")
        }
        return lines + (["requests": requests] as JSONValue).yamlLines
    }

    var json: JSONObject {
        [
            "resolved": provider,
            "client": [
                "client_id": .string(registration.clientID), "has_secret": .bool(registration.clientSecret != nil),
                "redirect_uri": .string(registration.redirectURI),
            ],
            "requests": requests, "simulated_endpoints": .list(invented),
        ]
    }
}
