import CarnetStoreTestSupport
import Foundation

// swift run -c release FleetBenchmark [SECONDS] [ROUNDS]
// swift run -c release FleetBenchmark busy
//
// What sessions cost in a fleet that shares a PostgreSQL server, which this program starts: every number stands beside
// what PostgreSQL's own pgbench did through libpq just before, with as many connections. Medians of the rounds.

/// At once, because the whole takes minutes.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let arguments = CommandLine.arguments
if arguments.count == 6, arguments[1] == "worker" {
    try await FleetWorker(
        address: arguments[2], name: arguments[3], task: FleetTask(rawValue: arguments[4]) ?? .give,
        seconds: Double(arguments[5]) ?? 1
    ).run()
} else if arguments.dropFirst().first == "busy" {
    let server = BusyServer(accounts: 10_000, perSecond: 1000)
    for tasks in [64, 10_000] {
        say(try await server.line(tasks: tasks))
        say(try await server.floorLine(tasks: tasks))
    }
} else {
    let numbers = arguments.dropFirst().compactMap(Int.init)
    let comparison = FleetComparison(
        program: arguments[0], seconds: numbers.first ?? 2, rounds: numbers.dropFirst().first ?? 5)
    let cluster = try PostgreSQLCluster()
    defer { cluster.remove() }
    for task in [FleetTask.give, .refresh] {
        say("\(task.words) | pgbench: \(task.floorWords) | ratio, from best to worst round")
        for processes in [1, 2, 4, 8] { say(try comparison.line(task, processes: processes, in: cluster)) }
    }
    for line in try await SessionMemory.growth(to: 100_000, in: 4) { say(line) }
}
