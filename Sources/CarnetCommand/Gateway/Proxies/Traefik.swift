extension ProxyKind {
    static let traefik = ProxyKind(
        name: "traefik", folder: "/etc/traefik", takesSockets: false,
        files: { setup in
            [
                ProxyFile(path: "traefik.yaml", text: setup.traefikStatic),
                ProxyFile(path: "dynamic.yaml", text: setup.traefikDynamic),
            ]
        },
        next: { setup in
            environmentStep(setup, unit: "traefik") + ["restart Traefik with --configFile=\(setup.folder)/traefik.yaml"]
        })
}

extension ProxySetup {
    fileprivate var traefikStatic: String {
        """
        # \(folder)/traefik.yaml: the static part. Traefik 3.7.15 or newer.
        entryPoints:
          web:
            address: ":\(port)"                        # With TLS: ":443" and http.tls.
            http:
              aliasHeadersStrategy: delete          # Programs read "_", "." and more in a name as "-" (X_Auth_User): none goes on.
              sanitizePath: true                    # The default: the gateway and the program get one path without //, /./ and /../.
        providers:
          file:
            filename: \(folder)/dynamic.yaml

        """
    }

    /// Traefik replaces these of a client that no configuration trusts.
    private static let setByTraefik = ["X-Forwarded-Port", "X-Forwarded-Prefix", "X-Forwarded-Server", "X-Real-IP"]

    private func rule(_ host: Host) -> String {
        guard let domain = host.domain else { return "Host(`\(host.name)`)" }
        return "HostRegexp(`^.+\\.\(domain.replacing(".", with: "\\."))$`)"
    }

    fileprivate var traefikDynamic: String {
        guard case .address(let address) = gateway else { return "" }
        let secret = secretVariable.map { "'{{ env \"\($0)\" }}'" } ?? "\"\""
        let about = secretVariable.map { " The secret is \($0) in Traefik's environment." } ?? ""
        let pages =
            acceptsTokens ? "(PathPrefix(`/carnet/`) || Path(`\(Self.metadataPath)`))" : "PathPrefix(`/carnet/`)"
        // The first has the highest priority: a name comes before a domain that it is in.
        let rules = hosts.enumerated().flatMap { position, host in
            let programs = host.programs.flatMap { program in
                let rule = rule(host) + (program.path == "/" ? "" : " && PathPrefix(`\(program.path)`)")
                let name = "program\(program.number)"
                return [
                    (
                        "\(name)-websocket", rule + " && HeaderRegexp(`Upgrade`, `^(?i)websocket$`)",
                        "carnet-websocket",
                        name
                    ),
                    (name, rule, "carnet", name),
                ]
            }
            // Else the program of the domain would get the other paths.
            let rest = host.isWhole || hosts.allSatisfy { $0.domain == nil } ? [] : ["none\(position + 1)"]
            return programs + rest.map { ($0, rule(host), "carnet", "noop@internal") }
        }
        let routers = rules.enumerated().map { position, parts in
            router(parts.0, parts.1, priority: rules.count - position, chain: parts.2, service: parts.3)
        }
        return """
            # \(folder)/dynamic.yaml: the protected hosts.\(about)
            http:
              middlewares:
                carnet:
                  chain: { middlewares: [carnet-no-upgrade, carnet-clean, carnet-decide, carnet-secret-stays] }
                carnet-websocket:
                  chain: { middlewares: [carnet-only-websocket, carnet-clean, carnet-decide, carnet-secret-stays] }
                # A program that takes another upgrade than websocket, such as h2c, would get further requests without a decision.
                carnet-no-upgrade: { headers: { customRequestHeaders: { Upgrade: "" } } }
                carnet-only-websocket: { headers: { customRequestHeaders: { Upgrade: websocket } } }
                carnet-clean:                           # Headers that a client must not set; an empty value removes one.
                  headers:
                    customRequestHeaders:
            \(lines(headers, indent: "          ") { "\"\($0)\": \"\"" })
                      # A program that follows these would serve another sender, path or method than the one decided.
            \(lines(removedNames.filter { !Self.setByTraefik.contains($0) }, indent: "          ") { "\($0): \"\"" })
                      X-Gateway-Secret: \(secret)
                carnet-decide:
                  forwardAuth:
                    address: "http://\(address)/carnet/decide"
                    authResponseHeaders: [\(headers.map { "\"\($0)\"" }.joined(separator: ", "))]
                    preserveLocationHeader: true        # Else a relative Location becomes one at the gateway's own address.
                carnet-secret-stays:                    # The secret goes with decisions only.
                  headers:
                    customRequestHeaders: { X-Gateway-Secret: "" }
              routers:
                carnet:                                 # The gateway's own: sign-in, callback, sign-out.
                  rule: "(\(hosts.map { escaped(rule($0)) }.joined(separator: " || "))) && \(pages)"
                  priority: \(rules.count + 1)
                  middlewares: [carnet-secret-stays]
                  service: gateway
            \(routers.joined(separator: "\n"))
              services:
                gateway: { loadBalancer: { servers: [{ url: "http://\(address)" }] } }
            \(lines(programs, indent: "    ") { "program\($0.number): { loadBalancer: { servers: [{ url: \"http://\($0.address)\" }] } }" })

            """
    }

    private func router(
        _ name: String, _ rule: String, priority: Int, chain: String, service: String
    ) -> String {
        """
            \(name):
              rule: "\(escaped(rule))"
              priority: \(priority)
              middlewares: [\(chain)]
              service: \(service)
        """
    }

    /// Between double quotes of YAML.
    private func escaped(_ text: String) -> String { text.replacing("\\", with: "\\\\") }
}
