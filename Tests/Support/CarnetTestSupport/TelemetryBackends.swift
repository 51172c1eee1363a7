public import InMemoryTracing
import Metrics
public import MetricsTestKit
import Tracing

/// The backends of this process, which can be set up once. Each test tells its own by its provider.
public enum TelemetryBackends {
    public static let metrics: TestMetrics = backends.0
    public static let tracer: InMemoryTracer = backends.1

    /// All that they have recorded; long, because it is of every test that ran before.
    public static var text: String {
        var text = tracer.finishedSpans.map { "\($0)" }.joined(separator: "\n")
        dump(metrics, to: &text)
        return text
    }

    private static let backends = {
        let (metrics, tracer) = (TestMetrics(), InMemoryTracer())
        MetricsSystem.bootstrap(metrics)
        InstrumentationSystem.bootstrap(tracer)
        return (metrics, tracer)
    }()
}
