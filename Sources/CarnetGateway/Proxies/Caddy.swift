extension ProxyKind {
    static let caddy = ProxyKind(
        name: "caddy", folder: "/etc/caddy", takesSockets: true, certificate: .filesOrNone, starIsOneLabel: true,
        files: { setup in
            // Caddy leads plain HTTP to https only for a site without scheme and port.
            func site(_ name: String) -> String {
                setup.redirects ? name : "\(setup.tls == nil ? "http" : "https")://\(name):\(setup.port)"
            }
            let text = setup.fill(
                PackageResources.Caddyfile,
                [
                    "address": .text(setup.address(socket: "unix/")),
                    "others": .text(setup.redirects ? "http://, https://" : site("")),
                ]
            ) { ["site": .text(site($0.name))] }
            return [ProxyFile(path: "Caddyfile", text: text)]
        },
        next: { setup in
            environmentStep(setup, unit: "caddy") + [
                setup.secretVariable == nil
                    ? "caddy reload --config \(setup.folder)/Caddyfile" : "systemctl restart caddy"
            ]
        })
}
