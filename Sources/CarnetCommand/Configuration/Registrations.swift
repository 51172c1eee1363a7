import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// Finds the client registration for a provider: options first, then `--clients`, then the environment, then the user's
/// own `clients.yaml`, then what a stored account was signed in with.
struct Registrations {
    private let options: ClientOptions
    private let environment: HostEnvironment
    private let console: Console
    private let files: [ClientsFile]
    private let explicitFileCount: Int

    /// - Parameters:
    ///   - registry: Knows which inputs are secret.
    ///   - named: So do these, which are files.
    /// - Throws: `Failure` if a clients file cannot be read or has mistakes.
    init(
        _ options: ClientOptions, _ registry: ProviderRegistry, named: [ProviderRegistry.Entry] = [],
        _ context: CommandContext
    ) throws {
        let named = Dictionary(named.map { ($0.descriptor.id, $0.descriptor) }) { first, _ in first }
        (self.options, environment, console) = (options, context.environment, context.console)
        var files: [ClientsFile] = []
        if let path = options.clients { files.append(ClientsFile(try SourceFile(readingFrom: path))) }
        explicitFileCount = files.count
        let own = Self.ownFile(context.environment)
        // A folder that is a link to nowhere is reported with the providers in it.
        if !Path.isAbsent(own), Path.isFolder(Path.folder(of: own)) {
            files.append(ClientsFile(try SourceFile(readingFrom: own)))
        }
        for file in files {
            guard file.diagnostics.isEmpty else { throw Failure(clientsFile: file, console) }
            var oddities = file.oddities(environment.variables)
            oddities += file.exposedFiles { id, input in
                [named[id], try? registry.descriptor(id)].compactMap { $0 }.flatMap(\.everyEnvironment)
                    .contains { $0.hasSecretInput(input) }
            }.map { path, what in
                let shown = context.environment.shortened(path)
                return "\(shown) contains a \(what) and is readable by other users; run: chmod 600 \(path.shellWord)"
            }
            let path = file.file.path
            // They could send the secret to a server of theirs.
            if Path.isChangeableByOthers(path) {
                let shown = context.environment.shortened(path)
                oddities.append("other users can change \(shown); run: chmod go-w \(path.shellWord)")
            }
            for oddity in oddities { console.warn(oddity.printable) }
        }
        self.files = files
        let secret = options.clientSecretEnv.flatMap { context.environment[$0] }
        for (name, value) in [("--client-id", options.clientID), ("--client-secret-env", secret)] {
            guard let oddity = value?.oddity else { continue }
            context.console.warn("the value of \(name) \(oddity), and is sent as it is written")
        }
    }

    static func ownFile(_ environment: HostEnvironment) -> String {
        environment.configurationFolder + "/clients.yaml"
    }

    /// The environment variables with secrets that the options and the files name, for any provider.
    var secretVariables: Set<String> {
        Set(
            [options.clientSecretEnv].compactMap { $0 } + options.input.variableNames + files.flatMap(\.secretVariables)
        )
    }

    /// The merged values for a provider from all sources.
    ///
    /// - Throws: `Failure` if a secret is not where it should be.
    func source(for descriptor: ProviderDescriptor, stored: Connection? = nil) throws -> ClientSource {
        var given = ClientSource(
            clientID: options.clientID, redirectURI: options.redirectURI,
            inputs: try options.input.values(for: descriptor, environment, console),
            environment: options.input.environment)
        if let name = options.clientSecretEnv {
            given.clientSecret = Secret(try environment.variables.value(ofVariable: name, at: "--client-secret-env"))
        }
        let variables = environment.variables
        let read = try files.map { try $0.source(for: descriptor.id, environment: variables) ?? ClientSource() }
        let explicit = read.prefix(explicitFileCount)
        let usual = [try ClientSource(of: descriptor, in: variables)] + read.dropFirst(explicitFileCount)
        if ([given] + explicit).allSatisfy({ $0.credential == nil }),
            let kind = usual.lazy.compactMap(\.credential).first
        {
            try checkThatNoneMoves(the: kind, of: descriptor, in: explicit)
        }
        let known = stored.map { ClientSource(clientID: $0.clientID, inputs: $0.inputs, environment: $0.environment) }
        return ClientSource(
            merging: [given] + explicit + usual + [known ?? ClientSource(publishedBy: descriptor)])
    }

    /// Checks that a file of `--clients`, which may come with a repository, does not decide where a credential of the
    /// environment or of the user's own file is sent.
    ///
    /// - Throws: `Failure` if a file without a client id has inputs, an environment or origins.
    private func checkThatNoneMoves(
        the kind: String, of descriptor: ProviderDescriptor, in sources: ArraySlice<ClientSource>
    ) throws {
        for (file, source) in zip(files, sources) where source.clientID == nil && source.choosesServers {
            throw Failure(
                .usage,
                "\(file.file.path) chooses the servers of \(descriptor.id), but the \(kind) is from another place",
                next: ["add the client_id to this file if it is for the same client, or pass its inputs as options"])
        }
    }

    /// The provider, with the inputs for requests to its servers.
    ///
    /// - Throws: `Failure` for an input of a descriptor of a place that nobody named, unless an option shows its value:
    ///   only that descriptor says where the input is sent, and whether it is secret.
    func trustedProvider(of descriptor: ProviderDescriptor) throws -> Provider {
        let source = try source(for: descriptor)
        try options.input.check(source.inputs, for: descriptor)
        return try descriptor.resolve(inputs: source.inputs, clientID: source.clientID)
    }

