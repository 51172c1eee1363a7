package import CarnetFoundation
package import CarnetWeb

/// The gateway's own paths, on every host that it protects. A proxy forwards all of them to the gateway.
package enum GatewayPaths {
    static let prefix = "/carnet/"
    /// Asked about each request, with the headers of the proxy.
    package static let decide = "/carnet/decide"
    /// The page of a refusal, for a proxy that drops the body of a decision. It has the same headers.
    package static let refused = "/carnet/refused"
    package static let keys = "/carnet/keys"
    package static let health = "/carnet/health"
    package static let ready = "/carnet/ready"
    static let account = "/carnet/account"
    /// The page for a form that was sent after the session had ended.
    static let ended = "/carnet/ended"
    /// At the origin: hands the session over to another host.
    static let enter = "/carnet/enter"
    /// At another host: asks for the session.
    static let begin = "/carnet/begin"
    /// At another host: takes the session.
    static let entered = "/carnet/entered"

    package static let web = WebSignIn.Paths(
        signIn: "/carnet/sign-in", signOut: "/carnet/sign-out", signedOut: signedOut)
    /// The page after a sign-out. A provider may lead browsers back there.
    package static let signedOut = "/carnet/signed-out"

    /// The path that a provider leads browsers back to.
    package static func callback(of provider: ProviderID) -> String { "/carnet/sign-in/\(provider.rawValue)/callback" }
}

extension WebURL {
    /// The origin as people write it, without the scheme's own port.
    package var site: String { "\(scheme)://\(authority)" }
}
