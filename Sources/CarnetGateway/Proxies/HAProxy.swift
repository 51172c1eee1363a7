extension ProxyKind {
    static let haproxy = ProxyKind(
        name: "haproxy", folder: "/etc/haproxy", takesSockets: true, certificate: .oneFile,
        files: { setup in
            [
                ProxyFile(path: "carnet.lua", text: setup.haproxyScript),
                ProxyFile(path: "haproxy.cfg", text: setup.haproxyConfiguration),
            ]
        },
        next: { setup in
            environmentStep(setup, unit: "haproxy") + [
                "haproxy -c -f \(setup.folder)/haproxy.cfg && systemctl restart haproxy"
            ]
        })
}

extension ProxySetup {
    fileprivate var haproxyConfiguration: String {
        // Rules of one name are alternatives, and a line has at most 64 words.
        fill(PackageResources.haproxy_cfg, ["address": .text(address(socket: "unix@"))]) { host in
            let domain = host.domain.map { "-m reg ^[a-z0-9._-]+[.]\($0.replacing(".", with: "[.]"))$" }
            return ["pattern": .text(domain ?? host.name)]
        }
    }

    fileprivate var haproxyScript: String {
        fill(PackageResources.haproxy_lua, ["beginning": .text(luaBeginning(socket: "core.tcp()"))])
    }
}
