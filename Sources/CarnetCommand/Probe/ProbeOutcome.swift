import CarnetFoundation

/// What came of one request of a probe.
struct ProbeOutcome: Hashable, Sendable {
    enum Verdict: String, CaseIterable, Sendable {
        case asExpected = "as_expected"
        /// Status 404 or 410.
        case gone
        /// A permanent redirect, or a redirect where a client follows none.
        case moved
        /// A redirect to a domain that the descriptor does not name.
        case otherDomain = "other_domain"
        /// A page where a client expects JSON: of a portal of the network, or of another service.
        case captivePage = "captive_page"
        /// Not the form of response that the descriptor describes.
        case otherForm = "other_form"
        case differs
        /// The certificate is expired, or not of this host.
        case certificate
        case unreachable
        case rateLimited = "rate_limited"
        /// The server does not talk to programs such as this one.
        case refused
        case serverError = "server_error"

        /// Whether the outcome says nothing about the descriptor.
        var isUnclear: Bool { [.rateLimited, .refused, .serverError].contains(self) }
        var isFinding: Bool { self != .asExpected && !isUnclear }
        var text: String { rawValue.replacing("_", with: " ") }
    }

    let endpoint: String
    /// Without its query, which has what is made up.
    let url: String
    let verdict: Verdict
    let status: Int?
    let detail: String

    var line: String {
        let status = status.map { " (\($0))" } ?? ""
        return "\(endpoint): \(verdict.text)\(status)\(detail.isEmpty ? "" : ": \(detail)")"
    }

    var json: JSONValue {
        var object: JSONObject = [
            "endpoint": .string(endpoint), "url": .string(url), "verdict": .string(verdict.rawValue),
        ]
        object["status"] = status.map { .number(String($0)) }
        object["detail"] = .string(detail)
        return .object(object)
    }

    init(_ endpoint: String, _ url: String, _ verdict: Verdict, status: Int? = nil, _ detail: String = "") {
        (self.endpoint, self.url, self.verdict, self.status, self.detail) = (endpoint, url, verdict, status, detail)
    }

    init?(_ json: JSONValue) {
        guard let endpoint = json["endpoint"]?.string, let url = json["url"]?.string,
            let verdict = json["verdict"]?.string.flatMap(Verdict.init)
        else { return nil }
        self.init(
            endpoint, url, verdict, status: json["status"]?.scalarText.flatMap { Int($0) },
            json["detail"]?.string ?? "")
    }
}

/// The outcomes of a run, by provider, as a file has them.
struct ProbeResults {
    var outcomes: [String: [ProbeOutcome]] = [:]

    init() {}

    /// - Throws: `Failure` for a file that is there and has something else.
    init(readingFrom path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        guard let document = try? JSONValue(parsing: bytes), let providers = document["providers"]?.object else {
            throw Failure(
                .usage, "\(path) is no file of --probe-results",
                next: ["name a new file, or one that --probe-results wrote"])
        }
        for member in providers.members {
            outcomes[member.name] = (member.value.array ?? []).compactMap { ProbeOutcome($0) }
        }
    }

    /// Whether a provider needs no further request.
    func isComplete(_ id: String) -> Bool {
        outcomes[id].map { !$0.contains { $0.verdict == .rateLimited } } ?? false
    }

    /// - Throws: `Failure` if the file cannot be written.
    func write(to path: String) throws {
        var providers = JSONObject()
        for (id, outcomes) in outcomes.sorted(by: { $0.key < $1.key }) { providers[id] = .array(outcomes.map(\.json)) }
        let document: JSONValue = ["version": 1, "providers": .object(providers)]
        do {
            try Data(document.jsonText().utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw Failure(.usage, "\(path) cannot be written")
        }
    }

    /// What differs from an earlier run. An unclear outcome is no change.
    func changes(of id: String, since earlier: ProbeResults) -> [ProbeOutcome] {
        let before = Dictionary((earlier.outcomes[id] ?? []).map { ($0.endpoint, $0) }) { first, _ in first }
        return (outcomes[id] ?? []).filter { outcome in
            guard !outcome.verdict.isUnclear else { return false }
            return before[outcome.endpoint].map { $0.verdict != outcome.verdict } ?? outcome.verdict.isFinding
        }
    }

    /// Takes the earlier outcome over where the new one is unclear.
    mutating func keepKnown(of id: String, from earlier: ProbeResults) {
        guard let outcomes = outcomes[id], let before = earlier.outcomes[id] else { return }
        self.outcomes[id] = outcomes.map { outcome in
            guard outcome.verdict.isUnclear, outcome.verdict != .rateLimited else { return outcome }
            return before.first { $0.endpoint == outcome.endpoint } ?? outcome
        }
    }
}
