import CarnetLint

extension ProxyKind {
    static let traefik = ProxyKind(
        name: "traefik", folder: "/etc/traefik",
        files: { setup in
            [
                ProxyFile(path: "traefik.yaml", text: setup.traefikStatic),
                ProxyFile(path: "dynamic.yaml", text: setup.traefikDynamic),
            ]
        },
        next: { setup in
            environmentStep(setup, unit: "traefik") + ["restart Traefik with --configFile=\(setup.folder)/traefik.yaml"]
        })

    /// The same for a cluster: objects of Traefik's custom resources.
    static let traefikKubernetes = ProxyKind(
        name: "traefik-kubernetes", folder: ".", certificate: .secret,
        files: { [ProxyFile(path: "carnet-traefik.yaml", text: $0.traefikObjects)] },
        secretFile: { setup, _, secret in
            ProxyFile(
                path: "carnet-secret.yaml",
                text: "{ apiVersion: traefik.io/v1alpha1, kind: Middleware, metadata: { name: carnet-secret, "
                    + "namespace: \(setup.service.namespace) }, "
                    + "spec: { headers: { customRequestHeaders: { X-Gateway-Secret: \"\(secret)\" } } } }\n",
                isPrivate: true)
        },
        check: { try $0.checkServices() },
        next: { setup in
            let files = ["carnet-traefik.yaml"] + (setup.secretVariable == nil ? [] : ["carnet-secret.yaml"])
            return ["kubectl apply " + files.map { "--filename \(setup.folder)/\($0)" }.joined(separator: " ")]
        })
}

extension ProxySetup {
    fileprivate var traefikStatic: String {
        let (encryption, plain) =
            redirects
            ? (
                """
                    asDefault: true                         # Routers without entryPoints are for this one.
                    http:
                      tls: {}

                """, "\n  plain: { address: \":80\" }"
            ) : ("    http:\n" + (tls == nil ? "" : "      tls: {}\n"), "")
        return """
            # \(folder)/traefik.yaml: the static part. Traefik 3.7.15 or newer.
            entryPoints:
              web:
                address: ":\(port)"
            \(encryption)      aliasHeadersStrategy: delete          # Programs read "_", "." and more in a name as "-" (X_Auth_User): none goes on.
                  sanitizePath: true                    # The default: the gateway and the program get one path without //, /./ and /../.\(plain)
            providers:
              file:
                filename: \(folder)/dynamic.yaml

            """
    }

    fileprivate var traefikDynamic: String {
        guard case .address(let address) = gateway else { return "" }
        let about = secretVariable.map { " The secret is \($0) in Traefik's environment." } ?? ""
        let secret = secretVariable.map { name in
            """

                carnet-secret:
                  headers: { customRequestHeaders: { X-Gateway-Secret: '{{ env "\(name)" }}' } }
            """
        }
        let middlewares = middlewares(gateway: "http://\(address)") { $0.joined(separator: ", ") }
        let routes = routes(gateway: "gateway", none: "noop@internal") { "program\($0.number)" }.map { route in
            """
                \(route.name):
                  rule: "\(escaped(route.rule))"
                  priority: \(route.priority)
                  middlewares: [\(route.middleware)]
                  service: \(route.service)
            """
        }
        let redirect = """

                carnet-https:
                  entryPoints: [plain]
                  rule: "\(escaped(anyHost))"
                  middlewares: [carnet-https]
                  service: noop@internal
            """
        var encryption = ""
        if case .certificate(let file, let key?) = tls {
            encryption = """
                tls:
                  certificates: [{ certFile: \(file), keyFile: \(key) }]
                  options: { default: { minVersion: VersionTLS12, sniStrict: true } } # No certificate for a name that it does not have.

                """
        }
        return """
            # \(folder)/dynamic.yaml: the protected hosts.\(about)
            http:
              middlewares:
            \(lines(middlewares) { "    \($0.name):\n\(indented($0.text, by: 6))" })\(secret ?? "")
              routers:
            \(routes.joined(separator: "\n"))\(redirects ? redirect : "")
              services:
                gateway: { loadBalancer: { servers: [{ url: "http://\(address)" }] } }
            \(lines(programs, indent: "    ") { "program\($0.number): { loadBalancer: { servers: [{ url: \"http://\($0.address)\" }] } }" })
            \(encryption)
            """
    }

