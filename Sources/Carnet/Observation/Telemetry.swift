package import CarnetDescriptors
import CarnetProtocol
import HTTPTypes
import Metrics
import Tracing

/// Metrics and spans for the backends of swift-metrics and swift-distributed-tracing that the program configures.
/// Without a backend they do nothing. Docs/observation.md lists every name.
package enum Telemetry {
    /// Whether there is a backend. Without one, a span and its metrics would run through 270 lines of code for nothing
    /// (Docs/decisions/cold-code.md).
    private static var isConfigured: Bool {
        type(of: MetricsSystem.factory) != NOOPMetricsHandler.self
            || type(of: InstrumentationSystem.instrument) != NoOpInstrument.self
    }

    /// Measures one refresh of an account's tokens, `carnet.refresh`, or the end of a sign-in, from the callback to the saved
    /// tokens, `carnet.sign_in`.
    static func measuring<Result: Sendable>(
        _ name: String, at provider: String, _ body: () async throws -> Result
    ) async throws -> Result {
        guard isConfigured else { return try await body() }
        return try await measured(
            name, [("provider", provider)], attributes: ["carnet.provider": provider], kind: .internal
        ) { _ in try await body() }
    }

    /// Counts a sign-in that begins, or could not begin.
    static func beginningSignIn<Result: Sendable>(
        at provider: ProviderID, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard isConfigured else { return try await body() }
        func count(_ outcome: String) {
            let dimensions = [("provider", provider.rawValue), ("outcome", outcome)]
            Counter(label: "carnet.sign_in.begun", dimensions: dimensions).increment()
        }
        do {
            let result = try await body()
            count("ok")
            return result
        } catch {
            count(outcome(of: error))
            throw error
        }
    }

    /// Counts a callback that no sign-in of its browser waits for.
    ///
    /// - Parameter provider: `nil` if the callback does not show it.
    package static func countUnexpectedCallback(of provider: ProviderID?) {
        let dimensions = [("provider", provider?.rawValue ?? ""), ("outcome", "unexpectedCallback")]
        Counter(label: "carnet.sign_in.count", dimensions: dimensions).increment()
    }

    /// Counts a request for tokens that is not sent, because the server asked to wait, `carnet.exchange.paused`; or a request
    /// that is repeated, because the server was busy, `carnet.exchange.retried`.
    static func count(_ label: String, _ step: OAuthError.Step, at provider: ProviderID) {
        guard isConfigured else { return }
        Counter(label: label, dimensions: [("provider", provider.rawValue), ("step", step.rawValue)]).increment()
    }

    /// Measures one request to a provider.
    static func exchange(
        _ request: PreparedRequest, _ body: () async throws -> IncomingResponse
    ) async throws -> IncomingResponse {
        guard isConfigured else { return try await body() }
        let step = request.step.rawValue
        let host = request.outgoing.head.authority ?? ""
        let method = request.outgoing.head.method.rawValue
        return try await measured(
            "carnet.exchange", [("step", step), ("host", host)],
            attributes: ["carnet.step": step, "server.address": host, "http.request.method": method], kind: .client
        ) { span in
            let response = try await body()
            if span.isRecording { span.attributes["http.response.status_code"] = response.status }
            return response
        }
    }

    private static func measured<Result: Sendable>(
        _ name: String, _ dimensions: [(String, String)], attributes: [String: String], kind: SpanKind,
        _ body: (any Span) async throws -> Result
    ) async throws -> Result {
        let started = ContinuousClock.now
        defer {
            Timer(label: "\(name).duration", dimensions: dimensions).record(duration: ContinuousClock.now - started)
        }
        let result: Swift.Result<Result, any Error> = await withSpan(name, ofKind: kind) { span in
            if span.isRecording {
                for (key, value) in attributes { span.attributes[key] = value }
            }
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
        case let error as OAuthError where error.server?.code == "access_denied": "denied"
        case let error as OAuthError: error.kind.rawValue
        case let error as TokenStoreError: "store_\(error.kind)"
        case let error as any NamedOutcome: error.outcome
        case is TransportError: "transport"
        case is CancellationError: "cancelled"
        default: "other"
        }
    }
}

/// An error of another module that metrics know by a name of its own.
package protocol NamedOutcome: Error {
    var outcome: String { get }
}
