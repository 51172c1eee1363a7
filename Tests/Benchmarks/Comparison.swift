/// Two programs that ran by turns, so that a machine whose speed drifts slows both.
struct Comparison {
    let subject: String
    let floor: String
    /// How many files or sign-ins one run is about.
    let count: Int
    /// Seconds for one run of each, by round.
    let subjectSeconds: [Double]
    let floorSeconds: [Double]

    init(
        _ subject: String,
        against floor: String,
        rounds: Int = 15,
        runs: Int,
        of count: Int,
        _ subjectBody: () async throws -> Void,
        floorBody: () async throws -> Void
    ) async throws {
        self.subject = subject
        self.floor = floor
        self.count = count
        (subjectSeconds, floorSeconds) = try await Self.byTurns(
            rounds,
            { try await Self.time(runs, subjectBody) },
            { try await Self.time(runs, floorBody) }
        )
    }

    /// The processor time of two commands, each as a whole process.
    init(
        _ subject: String,
        against floor: String,
        rounds: Int = 15,
        of count: Int,
        command: [String],
        floorCommand: [String]
    ) async throws {
        self.subject = subject
        self.floor = floor
        self.count = count
        (subjectSeconds, floorSeconds) = try await Self.byTurns(
            rounds,
            { try ProcessCost(of: command).seconds },
            { try ProcessCost(of: floorCommand).seconds }
        )
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

    var ratios: [Double] { zip(subjectSeconds, floorSeconds).map { $0 / $1 }.sorted() }

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func time(_ runs: Int, _ body: () async throws -> Void) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<runs { try await body() }
        return (clock.now - start) / .seconds(1) / Double(runs)
    }
}
