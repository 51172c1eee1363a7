public import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// A provider whose access tokens a resource server accepts.
public struct TokenIssuer: Sendable {
    package let client: OAuthClient
    /// The names of the resource server in tokens of this provider; that of the server if empty.
    let audiences: [String]
    let introspectsOpaqueTokens: Bool
    /// What each scope of the provider implies.
    let scopes: ResourceMap

    /// Accepts signed JWTs (RFC 9068), which are validated with the provider's published keys.
    ///
    /// - Parameters:
    ///   - inputs: Values of the descriptor's inputs.
    ///   - audiences: The names of the resource server in the provider's tokens; by default its resource identifier.
    /// - Throws: `ResolutionError` if an input is missing or invalid.
    public init(
        _ descriptor: ProviderDescriptor, inputs: [String: String] = [:], transport: any Transport,
        audiences: [String] = []
    ) throws {
        let registration = ClientRegistration(clientID: "", redirectURI: "", inputs: inputs)
        self.init(try OAuthClient(descriptor, registration: registration, transport: transport), audiences: audiences)
    }

    /// Accepts the tokens of a client's provider, and shares the client's cached metadata and keys.
    ///
    /// - Parameters:
    ///   - client: Its registration authenticates the introspection requests.
    ///   - audiences: The names of the resource server in the provider's tokens; by default its resource identifier.
    ///   - introspectsOpaqueTokens: Whether tokens that are no JWTs are sent to the provider's introspection endpoint
    ///     (RFC 7662). Only one issuer of a server may do so, because an opaque token does not name its issuer.
    public init(_ client: OAuthClient, audiences: [String] = [], introspectsOpaqueTokens: Bool = false) {
        self.client = client
        self.audiences = audiences
        self.introspectsOpaqueTokens = introspectsOpaqueTokens
        scopes = ResourceMap([], scopes: client.provider.scopes)
    }
}
