extension ProxyKind {
    static let nginx = ProxyKind(
        name: "nginx", folder: "/etc/nginx", takesSockets: true,
        files: { setup in
            [
                ProxyFile(path: "carnet-gateway.conf", text: setup.nginxGateway),
                ProxyFile(path: "conf.d/carnet-site.conf", text: setup.nginxSite),
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

extension ProxySetup {
    fileprivate var nginxGateway: String {
        fill(
            PackageResources.nginx_gateway_conf,
            [
                // `$host` has no port, and the URLs that a program makes need it.
                "host": .text(publicPort.map { "$host:\($0)" } ?? "$host"), "targets": .headers(SecondTarget.headers),
                "removed": .text(wrapped(removed.filter { $0 != "X-Real-IP" }.map { "proxy_set_header \($0) \"\";" })),
            ])
    }

    fileprivate var nginxSite: String {
        fill(
            PackageResources.nginx_site_conf,
            [
                "address": .text(address(socket: "unix:")),
                // A name below a domain is the client's, and nginx accepts every letter in it.
                "hasDomain": .flag(hosts.contains { $0.domain != nil }),
            ])
    }
}
