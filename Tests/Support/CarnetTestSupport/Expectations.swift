public import CarnetProtocol
public import Testing

/// Expects an `OAuthError` of a step and a kind, and returns it for further expectations.
@discardableResult
public func expectError<Value>(
    _ step: OAuthError.Step,
    _ kind: OAuthError.Kind,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Value
) -> OAuthError? {
    do {
        _ = try body()
        return check(nil, step, kind, sourceLocation)
    } catch {
        return check(error, step, kind, sourceLocation)
    }
}

@discardableResult
public func expectError<Value: Sendable>(
    _ step: OAuthError.Step,
    _ kind: OAuthError.Kind,
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async -> OAuthError? {
    do {
        _ = try await body()
        return check(nil, step, kind, sourceLocation)
    } catch {
        return check(error, step, kind, sourceLocation)
    }
}

private func check(
    _ thrown: (any Error)?, _ step: OAuthError.Step, _ kind: OAuthError.Kind, _ sourceLocation: SourceLocation
) -> OAuthError? {
    guard let error = thrown as? OAuthError else {
        let other = thrown.map { "another error was thrown: \($0)" }
        Issue.record("\(other ?? "no error was thrown")", sourceLocation: sourceLocation)
        return nil
    }
    #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
    #expect(error.step == step, "\(error)", sourceLocation: sourceLocation)
    return error
}
