import CarnetFoundation

/// The latest references of refusals: the page of one is no second refusal. Who made one up is not believed.
final class References: Sendable {
    private struct State {
        var latest: [String] = []
        var next = 0
    }

    private static let limit = 256
    private let state = Lock(State())

    func add(_ reference: String) {
        state.withLock { state in
            if state.latest.count < Self.limit {
                state.latest.append(reference)
            } else {
                state.latest[state.next] = reference
                state.next = (state.next + 1) % Self.limit
            }
        }
    }

    /// Whether it is one of them; only once.
    func take(_ reference: String) -> Bool {
        state.withLock { state in
            guard !reference.isEmpty,
                let index = state.latest.firstIndex(where: { $0.isSameBytes(as: reference) })
            else { return false }
            state.latest[index] = ""
            return true
        }
    }
}
