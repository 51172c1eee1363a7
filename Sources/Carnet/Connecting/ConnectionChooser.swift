public import CarnetProtocol

/// Chooses among the candidates of a lookup, e.g. by asking the user, and returns the value of one.
public typealias ConnectionChooser = @Sendable (ConnectionChoice) async throws -> String
