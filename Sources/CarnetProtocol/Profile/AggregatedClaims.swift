package import CarnetDescriptors
import CarnetFoundation

/// Claims of a profile that another party signed (OpenID Connect Core, section 5.6.2), not trusted yet.
package struct AggregatedClaims: Sendable {
    /// The claimed issuer: one that the descriptor trusts.
    package let source: ClaimSource
    /// The members of the profile that it provides.
    package let names: [String]
    let token: Secret
}

extension Profile {
    private static let maximumSources = 16
    /// The claims whose verification is a standard claim, too (OpenID Connect Core, section 5.1).
    private static let addresses = ["email", "phone_number"]

    /// The aggregated claims from sources that the descriptor trusts, and the errors of the others.
    ///
    /// Distributed claims are not fetched: the provider would choose the hosts and the tokens of this client's
    /// requests.
    package func aggregatedClaims(at provider: FilledProvider) -> (claims: [AggregatedClaims], failures: [OAuthError]) {
        guard !provider.profile.sources.isEmpty, let names = raw["_claim_names"]?.object,
            let sources = raw["_claim_sources"]?.object
        else { return ([], []) }
        var found: [AggregatedClaims] = []
        var failures: [OAuthError] = []
        for source in sources.members.prefix(Self.maximumSources) {
            let wanted = names.members.filter { $0.value.string == source.name }.map(\.name)
            do throws(OAuthError) {
                if !wanted.isEmpty { found.append(try Self.aggregated(source.value, wanted, at: provider)) }
            } catch {
                failures.append(error)
            }
        }
        return (found, failures)
    }

    private static func aggregated(
        _ source: JSONValue, _ names: [String], at provider: FilledProvider
    ) throws(OAuthError) -> AggregatedClaims {
        guard let token = source["JWT"]?.string else {
            throw OAuthError(
                .profile, .unsupported, "distributed claims are not fetched: \(Self.list(names))",
                descriptorKey: "profile.sources")
        }
        let claims = try JSONWebSignature(Secret(token), step: .profile).payload
        let issuer = (try? JSONValue(parsing: claims))?["iss"]?.string ?? ""
        guard let trusted = provider.profile.sources.first(where: { $0.issuer.isSameBytes(as: issuer) }) else {
            throw OAuthError(
                .profile, .issuerMismatch,
                "the claims \(Self.list(names)) are from the issuer \"\(issuer.quotable(limit: 80))\", which the descriptor does not trust",
                descriptorKey: "profile.sources")
        }
        return AggregatedClaims(source: trusted, names: names, token: Secret(token))
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(8).map { $0.quotable(limit: 40) }.joined(separator: ", ")
    }

    /// The profile with claims that their source has signed. A claim of the provider takes precedence.
    ///
    /// - Parameter verification: The source's keys.
    /// - Throws: `OAuthError` at step `profile`; of kind `keyNotFound` or `badSignature` if a new key set might help.
    package func adding(
        _ aggregated: AggregatedClaims, from provider: FilledProvider, verifyingBy verification: ResponseVerification
    ) throws(OAuthError) -> Profile {
        let source = aggregated.source
        let signed = try SignedResponse(
            aggregated.token, .aggregatedClaims, expecting: .init(from: source, at: provider), by: verification)
        guard var body = raw.object else { return self }
        var unfounded: [String] = []
        for name in aggregated.names {
            guard source.claims.contains(name), !ClaimSourceRules.reservedClaims.contains(name), body[name] == nil
            else { continue }
            if let address = ProfileRules.verified(by: name), !verifies(address, signed.claims[address], aggregated) {
                continue
            }
            // The provider, or an earlier source, verified an address that it does not name.
            let verification = name + "_verified"
            if Self.addresses.contains(name), (self[verification] ?? raw[verification])?.statedTruth == true {
                body[verification] = nil
                unfounded.append(verification)
            }
            body[name] = signed.claims[name]
        }
        var profile = reading(.object(body), with: provider)
        profile.claims.removeAll { unfounded.contains($0.name) && body[$0.name] == nil }
        return profile
    }

    /// Whether a source that states a verification means the address of this profile: who verified one address said nothing
    /// of another.
    private func verifies(_ name: String, _ address: JSONValue?, _ aggregated: AggregatedClaims) -> Bool {
        if let own = self[name] ?? raw[name] { return address?.isAddress(own) == true }
        // Without an address, another source could add one that nobody verified.
        return !Self.addresses.contains(name)
            || aggregated.names.contains(name) && aggregated.source.claims.contains(name) && address != nil
    }
}
