import CarnetDescriptors
import CarnetProtocol

/// Where a request may go, by the credentials that it carries: to the servers that they were made for, and nowhere else.
///
/// A descriptor may change between a sign-in and a request, and so may a provider's metadata; what they name now is not
/// what the person agreed to. `Exchanger` asks before anything is sent.
struct CredentialBounds: Sendable {
    private struct Bond: Sendable {
        /// Whose credentials they are.
        var owner: String
        /// Where what is for the authorization server may go; anywhere if `nil`.
        var servers: [String]?
        /// Where access tokens may go; anywhere if `nil`.
        var resources: [String]?
        /// How the change is accepted.
        var hint: String
        /// The issuer of the sign-in, if the provider has another one now.
        var otherIssuer: String?
    }

    private var bonds: [Bond] = []
    /// Origins that the caller names for this very request.
    private var declared: Set<ByteKey> = []
    /// Whether requests for resources have what is for the authorization server in them.
    private var showsResourcesServerSecrets = false

    /// For a request with no credential, or with none but one that was given for this very server.
    static let none = CredentialBounds()
}

extension CredentialBounds {
    /// What authenticates a client, as far as its registration says where it belongs.
    static func client(_ registration: ClientRegistration) -> CredentialBounds {
        guard let origins = registration.origins else { return .none }
        return CredentialBounds(bonds: [
            Bond(
                owner: "the client \(registration.clientID)",
                servers: origins.map { (try? WebURL($0))?.origin ?? $0 },
                hint:
                    "nothing was sent; if the provider has moved, register the client there, or add the origin to the "
                    + "registration's origins")
        ])
    }

    /// What an account's sign-in brought.
    ///
    /// - Parameters:
    ///   - provider: As it is now.
    ///   - account: `nil` for tokens without an account.
    ///   - otherIssuer: The issuer of the sign-in, if the provider has another one now.
    func of(
        _ binding: CredentialBinding, at provider: Provider, account: String? = nil, otherIssuer: String? = nil
    ) -> CredentialBounds {
        var bounds = adding(
            Bond(
                owner: account.map { "the account \($0.quotable(limit: 80))" } ?? "this token",
                servers: binding.servers,
                resources: binding.resources,
                hint: "nothing was sent; if the provider has moved, sign in again", otherIssuer: otherIssuer))
        bounds.showsResourcesServerSecrets = provider.showsResourcesServerSecrets
        return bounds
    }

    /// What a sign-in that is under way sends.
    func of(_ pending: PendingAuthorization) -> CredentialBounds {
        guard let servers = pending.servers else { return self }
        return adding(
            Bond(owner: "this sign-in", servers: servers, hint: "nothing was sent; begin the sign-in again"))
    }

    /// The same with origins that the caller takes responsibility for.
    func declaring(_ origins: some Sequence<String>) -> CredentialBounds {
        var bounds = self
        bounds.declared.formUnion(origins.map { ByteKey($0) })
        return bounds
    }

    private func adding(_ bond: Bond) -> CredentialBounds {
        var bounds = self
        bounds.bonds.append(bond)
        return bounds
    }
}

extension CredentialBounds {
    /// - Throws: `OAuthError` of kind `bindingMismatch`.
    func check(_ request: PreparedRequest) throws(OAuthError) {
        guard !bonds.isEmpty else { return }
        try check(try request.destination(), at: request.step, key: request.descriptorKey)
    }

    /// - Throws: `OAuthError` of kind `bindingMismatch`.
    func check(_ url: WebURL, at step: OAuthError.Step, key: String) throws(OAuthError) {
        let isForServer = !step.isOfResource || showsResourcesServerSecrets
        let isDeclared = !isForServer && declared.contains(ByteKey(url.origin))
        for bond in bonds {
            if let issuer = bond.otherIssuer {
                throw OAuthError(
                    step, .bindingMismatch,
                    "\(bond.owner) signed in with the issuer \(issuer.quotable()), which is not the provider's now",
                    descriptorKey: "issuer", hint: bond.hint)
            }
            guard let places = isForServer ? bond.servers : bond.resources, !isDeclared, !url.isAt(anyOf: places)
            else { continue }
            throw OAuthError(
                step, .bindingMismatch,
                "the credentials of \(bond.owner) are for \(Self.list(places)), and the request would go to \(url.origin)",
                descriptorKey: key, hint: bond.hint)
        }
    }

    private static func list(_ places: [String]) -> String {
        let shown = places.prefix(3).joined(separator: ", ")
        return switch places.count {
        case 0: "no such request"
        case ...3: shown
        default: "\(shown) and \(places.count - 3) more"
        }
    }
}
