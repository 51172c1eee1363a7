import ArgumentParser
import Carnet
import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetWeb
import Hummingbird
import HummingbirdCore
import Logging
import Metrics

struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Run a gateway beside a reverse proxy: it signs people in, and decides about requests.",
        discussion: """
            The proxy, such as nginx, Caddy, Traefik, HAProxy or Apache, asks the gateway about each request. The gateway file \
            says who may open what. carnet gateway FILE is short for carnet gateway serve FILE, whose help has the options.

            Examples:
              carnet gateway gateway.yaml --sandbox
              carnet gateway check gateway.yaml
              carnet gateway proxy caddy gateway.yaml --output /etc/caddy
              carnet gateway sessions list gateway.yaml
            """,
        subcommands: [
            GatewayServeCommand.self, GatewayCheckCommand.self, GatewayProxyCommand.self, GatewaySessionsCommand.self,
        ],
        defaultSubcommand: GatewayServeCommand.self)
}

/// Where the proxy finds the gateway.
struct GatewayAddressOptions: ParsableArguments {
    @Option(
        name: .customLong("port"), help: ArgumentHelp("The gateway's port. Default: 4180.", valueName: "n"))
    var chosenPort: Int?

    @Option(
        name: .customLong("bind"),
        help: ArgumentHelp(
            "The address of this machine at which the proxy finds the gateway. Default: 127.0.0.1.",
            valueName: "address"))
    var chosenBind: String?

    @Option(
        help: ArgumentHelp(
            "A Unix socket instead of a port. Its owner and its group may ask, as far as its folder lets them.",
            valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "How many connections the proxy may open at once. It keeps an eighth of them open.", valueName: "n"))
    var connections: Int = GatewayAddressOptions.defaultConnections

    static let defaultConnections = 2048

    var port: Int { chosenPort ?? 4180 }
    var bind: String { chosenBind ?? "127.0.0.1" }

    /// An IPv6 address has brackets in a URL.
    static func url(of host: String, _ port: Int) -> String {
        "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    func validate() throws {
        guard (16...65_536).contains(connections) else {
            throw ValidationError("--connections must be a number from 16 to 65536")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be a number from 0 to 65535") }
        guard socket != nil else { return }
        try refuse(
            [("--port", chosenPort != nil), ("--bind", chosenBind != nil)], beside: "--socket", "it takes their place")
    }
}

/// The files that a gateway reads besides its own.
struct GatewaySources: ParsableArguments {
    @OptionGroup(title: "Provider options") var providers: ProviderOptions

    @Option(
        help: ArgumentHelp("A YAML file of client registrations, such as acme: { client_id: ID }.", valueName: "file"),
        completion: .yamlFile)
    var clients: String?

