import ArgumentParser
import Carnet
import CarnetSandbox
import Hummingbird
import Logging

struct DemoCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show sign-in with every provider in a browser: profile, tokens, resources, and how it went.",
        discussion: """
            A provider with a registration is the real one; all others are a sandbox, and no account is needed. Register \
            http://127.0.0.1:PORT/callback. Nothing is kept when the program ends.
            """
    )

    @Option(help: ArgumentHelp("The port of 127.0.0.1.", valueName: "n"))
    var port: Int = 8400

    @OptionGroup(title: "Provider options") var providers: ProviderOptions

    @Option(help: ArgumentHelp("Client registrations: id -> client_id, client_secret...", valueName: "file"))
    var clients: String?

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard (1...65_535).contains(port) else { throw ValidationError("--port takes a number from 1 to 65535") }
    }

    func run(_ context: CommandContext) async throws {
        let sources = try ProviderSources(providers, environment: context.environment)
        sources.warnAboutBroken(context.console)
        let options = try ClientOptions.parse(clients.map { ["--clients", $0] } ?? [])
        let registrations = try Registrations(options, context)
        let origin = "http://127.0.0.1:\(port)"
        let setup = try DemoSetup(sources.registry, origin: origin) { descriptor in
            let source = try registrations.source(for: descriptor)
            return source.clientID == nil ? nil : try registrations.registration(for: descriptor)
        } refuse: { descriptor, error in
            context.console.warn("\(descriptor.id) is left out: \(error)")
        }
        try await serve(setup, origin, context.console)
    }

    private func serve(_ setup: DemoSetup, _ origin: String, _ console: Console) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (addresses, continuation) = AsyncStream.makeStream(of: SandboxAddress.self)
            group.addTask {
                try await SandboxServer(sandbox: setup.sandbox) { continuation.yield($0) }.run()
            }
            for await address in addresses.prefix(1) {
                let router = try setup.site(address).router()
                let port = port
                group.addTask {
                    let application = Application(
                        router: router,
                        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
                        onServerRunning: { _ in
                            console.answer(origin)
                            console.answer(json: JSONObject(["url": .string(origin)]))
                            console.note("open it in a browser; Ctrl-C stops it")
                        },
                        logger: Logger(label: "carnet.demo") { _ in SwiftLogNoOpLogHandler() }
                    )
                    do {
                        try await application.run()
                    } catch is CancellationError {
                        throw CancellationError()
                    } catch {
                        try Task.checkCancellation()
                        throw Failure(.broken, "port \(port) of 127.0.0.1 cannot be listened on")
                    }
                }
            }
            try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }
}
