package import Dispatch

extension DispatchGroup {
    /// Returns when nothing runs, without blocking a thread.
    package func finish() async {
        await withCheckedContinuation { continuation in notify(queue: .global()) { continuation.resume() } }
    }
}
