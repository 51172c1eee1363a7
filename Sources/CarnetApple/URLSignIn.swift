public import Carnet
import CarnetFoundation
import CarnetProtocol
import Foundation

/// A sign-in whose callback arrives at the application as a URL: a universal link, or a URL with a scheme of the
/// application.
///
/// The pending sign-in is in a store, so that the sign-in continues even if the system ended the application while the
/// page was open. `KeychainStore` is such a store.
public struct URLSignIn: Sendable {
    /// How many parameters of a callback are looked up.
    private static let parameterLimit = 32

    private let client: OAuthClient
    private let pending: any PendingStore
    private let open: @Sendable (URL) async -> Bool

    /// - Parameter open: Shows the page, e.g. `UIApplication.shared.open`; `false` if it could not be shown.
    public init(client: OAuthClient, pending: any PendingStore, open: @escaping @Sendable (URL) async -> Bool) {
        (self.client, self.pending, self.open) = (client, pending, open)
    }

    /// Begins a sign-in and shows its page.
    ///
    /// - Throws: `OAuthError`, `TokenStoreError`.
    public func begin(_ options: AuthorizationOptions = AuthorizationOptions()) async throws {
        let request = try await client.beginSignIn(options)
        guard let text = try? AuthorizationURL(request.url).text, let url = URL(string: text) else {
            throw OAuthError(.authorization, .unsupported, "the authorization URL cannot be opened")
        }
        try await pending.save(request.pending, now: client.clock.now)
        guard await open(url) else {
            // It waits for nothing.
            _ = try? await pending.take(request.pending.id, now: client.clock.now)
            throw OAuthError(.authorization, .unsupported, "the sign-in page could not be opened")
        }
    }

    /// Completes the sign-in that a URL belongs to.
    ///
    /// - Parameter account: The name to keep it under; see `OAuthClient.completeSignIn`.
    /// - Returns: `nil` if the URL is not the callback of a pending sign-in: then it is for another part of the
    ///   application. A forged callback changes nothing (RFC 8252, 8.9).
    /// - Throws: `OAuthError`, `TokenStoreError`.
    public func complete(_ url: URL, account: String? = nil) async throws -> Session? {
        let callback = AuthorizationCallback(url: url.absoluteString)
        let redirect = AuthorizationCallback(url: client.registration.redirectURI)
        guard callback.location.isSameBytes(as: redirect.location) else { return nil }
        let query = url.absoluteString.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
            .prefix { $0 != UInt8(ascii: "#") }
        let values = PercentEncoding.decodeForm(String(Substring(query)))?.map { Secret($0.value) } ?? []
        let signed = callback.signedTexts(at: client.provider, for: client.registration)
        // A provider may call its state as it likes.
        for state in Set(values.prefix(Self.parameterLimit)).union(signed) {
            guard let waiting = try await pending.take(state, now: client.clock.now) else { continue }
            return try await client.completeSignIn(callback, for: waiting, account: account)
        }
        return nil
    }
}
