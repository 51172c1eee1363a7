import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import Logging

/// The pause after a failed request for metadata or keys, in seconds.
private let retryDelay: TimeInterval = 10
/// How long metadata and keys that cannot be fetched again stay in use, in seconds since they were fetched. A key that its
/// owner withdrew must not serve longer to somebody who keeps the client from reading that.
private let longestLifetime: TimeInterval = 86_400

/// The cached metadata and keys of a provider. Concurrent callers share one request, which continues if one of them
/// is cancelled.
final class ProviderCache: Sendable {
    private let configured: Provider
    private let needsMetadata: Bool
    private let exchanger: Exchanger
    private let clock: any WallClock
    private let certificate: PresentedCertificate?
    /// The URL of the keys, if they are not the provider's own.
    private let otherKeys: WebURL?
    private let cache = Lock(Cache())

    private struct Cache {
        var metadata: Cached<DiscoveredProvider>?
        var metadataFailure: Cached<any Error>?
        var keys: Cached<KeySet>?
        var keyFailure: Cached<any Error>?
        var discovering: Task<DiscoveredProvider, any Error>?
        var fetchingKeys: Task<KeySet, any Error>?
        var keyCoolDown: Cached<Void>?
        var keySetsFetched = 0
    }

    /// A cached value, or the request for it, which all callers share.
    private enum Found<Value: Sendable>: Sendable {
        case known(Value)
        case requested(Task<Value, any Error>)

        var value: Value {
            get async throws {
                switch self {
                case .known(let value): value
                case .requested(let task): try await task.value
                }
            }
        }
    }

    private struct Cached<Value: Sendable> {
        let value: Value
        let since: Date
        let until: Date
        /// When it was fetched. `since` is later for a copy that could not be fetched again.
        let fetched: Date

        init(_ value: Value, since: Date, for seconds: TimeInterval, fetched: Date? = nil) {
            self.value = value
            self.since = since
            self.fetched = fetched ?? since
            until = since + seconds
        }

        /// The copy in use until the next attempt to fetch it; `nil` once it is too old.
        func kept(at now: Date) -> Cached? {
            guard fetched <= now, now < fetched + longestLifetime else { return nil }
            let seconds = min(retryDelay, (fetched + longestLifetime).timeIntervalSince(now))
            return Cached(value, since: now, for: seconds, fetched: fetched)
        }

        /// A clock that was set back must not extend its life.
        func isCurrent(at now: Date) -> Bool { since <= now && now < until }
    }

    struct KeySet: Sendable {
        let keys: JSONWebKeySet
        /// Counts how often keys were fetched.
        fileprivate let number: Int
    }

    /// The lifetime of metadata and keys, in seconds.
    private static let lifetime: TimeInterval = 3600
    /// The pause between two fetches because of an unknown key, in seconds: random key ids must not cause a flood of
    /// requests.
    private static let keyCoolDownTime: TimeInterval = 60

    /// - Parameters:
    ///   - certificate: The client's, if the endpoints for clients with a certificate are used.
    ///   - otherKeys: The URL of another issuer's keys, to cache instead of the provider's.
    init(
        _ provider: Provider, exchanger: Exchanger, clock: any WallClock, certificate: PresentedCertificate? = nil,
        otherKeys: WebURL? = nil
    ) {
        self.otherKeys = otherKeys
        configured = provider
        needsMetadata = provider.needsMetadata
        (self.exchanger, self.clock, self.certificate) = (exchanger, clock, certificate)
    }

    /// The provider with its metadata merged in. A copy that cannot be fetched again stays in use for a day.
    func provider() async throws -> DiscoveredProvider {
        let provider = try await discoveredProvider()
        guard let certificate else { return provider }
        return try provider.presentingCertificate(withTokens: certificate.bindsTokens)
    }

    /// The servers that may receive the credentials of a sign-in that begins now, with or without a certificate: a
    /// client may get one later.
    func binding() async throws -> CredentialBinding { CredentialBinding(to: try await discoveredProvider()) }

    private func discoveredProvider() async throws -> DiscoveredProvider {
        guard needsMetadata else { return configured.withoutMetadata }
        let now = clock.now
        return try await cache.withLock { cache -> Found<DiscoveredProvider> in
            if let metadata = cache.metadata, metadata.isCurrent(at: now) { return .known(metadata.value) }
            if let task = cache.discovering { return .requested(task) }
            // A repeated failure does not cause a request for each caller: anybody can be a caller.
            if let failure = cache.metadataFailure, failure.isCurrent(at: now) { throw failure.value }
            let task = Task { try await refreshMetadata() }
            cache.discovering = task
            return .requested(task)
        }.value
    }

