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
        if let page = ErrorPage.page(code) {
            for line in page.lines { context.console.print(line) }
            return context.console.print(json: [
                "kind": .string(page.row.kind.rawValue), "summary": .string(page.row.summary),
                "fixed_by": .string(page.row.fixedBy), "reaction": .string(page.reaction),
                "next": .array(page.steps.map { ["cause": .string($0.cause), "next": .string($0.next)] }),
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
