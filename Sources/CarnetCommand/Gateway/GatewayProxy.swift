import ArgumentParser
import CDispatch
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetProtocol
import CarnetStorage

struct GatewayProxyCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy", abstract: "Print or write the configuration of a reverse proxy.",
        discussion: """
            The proxies are \(Self.names.joined(separator: ", ")). traefik-kubernetes makes the objects of a cluster.

            Examples:
              carnet gateway proxy nginx gateway.yaml --no-tls
              carnet gateway proxy caddy gateway.yaml --output /etc/caddy --program wiki.apps.example=http://127.0.0.1:9001
            """)

    @Argument(help: ArgumentHelp("The proxy.", valueName: "proxy"), completion: .list(Self.names))
    var name: String

    @Argument(help: ArgumentHelp("The gateway file.", valueName: "file"), completion: .yamlFile)
    var file: String

    @Option(
        name: .customLong("output"),
        help: ArgumentHelp(
            "The folder of the proxy's files, such as /etc/nginx. Default: print the files.", valueName: "dir"),
        completion: .directory)
    var folder: String?

    @Flag(help: "With --output, replace files that exist.")
    var force = false

    @Option(
        name: .customLong("program"),
        help: ArgumentHelp(
            "A host, or a path of it, and the program behind: HOST=URL or HOST/PATH/=URL. May be repeated.",
            valueName: "host=url"))
    var programs: [String] = []

    @Option(
        help: ArgumentHelp(
            "The port at which the proxy takes requests. Default: that of the origin; 8080 with --no-tls.",
            valueName: "n"))
    var listen: Int?

    @Option(
        help: ArgumentHelp(
            "How long a program may take to respond. Default: that of the proxy, 60 seconds for nginx and HAProxy, and no limit for Caddy and Traefik.",
            valueName: "seconds"))
    var timeout: Int?

    @Option(
        help: ArgumentHelp(
            "For an origin with https: the file with the certificate of all hosts and its chain. Caddy can do without. HAProxy: and with the key. traefik-kubernetes: a Secret.",
            valueName: "file"),
        completion: .file())
    var certificate: String?

    @Option(help: ArgumentHelp("The file with the key of --certificate.", valueName: "file"), completion: .file())
    var certificateKey: String?

    @Flag(
        name: .customLong("no-tls"),
        help: "For an origin with https: take plain HTTP, because TLS ends in front of the proxy.")
    var withoutTLS = false

    @OptionGroup var address: GatewayAddressOptions
    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    private static var names: [String] { ProxyKind.all.map(\.name) }

    func run(_ context: CommandContext) async throws {
        let console = context.console
        guard timeout.map((1...86_400).contains) ?? true else {
            throw Failure(.usage, "--timeout must be a number of seconds from 1 to 86400")
        }
        guard let kind = ProxyKind.all.first(where: { $0.name == name.lowercased() }) else {
            throw UsageMistake.unknown(
                name, "proxy", in: Self.names, next: "choose one of \(Self.names.joined(separator: ", "))")
        }
        let source = try SourceFile(readingFrom: file)
        let read = GatewayFile(source)
        guard let rules = read.rules else { throw Failure(diagnostics: read.diagnostics, in: source, console) }
        guard listen.map((1...65_535).contains) ?? true else {
            throw Failure(.usage, "--listen must be a number from 1 to 65535")
        }
        guard !kind.isCluster || listen == nil else {
            throw Failure(
                .usage, "--listen is for a proxy of a machine: a cluster has entry points", next: ["leave it out"])
        }
        let setup = try ProxySetup(
            rules, of: file, in: try configurableFolder() ?? kind.folder, gateway: try gateway(kind),
            tls: try tls(kind, rules, console), port: listen, programs: try programs.map { try ProgramPlace($0) },
            connections: address.connections, timeout: timeout)
        try kind.check(setup)
        if folder == nil {
            show(kind.files(setup), kind, console)
        } else {
            let secret = try secretFile(rules, kind, setup, context.environment)
            try write(kind.files(setup) + [secret].compactMap { $0 }, kind, in: setup.folder, console)
        }
        note(setup, rules, kind, console)
    }

    /// The folder of `--output` as the files of the proxy can name it.
    private func configurableFolder() throws -> String? {
        guard let written = folder else { return nil }
        let folder = URL(filePath: written, directoryHint: .notDirectory).standardizedFileURL.path
        guard ProgramPlace.isPlain(folder) else {
            throw Failure(
                .usage, "--output \(written): a configuration cannot name this folder",
                next: ["choose one with letters, digits, hyphens and dots"])
        }
        guard Path.isFolder(folder) else {
            throw Failure(
                .usage, "--output \(written): no such folder",
                next: ["install the proxy, or create it: mkdir -p \(written.shellWord)"])
        }
        return folder
    }

    /// How the proxy has https; `nil` for plain HTTP.
    private func tls(_ kind: ProxyKind, _ rules: GatewayRules, _ console: Console) throws -> ProxySetup.TLS? {
        let key = certificateKey
        guard rules.origin.scheme == "https", !withoutTLS else {
            guard certificate == nil, key == nil else {
                throw withoutTLS
                    ? Failure(.usage, "--no-tls has no use for a certificate", next: ["leave out one of them"])
                    : Failure(
                        .usage, "\(file): the origin has http, and so no use for a certificate",
                        next: ["write an origin with https, or leave out --certificate"])
            }
            return nil
        }
        func needs(_ what: String, _ options: String) -> Failure {
            Failure(
                .usage, "the origin has https, for which \(kind.name) needs \(what)",
                next: ["add \(options)", "or add --no-tls, if TLS ends in front of \(kind.name)"])
        }
        switch (kind.certificate, certificate, key) {
        case (.filesOrNone, nil, nil): return .automatic
        case (.files, let certificate?, let key?), (.filesOrNone, let certificate?, let key?):
            return .certificate(
                try path(certificate, "--certificate", kind, console),
                key: try path(key, "--certificate-key", kind, console))
        case (.files, _, _), (.filesOrNone, _, _):
            throw needs("certificate and key", "--certificate FILE --certificate-key FILE")
        case (.oneFile, let certificate?, let key) where key == nil || key == certificate + ".key":
            return .certificate(try path(certificate, "--certificate", kind, console), key: nil)
        case (.oneFile, _, _):
            throw needs(
                "one file with certificate, chain and key, or the key in FILE.key",
                "--certificate FILE, without --certificate-key")
        case (.secret, let secret?, nil) where ProgramPlace.isPlain(secret) && !secret.contains("/"):
            return .certificate(secret, key: nil)
        case (.secret, _, _):
            throw needs("a Secret with certificate and key", "--certificate NAME, without --certificate-key")
        }
    }

    /// The path of an option as the files of the proxy can name it.
    private func path(_ written: String, _ option: String, _ kind: ProxyKind, _ console: Console) throws -> String {
        let path = URL(filePath: written, directoryHint: .notDirectory).standardizedFileURL.path
        guard ProgramPlace.isPlain(path) else {
            throw Failure(
                .usage, "\(option) \(written): a configuration cannot name this file",
                next: ["choose a path with letters, digits, hyphens and dots"])
        }
        // Another machine may have it, or this user may not see it.
        if folder != nil, access(path, F_OK) != 0, errno == ENOENT {
            console.warn("\(option) \(written): no such file, without which \(kind.name) does not start")
        }
        return path
    }

    private func gateway(_ kind: ProxyKind) throws -> ProxySetup.Gateway {
        if let socket = address.socket {
            guard kind.takesSockets else {
                throw Failure(
                    .usage, "this configuration of \(kind.name) reaches the gateway by a port",
                    next: ["leave out --socket here and at the gateway"])
            }
            guard socket.hasPrefix("/"), ProgramPlace.isPlain(socket) else {
                throw Failure(
                    .usage, "--socket must be a path that begins with /, of letters, digits, hyphens and dots")
            }
            return .socket(socket)
        }
        let isAny = address.bind == "0.0.0.0" || address.bind == "::"
        guard let place = ProgramPlace.address("\(isAny ? "127.0.0.1" : address.bind):\(address.port)") else {
            throw Failure(
                .usage, "--bind \(address.bind) with --port \(address.port) is no address for a proxy",
                next: ["write an IPv4 address or a name, and a port from 1 to 65535"])
        }
        return .address(place)
    }

    private var startOptions: String {
        let standard = address.connections == GatewayAddressOptions.defaultConnections
        let connections = standard ? "" : " --connections \(address.connections)"
        if let socket = address.socket { return " --socket \(socket.shellWord)\(connections)" }
        return (address.bind == "127.0.0.1" ? "" : " --bind \(address.bind.shellWord)")
            + (address.port == 4180 ? "" : " --port \(address.port)") + connections
    }

    // MARK: - Files

    private func show(_ files: [ProxyFile], _ kind: ProxyKind, _ console: Console) {
        if !console.isJSON { console.print(bytes: Array(files.map(\.text).joined(separator: "\n").utf8)) }
        console.print(
            json: [
                "proxy": .string(kind.name),
                "files": .array(files.map { ["path": .string($0.path), "text": .string($0.text)] }),
            ])
    }

    /// The file with the secret that the gateway has; `nil` if the gateway file names none.
    private func secretFile(
        _ rules: GatewayRules, _ kind: ProxyKind, _ setup: ProxySetup, _ environment: HostEnvironment
    ) throws -> ProxyFile? {
        guard let place = rules.proxy.secret, let variable = setup.secretVariable else { return nil }
        let secret = try GatewayPlaces(file: file)
            .value(of: place, "secret", rules.proxy.line(of:), environment).reveal()
        // No file has to quote these.
        guard secret.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || "-._~+/=".utf8.contains($0) }) else {
            throw Failure(
                .usage, "proxy.secret has a character that a file of \(kind.name) cannot have",
                next: ["make one of letters and digits: openssl rand -hex 32"])
        }
        return kind.secretFile(setup, variable, secret)
    }

    private func write(_ files: [ProxyFile], _ kind: ProxyKind, in folder: String, _ console: Console) throws {
        let files = files.map {
            // Some proxies read their files as a user of their own.
            NewFiles.File(path: "\(folder)/\($0.path)", bytes: Array($0.text.utf8), isPrivate: $0.isPrivate)
        }
        do {
            for parent in Set(files.map { Path.folder(of: $0.path) }) {
                guard Path.isFolder(parent) || mkdir(parent, 0o755) == 0 else { throw TokenStoreError.system(parent) }
            }
            try NewFiles.write(
                files, replacing: force, next: "keep a copy of what is yours, then add --force to replace it")
        } catch let error as TokenStoreError {
            throw Failure(.usage, error.reason, next: ["run the command as a user who may write to \(folder)"])
        }
        for file in files { console.print(file.path.printable) }
        console.print(
            json: ["proxy": .string(kind.name), "files": .array(files.map { ["path": .string($0.path)] })])
    }

    // MARK: - Notes

    /// What is left to do.
    private func note(_ setup: ProxySetup, _ rules: GatewayRules, _ kind: ProxyKind, _ console: Console) {
        for host in setup.hosts {
            if let program = host.programs.first(where: \.isGuess) {
                console.note(
                    "edit: the program of \(host.name) is expected at http://\(program.address); "
                        + "or add --program \(host.name.shellWord)=URL")
            }
            if kind.starIsOneLabel, host.domain != nil {
                console.note("\(kind.name) takes names of one more label only as \(host.name)")
                if case .automatic? = setup.tls {
                    console.note(
                        "\(kind.name) obtains a certificate of \(host.name) only with a module for your DNS provider; or add --certificate FILE --certificate-key FILE"
                    )
                }
            }
        }
        if rules.origin.scheme == "https", setup.tls == nil {
            console.note(
                "plain HTTP: TLS must end in front of \(kind.name), and nobody else may reach it; without --no-tls, \(kind.name) has https itself"
            )
        }
        if folder == nil {
            for file in kind.files(setup) {
                console.note("write to \(setup.folder)/\(file.path) the part that begins with this name")
            }
            if let name = setup.secretVariable {
                let file = kind.secretFile(setup, name, "SECRET")
                console.note(
                    "write to \(setup.folder)/\(file.path), for root alone: \(file.text.trimming(\.isWhitespace)); or add --output, which writes all files"
                )
            }
        }
        if kind.takesSockets, case .address(let address) = setup.gateway, address.hasPrefix("127.") {
            console.note(
                "while the gateway is down, any user of this machine can take its port and let everybody pass; --socket PATH prevents that"
            )
        }
        let start = kind.isCluster ? [] : ["carnet gateway \(file.shellWord)\(startOptions)"]
        for step in start + kind.next(setup) { console.note("next: \(step)") }
        console.note(
            "after a change of hosts, headers, tokens, bearer or the secret in the gateway file, make the files again")
    }
}
