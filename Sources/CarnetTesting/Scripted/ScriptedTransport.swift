public import Carnet
public import CarnetProtocol
import HTTPTypes
import Synchronization

/// A transport that answers from a script and remembers what it was asked.
///
/// A request that the script has no answer for throws `UnscriptedRequest`, so that a test cannot pass by accident.
public final class ScriptedTransport: Transport {
    public typealias Handler = @Sendable (OutgoingRequest) async throws -> IncomingResponse

    private struct State {
        var answers: [Result<IncomingResponse, any Error>]
        var requests: [OutgoingRequest] = []
        var limits: [TransportLimits] = []
    }

    private let state: Mutex<State>
    private let handler: Handler?

    /// Answers with `responses`, one for each request, in their order.
    public init(_ responses: [IncomingResponse] = []) {
        state = Mutex(State(answers: responses.map { .success($0) }))
        handler = nil
    }

    /// Answers with what `handler` returns or throws.
    public init(handler: @escaping Handler) {
        state = Mutex(State(answers: []))
        self.handler = handler
    }

    /// The requests so far, in their order, unscripted ones included.
    public var requests: [OutgoingRequest] { state.withLock(\.requests) }

    /// The limits that each request came with.
    public var limits: [TransportLimits] { state.withLock(\.limits) }

    /// How many answers of the queue have not been asked for.
    public var remainingAnswers: Int { state.withLock(\.answers.count) }

    public func enqueue(_ response: IncomingResponse) {
        state.withLock { $0.answers.append(.success(response)) }
    }

    public func enqueue(failure: any Error) {
        state.withLock { $0.answers.append(.failure(failure)) }
    }

    /// - Throws: `UnscriptedRequest` if no answer is left.
    public func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let answer = state.withLock { state -> Result<IncomingResponse, any Error>? in
            state.requests.append(request)
            state.limits.append(limits)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        try Task.checkCancellation()
        if let answer { return try answer.get() }
        guard let handler else { throw UnscriptedRequest(request) }
        return try await handler(request)
    }
}

/// A request came that the test's script has no answer for.
public struct UnscriptedRequest: Error, Hashable, Sendable, CustomStringConvertible {
    public var method: String
    public var authority: String
    /// The path without its query, which may hold secrets.
    public var path: String

    init(_ request: OutgoingRequest) {
        method = request.head.method.rawValue
        authority = request.head.authority ?? ""
        path = String((request.head.path ?? "").prefix { $0 != "?" })
    }

    public var description: String { "no answer is scripted for \(method) \(authority)\(path)" }
}
