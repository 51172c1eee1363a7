/// Two programs that ran by turns, so that a machine whose speed drifts slows both.
struct Comparison {
    let subject: String
    let floor: String
    /// Seconds for one run of each, by round.
    let subjectSeconds: [Double]
    let floorSeconds: [Double]

    init(
        _ subject: String,
        against floor: String,
        rounds: Int = 15,
        runs: Int,
        _ subjectBody: () async throws -> Void,
        floorBody: () async throws -> Void
    ) async throws {
        self.subject = subject
        self.floor = floor
        var subjectSeconds: [Double] = []
        var floorSeconds: [Double] = []
        for round in 0...rounds {
            let subjectTime = try await Self.time(runs, subjectBody)
            let floorTime = try await Self.time(runs, floorBody)
            // The first round only warms up.
            guard round > 0 else { continue }
            subjectSeconds.append(subjectTime)
            floorSeconds.append(floorTime)
        }
        self.subjectSeconds = subjectSeconds
        self.floorSeconds = floorSeconds
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
