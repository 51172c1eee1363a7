import Carnet
import CarnetPostgreSQL
import CarnetSQLite
import Foundation

func storeOfOneMachine() -> SQLiteStore {
    SQLiteStore(path: "/var/lib/app/tokens.sqlite", key: .file("/etc/app/store-keys"))
}

func storeOfAFleet(password: String) -> PostgreSQLStore {
    let address = Secret("postgresql://app:\(password)@db.internal/app")
    return PostgreSQLStore(
        PostgreSQLConfiguration(address, tls: .verified(authorities: "/etc/app/ca.pem"), poolSize: 8),
        key: .environment("APP_STORE_KEYS")
    )
}

/// Begins a sign-in that another process can complete.
func begin(_ client: OAuthClient, _ waiting: any PendingStore) async throws -> String {
    let request = try await client.beginSignIn()
    try await waiting.save(request.pending, now: .now)
    return request.url
}

/// The same without a store: the string goes into a cookie of the browser that began the sign-in.
func cookie(for request: AuthorizationRequest, keys: KeyRing) throws -> String {
    try request.pending.encrypted(with: keys)
}

func pending(inCookie text: String, keys: KeyRing) throws -> PendingAuthorization? {
    try PendingAuthorization.decrypted(text, with: keys, now: .now)
}

/// Whether the old key can be removed: no record is encrypted with it.
func isUnused(_ old: KeyRing, in store: PostgreSQLStore) async throws -> Bool {
    let needed = try await store.inventory().recordsByKeyID
    return old.ids.allSatisfy { needed[$0] == nil }
}