    /// The values for requests to the provider's servers.
    ///
    /// - Throws: `Failure` for a secret or a key without `origins`, which bind it, and for inputs as above.
    private func trustedSource(for descriptor: ProviderDescriptor, stored: Connection?) throws -> ClientSource {
        let source = try source(for: descriptor, stored: stored)
        try options.input.check(source.inputs, for: descriptor, stored: stored)
        if !descriptor.isFromNamedPlace, source.origins == nil, let kind = source.credential {
            var failure = Self.untrusted(descriptor, with: "the \(kind)")
            failure.next.append("or list its servers as origins in the clients file")
            throw failure
        }
        return source
    }

    /// Why a descriptor of a place that nobody named does not get a value.
    static func untrusted(_ descriptor: ProviderDescriptor, with value: String) -> Failure {
        let folder = ProviderSources.unnamedFolder
        let servers = (try? descriptor.resolve(inputs: descriptor.exampleInputs()))?.shared.serverPlaces ?? []
        return Failure(
            .usage,
            "\(descriptor.id) does not get \(value): its descriptor is in ./\(folder), which no option or variable names",
            details: servers.isEmpty ? [] : [Failure.Detail(name: "servers", text: servers.joined(separator: ", "))],
            next: [
                "check the descriptor; if you trust it, add --providers \(folder), or set CARNET_PROVIDERS to the folder's absolute path"
            ])
    }

    /// The registration for a provider.
    ///
    /// - Parameters:
    ///   - stored: The account that it is for; it knows the client id, inputs and environment that it was signed in with.
    ///   - source: The values to make it of.
    ///   - usualURI: The redirect URI unless another is configured; by default a loopback URI that the descriptor accepts.
    /// - Throws: `Failure` that says where a client id can be given.
    func registration(
        for descriptor: ProviderDescriptor, stored: Connection? = nil, from source: ClientSource? = nil,
        usualURI: String? = nil
    ) throws -> ClientRegistration {
        let source = try source ?? trustedSource(for: descriptor, stored: stored)
        let redirectURI = source.redirectURI ?? usualURI ?? ClientRegistration.loopbackURI(for: descriptor)
        guard let clientID = source.clientID else { throw missingClientID(descriptor, redirectURI) }
        guard let redirectURI = redirectURI ?? stored.map({ _ in "" }) else {
            throw Failure(
                .usage, "\(descriptor.name) accepts no redirect URI on loopback",
                details: [Failure.Detail(name: "descriptor_key", text: "redirects")],
                next: [
                    "add --redirect-uri URI, and --paste to copy the callback by hand",
                    "accepted forms: " + descriptor.redirects.map(\.description).joined(separator: "  "),
                ])
        }
        return ClientRegistration(source, clientID: clientID, redirectURI: redirectURI)
    }

    private func missingClientID(_ descriptor: ProviderDescriptor, _ redirectURI: String?) -> Failure {
        let id = descriptor.id.rawValue
        var next = descriptor.registrationSteps
        if let redirectURI { next.append("register the redirect URI \(redirectURI)") }
        let file = environment.shortened(Self.ownFile(environment))
        next.append("then add --client-id ID, or set \(ClientSource.variable(descriptor.id, "CLIENT_ID")),")
        next.append("or write \(id): { client_id: ID } in \(file)")
        for written in files.flatMap(\.ids) where nearestName(to: written, in: [id]) != nil {
            next.insert("or rename the entry \(written) of the clients file to \(id)", at: 0)
        }
        var details = [Failure.Detail(name: "step", text: "configuration")]
        if let redirectURI { details.append(Failure.Detail(name: "redirect_uri", text: redirectURI)) }
        return Failure(.usage, "no client id for \(id)", details: details, next: next)
    }

    /// How an input is given. Other users of the machine can read the options of a command, so a secret is no option.
    ///
    /// - Parameter isOption: Whether the command has the option `--input`.
    static func waysToGive(
        _ input: String, of descriptor: ProviderDescriptor, isOption: Bool = true
    ) -> [String] {
        let variable = ClientSource.variable(descriptor.id, "INPUT_" + input.uppercased())
        let option =
            !isOption ? "or " : descriptor.hasSecretInput(input) ? "" : "add --input \(input)=VALUE, or "
        return ["\(option)set \(variable),", "or set it under inputs in the clients file"]
    }
}

extension ProviderDescriptor {
    /// How a person registers an application, one step a line.
    var registrationSteps: [String] {
        var steps = statusLines
        steps.append(
            "register a client at \(name)" + ((self.register.url ?? docs).map { ", see \($0)" } ?? ""))
        let (id, secret) = (self.register.id, self.register.secret)
        let names = [id.map { "the client id \"\($0)\"" }, secret.map { "the client secret \"\($0)\"" }].compactMap {
            $0
        }
        steps.append(
            names.isEmpty
                ? "which names the console of \(name) has for client id and secret is not known"
                : "\(name) calls \(names.joined(separator: " and "))")
        return steps + self.register.notes
    }

    /// What to know about a provider that is not open to everybody for ever.
    var statusLines: [String] {
        guard let remark = self.status.remark, let reason = self.status.reason else { return [] }
        let verb = self.status.word == "closed" ? "is " : ""
        return ["\(name) \(verb)\(remark): \(reason)" + (self.status.link.map { " (\($0))" } ?? "")]
    }
}
