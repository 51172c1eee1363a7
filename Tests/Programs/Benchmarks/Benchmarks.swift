import ArgumentParser
import CarnetDescriptors
import CarnetFoundation
import Foundation

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure what linting and signing in cost, compared with the least that they could.",
        discussion:
            "It looks for the programs carnet and EventLoop beside itself: swift build -c release makes all three.",
        subcommands: [Measure.self, Serve.self, SignInMany.self],
        defaultSubcommand: Measure.self
    )
}

struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure.")

    @Option(help: ArgumentHelp("Measure these only: \(Group.allCases.map(\.rawValue).joined(separator: ", "))."))
    var only: [Group] = []

    @Flag(help: "Print one JSON document.")
    var json = false

    @Option(help: ArgumentHelp("Write the tables into this page, between its marks.", valueName: "file"))
    var page: String?

    func run() async throws {
        let groups = Group.allCases.filter { only.isEmpty || only.contains($0) }
        var results: [(group: Group, rows: [Row])] = []
        for group in groups {
            let rows = try await group.rows()
            if !json { for row in rows { print(row.line) } }
            results.append((group, rows))
        }
        if json {
            let document: JSONValue = [
                "version": 3, "machine": .string(Machine.description),
                "results": .array(results.flatMap(\.rows).map(\.json)),
            ]
            print(document.jsonText(.indented))
        }
        if let page { try ResultPage(path: page).write(results) }
    }
}
