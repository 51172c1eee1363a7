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
            exchanges[index].response = response
        }
    }

    /// The exchanges since the last time.
    func take() -> [TrialStep.Exchange] {
        exchanges.withLock { exchanges in
            defer { exchanges = [] }
            return exchanges
        }
    }
}
