import CarnetFoundation
import Metrics

/// Metrics in the text format of Prometheus, version 0.0.4: counters, and for times their count and sum in seconds.
final class MetricsText: MetricsFactory, Sendable {
    private struct Series {
        let name: String
        let labels: String
        var count: Int64 = 0
        /// `nil` for a counter.
        var sum: Double?
    }

    /// A server that is asked for ever new dimensions keeps no more.
    private static let limit = 2000

    private let series = Lock<[String: Series]>([:])

    /// The page, with the series ordered by name.
    var text: String {
        let all = series.withLock { $0.values.sorted { ($0.name, $0.labels) < ($1.name, $1.labels) } }
        var lines: [String] = []
        var last = ""
        for one in all {
            if one.name != last { lines.append("# TYPE \(one.name) \(one.sum == nil ? "counter" : "summary")") }
            last = one.name
            if let sum = one.sum {
                lines.append("\(one.name)_count\(one.labels) \(one.count)")
                lines.append("\(one.name)_sum\(one.labels) \(sum)")
            } else {
                lines.append("\(one.name)\(one.labels) \(one.count)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func change(_ key: String, _ change: (inout Series) -> Void) {
        series.withLock { series in
            guard var one = series[key] else { return }
            change(&one)
            series[key] = one
        }
    }

    private func register(_ label: String, _ suffix: String, _ dimensions: [(String, String)], isTime: Bool) -> String {
        let name = Self.name(label) + suffix
        let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        let shown = labels.isEmpty ? "" : "{\(labels)}"
        let key = name + shown
        series.withLock { series in
            guard series[key] == nil, series.count < Self.limit else { return }
            series[key] = Series(name: name, labels: shown, sum: isTime ? 0 : nil)
        }
        return key
    }

    private static func name(_ label: String) -> String {
        String(decoding: label.utf8.map { ASCII.isAlphanumeric($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    // MARK: - MetricsFactory

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Handler(owner: self, key: register(label, "_total", dimensions, isTime: false))
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Handler(owner: self, key: register(label, "_seconds", dimensions, isTime: true))
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Handler(owner: self, key: register(label, "", dimensions, isTime: true))
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}

    private final class Handler: CounterHandler, TimerHandler, RecorderHandler {
        private let owner: MetricsText
        private let key: String

        init(owner: MetricsText, key: String) {
            self.owner = owner
            self.key = key
        }

        func increment(by amount: Int64) { owner.change(key) { $0.count += amount } }
        func reset() { owner.change(key) { $0.count = 0 } }
        func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
        func record(_ value: Int64) { add(Double(value)) }
        func record(_ value: Double) { add(value) }

        private func add(_ value: Double) {
            owner.change(key) { one in
                one.count += 1
                one.sum = (one.sum ?? 0) + value
            }
        }
    }
}
