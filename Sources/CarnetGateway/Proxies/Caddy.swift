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
    private var caddyAddress: String {
        switch gateway {
        case .address(let address): address
        case .socket(let path): "unix/\(path)"
        }
    }

    /// Of a site. Caddy leads plain HTTP to https only for a site without scheme and port.
    private func caddyAddress(of name: String) -> String {
        redirects ? name : "\(tls == nil ? "http" : "https")://\(name):\(port)"
    }

    private func variable(_ header: String) -> String {
        "identity_" + header.lowercased().replacing("-", with: "_")
    }

    /// The form of a name in placeholders: capital letters at the beginning and after hyphens alone.
    private func canonical(_ header: String) -> String {
        header.split(separator: "-", omittingEmptySubsequences: false)
            .map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: "-")
    }

    fileprivate var caddyfile: String {
        let about = secretVariable.map { name in
            """
            ; the secret is \(name) in its environment
            # (systemd: EnvironmentFile=\(folder)/\(ProxyKind.environmentFile), mode 0600)
            """
        }
        let secret = secretVariable.map { "\n\t\theader_up X-Gateway-Secret {env.\($0)}" } ?? ""
        var certificate = ""
        if case .certificate(let file, let key?) = tls { certificate = "\n\ttls \(file) \(key)" }
        let sites = hosts.map { host in
            let programs = host.programs.map { program in
                let matcher = "@program\(program.number)"
                let path = program.path == "/" ? "" : "\t\t\(matcher) path \(program.path)*\n"
                return path + """
                    \t\treverse_proxy \(program.path == "/" ? "" : matcher + " ")\(program.address) {
                    \t\t\timport carnet_headers
                    \t\t}

                    """
            }
            return """

                \(caddyAddress(of: host.name)) {\(certificate)
                \troute {
                \t\timport carnet
                \(programs.joined())\(host.isWhole ? "" : "\t\trespond 404\n")\t}
                }

                """
        }
        return """
            # \(folder)/Caddyfile: the protected hosts. Caddy 2.6 or newer\(about ?? "").
            (carnet) {
            \t# Programs read "_", "." and more in a name as "-" (X_Auth_User): no such header goes on.
            \(lines(["_", ".", "!", "#", "$", "%", "&", "'", "*", "+", "^", "`", "|", "~"], indent: "\t") { "request_header -*\($0)*" })
            \(lines(headers, indent: "\t") { "request_header -\($0)" })
            \trequest_header -X-Gateway-Secret
            \t# A program that follows these would serve another sender, path or method than the one decided.
            \(lines(RemovedHeaders.beginnings, indent: "\t") { "request_header -\($0)*" })
            \(lines(removedBesideBeginnings, indent: "\t") { "request_header -\($0)" })

            \t# A program that takes another upgrade, such as h2c, would get further requests without a decision.
            \t@upgrade not vars_regexp {http.request.header.Upgrade} (?i)^websocket$
            \trequest_header @upgrade -Upgrade

            \t# Only targets of origin form: Caddy does not rewrite "GET x:y" and would ask the gateway for "y" in place of a decision.
            \t@form not path /*
            \trespond @form 400

            \t# The gateway's own: sign-in, callback, sign-out. A decision cannot be asked for here: the secret goes with decisions only.
            \t@carnet path /carnet/*\(acceptsTokens ? " " + Self.metadataPath : "")
            \thandle @carnet {
            \t\treverse_proxy \(caddyAddress)
            \t}

            \treverse_proxy \(caddyAddress) {
            \t\tmethod GET
            \t\trewrite /carnet/decide?\(secret)
            \t\theader_up X-Forwarded-Method {method}
            \t\theader_up X-Forwarded-Uri {uri}
            \t\theader_up -Upgrade
            \t\ttransport http {
            \t\t\tdial_timeout 2s
            \t\t\tresponse_header_timeout 10s
            \t\t}
            \t\t# 2xx goes on to the program; any other response, or none, is the client's.
            \t\t@allowed status 2xx
            \t\thandle_response @allowed {
            \t\t\t# Variables, as a header that the response does not have would be the text "{http.reverse_proxy…}".
            \t\t\tvars {
            \(lines(headers, indent: "\t\t\t\t") { "\(variable($0)) {http.reverse_proxy.header.\(canonical($0))}" })
            \t\t\t}
            \t\t}
            \t}
            }
            (carnet_headers) {
            \t# Here, not before: headers that the client's Connection header names are gone by now, and these stay.
            \(lines(headers, indent: "\t") { "header_up \($0) {http.vars.\(variable($0))}" })\(isBehindTLS ? "\n\theader_up X-Forwarded-Proto https" : "")
            }

            """ + sites.joined() + """

                # A host that is not listed reaches no program.
                \(redirects ? "http://, https://" : caddyAddress(of: "")) {
                \trespond 421
                }

                """
    }
}
