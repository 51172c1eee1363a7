public import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol
public import Logging

extension ClientRegistration {
    /// The registration of a client at a provider, as the command `carnet` reads it: from the values given here, then from
    /// the provider's entry of a clients file, then from environment variables such as `CARNET_ACME_CLIENT_ID` and
    /// `CARNET_ACME_CLIENT_SECRET`. A source with another client id than the first one counts only for its inputs.
    ///
    /// - Parameters:
    ///   - redirectURI: As registered; without one in any source, a loopback URI that the descriptor accepts.
    ///   - inputs: Inputs of the descriptor, such as a tenant; they precede those of the file and the environment.
    ///   - clients: The path of a clients file, such as `clients.yaml`. Secrets may be in further files that it names.
    ///   - environment: The process's environment variables by default.
    ///   - logger: Gets a warning for each file with a secret that other users of the machine can read.
    /// - Throws: An error that names each mistake of the file with line and column, or the missing value and where it can
    ///   be given; `SourceFileError` for a file that cannot be read.
    public init(
        of descriptor: ProviderDescriptor, clientID: String? = nil, redirectURI: String? = nil,
        inputs: [String: String] = [:], clients: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        logger: Logger = Logger(label: "carnet", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws {
        var sources = [ClientSource(clientID: clientID, redirectURI: redirectURI, inputs: inputs)]
        if let clients {
            let file = ClientsFile(try SourceFile(readingFrom: clients))
            guard file.diagnostics.isEmpty else { throw RegistrationError(file) }
            for (path, what) in file.exposedFiles(isSecret: { id, input in
                id == descriptor.id && descriptor.everyEnvironment.contains { $0.hasSecretInput(input) }
            }) {
                logger.warning(
                    "Other users of the machine can read a secret",
                    metadata: ["file": .string(path.quotable()), "content": .string(what)])
            }
            if let source = try file.source(for: descriptor.id, environment: environment) { sources.append(source) }
        }
        sources.append(try ClientSource(of: descriptor, in: environment))
        let source = ClientSource(merging: sources + [ClientSource(publishedBy: descriptor)])
        let variable = ClientSource.variable(descriptor.id, "CLIENT_ID")
        guard let clientID = source.clientID else {
            throw RegistrationError(
                "no client id for \(descriptor.id)",
                next: [
                    "pass one, or set \(variable),",
                    "or write \(descriptor.id): { client_id: ID } in \(clients ?? "a clients file")",
                ])
        }
        guard let redirectURI = source.redirectURI ?? Self.loopbackURI(for: descriptor) else {
            throw RegistrationError(
                "no redirect URI for \(descriptor.id), which accepts none on loopback",
                next: ["accepted forms: " + descriptor.redirects.map(\.description).joined(separator: "  ")])
        }
        self.init(source, clientID: clientID, redirectURI: redirectURI)
    }

    package init(_ source: ClientSource, clientID: String, redirectURI: String) {
        self.init(
            clientID: clientID,
            credentials: .available(
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
    package static func loopbackURI(for descriptor: ProviderDescriptor) -> String? {
        ["http://127.0.0.1/callback", "http://localhost/callback"].first { uri in
            descriptor.redirects.isEmpty || descriptor.redirects.contains { $0.matches(uri) }
        }
    }
}
