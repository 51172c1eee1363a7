import ArgumentParser
import Carnet
import CarnetDemo
import CarnetFoundation
import CarnetSandbox
import CarnetStorage
import CarnetWeb
import Hummingbird
import Logging

struct DemoCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a web site with sign-in for every provider: profile, tokens, resources, and each request.",
        discussion: """
            The demo uses the real provider if it has a client registration. A sandbox simulates all other providers: \
            they need no account. At each real provider, register the redirect URI \
            http://127.0.0.1:PORT/callback/PROVIDER and the post-logout redirect URI http://127.0.0.1:PORT/signed-out. \
            The demo reads changed provider folders and a changed map again. Without --store, it forgets sign-ins when \
            it ends. It always forgets those at the sandbox.

            Examples:
              carnet demo
              carnet demo --port 8081 --clients clients.yaml --store demo-store
            """)

    @Option(help: ArgumentHelp("The port on 127.0.0.1.", valueName: "n")) var port: Int = 8400

    @OptionGroup(title: "Provider options") var providers: ProviderOptions

    @Option(
        value: "file", "A YAML file of client registrations, such as acme: { client_id: ID }.", completion: .yamlFile)
    var clients: String?

    @Option(
        value: "file",
        "A resource map in YAML, or a JSON array of {scope, title, url}, instead of the descriptors' resources.",
        completion: .file())
    var map: String?

    @Option(value: "dir", "Store sign-ins, encrypted, in this folder. Default: memory.", completion: .directory)
    var store: String?

    @Option(value: "url", "The address of a running carnet sandbox. Default: the demo starts one.") var sandbox: String?

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard (1...65_535).contains(port) else { throw ValidationError("--port must be a number from 1 to 65535") }
    }

    func run(_ context: CommandContext) async throws {
        try Failure.checkPort(port)
        let sources = try ProviderSources(providers, context)
        let options = try ClientOptions.parse(clients.map { ["--clients", $0] } ?? [])
        let registrations = try Registrations(options, sources.registry, context)
        let (keys, tokens) = try await kept()
        let setup = await DemoSetup(
            sources.registry, origin: origin, store: tokens,
            running: try sandbox.map(Connector.address), transport: { makeNetworkTransport(localAccess: $0) },
            trial: Self.trial
        ) { descriptor in
            let source = try registrations.source(for: descriptor)
            return source.clientID == nil ? nil : try registrations.registration(for: descriptor)
        } refuse: { descriptor, error in
            // Nobody asked for those that are built in.
            guard (try? sources.registry.entry(named: descriptor.id.rawValue))?.origin != .builtIn else { return }
            context.console.warn("\(descriptor.id) is skipped: \(error)".printable)
        }
        try await serve(setup, keys, watching: sources.folders, context.console)
    }

    /// A sign-in with a descriptor that somebody pasted.
    static let trial: DescriptorReport.Trial = { entry in
        do {
            var steps: [DescriptorReport.Step] = []
            let trial = try Trial(try TrialSetup(entry, inputs: [:], redirectURI: nil)) { step in
                let reason: String? =
                    switch step.outcome {
                    case .passed: nil
                    case .skipped(let reason): reason
                    case .failed(let failure): failure.summary
                    }
                steps.append(DescriptorReport.Step(title: step.title, outcome: step.outcome.name, reason: reason))
            }
            let result = await trial.run()
            return (steps, result.hasFailed)
        } catch {
            throw Failure(describing: error)
        }
    }

    private var origin: String { "http://127.0.0.1:\(port)" }

    /// The store, once it can keep something, and the keys of the cookies: as old as what it keeps.
    private func kept() async throws -> (keys: KeyRing, tokens: any TokenStore) {
        guard let store else {
            return (KeyRing(try EncryptionKey(SystemRandomSource().bytes(count: 32))), MemoryTokenStore())
        }
        do {
            try FileManager.default.createDirectory(
                atPath: store, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(.usage, "--store \(store): the folder cannot be created: \(error.fileReason)")
        }
        let keys = try await StoreKeySource.file("\(store)/cookie-key")
            .keysToEncrypt(in: store, random: SystemRandomSource()) { true }
        let tokens = FileTokenStore(folder: store)
        try await tokens.prepareToSave(ConnectionKey(provider: "", account: ""))
        return (keys, tokens)
    }

    private func serve(_ setup: DemoSetup, _ keys: KeyRing, watching folders: [String], _ console: Console) async throws
    {
        let logger = Logger(label: "carnet.demo") { _ in ConsoleLogHandler(console) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await setup.watch(folders, every: .seconds(1)) { reload in
                    for id in reload.replaced { console.note("\(id) was reloaded") }
                    for id in reload.removed { console.note("\(id) was removed") }
                    for problem in reload.problems { console.warn(problem.printable) }
                }
            }
            let (addresses, continuation) = AsyncStream.makeStream(of: SandboxAddress.self)
            switch setup.stage {
            case .running(let address): continuation.yield(address)
            case .own(let sandbox):
                group.addTask { try await SandboxServer(sandbox: sandbox) { continuation.yield($0) }.run() }
            }
            for await address in addresses.prefix(1) {
                let site = try setup.site(keys: keys, sandbox: address, map: map, logger: logger)
                let (port, origin) = (port, origin)
                group.addTask {
                    let application = site.application(port: port) {
                        console.print(origin)
                        console.print(json: ["url": .string(origin)])
                        console.note("open this address in a browser; Ctrl-C stops the demo")
                    }
                    try await Failure.explaining(.port(port)) { try await application.run() }
                }
            }
            try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }
}
