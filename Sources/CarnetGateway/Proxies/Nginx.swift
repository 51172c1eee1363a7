extension ProxyKind {
    static let nginx = ProxyKind(
        name: "nginx", folder: "/etc/nginx", takesSockets: true,
        files: { setup in
            let removed = setup.removed.filter { $0 != "X-Real-IP" }.map { "proxy_set_header \($0) \"\";" }
            let gateway = setup.fill(
                PackageResources.nginx_gateway_conf,
                [
                    // `$host` has no port, and the URLs that a program makes need it.
                    "host": .text(setup.publicPort.map { "$host:\($0)" } ?? "$host"),
                    "targets": .headers(SecondTarget.headers), "removed": .text(setup.wrapped(removed)),
                ])
            let site = setup.fill(
                PackageResources.nginx_site_conf,
                [
                    "address": .text(setup.address(socket: "unix:")),
                    // A name below a domain is the client's, and nginx accepts every letter in it.
                    "hasDomain": .flag(setup.hosts.contains { $0.domain != nil }),
                ])
            return [
                ProxyFile(path: "carnet-gateway.conf", text: gateway),
                ProxyFile(path: "conf.d/carnet-site.conf", text: site),
            ]
        },
        secretFile: { _, _, secret in
            ProxyFile(
                path: "carnet-secret.conf", text: "proxy_set_header X-Gateway-Secret \"\(secret)\";\n", isPrivate: true)
        },
        next: { setup in
            [
                "let events of \(setup.folder)/nginx.conf have worker_connections \(2 * setup.connections) or more: two for each of --connections",
                "nginx -t && nginx -s reload",
            ]
        })
}
