extension ProxyKind {
    static let apache = ProxyKind(
        name: "apache", folder: "/etc/apache2",
        files: { setup in
            [
                ProxyFile(path: "carnet.lua", text: setup.apacheScript),
                ProxyFile(path: "sites-available/carnet-site.conf", text: setup.apacheSite),
            ]
        },
        next: { setup in
            environmentStep(setup, unit: "apache2") + [
                "a2enmod \(setup.apacheModules) && a2ensite carnet-site && systemctl restart apache2"
            ]
        })
}

extension ProxySetup {
    fileprivate var apacheModules: String { "proxy proxy_http lua" + (tls == nil ? "" : " ssl") }

    fileprivate var apacheSite: String {
        fill(
            PackageResources.apache_site_conf,
            ["gateway": .text(address(socket: "")), "listens": .flag(![80, 443].contains(port))])
    }

    fileprivate var apacheScript: String {
        let removed = ["x-gateway-secret", "trailer", "te"] + removedBesideBeginnings
        return fill(
            PackageResources.apache_lua,
            [
                "beginning": .text(luaBeginning(socket: "socket.tcp()")),
                "removed": .text(wrapped(removed.map { Self.luaSet([$0]) }, indent: "    ", separator: ", ")),
            ])
    }
}
