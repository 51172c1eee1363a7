import ArgumentParser

/// What can be measured alone.
enum Group: String, CaseIterable, ExpressibleByArgument {
    case signIn = "sign-in"
    case idToken = "id-token"
    case registry
    case growth
    case lint

    func rows() async throws -> [Row] {
        switch self {
        case .signIn: try await SignIns.rows()
        case .idToken: try await IDTokens.rows()
        case .registry: try await Registries.rows()
        case .growth: try await Growth.rows()
        case .lint: try LintProcess().rows()
        }
    }
}
