import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// Under which name the account of a sign-in is saved, and what of an earlier sign-in stays.
extension OAuthClient {
    /// The user's subject where no ID token has it, so that the tokens of two users do not get the same name.
    ///
    /// - Parameter isNeeded: Whether the account gets its name from the subject.
    /// - Throws: `OAuthError` at step `profile` if the profile is needed and cannot be read. Under another name, the next
    ///   sign-in of the same user would make a second account.
    func subjectFromUserinfo(
        _ tokens: TokenSet, _ values: [String: ConnectionValue], provedBy dpopKey: Secret?,
        at discovered: DiscoveredProvider, within bounds: CredentialBounds, stated: String? = nil,
        isNeeded: Bool
    ) async throws -> String? {
        let provider = filled(discovered, with: ConnectionValues(tokens: tokens, values: values))
        // A token for a resource is no token for the profile, unless the sign-in was one of OpenID Connect.
        guard Profile.source(at: provider) == .userinfo,
            provider.resource == nil || tokens.scopes.contains("openid")
        else { return nil }
        do {
            let (response, request) = try await send(
                within: bounds, provedBy: dpopKey, accessToken: tokens.accessToken,
                { try Profile.request(tokens, at: provider) })
            return try await profile(validating: response, to: request, from: provider, subject: stated).subject
        } catch let error as OAuthError
            where isNeeded && error.status != 403
            && !(error.kind == .missingEndpoint && discovered.endpoints.userinfoNeedsConnection)
        {
            // Without the scope of the profile, the user chose to have none. A URL with a value of the section connection is
            // known only after the sign-in.
            throw error.meaning(
                error.kind, "the profile, which names the account, cannot be read: \(error.message)",
                hint: error.disposition == .tryLater
                    ? "sign in again later, or choose a name for the account"
                    : "see endpoints.userinfo and profile in the descriptor, or choose a name for the account")
        } catch {
            return nil
        }
    }

    /// What was read; `nil` also for a record that cannot be opened, which a new sign-in replaces.
    private func readable(_ read: () async throws -> Connection?) async throws -> Connection? {
        do {
            return try await read()
        } catch let error as TokenStoreError where error.kind == .unreadable {
            return nil
        }
    }

    /// - Parameter isNamed: Whether the host chose the account's name.
    func save(_ connection: Connection, isNamed: Bool, continuing old: Connection?) async throws -> Session {
        try connection.requireAccount(of: old)
        var connection = connection
        let existing = try await readable { [key = connection.key] in try await store.load(key)?.connection }
        if !isNamed, let existing, !existing.isSameIdentity(as: connection) {
            // An address can belong to another user later; only issuer and subject identify an account.
            connection.key.account = connection.subject ?? "default"
        }
        connection.inheritFirstCallback(of: existing, at: provider)
        let signedIn = connection
        // A refresh of the old tokens in progress must not overwrite or remove the new ones.
        try await withLockIfFree(on: signedIn.key) { [self] _ in
            // The tokens may have been refreshed while the code was exchanged, so the stored ones are read again.
            let newest = try await readable { try await loaded(signedIn.key)?.newest }
            let kept =
                if let newest, old != nil { try signedIn.continuing(newest) } else {
                    signedIn.inheritingRefreshToken(of: newest)
                }
            _ = try await store.save(kept, replacing: nil)
            unsaved[signedIn.key] = nil
        }
        return session(of: signedIn)
    }
}
