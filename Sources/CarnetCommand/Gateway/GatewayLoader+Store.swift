import Carnet
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetStorage

extension GatewayLoader {
    struct OpenStore {
        let tokens: any TokenStore
        let keys: KeyRing
        let name: String
        let key: String
    }

    func store(_ rules: GatewayRules, creating: Bool) async throws -> OpenStore {
        guard sandbox == nil else {
            return OpenStore(tokens: memory, keys: memoryKeys, name: "in memory", key: "in memory")
        }
        let known = opened.withLock { $0 }
        let places = [rules.session.store, rules.session.key]
        if let known, known.places != places {
            throw Failure(
                .usage, "session.store or session.key has changed, and needs a new start", next: ["restart the gateway"]
            )
        }
        do {
            let store = try known?.store ?? GatewayStore(rules.session, in: self.places, environment)
            let keys: KeyRing
            if creating {
                let (ring, made) = try await store.keysOfGateway()
                if let made { console.note("made the key of the sessions: \(made)".printable) }
                if known == nil { try await store.tokens.prepareToSave(ConnectionKey(provider: "", account: "")) }
                keys = ring
                opened.withLock { $0 = (places, store) }
            } else {
                let ring = try await store.keys.read()
                guard ring != nil || store.keys.isOwn else { throw store.missingKey }
                try await store.checkForStart()
                keys = ring ?? memoryKeys
                if ring == nil { console.note("the gateway will make its key: \(store.keys.file ?? "")".printable) }
            }
            await warnAboutFormerKeys(keys, store)
            return OpenStore(tokens: store.tokens, keys: keys, name: store.name, key: keys.ids.joined(separator: ", "))
        } catch let error as TokenStoreError {
            // What keeps the gateway from its store is seldom its own fault.
            var failure = Failure(error)
            failure.status = .failed
            throw failure
        }
    }

    /// Says whose sessions end with a change of keys.
    private func warnAboutFormerKeys(_ keys: KeyRing, _ store: GatewayStore) async {
        let before = keyIDs.withLock { ids in
            defer { ids = keys.ids }
            return ids
        }
        guard before != keys.ids, let inventory = try? await store.tokens.inventory() else { return }
        for (id, count) in inventory.recordsByKeyID.sorted(by: { $0.key < $1.key }) where !keys.ids.contains(id) {
            let what =
                count == 1
                ? "1 session cannot be read: its person has" : "\(count) sessions cannot be read: their people have"
            console.warn(
                "the key \(id) of the sessions is no longer there, so \(what) to sign in again; to keep them, add the key in second place"
                    .printable)
        }
    }

    /// The keys of `identity_token`: those of the file, else one for each key of the sessions, so that all replicas have
    /// the same and a rotation of one is a rotation of the other.
    func identityKeys(_ rules: GatewayRules, _ keys: KeyRing) throws -> [ClientKey] {
        guard let token = rules.identityToken else { return [] }
        do {
            guard let place = token.key else {
                return try keys.derivedSecrets(for: "identity token of \(rules.origin.site)").map {
                    try ClientKey.p256($0, source: "identity_token.key")
                }
            }
            let text = try places.value(of: place, "key", token.line(of:), environment)
            let signing = try ClientKey.keys(in: text, id: nil, source: "identity_token.key").filter(\.canSign)
            guard !signing.isEmpty else {
                throw Failure(
                    .usage, "identity_token.key has no key that can sign",
                    next: ["write a private key: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"])
            }
            return signing
        } catch let error as ClientKeyError {
            throw Failure(.usage, "\(error.source) \(error.reason)", next: [error.hint].compactMap { $0 })
        }
    }
}
