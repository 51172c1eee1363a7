public import CarnetProtocol

/// Chooses among the candidates of a lookup, e.g. by asking the person; gives back the value of one.
public typealias ConnectionChooser = @Sendable (ConnectionChoice) async throws -> String
