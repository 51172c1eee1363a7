import ArgumentParser
import CarnetDescriptors
import CarnetLint
import CarnetSimulation

struct LintCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Find what is wrong with descriptors before anyone signs in with them.",
        discussion: """
            A path is a file, a folder of .yaml and .yml files, or - for stdin. Without a path: the folder providers if \
            there is one, else this folder. carnet explain CODE tells more about a finding.
            """
    )

    @Argument(help: ArgumentHelp("Files and folders to look at.", valueName: "path"))
    var paths: [String] = []

    @Option(help: ArgumentHelp("text, json, sarif or github.", valueName: "format"), transform: reportFormat(named:))
    var format: ReportFormat?

    @Option(help: ArgumentHelp("Which findings give exit status 1: error, warning or never.", valueName: "level"))
    var failOn = FailureLevel.error

    @Flag(help: "Mend what can be mended with certainty, in the files themselves; of stdin, to stdout.")
    var fix = false

    @Option(help: ArgumentHelp("What to call stdin in the findings.", valueName: "name"))
    var stdinFilename: String?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Make a pretend client's requests, and judge the samples as the engine judges answers. Without either flag, "
                + "where a descriptor has samples."
        )
    )
    var simulate: Bool?

    @Option(help: ArgumentHelp("Where the pages of the rules can be read, for sarif.", valueName: "url"))
    var documentation: String?

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if output.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) contradict each other")
        }
    }

    func run(_ context: CommandContext) async throws {
        let console = context.console
        var input = try LintInput(paths, stdinName: stdinFilename)
        let format = output.json ? .json : format ?? .text
        var fixedStdin: SourceFile?
        if fix { fixedStdin = try input.fix(console, with: try linter(for: input.files, context)) }
        let report = try linter(for: input.files, context).lint(files: input.files, unreadable: input.unreadable)
        if let fixedStdin {
            // The mended text is the answer then.
            console.answer(bytes: fixedStdin.bytes)
            console.note(format.reporter(usesColor: console.colorsErrors).render(report).trimmingLastLineBreak)
        } else {
            let reporter: any Reporter =
                format == .sarif
                ? SARIFReporter(documentation: documentation)
                : format.reporter(usesColor: format == .text && console.usesColor)
            let text = reporter.render(report)
            console.answer(bytes: Array(text.utf8))
        }
        if !input.unreadable.isEmpty { throw ExitStatus.usage }
        if failOn.isReached(by: report) { throw ExitStatus.failed }
    }
}

extension LintCommand {
    /// A linter that knows the providers which the files may extend.
    private func linter(for files: [SourceFile], _ context: CommandContext) throws -> Linter {
        // Most files extend nothing; then no folder has to be read.
        guard files.concurrentMap({ $0.bytes.holds("extends") }).contains(true) else {
            return Linter(simulator: simulator)
        }
        var known = try ProviderSources(providers, context, isQuiet: true).registry
        known.add(files, origin: .folder("."))
        return Linter(known: known, simulator: simulator)
    }

    private var simulator: SampleSimulator? {
        simulate == false ? nil : SampleSimulator(needsSamples: simulate == nil)
    }
}

enum FailureLevel: String, ExpressibleByArgument, CaseIterable {
    case error
    case warning
    case never

    func isReached(by report: LintReport) -> Bool {
        switch self {
        case .error: report.errorCount > 0
        case .warning: report.errorCount + report.warningCount > 0
        case .never: false
        }
    }
}

private func reportFormat(named name: String) throws -> ReportFormat {
    guard let format = ReportFormat(rawValue: name) else {
        throw ValidationError("the formats are " + ReportFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return format
}

extension String {
    fileprivate var trimmingLastLineBreak: String { hasSuffix("\n") ? String(dropLast()) : self }
}
