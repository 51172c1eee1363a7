import ArgumentParser
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetProtocol
import CarnetSimulation

struct ExplainCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Print the page of a lint rule, or explain a kind of error.",
        discussion: """
            Examples:
              carnet explain K001
              carnet explain sessionEnded
            """)

    @Argument(
        value: "code|kind",
        "The code of a finding, such as K001, or a kind of error, such as sessionEnded.", completion: .explained)
    var code: String

    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    func run(_ context: CommandContext) async throws {
        let wanted = code.lowercased()
        if let row = ErrorRow.all.first(where: { $0.kind.rawValue.lowercased() == wanted }) {
            for line in row.lines { context.console.print(line) }
            return context.console.print(json: [
                "kind": .string(row.kind.rawValue), "summary": .string(row.summary),
                "fixed_by": .string(row.fixedBy), "reaction": .string(row.reaction),
                "next": .array(row.advice.map { ["cause": .string($0.cause), "next": .string($0.text)] }),
            ])
        }
        let rule: DiagnosticExplanation
        do throws(UnknownRuleError) {
            rule = try DiagnosticCatalog.rule(code, besides: GatewayRuleCatalog.explanations)
        } catch {
            let kind = nearestName(to: code, in: ErrorRow.all.map(\.kind.rawValue))
            throw Failure(
                .usage,
                kind.map { "no rule and no kind of error is called \"\(code)\"; did you mean \($0)?" }
                    ?? error.description,
                next: ["a finding ends with its code in brackets, such as [K001]"])
        }
        let page = rule.page(by: Linter(simulator: SampleSimulator(), others: [GatewayFiles(registry: nil)]))
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            context.console.print(String(line))
        }
        context.console.print(json: [
            "code": .string(rule.code), "name": .string(rule.name), "severity": .string(rule.severity.rawValue),
            "summary": .string(rule.summary), "rationale": .string(rule.rationale),
            "references": .list(rule.references), "bad": .list(rule.bad), "good": .list(rule.good),
        ])
    }
}

/// The row of an error in `Docs/errors.md`, for a program without the documents.
extension ErrorRow {
    /// What a program does with the error.
    fileprivate var reaction: String {
        // The disposition of an error of the server depends on its code.
        guard kind != .serverError else { return "depends on the code that the server returned" }
        return switch OAuthError(.callback, kind, "").disposition {
        case .signInAgain: "the user signs in again; a retry does not help"
        case .tryLater: "try again later; the tokens are kept"
        case .fixConfiguration: "change the descriptor, the registration or the call; a retry does not help"
        case .refused: "the response or request was discarded, because it cannot be trusted; begin again"
        }
    }

    fileprivate var lines: [String] {
        [
            "\(kind.rawValue): a kind of error of a sign-in or call", "",
            "  what happened    \(summary)", "  who can fix it   \(fixedBy)", "  what to do       \(reaction)",
        ]
            + advice.enumerated().map { index, step in
                (index == 0 ? "  next step        " : "                   ")
                    + (step.cause.isEmpty ? step.text : "\(step.cause): \(step.text)")
            }
    }
}
