extension ProxyKind {
    static let caddy = ProxyKind(
        name: "caddy", folder: "/etc/caddy", takesSockets: true, certificate: .filesOrNone, starIsOneLabel: true,
        files: { setup in [ProxyFile(path: "Caddyfile", text: setup.caddyfile)] },
        next: { setup in
            environmentStep(setup, unit: "caddy") + [
                setup.secretVariable == nil
                    ? "caddy reload --config \(setup.folder)/Caddyfile" : "systemctl restart caddy"
            ]
        })
}

extension ProxySetup {
    /// Of a site. Caddy leads plain HTTP to https only for a site without scheme and port.
    private func caddySite(_ name: String) -> String {
        redirects ? name : "\(tls == nil ? "http" : "https")://\(name):\(port)"
    }

    fileprivate var caddyfile: String {
        fill(
            PackageResources.Caddyfile,
            [
                "address": .text(address(socket: "unix/")),
                "others": .text(redirects ? "http://, https://" : caddySite("")),
            ]
        ) { ["site": .text(caddySite($0.name))] }
    }
}
