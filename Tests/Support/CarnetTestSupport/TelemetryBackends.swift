public import InMemoryTracing
import Metrics
public import MetricsTestKit
import Tracing

/// The backends of this process, which can be set up once. Each test tells its own by its provider.
public enum TelemetryBackends {
    public static let metrics: TestMetrics = backends.0
    public static let tracer: InMemoryTracer = backends.1

    private static let backends = {
        let (metrics, tracer) = (TestMetrics(), InMemoryTracer())
        MetricsSystem.bootstrap(metrics)
        InstrumentationSystem.bootstrap(tracer)
        return (metrics, tracer)
    }()
}
