import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetHTTP
import CarnetProtocol
import HTTPTypes

/// Sends for real, remembers what came, and changes a request where a test plays a thief.
final class RecordingTransport: Transport {
    typealias Change = @Sendable (inout OutgoingRequest) -> Void

    private struct State {
        var exchanges: [(request: OutgoingRequest, response: IncomingResponse)] = []
        var change: Change?
    }

    private let transport = AsyncHTTPTransport(localAccess: .all)
    private let state = Lock(State())

    /// The latest response.
    var last: IncomingResponse? { state.withLock { $0.exchanges.last?.response } }

    /// The latest request with a text in its form.
    func lastRequest(whoseFormHas text: String) -> OutgoingRequest? {
        state.withLock { state in
            state.exchanges.last { String(decoding: $0.request.body, as: UTF8.self).contains(text) }?.request
        }
    }

    /// How many requests have a text in their form.
    func count(whoseFormHas text: String) -> Int {
        state.withLock { state in
            state.exchanges.count { String(decoding: $0.request.body, as: UTF8.self).contains(text) }
        }
    }

    /// The responses to the requests that carried a proof of possession, in their order.
    var proved: [IncomingResponse] {
        guard let name = HTTPField.Name("DPoP") else { return [] }
        return state.withLock { $0.exchanges.filter { $0.request.head.headerFields[name] != nil }.map(\.response) }
    }

    /// Changes every request while the body runs.
    func changing<Value: Sendable>(_ change: @escaping Change, _ body: () async throws -> Value) async rethrows -> Value
    {
        state.withLock { $0.change = change }
        defer { state.withLock { $0.change = nil } }
        return try await body()
    }

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        var request = request
        state.withLock { $0.change }?(&request)
        let response = try await transport.send(request, limits: limits)
        state.withLock { [request] in $0.exchanges.append((request, response)) }
        return response
    }
}

extension OutgoingRequest {
    /// Gives a parameter of the form another value, if it has one.
    mutating func replace(_ parameter: String, with value: String) {
        let pairs = String(decoding: body, as: UTF8.self).split(separator: "&")
        let replaced = pairs.map { $0.hasPrefix("\(parameter)=") ? "\(parameter)=\(value)" : String($0) }
        body = Array(replaced.joined(separator: "&").utf8)
    }
}
