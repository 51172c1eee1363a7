import Carnet
import CarnetDescriptors
import CarnetFoundation

extension ProbeOptions {
    /// Asks the servers of providers, one after the other, and reports what is not as described.
    ///
    /// - Parameters:
    ///   - deadline: How long one exchange may take.
    ///   - isSingle: Whether the user named one provider, so that what prevents its probe is an error.
    /// - Throws: `ExitStatus.failed` if there is a finding, or with `--probe-since` a change; `Failure`.
    func run(
        _ entries: [ProviderRegistry.Entry], _ registrations: Registrations, deadline: Duration, isSingle: Bool,
        _ console: Console,
        transport: (Provider) -> any Transport
    ) async throws {
        let earlier = try since.map { try ProbeResults(readingFrom: $0) }
        var known = try results.map { try ProbeResults(readingFrom: $0) } ?? ProbeResults()
        var skipped: [(id: String, reason: String)] = []
        var probers: [(entry: ProviderRegistry.Entry, provider: Provider)] = []
        for entry in entries {
            let id = entry.descriptor.id.rawValue
            if known.isComplete(id) { continue }
            do {
                probers.append((entry, try registrations.trustedProvider(of: entry.descriptor)))
            } catch {
                if isSingle { throw error }
                skipped.append((id, "\(error)"))
            }
        }
        console.note(
            "asking the servers of \(probers.count) provider\(probers.count == 1 ? "" : "s"): one request to each endpoint, "
                + "as the made-up client \(Prober.clientID), without an account or a credential")
        for (number, (entry, provider)) in probers.enumerated() {
            let id = entry.descriptor.id.rawValue
            let network = ProbeTransport(transport(provider), pause: .seconds(pause ?? 1), isFirst: number == 0)
            known.outcomes[id] = try await Prober(
                provider, of: entry.descriptor, over: network, deadline: deadline
            ).probe { endpoint in
                console.showProgress("\(number + 1) of \(probers.count): \(id), \(endpoint)")
            }
            if let results {
                if let earlier { known.keepKnown(of: id, from: earlier) }
                try known.write(to: results)
            }
            for outcome in shown(id, known, earlier) { console.print("\(id): \(outcome.line)".printable) }
        }
        let ids = entries.map(\.descriptor.id.rawValue)
        let reported = ids.filter { shown($0, known, earlier).contains { earlier != nil || $0.verdict.isFinding } }
        console.print(
            "\(ids.filter { known.outcomes[$0] != nil }.count) probed, \(reported.count) with \(earlier == nil ? "findings" : "changes"), "
                + "\(skipped.count) skipped")
        let providers = ids.filter { known.outcomes[$0] != nil }.map { id -> JSONValue in
            ["id": .string(id), "outcomes": .array(shown(id, known, earlier).map(\.json))]
        }
        console.print(
            json: [
                "providers": .array(providers),
                "skipped": .array(skipped.map { ["id": .string($0.id), "reason": .string($0.reason)] }),
            ])
        if !reported.isEmpty { throw ExitStatus.failed }
    }

    /// The outcomes, or what has changed.
    private func shown(_ id: String, _ known: ProbeResults, _ earlier: ProbeResults?) -> [ProbeOutcome] {
        earlier.map { known.changes(of: id, since: $0) } ?? known.outcomes[id] ?? []
    }
}
