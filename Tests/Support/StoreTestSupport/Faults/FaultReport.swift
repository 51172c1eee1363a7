/// What came of a fault run.
public struct FaultReport: Sendable, CustomStringConvertible {
    /// The refresh requests that reached the provider.
    public var refreshes = 0
    /// The refreshes whose tokens were saved, as their processes said.
    public var saved = 0
    public var stops = 0
    public var cuts = 0
    public var halfOpens = 0
    public var delays = 0
    /// How often a caller got an error to try later, by the beginning of the reason.
    public var failures: [String: Int] = [:]
    /// Refresh tokens that came twice, each with the processes that sent it.
    public var reused: [String] = []
    /// Accounts that could not be refreshed when all was over.
    public var lost: [String] = []
    public var seconds = 0.0

    public var description: String {
        var lines = [
            "refresh requests at the provider: \(refreshes) in \(Int(seconds)) s; saved: \(saved)",
            "processes stopped: \(stops); connections cut: \(cuts), half open: \(halfOpens), delayed: \(delays)",
            "refresh tokens sent twice: \(reused.count)",
        ]
        lines += reused.map { "  \($0)" }
        lines.append("token families lost: \(lost.count)")
        lines += lost.map { "  \($0)" }
        lines.append("errors to try later: \(failures.values.reduce(0, +))")
        lines += failures.sorted { $0.value > $1.value }.map { "  \($0.value) x \($0.key)" }
        return lines.joined(separator: "\n")
    }
}