    // MARK: - Objects of a cluster

    /// The Service of the gateway: the address is its name, a dot and its namespace.
    fileprivate var service: (name: String, namespace: String, port: String) {
        guard case .address(let address) = gateway else { return ("", "", "") }
        let parts = address.split(whereSeparator: { ".:".contains($0) }).map(String.init)
        return parts.count == 3 ? (parts[0], parts[1], parts[2]) : ("", "", "")
    }

    fileprivate func checkServices() throws {
        guard !service.name.isEmpty else {
            throw WritingError(
                "the gateway is no service of the cluster",
                next: ["add --bind SERVICE.NAMESPACE, such as --bind carnet-gateway.apps"])
        }
        for host in hosts {
            for program in host.programs where program.isGuess || program.address.contains(".") {
                throw WritingError(
                    "the program of \(host.name) is no service of the namespace \(service.namespace)",
                    next: ["add --program \(host.name.shellWord)=http://SERVICE:PORT"])
            }
        }
    }

    fileprivate var traefikObjects: String {
        let (name, namespace, port) = service
        let middlewares = middlewares(gateway: "http://\(name).\(namespace):\(port)") { names in
            names.map { "{ name: \($0) }" }.joined(separator: ", ")
        }
        let routes = routes(
            gateway: "{ name: \(name), port: \(port) }", none: "{ name: noop@internal, kind: TraefikService }"
        ) { "{ name: \($0.address.replacing(":", with: ", port: ")) }" }.map { route in
            // Above the rules of other objects for the same host, whose priority is their length: those know no decision.
            """
                - match: "\(escaped(route.rule))"
                  kind: Rule
                  priority: \(10_000 + route.priority)
                  middlewares: [{ name: \(route.middleware) }]
                  services: [\(route.service)]
            """
        }
        func object(_ kind: String, _ name: String, _ specification: String) -> String {
            """
            ---
            apiVersion: traefik.io/v1alpha1
            kind: \(kind)
            metadata: { name: \(name), namespace: \(namespace) }
            spec:
            \(specification)

            """
        }
        var encryption = ""
        if case .certificate(let secret, _) = tls { encryption = "\n  tls: { secretName: \(secret) }" }
        let main = """
              entryPoints: [\(tls == nil ? "web" : "websecure")]\(encryption)
              routes:
            \(routes.joined(separator: "\n"))
            """
        let redirect = """
              entryPoints: [web]
              routes:
                - match: "\(escaped(anyHost))"
                  kind: Rule
                  middlewares: [{ name: carnet-https }]
                  services: [{ name: noop@internal, kind: TraefikService }]
            """
        let about =
            secretVariable == nil ? "" : "\n# The secret is the Middleware carnet-secret, in carnet-secret.yaml."
        return """
            # carnet-traefik.yaml: the protected hosts, as objects for Traefik 3.7.15 or newer with
            # --entryPoints.\(tls == nil ? "web" : "websecure").http.aliasHeadersStrategy=delete\(about)

            """ + middlewares.map { object("Middleware", $0.name, indented($0.text, by: 2)) }.joined()
                + object("IngressRoute", "carnet", main)
                + (redirects ? object("IngressRoute", "carnet-https", redirect) : "")
    }

    // MARK: - Both forms

    /// Traefik replaces these of a client that no configuration trusts.
    private static let setByTraefik = ["X-Forwarded-Port", "X-Forwarded-Prefix", "X-Forwarded-Server", "X-Real-IP"]

