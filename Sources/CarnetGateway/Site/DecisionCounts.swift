import CarnetFoundation
import HTTPTypes
import Metrics

/// Counts decisions by their outcome, for the metrics of the program.
final class DecisionCounts: Sendable {
    private let counters = Lock<[String: Counter]>([:])

    func count(_ outcome: String) {
        counters.withLock { counters in
            let counter =
                counters[outcome]
                ?? Counter(label: "carnet.gateway.decision.count", dimensions: [("outcome", outcome)])
            counters[outcome] = counter
            return counter
        }.increment()
    }
}

/// Notices identity headers in the requests of a proxy: those of a client, which the proxy has not removed.
final class ForgedHeaders: Sendable {
    private let names: [HTTPField.Name]
    private let noticed = Lock<Set<HTTPField.Name>>([])

    init(_ rules: GatewayRules) {
        // `Authorization` is the client's own, too.
        names = rules.programHeaders.map(\.name).filter { $0 != .authorization }
    }

    /// The headers that were not noticed before.
    func found(in request: HTTPRequest) -> [HTTPField.Name] {
        let found = names.filter { request.headerFields.contains($0) }
        guard !found.isEmpty else { return [] }
        return noticed.withLock { noticed in found.filter { noticed.insert($0).inserted } }
    }
}
