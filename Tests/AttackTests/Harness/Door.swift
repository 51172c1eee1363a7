/// A door that answers of the server wait at until the test opens it.
actor Door {
    private var isOpen = false
    private var arrivals = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var watching: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Waits until the door is open.
    func pass() async {
        arrivals += 1
        for watcher in watching where watcher.count <= arrivals { watcher.continuation.resume() }
        watching.removeAll { $0.count <= arrivals }
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    /// Waits until so many stand at the door, or have passed it.
    func arrival(_ count: Int = 1) async {
        if arrivals < count { await withCheckedContinuation { watching.append((count, $0)) } }
    }

    func open() {
        isOpen = true
        waiting.forEach { $0.resume() }
        waiting = []
    }
}

/// Lets the tasks that can run do so.
func settle() async {
    for _ in 0..<500 { await Task.yield() }
}

/// Runs a body many times at once and gives the outcomes.
func concurrently<Value: Sendable>(
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