    /// All but the one that sets the secret.
    ///
    /// - Parameter list: The entries of a list of middlewares.
    private func middlewares(
        gateway: String, list: ([String]) -> String
    ) -> [(name: String, text: String)] {
        let chain =
            ["carnet-clean"] + (secretVariable == nil ? [] : ["carnet-secret"])
            + ["carnet-decide", "carnet-secret-stays"]
        let redirect = ("carnet-https", "redirectScheme: { scheme: https, permanent: true }")
        return [
            ("carnet", "chain: { middlewares: [\(list(["carnet-no-upgrade"] + chain))] }"),
            ("carnet-websocket", "chain: { middlewares: [\(list(["carnet-only-websocket"] + chain))] }"),
            (
                "carnet-no-upgrade",
                """
                # A program that takes another upgrade than websocket, such as h2c, would get further requests without a decision.
                headers: { customRequestHeaders: { Upgrade: "" } }
                """
            ),
            ("carnet-only-websocket", "headers: { customRequestHeaders: { Upgrade: websocket } }"),
            (
                "carnet-clean",
                """
                # Headers that a client must not set; an empty value removes one.
                headers:
                  customRequestHeaders:
                \(lines(clientHeaders, indent: "    ") { "\"\($0)\": \"\"" })
                    X-Gateway-Secret: ""\(isBehindTLS ? "\n    X-Forwarded-Proto: https" : "")
                    # A program that follows these would serve another sender, path or method than the one decided.
                \(lines(removed.filter { !Self.setByTraefik.contains($0) }, indent: "    ") { "\($0): \"\"" })
                """
            ),
            (
                "carnet-decide",
                """
                forwardAuth:
                  address: "\(gateway)/carnet/decide"
                  authResponseHeaders: [\(headers.map { "\"\($0)\"" }.joined(separator: ", "))]
                  preserveLocationHeader: true        # Else a relative Location becomes one at the gateway's own address.
                """
            ),
            (
                "carnet-secret-stays",
                """
                # The secret goes with decisions only.
                headers: { customRequestHeaders: { X-Gateway-Secret: "" } }
                """
            ),
        ] + (redirects ? [redirect] : [])
    }

    /// The first has the highest priority: a name comes before a domain that it is in.
    ///
    /// - Parameters:
    ///   - gateway: The service for the gateway's own pages.
    ///   - none: The service for hosts without a program.
    ///   - service: The service of a program.
    private func routes(
        gateway: String, none: String, program service: (Program) -> String
    ) -> [(name: String, rule: String, middleware: String, service: String, priority: Int)] {
        let pages =
            acceptsTokens ? "(PathPrefix(`/carnet/`) || Path(`\(Self.metadataPath)`))" : "PathPrefix(`/carnet/`)"
        // The gateway's own: sign-in, callback, sign-out.
        var rules = [("carnet", "(\(anyHost)) && \(pages)", "carnet-secret-stays", gateway)]
        for (position, host) in hosts.enumerated() {
            for program in host.programs {
                let rule = rule(host) + (program.path == "/" ? "" : " && PathPrefix(`\(program.path)`)")
                let name = "program\(program.number)"
                let websocket = rule + " && HeaderRegexp(`Upgrade`, `^(?i)websocket$`)"
                rules.append(("\(name)-websocket", websocket, "carnet-websocket", service(program)))
                rules.append((name, rule, "carnet", service(program)))
            }
            // Else the program of the domain would get the other paths.
            if !host.isWhole, hosts.contains(where: { $0.domain != nil }) {
                rules.append(("none\(position + 1)", rule(host), "carnet", none))
            }
        }
        return rules.enumerated().map { ($1.0, $1.1, $1.2, $1.3, rules.count - $0) }
    }

    private var anyHost: String { hosts.map(rule).joined(separator: " || ") }

    private func rule(_ host: Host) -> String {
        guard let domain = host.domain else { return "Host(`\(host.name)`)" }
        return "HostRegexp(`^[a-z0-9._-]+\\.\(domain.replacing(".", with: "\\."))$`)"
    }

    /// Between double quotes of YAML.
    private func escaped(_ text: String) -> String { text.replacing("\\", with: "\\\\") }

    private func indented(_ text: String, by count: Int) -> String {
        let indent = String(repeating: " ", count: count)
        return lines(text.split(separator: "\n", omittingEmptySubsequences: false), indent: indent) { String($0) }
    }
}
