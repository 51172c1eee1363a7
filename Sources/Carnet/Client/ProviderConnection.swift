import CarnetDescriptors
import CarnetProtocol
import Foundation

/// What is learned from a provider and kept: its metadata and its keys. Concurrent callers share one request, which
/// outlives a caller that is cancelled.
actor ProviderConnection {
    private let configured: Provider
    private let exchanger: Exchanger
    private let clock: any WallClock
    private let presentsCertificate: Bool
    /// Where the keys are, if they are not the provider's own.
    private let otherKeys: WebURL?
    private var metadata: Believed<Provider>?
    private var keys: Believed<KeySet>?
    private var keyFailure: Believed<any Error>?
    private var discovering: Task<Provider, any Error>?
    private var fetchingKeys: Task<KeySet, any Error>?
    private var nextKeyRenewal = Date.distantPast
    private var keySetsFetched = 0

    private struct Believed<Value: Sendable> {
        let value: Value
        let until: Date
    }

    /// The provider's keys as they were at one time.
    struct KeySet: Sendable {
        let keys: JSONWebKeySet
        /// Counts the times that keys were fetched.
        fileprivate let number: Int
    }

    /// How long metadata and keys are believed, in seconds.
    private static let lifetime: TimeInterval = 3600
    /// How long after a failed request for metadata or keys the next is made, in seconds.
    private static let retryDelay: TimeInterval = 10
    /// How long after a signature asked for newer keys another may, in seconds: random key ids must not make this
    /// client hammer the provider.
    private static let keyCoolDown: TimeInterval = 60

    /// - Parameters:
    ///   - presentsCertificate: Whether the endpoints for clients with a certificate are used.
    ///   - otherKeys: The keys of somebody else, to be kept in the place of the provider's.
    init(
        _ provider: Provider,
        exchanger: Exchanger,
        clock: any WallClock,
        presentsCertificate: Bool = false,
        otherKeys: WebURL? = nil
    ) {
        self.otherKeys = otherKeys
        configured = provider
        self.exchanger = exchanger
        self.clock = clock
        self.presentsCertificate = presentsCertificate
    }

    /// The provider with its metadata merged in. A copy that cannot be renewed stays in use.
    func provider() async throws -> Provider {
        let provider = try await discoveredProvider()
        return presentsCertificate ? provider.presentingCertificate() : provider
    }

    private func discoveredProvider() async throws -> Provider {
        guard configured.needsMetadata else { return configured }
        if let metadata, clock.now < metadata.until { return metadata.value }
        let task = discovering ?? Task { try await renewMetadata() }
        discovering = task
        return try await task.value
    }

    private func renewMetadata() async throws -> Provider {
        defer { discovering = nil }
        do {
            let provider = configured.merging(try await Discovery(exchanger).metadata(of: configured))
            metadata = Believed(value: provider, until: clock.now + Self.lifetime)
            return provider
        } catch {
            guard let provider = metadata?.value ?? (configured.discovery == .prefer ? configured : nil) else {
                throw error
            }
            metadata = Believed(value: provider, until: clock.now + Self.retryDelay)
            return provider
        }
    }

    /// The provider's keys. Those that cannot be renewed stay in use.
    func keySet() async throws -> KeySet {
        if let keys, clock.now < keys.until { return keys.value }
        if keys == nil, let keyFailure, clock.now < keyFailure.until { throw keyFailure.value }
        do {
            return try await fetchedKeys()
        } catch {
            guard let keys else { throw error }
            return keys.value
        }
    }

    /// Keys newer than those that did not fit a signature; `nil` if there are none and they were asked for a moment
    /// ago.
    func keySet(newerThan unfit: KeySet) async throws -> KeySet? {
        if let keys, keys.value.number > unfit.number { return keys.value }
        if fetchingKeys == nil {
            guard clock.now >= nextKeyRenewal else { return nil }
            nextKeyRenewal = clock.now + Self.keyCoolDown
        }
        return try await fetchedKeys()
    }

    /// Judges something signed, once more with newer keys if those known do not fit.
    func verifying<Result: Sendable>(
        _ judge: @Sendable (JSONWebKeySet) throws(OAuthError) -> Result
    ) async throws -> Result {
        let known = try await keySet()
        do throws(OAuthError) {
            return try judge(known.keys)
        } catch {
            guard [.keyNotFound, .badSignature].contains(error.kind), let newer = try await keySet(newerThan: known)
            else { throw error }
            return try judge(newer.keys)
        }
    }

    private func fetchedKeys() async throws -> KeySet {
        let task = fetchingKeys ?? Task { try await fetchKeys() }
        fetchingKeys = task
        return try await task.value
    }

    private func fetchKeys() async throws -> KeySet {
        defer { fetchingKeys = nil }
        do {
            let request =
                if let otherKeys {
                    try JSONWebKeySet.request(otherKeys, key: "profile.sources")
                } else {
                    try JSONWebKeySet.request(for: try await provider())
                }
            let fetched = try JSONWebKeySet(judging: try await exchanger.send(request))
            keySetsFetched += 1
            let keySet = KeySet(keys: fetched, number: keySetsFetched)
            keys = Believed(value: keySet, until: clock.now + Self.lifetime)
            return keySet
        } catch {
            let retry = clock.now + Self.retryDelay
            keyFailure = Believed(value: error, until: retry)
            if let keys { self.keys = Believed(value: keys.value, until: max(keys.until, retry)) }
            throw error
        }
    }
}
