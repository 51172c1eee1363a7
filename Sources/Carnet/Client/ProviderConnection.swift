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
    private var metadataFailure: Believed<any Error>?
    private var keys: Believed<KeySet>?
    private var keyFailure: Believed<any Error>?
    private var discovering: Task<Provider, any Error>?
    private var fetchingKeys: Task<KeySet, any Error>?
    private var keyCoolDown: Believed<Void>?
    private var keySetsFetched = 0

    private struct Believed<Value: Sendable> {
        let value: Value
        let since: Date
        let until: Date

        init(_ value: Value, since: Date, for seconds: TimeInterval) {
            self.value = value
            self.since = since
            until = since + seconds
        }

        /// A clock that was set back must not make it last for longer.
        func isCurrent(at now: Date) -> Bool { since <= now && now < until }
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
    private static let keyCoolDownTime: TimeInterval = 60

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
        return presentsCertificate ? try provider.presentingCertificate() : provider
    }

    /// Where the credentials of a sign-in of now may go: with a certificate or without, because a client may get one later.
    func binding() async throws -> CredentialBinding { CredentialBinding(to: try await discoveredProvider()) }

    private func discoveredProvider() async throws -> Provider {
        guard configured.needsMetadata else { return configured }
        if let metadata, metadata.isCurrent(at: clock.now) { return metadata.value }
        // What fails again and again is not requested for each caller: a stranger can be one.
        if discovering == nil, let metadataFailure, metadataFailure.isCurrent(at: clock.now) {
            throw metadataFailure.value
        }
        let task = discovering ?? Task { try await renewMetadata() }
        discovering = task
        return try await task.value
    }

    private func renewMetadata() async throws -> Provider {
        defer { discovering = nil }
        do {
            let provider = configured.merging(try await Discovery(exchanger).metadata(of: configured))
            metadata = Believed(provider, since: clock.now, for: Self.lifetime)
            return provider
        } catch {
            guard let provider = metadata?.value ?? (configured.discovery == .prefer ? configured : nil) else {
                metadataFailure = Believed(error, since: clock.now, for: Self.retryDelay)
                throw error
            }
            metadata = Believed(provider, since: clock.now, for: Self.retryDelay)
            return provider
        }
    }

    /// The provider's keys. Those that cannot be renewed stay in use.
    func keySet() async throws -> KeySet {
        if let keys, keys.isCurrent(at: clock.now) { return keys.value }
        if keys == nil, let keyFailure, keyFailure.isCurrent(at: clock.now) { throw keyFailure.value }
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
            guard keyCoolDown?.isCurrent(at: clock.now) != true else { return nil }
            keyCoolDown = Believed((), since: clock.now, for: Self.keyCoolDownTime)
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
            let fetched = try JSONWebKeySet(judging: try await exchanger.send(request, within: .none))
            keySetsFetched += 1
            let keySet = KeySet(keys: fetched, number: keySetsFetched)
            keys = Believed(keySet, since: clock.now, for: Self.lifetime)
            return keySet
        } catch {
            let now = clock.now
            keyFailure = Believed(error, since: now, for: Self.retryDelay)
            if let keys, !keys.isCurrent(at: now + Self.retryDelay) {
                self.keys = Believed(keys.value, since: now, for: Self.retryDelay)
            }
            throw error
        }
    }
}
