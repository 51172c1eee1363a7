import CarnetDescriptors
import CarnetProtocol
import Foundation

/// What is learned from a provider and kept: its metadata and its keys. Concurrent callers share one request.
actor ProviderConnection {
    private let configured: Provider
    private let exchanger: Exchanger
    private let clock: any WallClock
    private var metadata: Fetched<Provider>?
    private var keys: Fetched<JSONWebKeySet>?
    private var discovering: Task<Provider, any Error>?
    private var fetchingKeys: Task<JSONWebKeySet, any Error>?
    private var lastKeyRequest: Date?

    private struct Fetched<Value: Sendable> {
        let value: Value
        let at: Date
    }

    /// How long metadata and keys are believed, in seconds.
    private static let lifetime: TimeInterval = 3600
    /// How long after a request for keys an unknown key id asks for no other, in seconds: random key ids must not make
    /// this client hammer the provider.
    private static let keyCoolDown: TimeInterval = 60

    init(_ provider: Provider, exchanger: Exchanger, clock: any WallClock) {
        configured = provider
        self.exchanger = exchanger
        self.clock = clock
    }

    /// The provider with its metadata merged in. A copy that cannot be renewed stays in use.
    func provider() async throws -> Provider {
        guard configured.needsMetadata else { return configured }
        if let metadata, clock.now.timeIntervalSince(metadata.at) < Self.lifetime { return metadata.value }
        if let discovering { return try await discovering.value }
        let task = Task { try await discover() }
        discovering = task
        defer { discovering = nil }
        do {
            let provider = try await task.value
            metadata = Fetched(value: provider, at: clock.now)
            return provider
        } catch {
            if let metadata { return metadata.value }
            guard configured.discovery == .prefer else { throw error }
            return configured
        }
    }

    /// The provider's keys.
    func keySet() async throws -> JSONWebKeySet {
        if let keys, clock.now.timeIntervalSince(keys.at) < Self.lifetime { return keys.value }
        do {
            return try await fetchKeys()
        } catch {
            guard let keys else { throw error }
            return keys.value
        }
    }

    /// Newer keys after one was not found; `nil` if they were asked for a moment ago.
    func renewedKeySet() async throws -> JSONWebKeySet? {
        if let fetchingKeys { return try await fetchingKeys.value }
        if let lastKeyRequest, clock.now.timeIntervalSince(lastKeyRequest) < Self.keyCoolDown { return nil }
        return try await fetchKeys()
    }

    private func fetchKeys() async throws -> JSONWebKeySet {
        if let fetchingKeys { return try await fetchingKeys.value }
        lastKeyRequest = clock.now
        let task = Task {
            let provider = try await provider()
            return try JSONWebKeySet(judging: try await exchanger.send(try JSONWebKeySet.request(for: provider)))
        }
        fetchingKeys = task
        defer { fetchingKeys = nil }
        let fetched = try await task.value
        keys = Fetched(value: fetched, at: clock.now)
        return fetched
    }

    private func discover() async throws -> Provider {
        var failure: (any Error)?
        for location in try ProviderMetadata.locations(for: configured) {
            do {
                let response = try await exchanger.send(try ProviderMetadata.request(location))
                return configured.merging(try ProviderMetadata(judging: response, for: configured))
            } catch let error as OAuthError where error.status == 404 {
                // The other well-known form may be there. The first answer is the one worth telling.
                failure = failure ?? error
            }
        }
        throw failure ?? OAuthError(.discovery, .badDescriptor, "there is nowhere to look for metadata")
    }
}