    private func refreshMetadata() async throws -> DiscoveredProvider {
        defer { cache.withLock { $0.discovering = nil } }
        do {
            let provider = try await Discovery(exchanger).discovered(configured)
            let metadata = Cached(provider, since: clock.now, for: Self.lifetime)
            cache.withLock { $0.metadata = metadata }
            return provider
        } catch {
            let fallback = configured.discovery == .preferred ? configured.withoutMetadata : nil
            let now = clock.now
            return try cache.withLock { cache in
                note("metadata", cache.metadata, at: now)
                cache.metadata =
                    cache.metadata?.kept(at: now) ?? fallback.map { Cached($0, since: now, for: retryDelay) }
                guard let provider = cache.metadata?.value else {
                    cache.metadataFailure = Cached(error, since: now, for: retryDelay)
                    throw error
                }
                return provider
            }
        }
    }

    /// Logs that a copy stays in use, or no longer does, once each.
    private func note<Value>(_ content: String, _ copy: Cached<Value>?, at now: Date) {
        guard let copy else { return }
        let metadata: Logger.Metadata = [
            "provider": "\(configured.id)", "content": "\(content)",
            "age": "\(Int(now.timeIntervalSince(copy.fetched).rounded()))",
        ]
        if copy.kept(at: now) == nil {
            exchanger.logger.error("A copy that could not be fetched again is discarded", metadata: metadata)
        } else if copy.since == copy.fetched {
            exchanger.logger.warning("A copy stays in use, because it could not be fetched again", metadata: metadata)
        }
    }

    /// Whether keys are known that need no request.
    var hasKeys: Bool {
        let now = clock.now
        return cache.withLock { $0.keys?.isCurrent(at: now) == true }
    }

    /// The provider's keys. Keys that cannot be fetched again stay in use for a day.
    func keySet() async throws -> KeySet {
        let now = clock.now
        let found = try cache.withLock { cache -> Found<KeySet> in
            if let keys = cache.keys, keys.isCurrent(at: now) { return .known(keys.value) }
            if cache.keys == nil, let failure = cache.keyFailure, failure.isCurrent(at: now) { throw failure.value }
            return .requested(fetchedKeys(&cache))
        }
        do {
            return try await found.value
        } catch {
            guard let keys = cache.withLock({ $0.keys }) else { throw error }
            return keys.value
        }
    }

    /// Newer keys than those that did not fit a signature; `nil` if there are none, or they were fetched a moment
    /// ago.
    func keySet(newerThan unfit: KeySet) async throws -> KeySet? {
        let now = clock.now
        return try await cache.withLock { cache -> Found<KeySet>? in
            if let keys = cache.keys, keys.value.number > unfit.number { return .known(keys.value) }
            if cache.fetchingKeys == nil {
                guard cache.keyCoolDown?.isCurrent(at: now) != true else { return nil }
                cache.keyCoolDown = Cached((), since: now, for: Self.keyCoolDownTime)
            }
            return .requested(fetchedKeys(&cache))
        }?.value
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

    private func fetchedKeys(_ cache: inout Cache) -> Task<KeySet, any Error> {
        let task = cache.fetchingKeys ?? Task { try await fetchKeys() }
        cache.fetchingKeys = task
        return task
    }

    private func fetchKeys() async throws -> KeySet {
        defer { cache.withLock { $0.fetchingKeys = nil } }
        do {
            let (url, key) =
                if let otherKeys { (otherKeys, "profile.sources") } else {
                    (try JSONWebKeySet.location(for: try await provider()), "endpoints.jwks")
                }
            let fetched = try JSONWebKeySet(
                validating: try await exchanger.document(at: url) { try JSONWebKeySet.request($0, key: key) })
            let now = clock.now
            return cache.withLock { cache in
                cache.keySetsFetched += 1
                let keySet = KeySet(keys: fetched, number: cache.keySetsFetched)
                cache.keys = Cached(keySet, since: now, for: Self.lifetime)
                return keySet
            }
        } catch {
            let now = clock.now
            cache.withLock { cache in
                cache.keyFailure = Cached(error, since: now, for: retryDelay)
                if let keys = cache.keys, !keys.isCurrent(at: now + retryDelay) {
                    note("keys", keys, at: now)
                    cache.keys = keys.kept(at: now)
                }
            }
            throw error
        }
    }
}
