import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetSimulation

struct LintCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Find mistakes in descriptors and gateway files before anyone signs in.",
        discussion: """
            A path is a file, a folder of .yaml and .yml files, or - for stdin. The default is the folder providers if \
            it exists, otherwise the current folder. To read about a finding, run carnet explain CODE.

            Examples:
              carnet lint
              carnet lint --fix providers/acme.yaml
              carnet lint --format github --fail-on warning
              carnet lint providers --against origin/main
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Files and folders to check. Default: providers, else the current folder.", valueName: "path"),
        completion: .file())
    var paths: [String] = []

    @Option(
        help: ArgumentHelp("The report's format: text (default), json, sarif or github.", valueName: "format"),
        completion: .list(ReportFormat.allCases.map(\.rawValue)),
        transform: reportFormat(named:))
    var format: ReportFormat?

    @Option(
        help: ArgumentHelp(
            "The findings that cause exit status 1.", valueName: "level"))
    var failOn = FailureLevel.error

    @Flag(help: "Apply all safe fixes to the files. For stdin, print the fixed text.")
    var fix = false

    @Option(
        help: ArgumentHelp(
            "Also report what breaks users of an earlier version: a file, a folder or a git revision; REVISION... is the "
                + "point where the current branch left it.",
            valueName: "old"),
        completion: .file())
    var against: String?

    @Option(help: ArgumentHelp("The file name of stdin in findings.", valueName: "name"), completion: .file())
    var stdinFilename: String?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Build a test client's requests, and validate the samples as the engine does. Default: only if a "
                + "descriptor has samples."
        )
    )
    var simulate: Bool?

    @Option(help: ArgumentHelp("The base URL of the rules' pages, for sarif.", valueName: "url"))
    var documentation: String?

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if output.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) cannot be combined")
        }
    }

    func run(_ context: CommandContext) async throws {
        let console = context.console
        var input = try LintInput(paths, stdinName: stdinFilename)
        let format = output.json ? .json : format ?? .text
        var fixedStdin: SourceFile?
        if fix { fixedStdin = try input.fix(console, with: try linter(for: input.files, context)) }
        let earlier = try against.map { try EarlierVersion(named: $0, of: input) }
        let linter = try linter(for: input.files + (earlier?.files.map(\.source) ?? []), context)
        var report = linter.lint(files: input.files, unreadable: input.unreadable)
        if let earlier { report.add(linter.changes(in: input.files, since: earlier)) }
        if let fixedStdin {
            // Then stdout gets the fixed text.
            console.print(bytes: fixedStdin.bytes)
            console.note(format.reporter(usesColor: console.colorsErrors).render(report).trimmingLastLineBreak)
        } else {
            let reporter: any Reporter =
                format == .sarif
                ? SARIFReporter(
                    documentation: documentation, others: GatewayRuleCatalog.explanations,
                    linter: Linter(others: [GatewayFiles(registry: nil)]))
                : format.reporter(usesColor: format == .text && console.usesColor)
            let text = reporter.render(report)
            console.print(bytes: Array(text.utf8))
        }
        if !input.unreadable.isEmpty { throw ExitStatus.usage }
        if failOn.isReached(by: report) { throw ExitStatus.failed }
    }
}

extension LintCommand {
    /// A linter that knows the providers which the files may extend or name.
    private func linter(for files: [SourceFile], _ context: CommandContext) throws -> Linter {
        // Most files extend nothing; then no folder has to be read. The search stops at each first letter, and x is rare.
        guard files.concurrentMap({ $0.bytes.holds("xtends") || $0.bytes.holds("gateway") }).contains(true) else {
            return Linter(simulator: simulator, others: [GatewayFiles(registry: nil)], today: today)
        }
        let known = try ProviderSources(providers, context, isQuiet: true).registry
        return Linter(known: known, simulator: simulator, others: [GatewayFiles(registry: known)], today: today)
    }

    private var today: String { String(SystemWallClock().now.formatted(.iso8601).prefix(10)) }

    private var simulator: SampleSimulator? {
        simulate == false ? nil : SampleSimulator(needsSamples: simulate == nil)
    }
}

enum FailureLevel: String, ExpressibleByArgument, CaseIterable {
    case error
    case warning
    case never

    func isReached(by report: LintReport) -> Bool {
        isReached(errors: report.errorCount, warnings: report.warningCount)
    }

    func isReached(errors: Int, warnings: Int) -> Bool {
        switch self {
        case .error: errors > 0
        case .warning: errors + warnings > 0
        case .never: false
        }
    }
}

private func reportFormat(named name: String) throws -> ReportFormat {
    guard let format = ReportFormat(rawValue: name) else {
        throw ValidationError(
            "--format must be one of: " + ReportFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return format
}

extension String {
    fileprivate var trimmingLastLineBreak: String { hasSuffix("\n") ? String(dropLast()) : self }
}
