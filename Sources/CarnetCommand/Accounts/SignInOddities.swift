import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

extension TokenSet {
    /// The sentence about a lifetime that no token has: a server sent the time of expiry.
    func oddLifetime(at provider: Provider) -> String? {
        // Thirty years in seconds; the time since 1970 is longer.
        guard let expiresAt, expiresAt.timeIntervalSince(issuedAt) > 946_080_000,
            !provider.token.response.expiry.kind.isAbsolute
        else { return nil }
        return "expires_in of the response looks like a point in time, not like a lifetime in "
            + "\(provider.token.response.expiry.kind.rawValue); "
            + "if it is, set token.response.expires: epoch, or epoch_milliseconds"
    }

    /// The sentences about requested scopes that were not granted.
    func missingScopes(of requested: [String], at provider: Provider) -> [String] {
        let map = ResourceMap(of: provider)
        func refused(_ granted: [String]) -> [String] {
            let effective = map.effectiveScopes(granted)
            return requested.filter { !effective.contains($0) }
        }
        let missing = refused(scopes)
        let fewer = refused(scopes.flatMap { $0.split(separator: ",").map { String($0.trimming(\.isWhitespace)) } })
        let isSplit = fewer.count < missing.count
        return (isSplit ? ["the response separates scopes by commas: set token.response.scope_separator"] : [])
            + (fewer.isEmpty ? [] : ["not granted: \(fewer.joined(separator: " ").printable)"])
    }
}

extension ProviderDescriptor {
    /// The scopes that options name, each in an option of its own or separated by spaces.
    ///
    /// - Throws: `Failure` for scopes with commas between them.
    func wantedScopes(_ options: [String]) throws -> [String] {
        let wanted = options.flatMap { $0.split(separator: " ").map(String.init) }
        let rules = self.scopes
        let known = rules.catalog.map(\.id) + rules.defaults + rules.required + rules.offline
        // A comma may be a part of a scope (RFC 6749, section 3.3), unless a scope is known that stands beside one.
        guard !known.contains(where: { $0.contains(",") }),
            let list = wanted.first(where: { text in
                text.contains(",") && text.split(separator: ",").contains { known.contains(String($0)) }
            })
        else { return wanted }
        let parts = list.split(separator: ",").map { "--scope \(String($0).shellWord)" }
        throw Failure(
            .usage, "--scope takes one scope; repeat it", next: ["write \(parts.joined(separator: " "))"])
    }

    /// Why a profile does not name the user; `nil` if it does.
    func failure(ofSubjectIn profile: Profile) -> Failure? {
        guard profile.subject == nil, self.profile.subject == nil else { return nil }
        let places = self.profile.effectiveClaims.first { $0.name == "subject" }?.value ?? []
        let members = profile.raw.object?.members.prefix(10).map { $0.name.quotable(limit: 40).withoutTokens }
        let error = profile.raw["error"]?.string.map { "; the server said \"\($0.quotable().withoutTokens)\"" } ?? ""
        let body =
            members.map {
                $0.isEmpty ? "the body is an empty object" : "its members are " + $0.joined(separator: ", ")
            } ?? "the body is no JSON object"
        return Failure(
            .failed,
            "the profile has no subject at \(places.map(\.description).joined(separator: ", "))\(error); \(body)",
            next: ["write the place of the user's id into profile.claims.subject"])
    }
}

extension ProviderFailure {
    /// Why nothing names the account of a sign-in, and what to do; `nil` if the provider has no profile for it.
    func causeOfMissingName(_ session: Session, at provider: Provider) async -> String? {
        // A token for a resource is no token for the profile.
        guard provider.resource == nil else { return nil }
        do {
            let profile = try await session.profile(for: [])
            return entry.descriptor.failure(ofSubjectIn: profile).map { failure in
                ([failure.summary] + failure.next).joined(separator: "; ")
            }
        } catch let error as OAuthError
            where error.kind != .missingEndpoint && error.descriptorKey != "profile.from"
        {
            var shown = error
            if let next = explain(error).next.first { shown.hint = next }
            return shown.summary
        } catch {
            return nil
        }
    }
}
