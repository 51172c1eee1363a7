import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox

/// The client that every sandbox knows, so that nobody has to register one to try something out.
struct PretendClient {
    static let clientID = "carnet-sandbox"
    /// The one that has a secret where public clients are taken too.
    static let confidentialClientID = "carnet-sandbox-confidential"
    /// No secret at all: it opens a sandbox, which protects nothing.
    private static let secret = "carnet-sandbox-secret"

    let registration: ClientRegistration

    /// - Parameters:
    ///   - prefersSecret: Whether to have a secret where the provider takes one; otherwise
    ///     there is one only where the provider takes no public clients.
    init(
        for provider: Provider,
        redirectURI: String,
        inputs: [String: String],
        scopes: [String]? = nil,
        clientID: String = Self.clientID,
        prefersSecret: Bool
    ) {
        let methods = provider.client.authentication
        let usesSecret = prefersSecret ? methods.contains(where: \.usesSecret) : !methods.contains(.none)
        registration = ClientRegistration(
            clientID: clientID,
            clientSecret: usesSecret ? Secret(Self.secret) : nil,
            redirectURI: redirectURI,
            inputs: inputs,
            environment: provider.environment,
            scopes: scopes
        )
    }

    /// The same client as the sandbox knows it.
    var sandboxClient: SandboxClient {
        SandboxClient(
            clientID: registration.clientID,
            clientSecret: registration.clientSecret?.reveal(),
            redirectURIs: [registration.redirectURI]
        )
    }
}
