import CarnetProtocol
import HTTPTypes
import Metrics
import Tracing

/// Metrics and spans for the backends of swift-metrics and swift-distributed-tracing that the program configures.
/// Without a backend they do nothing. Docs/observation.md lists every name.
enum Telemetry {
    /// Measures one refresh of an account's tokens.
    static func renewal<Result: Sendable>(
        at provider: String,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await measured(
            "carnet.refresh", [("provider", provider)], attributes: ["carnet.provider": provider], kind: .internal
        ) { _ in try await body() }
    }

    /// Measures one request to a provider.
    static func exchange(
        _ request: PreparedRequest,
        _ body: () async throws -> IncomingResponse
    ) async throws -> IncomingResponse {
        let step = request.step.rawValue
        let host = request.outgoing.head.authority ?? ""
        return try await measured(
            "carnet.exchange",
            [("step", step), ("host", host)],
            attributes: [
                "carnet.step": step, "server.address": host,
                "http.request.method": request.outgoing.head.method.rawValue,
            ],
            kind: .client
        ) { span in
            let response = try await body()
            span.attributes["http.response.status_code"] = response.status
            return response
        }
    }

    private static func measured<Result: Sendable>(
        _ name: String,
        _ dimensions: [(String, String)],
        attributes: [String: String],
        kind: SpanKind,
        _ body: (any Span) async throws -> Result
    ) async throws -> Result {
        let started = ContinuousClock.now
        defer {
            Timer(label: "\(name).duration", dimensions: dimensions).record(duration: ContinuousClock.now - started)
        }
        let result: Swift.Result<Result, any Error> = await withSpan(name, ofKind: kind) { span in
            for (key, value) in attributes { span.attributes[key] = value }
            do {
                return .success(try await body(span))
            } catch {
                // The error itself is omitted: its message may name the account.
                span.attributes["error.type"] = Self.outcome(of: error)
                span.setStatus(SpanStatus(code: .error))
                return .failure(error)
            }
        }
        var outcome = "ok"
        if case .failure(let error) = result { outcome = Self.outcome(of: error) }
        Counter(label: "\(name).count", dimensions: dimensions + [("outcome", outcome)]).increment()
        return try result.get()
    }

    private static func outcome(of error: any Error) -> String {
        switch error {
        case let error as OAuthError: error.kind.rawValue
        case let error as TokenStoreError: "store_\(error.kind.rawValue)"
        case is TransportError: "transport"
        case is CancellationError: "cancelled"
        default: "other"
        }
    }
}
