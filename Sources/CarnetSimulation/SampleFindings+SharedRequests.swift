import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// The samples of requests that are the same on the wire: a server has one response for them.
extension SampleFindings {
    /// A sample that has another value than an earlier one of the same request, where the descriptor reads it. The sandbox
    /// returns the earlier one, with what the others have besides.
    var ofSharedRequests: [Diagnostic] {
        var earlier: [SampledRequest] = []
        return sampledRequests.compactMap { request in
            defer { earlier.append(request) }
            let same = earlier.filter(request.isSame)
            guard let first = same.first else { return nil }
            let whole = (same.dropFirst() + [request]).map(\.body).reduce(first.body) { $0.completed(with: $1) }
            let values = zip(request.read(request.body), request.read(whole))
            guard let (own, other) = values.first(where: { $0.text != nil && $0.text != $1.text }) else { return nil }
            let shown = other.text.map { "\"\($0.quotable(limit: 40))\"" } ?? "nothing"
            return context.finding(
                .claimNotRead, "an earlier sample of the same request has \(shown) for \(own.name)",
                at: request.place.keySpan, help: "a server has one response for both: write the same values",
                sample: first.place)
        }
    }

    /// An optional lookup with a condition that nothing in its sample meets. If one that is true or false is not met, such
    /// as `primary`, this user has none; a text may be misspelled.
    var ofOptionalLookups: [Diagnostic] {
        context.descriptor.connection.lookups.items.flatMap { lookup -> [Diagnostic] in
            let (rules, place) = (lookup.value, places.connection.lookups[lookup.name])
            let candidates = rules.sample[rules.root]?.array ?? []
            guard rules.call.isOptional, !candidates.isEmpty else { return [] }
            let unmet = rules.fixedConditions.first { condition in
                let isThere = candidates.contains { $0[JSONPointer(ofCondition: condition.name)] != nil }
                return !candidates.contains { $0.meets([condition]) }
                    && !(isThere && ["true", "false"].contains(condition.value))
            }
            guard let unmet else { return [] }
            return context.findings(
                .claimNotRead, "no candidate of the sample has \(unmet.value.quotable(limit: 40)) for \(unmet.name)",
                at: place.conditions.keySpan, help: "correct the condition, or add a candidate that meets it",
                sample: place.sample)
        }
    }

    /// A request with its sample.
    private struct SampledRequest {
        let request: SimulatedRequest
        let body: JSONValue
        let place: Place<JSONValue>
        /// What the descriptor reads of it in a body.
        let read: (JSONValue) -> [(name: String, text: String?)]

        init?(
            _ request: PreparedRequest?, _ sample: JSONValue?, as format: ResponseFormat, _ place: Place<JSONValue>,
            _ read: @escaping (JSONValue) -> [(name: String, value: JSONValue?)]
        ) {
            guard let request, let body = Simulation.stated(sample, as: format) else { return nil }
            self.request = SimulatedRequest(request)
            (self.body, self.place) = (body, place)
            self.read = { read($0).map { ($0.name, $0.value.map { $0.scalarText ?? $0.jsonText() }) } }
        }

        /// Whether a server cannot distinguish the requests. The types of bodies are the engine's.
        func isSame(as other: SampledRequest) -> Bool {
            func headers(_ request: SimulatedRequest) -> Set<Named<String>> {
                Set(request.headers.filter { !["accept", "content-type"].contains($0.name.lowercased()) })
            }
            return request.method == other.request.method && request.url == other.request.url
                && request.body == other.request.body && headers(request) == headers(other.request)
        }
    }

    /// In the order in which the sandbox prefers them.
    private var sampledRequests: [SampledRequest] {
        let provider = simulation.provider
        var all: [SampledRequest?] = []
        if simulation.steps.contains(.userinfo) {
            let request = try? simulation.profileRequest()
            // Nothing is before it.
            all.append(
                SampledRequest(request, samples.userinfo, as: provider.profile.format, places.samples.userinfo) { _ in
                    []
                })
        }
        let further = places.profile.requests.all
        for (index, place) in zip(provider.profile.requests.indices, further)
        where further.count == provider.profile.requests.count {
            guard let rules = simulation.filled(index) else { continue }
            let request = try? Profile.request(rules, simulation.tokens, at: provider)
            all.append(
                SampledRequest(request, rules.sample, as: rules.format, place.sample) { body in
                    let holders = rules.holders(in: body) ?? []
                    return rules.claims.map { ($0.name, rules.value(of: $0.value, in: holders)) }
                })
        }
        let requests = simulation.connectionRequests
        for lookup in provider.connection.lookups.items {
            let (rules, place) = (lookup.value, places.connection.lookups[lookup.name])
            let request = try? requests.call(rules.call, key: "connection.lookups.\(lookup.name)")
            let conditions = requests.conditions(rules)
            all.append(
                SampledRequest(request, rules.sample, as: .auto, place.sample) { body in
                    let candidate = body.candidates(at: rules.root)?.first { conditions.map($0.meets) ?? false }
                    let read =
                        [Named(lookup.name, rules.value)]
                        + rules.capture.items.map { Named($0.name, $0.value.pointers) }
                    return read.map { ($0.name, candidate?.firstStated(of: $0.value.pointers)) }
                })
        }
        // Of very many only the first are compared.
        return Array(all.lazy.compactMap { $0 }.prefix(128))
    }
}
