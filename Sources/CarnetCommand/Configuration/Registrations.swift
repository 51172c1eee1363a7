import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// Finds the client registration for a provider: options first, then `--clients`, then the environment, then the user's
/// own `clients.yaml`, then what a stored account was signed in with.
struct Registrations {
    private let options: ClientOptions
    private let environment: HostEnvironment
    private let files: [ClientsFile]
    private let explicitFileCount: Int

    /// - Throws: `Failure` if a clients file cannot be read or has mistakes.
    init(_ options: ClientOptions, _ context: CommandContext) throws {
        self.options = options
        environment = context.environment
        var files: [ClientsFile] = []
        if let path = options.clients { files.append(ClientsFile(try SourceFile(readingFrom: path))) }
        explicitFileCount = files.count
        let own = Self.ownFile(context.environment)
        if FileManager.default.fileExists(atPath: own) { files.append(ClientsFile(try SourceFile(readingFrom: own))) }
        for file in files {
            guard file.diagnostics.isEmpty else { throw Failure(clientsFile: file, context.console) }
            for (path, what) in file.exposedFiles {
                let path = context.environment.shortened(path).printable
                context.console.warn(
                    "\(path) contains a \(what) and is readable by other users; run: chmod 600 '\(path)'")
            }
        }
        self.files = files
    }

    private static func ownFile(_ environment: HostEnvironment) -> String {
        environment.configurationFolder + "/clients.yaml"
    }

    /// The merged values for a provider from all sources.
    ///
    /// - Throws: `Failure` if a secret is not where it should be.
    func source(for descriptor: ProviderDescriptor, stored: Connection? = nil) throws -> ClientSource {
        var sources = [ClientSource]()
        var given = ClientSource()
        given.clientID = options.clientID
        given.redirectURI = options.redirectURI
        given.inputs = options.input.values
        given.environment = options.input.environment
        if let name = options.clientSecretEnv {
            guard let secret = environment[name], !secret.isEmpty else {
                throw Failure(.usage, "--client-secret-env \(name): the variable is not set")
            }
            given.clientSecret = Secret(secret)
        }
        sources.append(given)
        let read = try files.map { try $0.source(for: descriptor.id, environment: environment) ?? ClientSource() }
        sources += read.prefix(explicitFileCount)
        sources.append(try ClientSource(of: descriptor, in: environment))
        sources += read.dropFirst(explicitFileCount)
        if let stored {
            sources.append(
                ClientSource(clientID: stored.clientID, inputs: stored.inputs, environment: stored.environment))
        }
        return ClientSource(merging: sources)
    }

    /// The registration for a provider.
    ///
    /// - Parameter stored: The account that it is for; it knows the client id, inputs and environment that it was
    ///   signed in with.
    /// - Throws: `Failure` that says where a client id can be given.
    func registration(for descriptor: ProviderDescriptor, stored: Connection? = nil) throws -> ClientRegistration {
        let source = try source(for: descriptor, stored: stored)
        let redirectURI = source.redirectURI ?? Self.defaultRedirectURI(for: descriptor)
        guard let clientID = source.clientID else { throw missingClientID(descriptor, redirectURI) }
        guard let redirectURI = redirectURI ?? stored.map({ _ in "" }) else {
            throw Failure(
                .usage,
                "\(descriptor.name) accepts no redirect URI on loopback",
                details: [Failure.Detail(name: "descriptor_key", text: "redirects")],
                next: [
                    "add --redirect-uri URI, and --paste to copy the callback by hand",
                    "accepted forms: " + descriptor.redirects.map(\.description).joined(separator: "  "),
                ]
            )
        }
        return ClientRegistration(
            clientID: clientID,
            credentials: .held(
                secret: source.clientSecret, signingKey: source.signingKey, certificate: source.certificate,
                decryptionKeys: source.decryptionKeys ?? [], dpopKey: source.dpopKey),
            redirectURI: redirectURI,
            postLogoutRedirectURI: source.postLogoutRedirectURI,
            inputs: source.inputs,
            environment: source.environment,
            scopes: source.scopes,
            origins: source.origins
        )
    }

    /// The redirect URI on loopback that a descriptor accepts, its port left open (RFC 8252, section 7.3).
    static func defaultRedirectURI(for descriptor: ProviderDescriptor) -> String? {
        ["http://127.0.0.1/callback", "http://localhost/callback"].first { uri in
            descriptor.redirects.isEmpty || descriptor.redirects.contains { $0.matches(uri) }
        }
    }

    private func missingClientID(_ descriptor: ProviderDescriptor, _ redirectURI: String?) -> Failure {
        let id = descriptor.id.rawValue
        var next = ["register a client at \(descriptor.name)" + (descriptor.docs.map { ", see \($0)" } ?? "")]
        if let redirectURI { next.append("register the redirect URI \(redirectURI)") }
        let file = environment.shortened(Self.ownFile(environment))
        next.append("then add --client-id ID, or set \(ClientSource.variable(descriptor.id, "CLIENT_ID")),")
        next.append("or write \(id): { client_id: ID } in \(file)")
        var details = [Failure.Detail(name: "step", text: "configuration")]
        if let redirectURI { details.append(Failure.Detail(name: "redirect_uri", text: redirectURI)) }
        return Failure(.usage, "no client id for \(id)", details: details, next: next)
    }

    /// How an input is given.
    static func waysToGive(_ input: String, of id: ProviderID) -> [String] {
        [
            "add --input \(input)=VALUE, or set \(ClientSource.variable(id, "INPUT_" + input.uppercased())),",
            "or set it under inputs in the clients file",
        ]
    }
}
