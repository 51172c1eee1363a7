import CarnetDescriptors
import CarnetProtocol
import Foundation

/// The cached metadata and keys of a provider. Concurrent callers share one request, which continues if one of them
/// is cancelled.
actor ProviderConnection {
    private let configured: Provider
    private let exchanger: Exchanger
    private let clock: any WallClock
    private let presentsCertificate: Bool
    /// The URL of the keys, if they are not the provider's own.
    private let otherKeys: WebURL?
    private var metadata: Believed<DiscoveredProvider>?
    private var metadataFailure: Believed<any Error>?
    private var keys: Believed<KeySet>?
    private var keyFailure: Believed<any Error>?
    private var discovering: Task<DiscoveredProvider, any Error>?
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

        /// A clock that was set back must not extend its life.
        func isCurrent(at now: Date) -> Bool { since <= now && now < until }
    }

    /// The provider's keys at one time.
    struct KeySet: Sendable {
        let keys: JSONWebKeySet
        /// Counts how often keys were fetched.
        fileprivate let number: Int
    }

    /// The lifetime of metadata and keys, in seconds.
    private static let lifetime: TimeInterval = 3600
    /// The pause after a failed request for metadata or keys, in seconds.
    private static let retryDelay: TimeInterval = 10
    /// The pause between two fetches because of an unknown key, in seconds: random key ids must not cause a flood of
    /// requests.
    private static let keyCoolDownTime: TimeInterval = 60

    /// - Parameters:
    ///   - presentsCertificate: Whether the endpoints for clients with a certificate are used.
    ///   - otherKeys: The URL of another issuer's keys, to cache instead of the provider's.
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

    /// The provider with its metadata merged in. A copy that cannot be refreshed stays in use.
    func provider() async throws -> DiscoveredProvider {
        let provider = try await discoveredProvider()
        return presentsCertificate ? try provider.presentingCertificate() : provider
    }

    /// The servers that may receive the credentials of a sign-in that begins now, with or without a certificate: a
    /// client may get one later.
    func binding() async throws -> CredentialBinding { CredentialBinding(to: try await discoveredProvider()) }

    private func discoveredProvider() async throws -> DiscoveredProvider {
        guard configured.needsMetadata else { return configured.withoutMetadata }
        if let metadata, metadata.isCurrent(at: clock.now) { return metadata.value }
        // A repeated failure does not cause a request for each caller: anybody can be a caller.
        if discovering == nil, let metadataFailure, metadataFailure.isCurrent(at: clock.now) {
            throw metadataFailure.value
        }
        let task = discovering ?? Task { try await refreshMetadata() }
        discovering = task
        return try await task.value
    }

    private func refreshMetadata() async throws -> DiscoveredProvider {
        defer { discovering = nil }
        do {
            let provider = configured.merging(try await Discovery(exchanger).metadata(of: configured))
            metadata = Believed(provider, since: clock.now, for: Self.lifetime)
            return provider
        } catch {
            let fallback = configured.discovery == .preferred ? configured.withoutMetadata : nil
            guard let provider = metadata?.value ?? fallback else {
                metadataFailure = Believed(error, since: clock.now, for: Self.retryDelay)
                throw error
            }
            metadata = Believed(provider, since: clock.now, for: Self.retryDelay)
            return provider
        }
    }

    /// Whether keys are known that need no request.
    var hasKeys: Bool { keys?.isCurrent(at: clock.now) == true }

    /// The provider's keys. Keys that cannot be refreshed stay in use.
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

    /// Newer keys than those that did not fit a signature; `nil` if there are none, or they were fetched a moment
    /// ago.
    func keySet(newerThan unfit: KeySet) async throws -> KeySet? {
        if let keys, keys.value.number > unfit.number { return keys.value }
        if fetchingKeys == nil {
            guard keyCoolDown?.isCurrent(at: clock.now) != true else { return nil }
            keyCoolDown = Believed((), since: clock.now, for: Self.keyCoolDownTime)
        }
        return try await fetchedKeys()
    }

    /// Validates a signed value, once more with newer keys if the known ones do not fit.
    func verifying<Result: Sendable>(
        _ validate: @Sendable (JSONWebKeySet) throws(OAuthError) -> Result
    ) async throws -> Result {
        let known = try await keySet()
        do throws(OAuthError) {
            return try validate(known.keys)
        } catch {
            guard [.keyNotFound, .badSignature].contains(error.kind), let newer = try await keySet(newerThan: known)
            else { throw error }
            return try validate(newer.keys)
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
            let fetched = try JSONWebKeySet(validating: try await exchanger.send(request, within: .none))
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
