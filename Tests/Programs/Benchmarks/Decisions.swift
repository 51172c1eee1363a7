import BenchmarkSubjects

/// Decisions of a resource server whose keys are already there.
enum Decisions {
    static func rows() async throws -> [Row] {
        var rows: [Row] = []
        for algorithm in IDTokenValidation.Algorithm.allCases {
            let decision = try await RequestDecision(algorithm)
            let comparison = try await Comparison(
                "deciding about a request with \(algorithm.rawValue)", against: "its bare signature check",
                rounds: 25, runs: 400, of: 1, goal: 1.15
            ) {
                try await decision.decide()
            } floorBody: {
                try decision.checkSignature()
            }
            rows.append(comparison.row)
        }
        let known = try await RequestDecision(.ES256, keepsStates: true)
        let again = try await Comparison(
            "deciding about a token that was validated before", against: "the bare signature check of ES256",
            rounds: 25, runs: 400, of: 1, goal: 0.5
        ) {
            try await known.decide()
        } floorBody: {
            try known.checkSignature()
        }
        rows.append(again.row)
        let (many, few) = (try await RequestDecision(.EdDSA, resources: 10_000), try await RequestDecision(.EdDSA))
        let growth = try await Comparison(
            "deciding by a map of 10,000 resources", against: "by one of 10", rounds: 25, runs: 400, of: 1, goal: 2
        ) {
            try await many.decide()
        } floorBody: {
            try await few.decide()
        }
        return rows + [growth.row]
    }
}
