import Carnet

/// The system's web authentication session, as far as a sign-in uses it.
@MainActor
package protocol SheetSession: AnyObject {
    /// Shows the page; `false` if the system does not.
    func start() -> Bool
    /// Takes the page away.
    func cancel()
}

/// How a session of the system ended.
package enum SheetEnd: Sendable {
    case callback(String)
    /// The user closed the page.
    case closed
    /// The page could not be shown; a sentence for the developer.
    case failed(String)
}

/// The place on the screen: one sheet at a time, because a second session takes the first one's callback away.
@MainActor
package final class SheetPlace {
    package nonisolated static let screen = SheetPlace()

    package private(set) var isTaken = false

    package nonisolated init() {}

    /// - Throws: `UserAgentError`, `cannotPresent`, if a sheet is shown.
    fileprivate func take() throws(UserAgentError) {
        guard !isTaken else {
            throw UserAgentError(
                .cannotPresent, "another sign-in sheet is on screen; wait for it, or cancel its task, first")
        }
        isTaken = true
    }

    fileprivate func free() { isTaken = false }
}

/// One showing of the sign-in sheet: from `start()` to its callback, its end by the user, or its end by the program.
///
/// The first end counts; what the system reports after that is dropped. The system's session is held by this object,
/// and its handler holds this object weakly, so nothing outlives `run`.
@MainActor
package final class SheetRun {
    /// Makes a session, whose handler may be called on any thread, more than once, or never.
    package typealias MakeSession =
        @MainActor (_ onEnd: @escaping @Sendable (SheetEnd) -> Void) throws -> any SheetSession

    private enum State {
        case waiting
        case shown(any SheetSession, CheckedContinuation<String, any Error>)
        case over
    }

    private var state = State.waiting
    private let place: SheetPlace

    package init(at place: SheetPlace) { self.place = place }

    /// Shows the sheet and returns the callback URL.
    ///
    /// - Throws: `UserAgentError`; `CancellationError` if the task was cancelled; what `make` throws.
    package func run(_ make: MakeSession) async throws -> String {
        try Task.checkCancellation()
        guard case .waiting = state else { throw UserAgentError(.cannotPresent, "this sign-in sheet was shown before") }
        try place.take()
        defer { place.free() }
        let session = try make { [weak self] end in
            Task { @MainActor in self?.finish(end) }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state = .shown(session, continuation)
                // The handler of a cancellation that came first has found nothing to end.
                if Task.isCancelled {
                    stop()
                } else if !session.start() {
                    // A session that does not start may or may not call its handler.
                    finish(.failed("the system did not start the sign-in sheet; is the application in the foreground?"))
                }
            }
        } onCancel: {
            Task { @MainActor [weak self] in self?.stop() }
        }
    }

    /// Takes the sheet away, if it is shown.
    package func stop() {
        guard let (session, continuation) = over() else { return }
        session.cancel()
        continuation.resume(throwing: CancellationError())
    }

    private func finish(_ end: SheetEnd) {
        guard let (session, continuation) = over() else { return }
        switch end {
        case .callback(let url): continuation.resume(returning: url)
        case .closed: continuation.resume(throwing: UserAgentError(.cancelled, "the sign-in sheet was closed"))
        case .failed(let reason):
            session.cancel()
            continuation.resume(throwing: UserAgentError(.cannotPresent, reason))
        }
    }

    private func over() -> (any SheetSession, CheckedContinuation<String, any Error>)? {
        guard case .shown(let session, let continuation) = state else { return nil }
        state = .over
        return (session, continuation)
    }
}
