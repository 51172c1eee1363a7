import CarnetProtocol

/// The client's certificate, and the requests that it belongs to (RFC 8705).
struct PresentedCertificate: Sendable {
    let certificate: ClientCertificate
    /// Whether tokens are bound to it, so that resources see it too.
    let bindsTokens: Bool

    init?(_ registration: ClientRegistration, at provider: Provider) {
        guard let certificate = registration.certificate else { return nil }
        self.certificate = certificate
        bindsTokens = registration.bindsTokensToCertificate(at: provider)
    }

    /// What is public for everybody is asked for without it, and so is what takes a token that is not bound.
    func certificate(for step: OAuthError.Step) -> ClientCertificate? {
        switch step {
        case .discovery, .keys, .registration: nil
        case .resource, .profile, .connection: bindsTokens ? certificate : nil
        default: certificate
        }
    }
}
