import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetSimulation

struct LintCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Find mistakes in descriptors and gateway files before anyone signs in.",
        discussion: """
            A path is a file, a folder of .yaml and .yml files, or - for stdin. The default is the folder providers if \
            it exists, otherwise the current folder. To read about a finding, run carnet explain CODE.

            Examples:
              carnet lint
              carnet lint --fix providers/acme.yaml
              carnet lint --format github --fail-on warning
              carnet lint providers --against origin/main
            """)

    @Argument(
        value: "path", "Files and folders to check. Default: providers, else the current folder.", completion: .file())
    var paths: [String] = []

    @Option(
        help: ArgumentHelp("The report's format: text (default), json, sarif or github.", valueName: "format"),
        completion: .list(ReportFormat.allCases.map(\.rawValue)),
        transform: name(of: "--format"))
    var format: ReportFormat?

    @Option(help: ArgumentHelp("The findings that cause exit status 1.", valueName: "level"))
    var failOn = FailureLevel.error

    @Flag(help: "Apply all safe fixes to the files. For stdin, print the fixed text.") var fix = false

    @Option(
        value: "old",
        "Also report what breaks users of an earlier version: a file, a folder or a git revision; REVISION... is the "
            + "point where the current branch left it.", completion: .file())
    var against: String?

    @Option(value: "name", "The file name of stdin in findings.", completion: .file()) var stdinFilename: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Build a test client's requests, and validate the samples as the engine does.")
    var simulate = true

    @Option(value: "url", "The base URL of the rules' pages, for sarif.") var documentation: String?

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if output.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) cannot be combined")
        }
        try refuse(if: documentation != nil && format != .sarif, "--documentation needs --format sarif")
        try refuse(if: stdinFilename != nil && !paths.contains("-"), "--stdin-filename needs the path -, for stdin")
    }

    func run(_ context: CommandContext) async throws {
        let console = context.console
        var input = try LintInput(paths, stdinName: stdinFilename)
        let format = output.json ? .json : format ?? .text
        let fixedStdin =
            try fix ? input.fix(console, with: linter(for: input.files, beside: input.parents, context)) : nil
        let earlier = try against.map { try EarlierVersion(named: $0, of: input) }
        let linter = try linter(
            for: input.files + (earlier?.files.map(\.source) ?? []), beside: input.parents, context)
        var report = linter.lint(files: input.files, unreadable: input.unreadable)
        if let earlier { report.add(linter.changes(in: input.files, since: earlier)) }
        if let fixedStdin {
            // Then stdout gets the fixed text.
            console.print(bytes: fixedStdin.bytes)
            let text = format.reporter(usesColor: console.colorsErrors).render(report)
            console.note(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        } else {
            let reporter: any Reporter =
                format == .sarif
                ? SARIFReporter(
                    documentation: documentation, others: GatewayRuleCatalog.explanations,
                    linter: Linter(others: [GatewayFiles(registry: nil)]))
                : format.reporter(usesColor: format == .text && console.usesColor)
            console.print(bytes: Array(reporter.render(report).utf8))
        }
        if !input.unreadable.isEmpty { throw ExitStatus.usage }
        if failOn.isReached(errors: report.errorCount, warnings: report.warningCount) { throw ExitStatus.failed }
    }
}

extension LintCommand {
    /// A linter that knows the providers which the files may extend or name.
    private func linter(
        for files: [SourceFile], beside parents: [SourceFile], _ context: CommandContext
    ) throws -> Linter {
        // Most files extend nothing; then no folder has to be read. The search stops at each first letter, and x is rare.
        guard files.concurrentMap({ $0.bytes.holds("xtends") || $0.bytes.holds("gateway") }).contains(true) else {
            return Linter(simulator: simulator, others: [GatewayFiles(registry: nil)], today: today)
        }
        let known = try ProviderSources(providers, context, isQuiet: true).registry
        return Linter(
            known: known.adding(parents), simulator: simulator, others: [GatewayFiles(registry: known)], today: today)
    }

    private var today: String { String(SystemWallClock().now.formatted(.iso8601).prefix(10)) }

    private var simulator: SampleSimulator? { simulate ? SampleSimulator() : nil }
}

enum FailureLevel: String, ExpressibleByArgument, CaseIterable {
    case error, warning, never

    func isReached(errors: Int, warnings: Int) -> Bool {
        switch self {
        case .error: errors > 0
        case .warning: errors + warnings > 0
        case .never: false
        }
    }
}
