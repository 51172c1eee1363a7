import CarnetFoundation
package import Metrics

/// Metrics in the text format of Prometheus, version 0.0.4: counters, values as they are now, and for times their count and
/// sum in seconds.
package final class MetricsText: MetricsFactory, Sendable {
    private struct Series {
        let name: String
        let labels: String
        let kind: Kind
        var count: Int64 = 0
        /// The sum of a summary, the value of a gauge.
        var sum = 0.0
    }

    private enum Kind: String {
        case counter, gauge, summary
    }

    /// A server that is asked for ever new dimensions keeps no more.
    private static let limit = 2000

    private let series = Lock<[String: Series]>([:])

    package init() {}

    /// The page, with the series ordered by name.
    package var text: String {
        let all = series.withLock { $0.values.sorted { ($0.name, $0.labels) < ($1.name, $1.labels) } }
        var lines: [String] = []
        var last = ""
        for one in all {
            if one.name != last { lines.append("# TYPE \(one.name) \(one.kind.rawValue)") }
            last = one.name
            switch one.kind {
            case .counter: lines.append("\(one.name)\(one.labels) \(one.count)")
            case .gauge: lines.append("\(one.name)\(one.labels) \(one.sum)")
            case .summary:
                lines.append("\(one.name)_count\(one.labels) \(one.count)")
                lines.append("\(one.name)_sum\(one.labels) \(one.sum)")
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

    private func register(_ label: String, _ suffix: String, _ dimensions: [(String, String)], _ kind: Kind) -> String {
        let name = Self.name(label) + suffix
        let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        let shown = labels.isEmpty ? "" : "{\(labels)}"
        let key = name + shown
        series.withLock { series in
            guard series[key] == nil, series.count < Self.limit else { return }
            series[key] = Series(name: name, labels: shown, kind: kind)
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

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Handler(owner: self, key: register(label, "_total", dimensions, .counter))
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Handler(owner: self, key: register(label, "_seconds", dimensions, .summary))
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Handler(owner: self, key: register(label, "", dimensions, aggregate ? .summary : .gauge))
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}

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
                one.sum = one.kind == .gauge ? value : one.sum + value
            }
        }
    }
}
