public import CarnetProtocol

/// Receives every exchange with a provider, without its secrets.
public protocol ExchangeObserver: Sendable {
    func willSend(_ request: RedactedRequest, step: OAuthError.Step)
    func didReceive(_ response: RedactedResponse, step: OAuthError.Step)
}
