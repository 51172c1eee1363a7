import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// Keeps the exchanges of a trial until its report takes them.
final class TrialRecorder: ExchangeObserver {
    private struct Recorded {
        var exchange: TrialStep.Exchange
        /// The response with its secrets, once it has come.
        var revealed: ShownResponse?
    }

    private let exchanges = Lock<[Recorded]>([])

    func willSend(_ request: RedactedRequest, step: OAuthError.Step) {
        exchanges.withLock {
            $0.append(Recorded(exchange: TrialStep.Exchange(step: step, request: ShownRequest(request))))
        }
    }

    func didReceive(_ response: RedactedResponse, step: OAuthError.Step) {
        exchanges.withLock { exchanges in
            // Exchanges can overlap; the response belongs to the latest open one of its step.
            guard let index = exchanges.lastIndex(where: { $0.exchange.step == step && $0.exchange.response == nil })
            else { return }
            exchanges[index].exchange.response = exchanges[index].revealed ?? ShownResponse(response)
        }
    }

    /// The exchanges since the last time.
    func take() -> [TrialStep.Exchange] {
        exchanges.withLock { exchanges in
            defer { exchanges = [] }
            return exchanges.map(\.exchange)
        }
    }

    // MARK: Secrets of the sandbox

    /// Replaces the latest request to the same server by one with its secrets.
    ///
    /// - Returns: Its place among the exchanges; `nil` if there is none.
    func reveal(_ request: OutgoingRequest) -> Int? {
        let shown = ShownRequest(revealing: request)
        return exchanges.withLock { exchanges in
            let index = exchanges.lastIndex { recorded in
                recorded.revealed == nil && recorded.exchange.response == nil
                    && recorded.exchange.request.method == shown.method
                    && Self.page(recorded.exchange.request.url) == Self.page(shown.url)
            }
            if let index { exchanges[index].exchange.request = shown }
            return index
        }
    }

    func reveal(_ response: IncomingResponse, at index: Int?) {
        guard let index else { return }
        exchanges.withLock { exchanges in
            guard exchanges.indices.contains(index) else { return }
            exchanges[index].revealed = ShownResponse(revealing: response)
        }
    }

    private static func page(_ url: String) -> Substring { url.prefix { $0 != "?" } }
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
