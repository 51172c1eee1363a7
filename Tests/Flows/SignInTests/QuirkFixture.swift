import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetSandbox
import CarnetSimulation
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// The redirect URI of the fixture as it goes on the wire.
let redirect = "http%3A%2F%2F127.0.0.1%3A49152%2Fcallback"

/// A provider without discovery and with one oddity.
///
/// - Parameter isLinted: Whether it must pass the linter, its requests and samples included.
func oddProvider(_ keys: String, isLinted: Bool = true) throws -> ProviderDescriptor {
    let endpoints = """
        endpoints:
          authorization: https://odd.example/authorize
          token: https://odd.example/token

        """
    let scopes = "scopes: { default: [read] }\n"
    let text =
        "carnet: 1\nid: odd\nname: Odd\n"
        + (keys.hasPrefix("endpoints:") || keys.contains("\nendpoints:") ? "" : endpoints)
        + (keys.hasPrefix("scopes:") || keys.contains("\nscopes:") ? "" : scopes) + keys
    return try isLinted ? lintedDescriptor(text) : descriptor(text)
}

/// A descriptor in which the linter finds no error, its requests and samples included.
func lintedDescriptor(_ text: String) throws -> ProviderDescriptor {
    let linter = Linter(simulator: SampleSimulator())
    let report = linter.lint(files: [SourceFile(path: "odd.yaml", text: text)])
    #expect(report.diagnostics.filter { $0.severity == .error } == [])
    return try descriptor(text)
}

extension SignInFixture {
    /// A fixture for an odd provider.
    init(
        odd keys: String, inputs: [String: String] = [:], secret: String? = nil, signingKey: ClientKey? = nil,
        faults: Set<SandboxFault> = [], isLinted: Bool = true, statuses: [String: Int] = [:]
    ) throws {
        try self.init(
            try oddProvider(keys, isLinted: isLinted), inputs: inputs, secret: secret, signingKey: signingKey,
            faults: faults, statuses: statuses)
    }

    /// The authorization URL of a sign-in, with `*` for what is random.
    func authorizationURL(_ options: AuthorizationOptions = AuthorizationOptions()) async throws -> String {
        masked(try await client.beginSignIn(options).url)
    }

    /// The requests to an endpoint as they went over the wire, with `*` for what is random: method and URL, then the
    /// body on a line of its own if there is one.
    func wire(_ endpoint: EndpointName) async -> [String] {
        await requests(to: endpoint).map { request in
            let body = String(decoding: request.body, as: UTF8.self)
            return masked("\(request.method.rawValue) \(request.url)" + (body.isEmpty ? "" : "\n\(body)"))
        }
    }

    /// The latest request, for any purpose, as `METHOD URL`.
    func last() async throws -> String {
        let request = try #require(await sandbox.requests.last)
        return masked("\(request.method.rawValue) \(request.url)")
    }

    /// A header of that request.
    func lastHeader(_ name: String) async throws -> String? {
        let request = try #require(await sandbox.requests.last)
        return HTTPField.Name(name).flatMap { request.headers[$0] }
    }

    /// The latest response that a test can compare: its JSON without spaces, with `*` for what is random.
    func lastResponse() throws -> String {
        let response = try #require(responses.all.last)
        return try "\(response.status) " + masked(JSONValue(parsing: response.body).jsonText())
    }
}

/// Replaces what is random: 256 bits in base64url are 43 characters.
func masked(_ text: String) -> String {
    text.replacing(/[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/, with: "*")
}
