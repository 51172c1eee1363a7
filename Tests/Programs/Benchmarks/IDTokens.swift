import BenchmarkSubjects

/// ID tokens whose keys are already there.
enum IDTokens {
    static func rows() async throws -> [Row] {
        var rows: [Row] = []
        for algorithm in IDTokenValidation.Algorithm.allCases {
            let validation = try IDTokenValidation(algorithm)
            let comparison = try await Comparison(
                "validating an ID token with \(algorithm.rawValue)", against: "its bare signature check",
                rounds: 25, runs: 400, of: 1, goal: 1.3
            ) {
                try validation.validate()
            } floorBody: {
                try validation.checkSignature()
            }
            rows.append(comparison.row)
        }
        return rows
    }
}
