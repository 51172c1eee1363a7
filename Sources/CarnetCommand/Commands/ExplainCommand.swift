import ArgumentParser
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetSimulation

struct ExplainCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Print the page of a lint rule.",
        discussion: """
            Examples:
              carnet explain K001
            """
    )

    @Argument(help: ArgumentHelp("The code of a finding, such as K001.", valueName: "code"))
    var code: String

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let rule: DiagnosticExplanation
        do throws(UnknownRuleError) {
            rule = try DiagnosticCatalog.rule(code)
        } catch {
            throw Failure(
                .usage, error.description, next: ["a finding ends with its code in brackets, such as [K001]"])
        }
        let page = rule.page(by: Linter(simulator: SampleSimulator()))
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            context.console.print(String(line))
        }
        context.console.print(
            json: JSONObject([
                "code": .string(rule.code), "name": .string(rule.name), "severity": .string(rule.severity.rawValue),
                "summary": .string(rule.summary), "rationale": .string(rule.rationale),
                "references": .list(rule.references), "bad": .list(rule.bad), "good": .list(rule.good),
            ])
        )
    }
}
