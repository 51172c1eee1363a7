import ArgumentParser
import Carnet
import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTransport
import HTTPTypes

struct SandboxCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox", abstract: "Run a server on 127.0.0.1 that simulates providers strictly.",
        discussion: """
            The command prints its address to stdout when it is ready. To sign in at the sandbox, run carnet login ID \
            --sandbox ADDRESS. The sandbox knows a test client, and for each provider the client that is configured. It \
            replaces that client's secret and secret inputs, because a real secret must not be sent to a sandbox.

            Faults:\(SandboxFault.allCases.reduce(into: "") { $0 += "\n  \($1.rawValue): \($1.summary)" })

            Examples:
              carnet sandbox acme --port 8400
              carnet sandbox acme --map scopeData.json
              carnet sandbox --providers my-providers --fault bad-signature
              carnet sandbox --resource https://api.acme.example/mcp
            """)

    @Argument(value: "id", "The providers to simulate. Default: all.", completion: .providerIDs) var ids: [String] = []

    @Option(
        "resource", value: "url",
        "The URL of a protected resource to simulate, with its authorization server. Repeatable.")
    var resources: [String] = []

    @Option(help: ArgumentHelp("The port. Default: any free one.", valueName: "n")) var port: Int = 0

    @Flag(name: .customLong("list-faults"), help: "List the faults and exit.") var listsFaults = false

    @Option(
        name: .customLong("fault"),
        help: ArgumentHelp("A fault to simulate. Repeatable.", valueName: "name"),
        completion: .list(SandboxFault.allCases.map(\.rawValue)),
        transform: name(of: "--fault", suggests: true)
    )
    var faults: [SandboxFault] = []

    @Option("back-channel-logout-uri", value: "url", "The back-channel logout URI of all clients.")
    var backChannelLogoutURI: String?

    @Flag(help: "Show a consent page, to choose the user, the scopes and a fault.") var ask = false

    @OptionGroup var map: MapOptions
    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be a number from 0 to 65535") }
    }

    // Swift 6.3.1 crashes while it splits the optimized coroutine, in LLVM's emitSetAndGetSwiftErrorValueAround.
    @_optimize(none)
    func run(_ context: CommandContext) async throws {
        guard !listsFaults else { return listFaults(context.console) }
        let sources = try ProviderSources(providers, context)
        let registrations = try Registrations(client, sources.registry, context)
        let found = try resources.map { try sources.registry.entry(ofResource: ProviderSources.resource($0)) }
        let named = try ids.map { try sources.entry($0) }
        let entries = named.isEmpty && found.isEmpty ? sources.registry.entries : named + found
        guard map.file == nil || entries.count == 1 else {
            throw Failure(.usage, "--map is for one provider", next: ["name it: carnet sandbox ID --map FILE"])
        }
        var impersonated: [Provider] = []
        var clients: [ProviderID: [SandboxClient]] = [:]
        for entry in entries {
            let source = try registrations.source(for: entry.descriptor)
            let provider = try await ProviderFailure(entry: entry).explaining {
                let descriptor = try entry.descriptor.variant(source.environment)
                return try descriptor.resolve(
                    inputs: descriptor.exampleInputs(source.inputs, clientID: SimulatedClient.clientID))
            }
            impersonated.append(provider)
            func say(_ fact: String, _ real: String) {
                context.console.note("\(provider.id): \(fact) here, because a real \(real) is never sent to a sandbox")
            }
            if let id = source.clientID, let secret = SimulatedClient.secret(insteadOf: source.clientSecret),
                secret != source.clientSecret
            {
                say("the secret of the client \(id.printable) is \(secret.reveal())", "one")
            }
            for (name, value) in provider.secretInputs.sorted(by: { $0.key < $1.key }) where source.inputs[name] != nil
            {
                say("the input \(name) is \(value.printable)", "secret")
            }
            clients[provider.id] = knownClients(provider, source)
        }
        let sandbox = Sandbox(
            providers: impersonated, clients: clients,
            options: SandboxOptions(
                approval: ask ? .page : .automatic(.sample), faults: Set(faults), offersFaults: ask, deviceInterval: 1))
        if let provider = impersonated.first, let entry = entries.first {
            let mapped = try map.resources(for: provider, of: entry.descriptor, context.console)
            await sandbox.addResources(mapped, of: provider.id)
        }
        if backChannelLogoutURI != nil { await sandbox.sendLogouts(by: logoutSender(context.console)) }
        let names = named.isEmpty && found.isEmpty ? impersonated.map(\.id.rawValue) : ids + resources
        try await serve(sandbox, names, options: client.input.environmentOption + sources.option, context.console)
    }

    private func listFaults(_ console: Console) {
        for fault in SandboxFault.allCases { console.print("\(fault.rawValue): \(fault.summary)") }
        console.print(json: [
            "faults": .array(
                SandboxFault.allCases.map { ["name": .string($0.rawValue), "summary": .string($0.summary)] })
        ])
    }

    /// Posts logout tokens to the clients, and prints the responses.
    private func logoutSender(_ console: Console) -> @Sendable (SandboxLogout) async -> Void {
        let transport = makeNetworkTransport(localAccess: .all)
        return { logout in
            do {
                let url = try WebURL(logout.url)
                let head = HTTPRequest(
                    method: .post, scheme: url.scheme, authority: url.authority, path: url.target,
                    headerFields: [.contentType: SandboxLogout.contentType])
                let request = OutgoingRequest(head: head, body: logout.body)
                let status = try await transport.send(request, limits: TransportLimits(deadline: .seconds(5))).status
                console.note("sent a logout token to \(url.text): \(status)")
            } catch {
                console.warn("the logout token could not be sent to \(logout.url.printable): \(error)")
            }
        }
    }

    private static let loopbackRedirects = ["http://127.0.0.1/callback", "http://localhost/callback"]

    private func knownClients(_ provider: Provider, _ source: ClientSource) -> [SandboxClient] {
        var simulated = SimulatedClient(for: provider, redirectURI: "", inputs: [:], prefersSecret: false).sandboxClient
        simulated.redirectURIs =
            Self.loopbackRedirects + ["http://127.0.0.1" + DemoSite.callbackPath(of: provider.id)]
            + [source.redirectURI].compactMap { $0 }
        var clients = [
            simulated,
            SimulatedClient(
                for: provider, redirectURI: simulated.redirectURIs[0], inputs: [:],
                clientID: SimulatedClient.confidentialClientID, prefersSecret: true
            ).sandboxClient,
        ]
        if let clientID = source.clientID, clientID != simulated.clientID {
            clients.append(
                SandboxClient(
                    clientID: clientID, clientSecret: SimulatedClient.secret(insteadOf: source.clientSecret)?.reveal(),
                    keys: ([source.signingKey].compactMap { $0 } + (source.decryptionKeys ?? [])).map(\.publicJWK),
                    certificate: source.certificate?.chain.first,
                    redirectURIs: source.redirectURI.map { [$0] } ?? Self.loopbackRedirects))
        }
        for index in clients.indices {
            clients[index].postLogoutRedirectURIs = [source.postLogoutRedirectURI].compactMap { $0 }
            clients[index].backChannelLogoutURI = backChannelLogoutURI
        }
        return clients
    }

    /// - Parameter options: Those that a sign-in at the sandbox needs, too.
    private func serve(_ sandbox: Sandbox, _ names: [String], options: String, _ console: Console) async throws {
        let faults = faults
        let server = SandboxServer(sandbox: sandbox, port: port) { address in
            console.print(address.base.text)
            console.print(json: [
                "url": .string(address.base.text), "client_id": .string(SimulatedClient.clientID),
                "providers": .list(names), "faults": .list(faults.map(\.rawValue)),
            ])
            console.note("the sandbox simulates \(names.joined(separator: ", ")); Ctrl-C stops it")
            for fault in faults { console.note("fault \(fault.rawValue): \(fault.summary)") }
            if let name = names.first {
                console.note("sign in with: carnet login \(name) --sandbox \(address.base.text)\(options)")
            }
        }
        try await Failure.explaining(.port(port)) { try await server.run() }
        try Task.checkCancellation()
    }
}
