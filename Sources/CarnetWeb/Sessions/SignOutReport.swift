import Carnet
import CarnetDescriptors
import CarnetFoundation

/// The result of a sign-out, for the user.
public struct SignOutReport: Sendable {
    /// The result for one account.
    package struct Departure: Codable, Hashable, Sendable {
        package let provider: ProviderID
        package let providerName: String
        /// Whether the provider revoked the tokens; `nil` if it was not asked. They are deleted here in any case.
        package let isRevoked: Bool?
        /// Whether the provider's sign-out page was opened; `nil` if it was not requested. What the user does there
        /// is not known.
        package let isEndedAtProvider: Bool?
        /// Whether this browser was signed out; `false` if only others were.
        package let isHere: Bool
        /// How many other browsers were signed out.
        package internal(set) var otherBrowsers = 0
        /// Whether the provider's page has sent the browser back.
        package internal(set) var isBack = false
        /// The failures, without secrets.
        package internal(set) var failures: [String]
    }

    package let departures: [Departure]
    /// The reference, the same on the page and in the log; `nil` without failures.
    public let id: String?

    /// One sentence for each result, each failure included. They contain no secrets.
    public var sentences: [String] { departures.flatMap { $0.sentences + $0.failures } }
}

extension SignOutReport.Departure {
    private static let failureLimit = 3
    private static let textLimit = 200

    init(from provider: Provider, _ extent: SignOut, _ outcome: SignOutOutcome, isPageOpened: Bool) {
        self.init(
            provider: provider.id, providerName: provider.name,
            isRevoked: extent == .local ? nil : outcome.isRevoked,
            isEndedAtProvider: extent == .everywhere ? isPageOpened : nil, isHere: true,
            failures: outcome.failures.prefix(Self.failureLimit).map { $0.message.prefix(bytes: Self.textLimit) })
    }

    init(elsewhereFrom provider: Provider) {
        self.init(
            provider: provider.id, providerName: provider.name, isRevoked: nil, isEndedAtProvider: nil, isHere: false,
            failures: [])
    }

    mutating func addOtherBrowser(_ outcome: SignOutOutcome) {
        otherBrowsers += 1
        let texts = outcome.failures.map { $0.message.prefix(bytes: Self.textLimit) }
        for text in texts where failures.count < Self.failureLimit && !failures.contains(text) { failures.append(text) }
    }

    /// One sentence for each result.
    package var sentences: [String] {
        var sentences = isHere ? ["This site has deleted the tokens of \(providerName)."] : []
        if otherBrowsers > 0 {
            let others = otherBrowsers == 1 ? "1 other browser" : "\(otherBrowsers) other browsers"
            sentences.append("\(others) of your account at \(providerName) can no longer use this site.")
        }
        switch isRevoked {
        case true?: sentences.append("\(providerName) has revoked them.")
        case false?: sentences.append("\(providerName) did not revoke them; they stay valid until they expire.")
        case nil: break
        }
        switch isEndedAtProvider {
        case true?:
            sentences.append(
                isBack
                    ? "You have returned from the sign-out page of \(providerName)."
                    : "The sign-out page of \(providerName) was opened.")
        case false?: sentences.append("You may still be signed in at \(providerName) itself.")
        case nil: break
        }
        return sentences
    }
}
