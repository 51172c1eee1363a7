public import Carnet
import CarnetDescriptors
import Foundation

/// What a sign-out did, for the person who signed out. It travels sealed in a cookie to the page that tells it.
public struct SignOutReport: Codable, Hashable, Sendable {
    /// What became of one account.
    public struct Departure: Codable, Hashable, Sendable {
        public let provider: ProviderID
        public let providerName: String
        /// Whether the provider was to revoke the tokens, and did. They are forgotten here in any case.
        public let isRevoked: Bool?
        /// Whether the provider was to end its own session. `true` if its page was opened: what happens there is not seen.
        public let isEndedAtProvider: Bool?
        /// Whether the provider's page has sent the browser back.
        public internal(set) var isBack = false
        /// What could not be done, without secrets.
        public var failures: [String]
    }

    public internal(set) var departures: [Departure]
    /// Where the person wanted to go on.
    public let returnTo: ReturnTarget
    /// The same in the page and in the log; `nil` if all went well.
    public let id: String?
    let expiresAt: Date

    init(departures: [Departure], returnTo: ReturnTarget, newID: () -> String, expiresAt: Date) {
        self.departures = departures
        self.returnTo = returnTo
        id = departures.contains { !$0.failures.isEmpty } ? newID() : nil
        self.expiresAt = expiresAt
    }

    public var hasFailures: Bool { id != nil }

    mutating func noteReturn(from provider: ProviderID?) {
        guard let index = departures.firstIndex(where: { $0.provider == provider && $0.isEndedAtProvider == true })
        else { return }
        departures[index].isBack = true
    }
}

extension SignOutReport.Departure {
    private static let failureLimit = 3
    private static let textLimit = 200

    init(from provider: Provider, _ extent: SignOut, _ outcome: SignOutOutcome, isPageOpened: Bool) {
        self.init(
            provider: provider.id,
            providerName: provider.name,
            isRevoked: extent == .local ? nil : outcome.isRevoked,
            isEndedAtProvider: extent == .everywhere ? isPageOpened : nil,
            failures: outcome.failures.prefix(Self.failureLimit).map { $0.message.prefix(bytes: Self.textLimit) }
        )
    }

    /// One sentence for each thing that was to be done.
    public var sentences: [String] {
        var sentences = ["The tokens of \(providerName) are forgotten here."]
        switch isRevoked {
        case true?: sentences.append("\(providerName) was told to revoke them.")
        case false?: sentences.append("\(providerName) did not revoke them; they end by themselves.")
        case nil: break
        }
        switch isEndedAtProvider {
        case true?:
            sentences.append(
                isBack
                    ? "You are back from the sign-out page of \(providerName)."
                    : "The sign-out page of \(providerName) was opened.")
        case false?: sentences.append("You may still be signed in at \(providerName) itself.")
        case nil: break
        }
        return sentences
    }
}
