extension ProxyKind {
    static let haproxy = ProxyKind(
        name: "haproxy", folder: "/etc/haproxy", takesSockets: true, certificate: .oneFile,
        files: { setup in
            let script = setup.fill(
                PackageResources.haproxy_lua, ["beginning": .text(setup.luaBeginning(socket: "core.tcp()"))])
            // Rules of one name are alternatives, and a line has at most 64 words.
            let configuration = setup.fill(
                PackageResources.haproxy_cfg, ["address": .text(setup.address(socket: "unix@"))]
            ) { host in
                let domain = host.domain.map { "-m reg ^[a-z0-9._-]+[.]\($0.replacing(".", with: "[.]"))$" }
                return ["pattern": .text(domain ?? host.name)]
            }
            return [ProxyFile(path: "carnet.lua", text: script), ProxyFile(path: "haproxy.cfg", text: configuration)]
        },
        next: { setup in
            environmentStep(setup, unit: "haproxy") + [
                "haproxy -c -f \(setup.folder)/haproxy.cfg && systemctl restart haproxy"
            ]
        })
}
