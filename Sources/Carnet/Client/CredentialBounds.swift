import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// The servers that a request may go to: those that its credentials were obtained from.
///
/// A descriptor or a provider's metadata may change between a sign-in and a request. The user agreed to the earlier
/// servers only. `Exchanger` checks this before it sends.
struct CredentialBounds: Sendable {
    private struct Bond: Sendable {
        /// The owner of the credentials, for the message.
        var owner: String
        /// The servers that may receive credentials for the authorization server; any if `nil`.
        var servers: [String]?
        /// The servers that may receive access tokens; any if `nil`.
        var resources: [String]?
        /// What to do to accept the change.
        var hint: String
        /// The issuer of the sign-in, if the provider now has another one.
        var otherIssuer: String?
    }

    private var bonds: [Bond] = []
    /// Origins that the caller names for this request.
    private var declared: Set<ByteKey> = []
    /// Whether requests to resources contain credentials for the authorization server.
    private var showsResourcesServerSecrets = false
    /// The credentials, and the other secrets of the same sign-in.
    private var secrets: [@Sendable () -> [Secret]] = []

    /// No bounds: for a request without credentials, or with a credential that was obtained from this server.
    static let anyServer = CredentialBounds()
}

extension CredentialBounds {
    /// For a client's credentials, if its registration names their origins.
    static func client(_ registration: ClientRegistration, at provider: Provider) -> CredentialBounds {
        let unbound = CredentialBounds.anyServer.hiding {
            [registration.clientSecret].compactMap { $0 } + provider.secretInputs.values.map { Secret($0) }
        }
        guard let origins = registration.origins else { return unbound }
        return unbound.adding(
            Bond(
                owner: "the client \(registration.clientID.quotable(limit: 80))",
                servers: origins.map { (try? WebURL($0))?.origin ?? $0 },
                hint:
                    "nothing was sent; if the provider has moved, register the client there, or add the origin to the "
                    + "registration's origins"))
    }

    /// For the credentials of an account's sign-in.
    ///
    /// - Parameters:
    ///   - provider: The provider as it is now.
    ///   - account: `nil` for tokens without an account.
    ///   - otherIssuer: The issuer of the sign-in, if the provider now has another one.
    func of(
        _ binding: CredentialBinding, at provider: some DiscoveredStage, account: String? = nil,
        otherIssuer: String? = nil
    ) -> CredentialBounds {
        let bond = Bond(
            owner: account.map { "the account \($0.quotable(limit: 80))" } ?? "this token", servers: binding.servers,
            resources: binding.resources, hint: "nothing was sent; if the provider has moved, sign in again",
            otherIssuer: otherIssuer)
        return changing(adding(bond)) { $0.showsResourcesServerSecrets = provider.shared.showsResourcesServerSecrets }
    }

    /// For the credentials of a sign-in in progress.
    func of(_ pending: PendingAuthorization) -> CredentialBounds {
        guard let servers = pending.servers else { return self }
        return adding(
            Bond(owner: "this sign-in", servers: servers, hint: "nothing was sent; begin the sign-in again"))
    }

    /// The same with origins that the caller adds.
    func declaring(_ origins: some Sequence<String>) -> CredentialBounds {
        changing(self) { $0.declared.formUnion(origins.map { ByteKey($0) }) }
    }

    /// The same with secrets that no message of these requests may show. They are read when somebody looks.
    func hiding(_ secrets: @escaping @Sendable () -> [Secret]) -> CredentialBounds {
        changing(self) { $0.secrets.append(secrets) }
    }

    /// The request with the secrets that its messages may not show.
    func hiding(in request: PreparedRequest) -> PreparedRequest {
        secrets.isEmpty ? request : request.hiding { [secrets] in secrets.flatMap { $0() } }
    }

    private func adding(_ bond: Bond) -> CredentialBounds { changing(self) { $0.bonds.append(bond) } }
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
                    "\(bond.owner) signed in with the issuer \(issuer.quotable()), and the provider now has another issuer",
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
