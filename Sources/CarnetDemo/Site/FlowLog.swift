import Carnet
import CarnetDescriptors
import CarnetFoundation

/// The exchanges of the latest sign-in of each visitor with each provider, without their secrets.
final class FlowLog: Sendable {
    struct Step: Sendable {
        let title: String
        let from: SequenceDiagram.Party
        let to: SequenceDiagram.Party
        /// The key of the descriptor that shapes it.
        let key: String
        let request: String
        var response: String?
        /// How many of the steps behind it came before the response.
        var nested = 0

        /// The step in a picture, with the first line of the response.
        var drawn: SequenceDiagram.Step {
            let line = response.map { String($0.prefix { $0 != "\n" }) }
            return SequenceDiagram.Step(title: title, from: from, to: to, response: line, nested: nested)
        }
    }

    private struct Flow {
        let provider: ProviderID
        /// What the callback will bring, if the browser sees it.
        let state: String?
        var isWaiting = true
        var steps: [Step]
    }

    static let visitorLimit = 200
    private static let flowLimit = 10
    private static let stepLimit = 40

    /// The flows of each visitor, the latest last, and the visitors by their latest visit.
    private struct Book {
        var flows: [String: [Flow]] = [:]
        var visitors: [String] = []
    }

    private let book = Lock(Book())

    /// The log entry of the current request.
    @TaskLocal static var turn: FlowTurn?

    func steps(of provider: ProviderID, for visitor: String) -> [Step] {
        book.withLock { $0.flows[visitor]?.last { $0.provider == provider }?.steps ?? [] }
    }

    /// Notes a sign-in that a visitor begins; it takes the place of an earlier one with the provider.
    func begin(_ provider: ProviderID, state: String?, _ steps: [Step], for visitor: String) {
        book.withLock { book in
            book.visitors.removeAll { $0 == visitor }
            book.visitors.append(visitor)
            if book.visitors.count > Self.visitorLimit { book.flows[book.visitors.removeFirst()] = nil }
            var flows = (book.flows[visitor] ?? []).filter { $0.provider != provider }
            flows.append(Flow(provider: provider, state: state, steps: Array(steps.prefix(Self.stepLimit))))
            book.flows[visitor] = flows.suffix(Self.flowLimit)
        }
    }

    /// Notes the callback of a visitor: of the sign-in with its state, or of the latest that waits where one of the two
    /// has none that could be seen, as in a response that is posted.
    ///
    /// - Parameter provider: With whom it was completed; `nil` if it was not.
    func callBack(_ provider: ProviderID?, state: String?, _ steps: [Step], for visitor: String) {
        change(visitor) { flows in
            flows.lastIndex { $0.isWaiting && state != nil && $0.state == state }
                ?? flows.lastIndex { $0.isWaiting && $0.state == nil && [nil, $0.provider].contains(provider) }
                ?? flows.lastIndex { $0.isWaiting && state == nil && $0.provider == provider }
        } with: {
            $0.isWaiting = false
            // What happened at the provider's own pages is not seen.
            if let last = $0.steps.lastIndex(where: { $0.from == .browser && $0.to == .server }) {
                $0.steps[last].response = "redirects the browser back"
            }
            $0.steps += steps
        }
    }

    /// Notes what was done after the sign-in.
    func add(_ steps: [Step], to provider: ProviderID, for visitor: String) {
        change(visitor) { flows in
            flows.lastIndex { $0.provider == provider }
        } with: {
            $0.steps += steps
        }
    }

    private func change(_ visitor: String, at find: ([Flow]) -> Int?, with change: (inout Flow) -> Void) {
        book.withLock { book in
            guard var flows = book.flows[visitor], let index = find(flows) else { return }
            change(&flows[index])
            flows[index].steps = Array(flows[index].steps.prefix(Self.stepLimit))
            book.flows[visitor] = flows
        }
    }
}

/// What one request of a visitor brings about.
final class FlowTurn: Sendable {
    private let noted = Lock<(provider: ProviderID?, steps: [FlowLog.Step])>((nil, []))

    var steps: [FlowLog.Step] { noted.withLock { $0.steps } }

    /// The provider that the exchanges were with.
    var provider: ProviderID? { noted.withLock { $0.provider } }

    /// Notes a step of the browser.
    func add(_ title: String, to party: SequenceDiagram.Party, key: String, _ request: String) {
        add(FlowLog.Step(title: title, from: .browser, to: party, key: key, request: request))
    }

    func add(_ step: FlowLog.Step, _ provider: ProviderID? = nil) {
        noted.withLock {
            $0.steps.append(step)
            if let provider { $0.provider = provider }
        }
    }

    /// Records a party's response to the latest step that has none.
    func respond(_ text: String, to party: SequenceDiagram.Party) {
        noted.withLock { noted in
            guard let index = noted.steps.lastIndex(where: { $0.response == nil && $0.from == party }) else { return }
            noted.steps[index].response = text
            noted.steps[index].nested = noted.steps.count - 1 - index
        }
    }
}

/// Notes a client's exchanges in the turn of the visitor for whom they are made.
struct FlowObserver: ExchangeObserver {
    /// How much of a body is kept, in characters.
    private static let bodyLimit = 8000

    let provider: ProviderID

    func willSend(_ request: RedactedRequest, step: OAuthError.Step) {
        let headers = request.headers.map { "\($0.name): \($0.value)" }
        let text = (["\(request.method) \(request.url)"] + headers + ["", Self.shown(request.body)])
            .joined(separator: "\n")
        FlowLog.turn?.add(
            FlowLog.Step(
                title: SequenceDiagram.title(of: step), from: .app, to: SequenceDiagram.Party(askedAt: step),
                key: step.section, request: text), provider)
    }

    func didReceive(_ response: RedactedResponse, step: OAuthError.Step) {
        FlowLog.turn?.respond(
            "\(response.status) \(response.contentType ?? "")\n\n\(Self.shown(response.body))", to: .app)
    }

    private static func shown(_ body: String) -> String {
        let text = (try? JSONValue(parsing: Array(body.utf8)))?.jsonText(.indented) ?? body
        return text.count > bodyLimit ? text.prefix(bodyLimit) + "\n(truncated)" : text
    }
}
