import CarnetStoreTestSupport
import Foundation

// swift build -c release --product FleetBenchmark && .build/release/FleetBenchmark [SECONDS]
//
// What sessions cost in a fleet that shares a PostgreSQL server, which this program starts: every number stands beside
// the same number of bare SELECTs that PostgreSQL's own pgbench made through libpq just before.

let arguments = CommandLine.arguments
if arguments.count == 6, arguments[1] == "worker" {
    try await FleetWorker(
        address: arguments[2], name: arguments[3], task: FleetTask(rawValue: arguments[4]) ?? .give,
        seconds: Double(arguments[5]) ?? 1
    ).run()
} else {
    let seconds = arguments.dropFirst().first.flatMap(Int.init) ?? 3
    let cluster = try PostgreSQLCluster()
    defer { cluster.remove() }
    print("what, processes: a second, bare SELECTs a second with as many connections, ratio")
    for task in [FleetTask.give, .renew] {
        for processes in [1, 2, 4, 8] {
            let address = try cluster.makeDatabase()
            let fleet = try Fleet(
                processes, program: arguments[0], address: address, task: task, seconds: Double(seconds))
            let floor = try cluster.selectsPerSecond(
                connections: processes * FleetWorker.connections, seconds: seconds, in: address)
            let rate = try fleet.run()
            print(
                String(
                    format: "%@, %d: %.0f, %.0f, 1/%.1f", task.words, processes, rate, floor, floor / max(rate, 0.001)))
        }
    }
    let memory = try await SessionMemory(count: 100_000)
    print(
        String(
            format: "100000 sessions: %.0f MiB, of which %.0f MiB are the tokens in the store of the memory",
            memory.mebibytes, memory.storeMebibytes))
}
