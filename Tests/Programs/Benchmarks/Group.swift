import ArgumentParser

/// A part that can be measured alone, in the order of measuring.
enum Group: String, CaseIterable, ExpressibleByArgument {
    // Groups with child processes come first, while this program is small: a child's peak memory is never less than its
    // parent's when it was started.
    case lint
    case signIn = "sign-in"
    case idToken = "id-token"
    case decision
    case registry
    case growth

    func rows() async throws -> [Row] {
        switch self {
        case .signIn: try await SignIns.rows()
        case .idToken: try await IDTokens.rows()
        case .decision: try await Decisions.rows()
        case .registry: try await Registries.rows()
        case .growth: try await Growth.rows()
        case .lint: try LintProcess().rows()
        }
    }
}
