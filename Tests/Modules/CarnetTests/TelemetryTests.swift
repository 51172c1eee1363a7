import Carnet
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import InMemoryTracing
import MetricsTestKit
import Testing
import Tracing

@Suite("Telemetry")
struct TelemetryTests {
    private let provider = ScriptedProvider()
    private let metrics = TelemetryBackends.metrics
    private let tracer = TelemetryBackends.tracer

    private func session(_ id: String) async throws -> Session {
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, members: ["id_token": nil as JSONValue?]).jsonText())
        }
        let yaml = Fixture.plain.replacing("id: plain", with: "id: \(id)")
            .replacing("plain.example", with: "\(id).example")
        let session = try await provider.signIn(try provider.client(yaml), account: "ada@example.com")
        provider.clock.advance(by: .seconds(3600))
        return session
    }

    private func count(_ label: String, _ dimensions: [(String, String)]) -> Int64? {
        try? metrics.expectCounter(label, dimensions).totalValue
    }

    @Test("Refresh is counted and timed")
    func refreshIsCountedAndTimed() async throws {
        _ = try await session("counted").tokens()
        #expect(count("carnet.refresh.count", [("provider", "counted"), ("outcome", "ok")]) == 1)
        #expect(try metrics.expectTimer("carnet.refresh.duration", [("provider", "counted")]).values.count == 1)
        let host = [("step", "refresh"), ("host", "counted.example")]
        #expect(count("carnet.exchange.count", host + [("outcome", "ok")]) == 1)
        #expect(try metrics.expectTimer("carnet.exchange.duration", host).values.count == 1)
    }

    @Test("Failures are counted by kind")
    func failuresAreCountedByKind() async throws {
        let session = try await session("failing")
        provider.on("/token", fail: .timeout)
        _ = try? await session.tokens()
        provider.on("/token", response: .json(#"{"error":"invalid_grant"}"#, status: 400))
        _ = try? await session.tokens()
        for outcome in ["transport", "sessionEnded"] {
            #expect(count("carnet.refresh.count", [("provider", "failing"), ("outcome", outcome)]) == 1)
        }
    }

    @Test("Exchange is a span within the refresh")
    func exchangeIsASpanWithinTheRefresh() async throws {
        _ = try await session("traced").tokens()
        let spans = tracer.finishedSpans
        let refresh = try #require(
            spans.first {
                $0.attributes.get("carnet.provider") == .string("traced") && $0.operationName == "carnet.refresh"
            })
        let exchange = try #require(
            spans.first {
                $0.attributes.get("server.address") == .string("traced.example") && $0.parentSpanID == refresh.spanID
            })
        #expect(exchange.operationName == "carnet.exchange")
        #expect(exchange.kind == .client)
        #expect(exchange.attributes.get("carnet.step") == .string("refresh"))
        #expect(exchange.attributes.get("http.response.status_code") == .int64(200))
    }

    @Test("Span of a failure names its kind and nobody")
    func spanOfAFailureNamesItsKindAndNobody() async throws {
        let session = try await session("nobody")
        provider.on("/token", fail: .timeout)
        _ = try? await session.tokens()
        let spans = tracer.finishedSpans.filter {
            $0.attributes.get("carnet.provider") == .string("nobody")
                || $0.attributes.get("server.address") == .string("nobody.example")
        }
        #expect(spans.contains { $0.attributes.get("error.type") == .string("transport") && $0.status?.code == .error })
        let text = spans.map { "\($0)" }.joined()
        for secret in provider.secrets + ["ada@example.com"] { #expect(!text.contains(secret)) }
    }
}
