import CarnetFoundation
import CarnetProtocol

/// The browsers of one person at a web site: one record of the store for each.
extension OAuthClient {
    /// The browsers whose sessions have not expired, the latest sign-in first.
    ///
    /// - Parameter issuer: The issuer of the ID token; `nil` without one.
    /// - Throws: `TokenStoreError`. A store without an index of sessions decrypts all its records.
    package func browsers(of subject: String, issuer: String?) async throws -> [(account: String, note: BrowserNote)] {
        try await notes(of: subject, issuer: issuer).filter { $0.note.expiresAt > clock.now }
            .map { (account: $0.key.account, note: $0.note) }
            .sorted { ($0.note.signedInAt, $0.account) > ($1.note.signedInAt, $1.account) }
    }

    /// Removes the records of the person's sessions that have expired, which no cookie names any more. It does nothing
    /// without an index of sessions.
    ///
    /// - Throws: `TokenStoreError`.
    package func forgetExpiredBrowsers(of subject: String, issuer: String?) async throws {
        guard store is any SessionIndexedTokenStore else { return }
        for (key, note) in try await notes(of: subject, issuer: issuer) where note.expiresAt <= clock.now {
            _ = try await session(of: key)?.signOut()
        }
    }

    private func notes(of subject: String, issuer: String?) async throws -> [(key: ConnectionKey, note: BrowserNote)] {
        let person = try EndedSession(issuer: issuer ?? provider.id.rawValue, subject: subject, sessionID: nil)
        var notes: [(key: ConnectionKey, note: BrowserNote)] = []
        for key in try await store.sessions(at: provider.id.rawValue, endedBy: person) {
            guard let connection = try await store.load(key)?.connection, let note = connection.browser,
                (try? checkOwner(of: connection)) != nil
            else { continue }
            notes.append((key, note))
        }
        return notes
    }
}

extension Session {
    /// Keeps the browser with the tokens, and the subject where no ID token has it.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `sessionEnded` if the tokens are gone.
    package func note(_ browser: BrowserNote, subject: String) async throws {
        try await update { connection in
            connection.browser = browser
            connection.subject = connection.subject ?? subject
            return true
        }
    }
}
