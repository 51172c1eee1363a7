import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation

struct DoctorCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this installation: libcurl, certificates, folders, permissions and the clients file.",
        discussion: """
            The command changes nothing and needs no network. Each line says what was checked, and what to do about a \
            problem. The exit status is 1 if there is a problem; a note is none.

            Examples:
              carnet doctor
              carnet doctor --json
            """)

    @Argument(help: .hidden) var misplaced: [String] = []

    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    func validate() throws {
        guard let first = misplaced.first else { return }
        throw ValidationError(
            "doctor checks the installation; to compare a descriptor with the provider's metadata, run carnet compare "
                + first)
    }

    func run(_ context: CommandContext) async throws {
        let console = context.console
        let checks = await Installation(context: context, now: SystemWallClock().now).checks()
        let width = checks.map(\.name.count).max() ?? 0
        for check in checks {
            let style: TextStyle =
                switch check.outcome {
                case .ok: .success
                case .note: .warning
                case .problem: .failure
                }
            let mark = console.paint(check.outcome.rawValue.padded(to: 7), style)
            console.print("\(mark)  \(check.name.padded(to: width))  \(check.text.printable)")
            guard let next = check.next else { continue }
            console.print(String(repeating: " ", count: width + 11) + console.paint("next: ", .faint) + next.printable)
        }
        let problems = checks.count { $0.outcome == .problem }
        console.print(json: ["ok": .bool(problems == 0), "checks": .array(checks.map(\.json))])
        guard problems == 0 else { throw ExitStatus.failed }
    }
}
