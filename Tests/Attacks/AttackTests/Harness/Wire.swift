import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTesting
import CarnetTransport
import Foundation
import Testing

/// One endpoint of the provider on a real socket, whose bytes the row writes; the others response in process.
struct Wire: Sendable {
    enum Endpoint: String, CaseIterable, Sendable {
        case metadata, token, jwks, userinfo, revocation, device, pushed

        var step: OAuthError.Step {
            switch self {
            case .metadata: .discovery
            case .token: .tokenRequest
            case .jwks: .keys
            case .userinfo: .profile
            case .revocation: .revocation
            case .device: .deviceAuthorization
            case .pushed: .pushedAuthorization
            }
        }

        fileprivate func yaml(_ url: String) -> String {
            switch self {
            case .metadata: "discovery_url: \(url)\n"
            case .token: ""
            case .jwks: "endpoints: { jwks: \(url) }\n"
            case .userinfo: "endpoints: { userinfo: \(url) }\n"
            case .revocation: "endpoints: { revocation: \(url) }\n"
            case .device: "endpoints: { device_authorization: \(url) }\n"
            case .pushed: "endpoints: { pushed_authorization_request: \(url) }\n"
            }
        }

        /// The flow that asks this endpoint.
        fileprivate var flow: Flow {
            switch self {
            case .revocation:
                Flow(isSignedIn: true) { _, outcome in
                    outcome.signOut = try await outcome.session?.signOut(.revoke)
                    if let failure = outcome.signOut?.failures.first { throw failure }
                }
            case .device: .device
            case .pushed: .signIn.with { $0.delivery.isPushed = true }
            case .userinfo: .profile
            default: .signIn
            }
        }
    }

    let endpoint: Endpoint
    let server: RawServer
    let scenario: Scenario
    let flow: Flow

    static let limits = TransportLimits(maximumBodyBytes: 65_536, deadline: .milliseconds(800))

    /// - Parameter path: What follows the port, before `/x`.
    init(_ endpoint: Endpoint, responding steps: [RawServer.Step], over transport: NetworkTransport) throws {
        self.endpoint = endpoint
        server = try RawServer(steps)
        scenario = Scenario(wire: transport.make(localAccess: .all))
        let url = "http://\(server.authority)/x"
        let flow =
            endpoint == .token
            ? Flow.plainSignIn.of(Flow.plain.replacingOccurrences(of: "https://id.acme.example/token", with: url))
            : endpoint.flow.adding(endpoint.yaml(url))
        self.flow = flow.limited(Self.limits)
    }

    func run() async throws -> Flow.Outcome {
        try await flow.run(scenario) { _ in }
    }

    /// A good response of an endpoint, and its control run.
    static func good(_ endpoint: Endpoint) -> String {
        switch endpoint {
        case .metadata: Script().metadata.json.jsonText()
        case .token: #"{"access_token":"a","token_type":"Bearer"}"#
        case .jwks: Script().keys.json.jsonText()
        case .userinfo: #"{"sub":"user-1"}"#
        case .revocation: "{}"
        case .device: Script().device.json.jsonText()
        case .pushed: #"{"request_uri":"urn:x:y","expires_in":60}"#
        }
    }

    static func response(_ body: String, status: String = "200 OK", fields: [String] = []) -> [RawServer.Step] {
        let head =
            ["HTTP/1.1 \(status)", "Content-Type: application/json", "Content-Length: \(body.utf8.count)"] + fields
            + ["Connection: close"]
        return [.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)]
    }

    /// Expects that an endpoint's raw response ends the flow in an error, with one request and no other origin asked.
    @discardableResult
    static func refuse(
        _ endpoint: Endpoint, _ kind: OAuthError.Kind, responding steps: [RawServer.Step],
        over transport: NetworkTransport,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> OAuthError? {
        try await control(endpoint, over: transport, sourceLocation: sourceLocation)
        let wire = try Wire(endpoint, responding: steps, over: transport)
        defer { wire.server.stop() }
        let error = await expectRefusal(kind, at: endpoint.step, sourceLocation: sourceLocation) {
            try await wire.run()
        }
        // A sign-out asks once for each of the two tokens.
        let expected = endpoint == .revocation ? 2 : 1
        #expect(wire.server.requests.count == expected, sourceLocation: sourceLocation)
        return error
    }

    static func control(
        _ endpoint: Endpoint, over transport: NetworkTransport, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let wire = try Wire(endpoint, responding: response(good(endpoint)), over: transport)
        defer { wire.server.stop() }
        do {
            _ = try await wire.run()
        } catch {
            Issue.record("the control run fails: \(error)", sourceLocation: sourceLocation)
        }
    }
}
