import Foundation

/// Two programs that ran by turns, so that a machine whose speed drifts slows both.
struct Comparison {
    let subject: String
    let floor: String
    /// What of the two is compared.
    let measure: String
    /// How many files or sign-ins one run is about.
    let count: Int
    /// The ratio that is aimed at.
    let goal: Double?
    static let waitedFor = "elapsed time"
    static let processorTime = "processor time"

    /// Seconds for one run of each, by round.
    let subjectSeconds: [Double]
    let floorSeconds: [Double]

    init(
        _ subject: String,
        against floor: String,
        rounds: Int = 15,
        runs: Int,
        of count: Int,
        goal: Double? = nil,
        _ subjectBody: () async throws -> Void,
        floorBody: () async throws -> Void
    ) async throws {
        self.subject = subject
        self.floor = floor
        self.count = count
        self.goal = goal
        measure = Self.processorTime
        (subjectSeconds, floorSeconds) = try await Self.byTurns(
            rounds,
            { try await Self.time(runs, subjectBody) },
            { try await Self.time(runs, floorBody) }
        )
    }

    /// Two commands, each as a whole process: how long they were waited for, and their processor time.
    static func ofProcesses(
        _ subject: String, against floor: String, rounds: Int = 15, of count: Int,
        goals: (elapsed: Double?, processor: Double?) = (nil, nil), command: [String], floorCommand: [String]
    ) throws -> [Comparison] {
        var turns: [(subject: ProcessCost, floor: ProcessCost)] = []
        // The first round only warms up.
        for round in 0...rounds {
            let turn = (try ProcessCost(of: command), try ProcessCost(of: floorCommand))
            if round > 0 { turns.append(turn) }
        }
        return [
            (Self.waitedFor, \ProcessCost.waited, goals.elapsed),
            (Self.processorTime, \ProcessCost.seconds, goals.processor),
        ].map { measure, path, goal in
            Comparison(
                subject: subject, floor: floor, measure: measure, count: count, goal: goal,
                subjectSeconds: turns.map { $0.subject[keyPath: path] },
                floorSeconds: turns.map { $0.floor[keyPath: path] })
        }
    }

    private init(
        subject: String, floor: String, measure: String, count: Int, goal: Double?, subjectSeconds: [Double],
        floorSeconds: [Double]
    ) {
        self.subject = subject
        self.floor = floor
        self.measure = measure
        self.count = count
        self.goal = goal
        self.subjectSeconds = subjectSeconds
        self.floorSeconds = floorSeconds
    }

    private static func byTurns(
        _ rounds: Int, _ subject: () async throws -> Double, _ floor: () async throws -> Double
    ) async throws -> (subject: [Double], floor: [Double]) {
        var seconds: (subject: [Double], floor: [Double]) = ([], [])
        for round in 0...rounds {
            let turn = (try await subject(), try await floor())
            // The first round only warms up.
            guard round > 0 else { continue }
            seconds.subject.append(turn.0)
            seconds.floor.append(turn.1)
        }
        return seconds
    }

    var row: Row {
        Row(
            work: subject, comparedWith: "\(floor), \(measure)", unit: "times", values: ratios, goal: goal,
            detail: String(
                format: "%.3g µs, %.3g µs", Self.median(subjectSeconds) * 1e6 / Double(count),
                Self.median(floorSeconds) * 1e6 / Double(count)))
    }

    /// How many seconds more one sign-in or file costs, by round.
    var differences: [Double] { zip(subjectSeconds, floorSeconds).map { ($0 - $1) / Double(count) } }

    var ratios: [Double] { zip(subjectSeconds, floorSeconds).map { $0 / $1 }.sorted() }

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// This process's processor time, on all processors together.
    private static func time(_ runs: Int, _ body: () async throws -> Void) async throws -> Double {
        let start = ProcessCost.processorTime
        for _ in 0..<runs { try await body() }
        return (ProcessCost.processorTime - start) / Double(runs)
    }
}
