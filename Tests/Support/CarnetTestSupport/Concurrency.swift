/// Lets the tasks that can run do so.
public func settle() async {
    for _ in 0..<500 { await Task.yield() }
}

/// Runs a body many times at once and gives the outcomes.
public func concurrently<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async -> [Result<Value, any Error>] {
    await withTaskGroup(of: Result<Value, any Error>.self) { group in
        for index in 0..<count {
            group.addTask {
                do { return .success(try await body(index)) } catch { return .failure(error) }
            }
        }
        return await group.reduce(into: []) { $0.append($1) }
    }
}
