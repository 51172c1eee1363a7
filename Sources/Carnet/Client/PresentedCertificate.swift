import CarnetDescriptors
import CarnetProtocol

/// The client certificate, and the requests that it is for (RFC 8705).
struct PresentedCertificate: Sendable {
    let certificate: ClientCertificate
    /// Whether tokens are bound to it, so that resources need it too.
    let bindsTokens: Bool

    init?(_ registration: ClientRegistration, at provider: some ProviderStage) {
        guard let certificate = registration.certificate else { return nil }
        self.certificate = certificate
        bindsTokens = registration.bindsTokensToCertificate(at: provider)
    }

    /// Public documents are requested without it, and so are resources that accept an unbound token.
    func certificate(for step: OAuthError.Step) -> ClientCertificate? {
        switch step {
        case .discovery, .keys, .registration: nil
        case .resource, .profile, .connection: bindsTokens ? certificate : nil
        default: certificate
        }
    }
}
