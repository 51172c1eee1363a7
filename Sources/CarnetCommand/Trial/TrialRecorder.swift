import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// Keeps the exchanges of a trial until its report takes them.
final class TrialRecorder: ExchangeObserver {
    private let exchanges = Lock<[TrialStep.Exchange]>([])

    func willSend(_ request: RedactedRequest, step: OAuthError.Step) {
        exchanges.withLock { $0.append(TrialStep.Exchange(step: step, request: ShownRequest(request))) }
    }

    func didReceive(_ response: RedactedResponse, step: OAuthError.Step) {
        exchanges.withLock { exchanges in
            // Exchanges can overlap; the response belongs to the latest open one of its step.
            guard let index = exchanges.lastIndex(where: { $0.step == step && $0.response == nil }) else { return }
            exchanges[index].response = exchanges[index].revealed ?? ShownResponse(response)
        }
    }

    /// The exchanges since the last time.
    func take() -> [TrialStep.Exchange] {
        exchanges.withLock { exchanges in
            defer { exchanges = [] }
            return exchanges
        }
    }

    // MARK: Secrets of the sandbox

    /// Replaces the latest request to the same server by one with its secrets.
    ///
    /// - Returns: Its place among the exchanges; `nil` if there is none.
    func reveal(_ request: OutgoingRequest) -> Int? {
        let shown = ShownRequest(revealing: request)
        return exchanges.withLock { exchanges in
            let index = exchanges.lastIndex { exchange in
                exchange.revealed == nil && exchange.response == nil && exchange.request.method == shown.method
                    && Self.isPage(exchange.request.url, of: shown.url)
            }
            if let index { exchanges[index].request = shown }
            return index
        }
    }

    func reveal(_ response: IncomingResponse, at index: Int?) {
        exchanges.withLock { exchanges in
            guard let index, exchanges.indices.contains(index) else { return }
            exchanges[index].revealed = ShownResponse(revealing: response)
        }
    }

    /// Whether two URLs are of one page, where the first may have marks in the place of secrets.
    private static func isPage(_ redacted: String, of url: String) -> Bool {
        let mark = Secret("").description
        func segments(_ url: String) -> [Substring] {
            url.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        }
        let (shown, sent) = (segments(redacted), segments(url))
        return shown.count == sent.count && zip(shown, sent).allSatisfy { $0.contains(mark) || $0 == $1 }
    }
}

/// Shows a recorder the requests and responses with their secrets. Only a sandbox's secrets may be shown: they open
/// nothing.
struct RevealingTransport: Transport {
    let sandbox: any Transport
    let recorder: TrialRecorder

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let index = recorder.reveal(request)
        let response = try await sandbox.send(request, limits: limits)
        recorder.reveal(response, at: index)
        return response
    }
}