    func loader(
        _ file: String, _ context: CommandContext, sandbox: GatewaySandbox? = nil, logger: Logger
    ) throws -> GatewayLoader {
        try GatewayLoader(
            GatewayLoader.Options(path: file, providers: providers.folders, clients: clients), context,
            sandbox: sandbox, logger: logger)
    }
}

struct GatewayServeCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the proxy. Without a file, print a small one.",
        discussion: """
            At each provider, register the redirect URI ORIGIN/carnet/sign-in/PROVIDER/callback.

            The gateway reads its file again when the file, a secret in a file or a folder of providers changes, and at \
            SIGHUP. With mistakes in the file, it goes on with the version before. At SIGTERM, it completes the requests in \
            progress.

            Examples:
              carnet gateway serve
              carnet gateway gateway.yaml --sandbox
              carnet gateway gateway.yaml --bind 10.0.0.5 --port 4180
              carnet gateway gateway.yaml --socket /run/carnet/gateway.sock
            """)

    static let isServer = true

    @Argument(help: ArgumentHelp("The gateway file.", valueName: "file"), completion: .yamlFile)
    var file: String?

    @OptionGroup var address: GatewayAddressOptions

    @Option(help: ArgumentHelp("The port of the page /metrics, which Prometheus reads. Default: none.", valueName: "n"))
    var metricsPort: Int?

    @Option(
        help: ArgumentHelp("The address of this machine for --metrics-port. Default: 127.0.0.1.", valueName: "address"))
    var metricsBind: String?

    @Flag(help: "Let a sandbox simulate every provider. Sign-ins are forgotten when the gateway ends.")
    var sandbox = false

    @Flag(help: "With --sandbox, show a consent page, to choose the user, the scopes and a fault.")
    var ask = false

    @OptionGroup var sources: GatewaySources
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard metricsPort.map((1...65_535).contains) ?? true else {
            throw ValidationError("--metrics-port must be a number from 1 to 65535")
        }
        guard metricsPort != nil || metricsBind == nil else {
            throw ValidationError("--metrics-bind needs --metrics-port")
        }
        guard sandbox || !ask else { throw ValidationError("--ask needs --sandbox") }
    }

    func run(_ context: CommandContext) async throws {
        guard let file else { return Self.printSample(context.console) }
        let logger = Logger(label: "carnet.gateway") { _ in ConsoleLogHandler(context.console) }
        // Before the first metric is made.
        let metrics = metricsPort.map { (text: MetricsText(), address: metricsBind ?? "127.0.0.1", port: $0) }
        if let metrics { MetricsSystem.bootstrap(metrics.text) }
        let stage = sandbox ? GatewaySandbox(asks: ask) : nil
        let loader = try sources.loader(file, context, sandbox: stage, logger: logger)
        let inputs = loader.inputs()
        let version: GatewayVersion
        do {
            version = try await loader.load()
        } catch let error as GatewayMistakes {
            throw error.failure(context.console)
        }
        let summary = loader.lastSummary.withLock { $0 }
        summary?.report(context.console)
        let (bind, port, socket, console) = (address.bind, address.port, address.socket, context.console)
        let server = GatewayServer(
            site: GatewaySite(version, logger: logger), loader: loader, inputs: inputs, sandbox: stage,
            address: socket.map { .unixDomainSocket(path: $0) } ?? .hostname(bind, port: port),
            connections: address.connections, metrics: metrics, signals: context.signals, console: console)
        let opening = try socket.map { try GatewaySocket($0) }
        try await Failure.explaining(socket.map { .file($0) } ?? .port(port, of: bind, option: "--port")) {
            try await server.run { port in
                opening?.hasOpened()
                let place = socket ?? port.map { GatewayAddressOptions.url(of: bind, $0) } ?? bind
                console.print(place)
                console.print(json: ["url": .string(place)])
                if let summary { console.note(summary.line.printable) }
                console.note("the gateway decides about requests of the proxy; Ctrl-C ends it")
                if stage != nil { console.note("a sandbox simulates every provider: anybody can sign in") }
            }
        }
    }

    /// What to write, for somebody who has no file yet.
    private static func printSample(_ console: Console) {
        let sample = sample
        console.print(sample)
        console.print(json: ["sample": .string(sample)])
        console.note("write this to gateway.yaml, then run: carnet gateway gateway.yaml --sandbox")
    }

    /// A file that works with --sandbox as it is, and with a client of one's own: its provider has no inputs, identifies people
    /// by OpenID Connect with their verified address, and accepts a redirect URI of this machine.
    private static var sample: String {
        let origin = "http://127.0.0.1:8080"
        let entry = ProviderRegistry.builtIn.entries.first { entry in
            let descriptor = entry.descriptor
            let redirectURI = origin + GatewayPaths.callback(of: descriptor.id)
            return descriptor.inputs.names.isEmpty && descriptor.issuer != nil
                && descriptor.scopes.defaults == ["openid", "profile", "email"]
                && descriptor.redirects.contains { $0.matches(redirectURI) }
        }
        return """
            gateway: 1
            # Where browsers find the proxy.
            origin: \(origin)
            # Who people sign in with, such as this one: carnet providers lists all.
            providers: [\(entry?.descriptor.id.rawValue ?? "acme")]
            routes:
              - { path: /public/**, allow: anyone }
              # Change this to the domain of your people's verified addresses, or write email: [you@example.com].
              - { path: /**, allow: { email_domain: example.com } }
            # For the program behind the proxy.
            headers:
              X-Auth-User: "{account.id}"
              X-Auth-Email: "{account.email}"
            """
    }
}
