import ArgumentParser
import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetWeb
import Hummingbird
import HummingbirdCore
import Logging
import Metrics

struct GatewayCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Run a gateway beside a reverse proxy: it signs people in, and decides about requests.",
        discussion: """
            The proxy, such as nginx, Caddy, Traefik, HAProxy or Apache, asks the gateway about each request. The gateway file \
            says who may open what. Without a file, the command prints a small one. At each provider, register the redirect \
            URI ORIGIN/carnet/sign-in/PROVIDER/callback.

            The gateway reads its file again when the file, a secret in a file or a folder of providers changes, and at \
            SIGHUP. With mistakes in the file, it goes on with the version before. At SIGTERM, it completes the requests in \
            progress.

            With check, the command prints the decision about a request, without a server. With proxy, it prints the \
            configuration of nginx, caddy, traefik, haproxy or apache for the gateway file. With sessions list and sessions end, see and end the sign-ins of people, also while the gateway runs.

            Examples:
              carnet gateway
              carnet gateway gateway.yaml --sandbox
              carnet gateway gateway.yaml --bind 10.0.0.5 --port 4180
              carnet gateway gateway.yaml --socket /run/carnet/gateway.sock
              carnet gateway check gateway.yaml GET https://apps.example/admin
              carnet gateway check gateway.yaml GET https://apps.example/admin --as provider=acme groups=ops
              carnet gateway check gateway.yaml --requests requests.yaml
              carnet gateway proxy nginx gateway.yaml --output /etc/nginx --program wiki.apps.example=http://127.0.0.1:9001
              carnet gateway sessions list gateway.yaml
              carnet gateway sessions end gateway.yaml --provider acme --subject 1034
            """
    )

    static let isServer = true

    @Argument(
        help: ArgumentHelp(
            "The gateway file; or check, a file, a method and a URL; or proxy, the name of a proxy and a file; or sessions list or end, and a file.",
            valueName: "file"),
        completion: .yamlFile)
    var words: [String] = []

    @Option(help: ArgumentHelp("The port; 0 takes any free one.", valueName: "n"))
    var port: Int = 4180

    @Option(
        help: ArgumentHelp("The address of this machine at which the proxy finds the gateway.", valueName: "address"))
    var bind: String = "127.0.0.1"

    @Option(
        help: ArgumentHelp("A Unix socket instead of a port. Its permissions decide who may ask.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The port of 127.0.0.1 for the page /metrics, which Prometheus reads. Default: none.", valueName: "n"))
    var metricsPort: Int?

    @Flag(help: "Let a sandbox simulate every provider. Sign-ins are forgotten when the gateway ends.")
    var sandbox = false

    @Flag(help: "With --sandbox, show a consent page, to choose the user, the scopes and a fault.")
    var ask = false

    @OptionGroup(title: "Provider options") var providers: ProviderOptions

    @Option(
        help: ArgumentHelp("A YAML file of client registrations, such as acme: { client_id: ID }.", valueName: "file"),
        completion: .yamlFile)
    var clients: String?

    @OptionGroup(title: "Options of check") var check: GatewayCheckOptions
    @OptionGroup(title: "Options of proxy") var proxy: GatewayProxyOptions
    @OptionGroup(title: "Options of sessions end") var ending: GatewaySessionOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be a number from 0 to 65535") }
        guard metricsPort.map((1...65_535).contains) ?? true else {
            throw ValidationError("--metrics-port must be a number from 1 to 65535")
        }
        guard sandbox || !ask else { throw ValidationError("--ask needs --sandbox") }
    }

    func run(_ context: CommandContext) async throws {
        switch words.first {
        case nil: throw Self.printSample(context.console)
        case "check"?: try GatewayCheck(options: check, context).run(Array(words.dropFirst()))
        case "proxy"?:
            try GatewayProxy(proxy, context).run(Array(words.dropFirst()), bind: bind, port: port, socket: socket)
        case "sessions"?: try await GatewaySessions(ending, context).run(Array(words.dropFirst()))
        case let file?:
            guard words.count == 1 else {
                throw Failure(
                    .usage, "\"\(words[1])\" is no argument of this command",
                    next: ["write: carnet gateway \(file.shellWord)"])
            }
            try await serve(file, context)
        }
    }

    private func serve(_ file: String, _ context: CommandContext) async throws {
        let logger = Logger(label: "carnet.gateway") { _ in ConsoleLogHandler(context.console) }
        // Before the first metric is made.
        let metrics = metricsPort.map { (text: MetricsText(), port: $0) }
        if let metrics { MetricsSystem.bootstrap(metrics.text) }
        let stage = sandbox ? GatewaySandbox(asks: ask) : nil
        let loader = try GatewayLoader(
            GatewayLoader.Options(path: file, providers: providers.folders, clients: clients), context, sandbox: stage,
            logger: logger)
        let inputs = loader.inputs()
        let version = try await loader.load()
        let server = GatewayServer(
            site: GatewaySite(version, logger: logger), loader: loader, inputs: inputs, sandbox: stage,
            address: socket.map { .unixDomainSocket(path: $0) } ?? .hostname(bind, port: port),
            metrics: metrics, signals: context.signals, console: context.console)
        let (bind, socket, console) = (bind, socket, context.console)
        try await Failure.explaining(socket.map { .file($0) } ?? .port(port, of: bind, option: "--port")) {
            try await server.run { port in
                let place = socket ?? port.map { "http://\(bind):\($0)" } ?? bind
                console.print(place)
                console.print(json: JSONObject(["url": .string(place)]))
                console.note("the gateway decides about requests of the proxy; Ctrl-C ends it")
                if stage != nil { console.note("a sandbox simulates every provider: anybody can sign in") }
            }
        }
    }

    /// What to write, for somebody who has no file yet.
    private static func printSample(_ console: Console) -> ExitStatus {
        let sample = sample
        console.print(sample)
        console.print(json: JSONObject(["sample": .string(sample)]))
        console.note("write this to gateway.yaml, then run: carnet gateway gateway.yaml --sandbox")
        return .usage
    }

    /// A file with some provider that needs no inputs: it works with --sandbox as it is.
    private static var sample: String {
        let entry = ProviderRegistry.builtIn.entries.first { entry in
            entry.descriptor.inputs.names.isEmpty
                && (try? entry.descriptor.resolve(inputs: [:]))?.canHaveProfile ?? false
        }
        return """
            gateway: 1
            # Where browsers find the proxy.
            origin: http://127.0.0.1:8080
            # Who people sign in with, such as this one: carnet providers lists all.
            providers: [\(entry?.descriptor.id.rawValue ?? "acme")]
            routes:
              - { path: /public/**, allow: anyone }
              - { path: /**, allow: signed_in }
            # For the program behind the proxy.
            headers:
              X-Auth-User: "{account.subject}"
              X-Auth-Email: "{account.email}"
            """
    }
}
