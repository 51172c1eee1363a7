import CarnetStoreTestSupport
import Foundation

/// A fleet's rate beside its floor, some rounds of each in turn, because other programs use the machine too.
struct FleetComparison {
    let program: String
    let seconds: Int
    let rounds: Int

    func line(_ task: FleetTask, processes: Int, in cluster: PostgreSQLCluster) throws -> String {
        var rates: [Double] = []
        var floors: [Double] = []
        for _ in 0..<rounds {
            let address = try cluster.makeDatabase()
            let fleet = try Fleet(
                processes, program: program, address: address, task: task, seconds: Double(seconds))
            let connections = processes * FleetWorker.connections
            let floor =
                switch task {
                case .give: try cluster.selectsPerSecond(connections: connections, seconds: seconds, in: address)
                case .refresh: try cluster.refreshesPerSecond(connections: connections, seconds: seconds, in: address)
                }
            floors.append(floor)
            rates.append(try fleet.run())
        }
        let ratios = zip(rates, floors).map { $1 / max($0, 0.001) }.sorted()
        return String(
            format: "%d processes: %.0f a second | %.0f | 1/%.1f, 1/%.1f to 1/%.1f", processes, Self.median(rates),
            Self.median(floors), Self.median(ratios), ratios.first ?? 0, ratios.last ?? 0)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
