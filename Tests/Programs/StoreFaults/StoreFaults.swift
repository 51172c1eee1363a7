import ArgumentParser
import CarnetStoreTestSupport

/// Plays a fault run and prints what came of it: `swift run StoreFaults --help`.
@main
struct StoreFaults: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "StoreFaults",
        abstract: "Refreshes by several processes whose database connections fail and that are stopped meanwhile.",
        discussion: "The exit status is 1 if a refresh token was sent twice, or a family of tokens lost."
    )

    @Option(help: "How many refreshes there are to be.")
    var refreshes = 10_000

    @Option(help: "How many processes there are.")
    var processes = 6

    @Option(help: "What the faults follow from.")
    var seed: UInt64 = 1

    @Flag(help: "Disturb nothing, to compare.")
    var undisturbed = false

    @Flag(
        help: "Stop processes while they are cut off too, for longer than the lease: what nobody can tell from a death."
    )
    var overlapping = false

    func run() async throws {
        var plan = FaultPlan()
        plan.refreshes = refreshes
        plan.processes = processes
        plan.seed = seed
        plan.isDisturbed = !undisturbed
        plan.overlaps = overlapping
        let report = try await FaultRun(plan).run()
        print(report)
        if !report.reused.isEmpty || !report.lost.isEmpty { throw ExitCode(1) }
    }
}
