package import CarnetFoundation

/// What validates a signed response: the signer's keys, the expected audience and the current time.
package struct ResponseVerification: Sendable {
    package var keys: JSONWebKeySet
    package var registration: ClientRegistration
    package var now: Date

    /// - Parameter keys: The keys of the provider.
    package init(with keys: JSONWebKeySet, for registration: ClientRegistration, now: Date) {
        self.keys = keys
        self.registration = registration
        self.now = now
    }
}
