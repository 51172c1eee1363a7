extension ProxyKind {
    static let apache = ProxyKind(
        name: "apache", folder: "/etc/apache2",
        files: { setup in
            let removed = ["x-gateway-secret", "trailer", "te"] + setup.removedBesideBeginnings
            let script = setup.fill(
                PackageResources.apache_lua,
                [
                    "beginning": .text(setup.luaBeginning(socket: "socket.tcp()")),
                    "removed": .text(
                        setup.wrapped(removed.map { ProxySetup.luaSet([$0]) }, indent: "    ", separator: ", ")),
                ])
            let site = setup.fill(
                PackageResources.apache_site_conf,
                ["gateway": .text(setup.address(socket: "")), "listens": .flag(![80, 443].contains(setup.port))])
            return [
                ProxyFile(path: "carnet.lua", text: script),
                ProxyFile(path: "sites-available/carnet-site.conf", text: site),
            ]
        },
        next: { setup in
            let modules = "proxy proxy_http lua" + (setup.tls == nil ? "" : " ssl")
            return environmentStep(setup, unit: "apache2") + [
                "a2enmod \(modules) && a2ensite carnet-site && systemctl restart apache2"
            ]
        })
}
