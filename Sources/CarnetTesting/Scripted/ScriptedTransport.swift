public import Carnet
import CarnetDescriptors
public import CarnetFoundation
public import CarnetProtocol
import HTTPTypes

/// A transport that responds from a script and records its requests.
///
/// A request without a scripted response throws `UnscriptedRequest`, so that a test cannot pass by accident.
public final class ScriptedTransport: Transport {
    private struct State {
        var responses: [Result<IncomingResponse, any Error>]
        var requests: [OutgoingRequest] = []
        var limits: [TransportLimits] = []
    }

    private let state: Lock<State>
    private let handler: (@Sendable (OutgoingRequest) async throws -> IncomingResponse)?

    /// Returns `responses`, one for each request, in order.
    public init(_ responses: [IncomingResponse] = []) {
        state = Lock(State(responses: responses.map { .success($0) }))
        handler = nil
    }

    /// Returns or throws the result of `handler`.
    public init(handler: @escaping @Sendable (OutgoingRequest) async throws -> IncomingResponse) {
        state = Lock(State(responses: []))
        self.handler = handler
    }

    /// The requests so far, in order, including unscripted ones.
    public var requests: [OutgoingRequest] { state.withLock(\.requests) }

    /// The limits of each request.
    package var limits: [TransportLimits] { state.withLock(\.limits) }

    /// The number of unused responses.
    public var remainingResponses: Int { state.withLock(\.responses.count) }

    public func enqueue(_ response: IncomingResponse) { state.withLock { $0.responses.append(.success(response)) } }

    package func enqueue(failure: any Error) { state.withLock { $0.responses.append(.failure(failure)) } }

    /// - Throws: `UnscriptedRequest` if there is no response left.
    public func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let next = state.withLock { state -> Result<IncomingResponse, any Error>? in
            state.requests.append(request)
            state.limits.append(limits)
            return state.responses.isEmpty ? nil : state.responses.removeFirst()
        }
        try Task.checkCancellation()
        if let next { return try next.get() }
        guard let handler else { throw UnscriptedRequest(request) }
        return try await handler(request)
    }
}

/// The test's script has no response for a request.
public struct UnscriptedRequest: Error, Hashable, Sendable, Described {
    package var method: String
    package var authority: String
    /// The path without its query, which may contain secrets.
    package var path: String

    init(_ request: OutgoingRequest) {
        method = request.head.method.rawValue
        authority = request.head.authority ?? ""
        path = String((request.head.path ?? "").prefix { $0 != "?" })
    }

    package var summary: String { "no response is scripted for \(method) \(authority)\(path)" }
}

extension IncomingResponse {
    /// A response with a JSON body.
    public static func json(_ text: String, status: Int = 200) -> Self {
        canned(text, status: status, type: "application/json")
    }

    /// A response with a body of the given media type.
    package static func canned(_ text: String, status: Int = 200, type: String) -> Self {
        Self(
            head: HTTPResponse(status: .init(code: status), headerFields: [.contentType: type]),
            body: Array(text.utf8)
        )
    }
}
