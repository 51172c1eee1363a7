// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Some tests are named by the rows of the attack matrix that they mount.

import CarnetGateway
import Foundation
import Testing

/// The configurations that real proxies start in `Tests/Peers/Gateway` are those that the command makes of the gateway file
/// there, and the pages show them. With `CARNET_UPDATE_DOCS=1` in the environment, both are written anew.
@Suite("carnet gateway proxy")
struct GatewayProxyTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let peers = root.appending(path: "Tests/Peers/Gateway/proxies")
    private static let proxies = ["nginx", "caddy", "traefik", "haproxy", "apache"]
    private static let cluster = "traefik-kubernetes"
    private static let files = [
        "--certificate", "/etc/ssl/apps.example/fullchain.pem", "--certificate-key", "/etc/ssl/apps.example/key.pem",
    ]

    /// The options for https, as the page of the proxy has them.
    private static func tls(_ proxy: String) -> [String] {
        switch proxy {
        case "caddy": []
        case "haproxy": ["--certificate", "/etc/haproxy/apps.example.pem"]
        case cluster: ["--certificate", "apps-example-tls"]
        default: files
        }
    }

    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private struct Made: Decodable {
        struct File: Decodable {
            let path: String
            var text: String?
            var name: String { path.split(separator: "/").last.map(String.init) ?? path }
        }

        let proxy: String
        let files: [File]
        var text: String { files.compactMap(\.text).joined() }
    }

    private func make(_ proxy: String, _ file: String, _ more: [String] = []) async throws -> Made {
        try home.write(file, to: "gateway.yaml")
        let result = try await home.start(["gateway", "proxy", proxy, "gateway.yaml", "--json"] + more).finish()
        try #require(result.status == 0, "\(result)")
        return try JSONDecoder().decode(Made.self, from: Data(result.standardOutput.utf8))
    }

    /// What the command makes for the example file.
    private func example(_ proxy: String) async throws -> Made {
        let (wiki, notes) = proxy == Self.cluster ? ("wiki", "notes") : ("127.0.0.1", "127.0.0.1")
        return try await make(
            proxy, try String(contentsOf: Self.peers.appending(path: "gateway.yaml"), encoding: .utf8),
            [
                "--program", "wiki.apps.example=http://\(wiki):9001", "--program",
                "apps.example/notes/=http://\(notes):9002",
            ] + Self.tls(proxy) + (proxy == Self.cluster ? ["--bind", "carnet-gateway.apps"] : []))
    }

    private static let small = """
        gateway: 1
        origin: http://127.0.0.1:8080
        providers: [github]
        routes: [{ allow: signed_in }]
        headers: { x-auth-GROUPS: "{account.groups}", Remote-User: "{account.subject}" }

        """

    private func check(_ file: URL, is text: String) throws {
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" { try Data(text.utf8).write(to: file) }
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(written == text, "\(file.lastPathComponent) is not current; run the tests with CARNET_UPDATE_DOCS=1")
    }

    @Test("The configuration that the tests start is the one that the command prints", arguments: proxies + [cluster])
    func started(proxy: String) async throws {
        let made = try await example(proxy)
        let folder = Self.peers.appending(path: proxy)
        for file in made.files { try check(folder.appending(path: file.name), is: file.text ?? "") }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == made.files.map(\.name).sorted()
        )
    }

    /// A page shows the beginning of the list of removed headers. No proxy reads the line for the rest, so a configuration
    /// that somebody copies from a page cannot start without them.
    private static func shown(_ text: String) -> String {
        let removal =
            /\s*(proxy_set_header [A-Za-z0-9-]+ "";|request_header -[A-Za-z]|http-request del-header [a-z]|[A-Z][A-Za-z0-9-]+: ""|\["[a-z0-9-]+"\] = true)/
        var lines: [String] = []
        var run: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.prefixMatch(of: removal) != nil {
                run.append(line)
                continue
            }
            lines += run.count > 8 ? Array(run.prefix(3)) : run
            if run.count > 8 { lines.append("… and \(run.count - 3) more such lines, which the command prints") }
            run = []
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    @Test("The page of a proxy shows what the command prints", arguments: proxies + [cluster])
    func page(proxy: String) async throws {
        let name = proxy == Self.cluster ? "kubernetes" : proxy
        let file = Self.root.appending(path: "Docs/gateway/\(name).md")
        var rest = try String(contentsOf: file, encoding: .utf8)[...]
        var page = ""
        for made in try await example(proxy).files {
            let start = try #require(rest.range(of: "```text\n"), "\(made.path)")
            let end = try #require(rest.range(of: "\n```\n", range: start.upperBound..<rest.endIndex))
            page += rest[..<start.upperBound] + Self.shown(made.text ?? "").trimmingCharacters(in: .newlines)
            rest = rest[end.lowerBound...]
        }
        #expect(!rest.contains("```text\n"))
        try check(file, is: page + rest)
    }

    @Test(
        "Each header of the gateway file is removed from the client's request, and set for the program",
        arguments: [
            ("nginx", ["proxy_set_header NAME $identity_", "$upstream_http_LOW"]),
            (
                "caddy",
                [
                    "request_header -NAME\n", "{http.reverse_proxy.header.CANON}", "header_up NAME {http.vars.",
                    "@absent_LOW vars {http.reverse_proxy.header.CANON} \"\"\n",
                    "vars @absent_LOW absent_LOW NAME\n", "header_up -{http.vars.absent_LOW}\n",
                ]
            ),
            ("traefik", ["\"NAME\": \"\"\n", "authResponseHeaders: [", "\"NAME\""]),
            ("haproxy", ["http-request del-header LOWER\n", "[\"LOWER\"] = true"]),
            ("apache", ["[\"LOWER\"] = true", "r.headers_in[name] = value ~= \"\" and value or nil\n"]),
        ])
    func headers(proxy: String, wanted: [String]) async throws {
        let file = Self.small.replacing("{ x-", with: "{ X-Forwarded-Email: \"{account.email}\", x-")
        let made = try await make(proxy, file + "identity_token: {}\n")
        for (name, canonical) in [
            ("X-Forwarded-Email", "X-Forwarded-Email"),
            ("x-auth-GROUPS", "X-Auth-Groups"), ("Remote-User", "Remote-User"),
            ("X-Auth-Assertion", "X-Auth-Assertion"),
        ] {
            for text in wanted {
                let line = text.replacing("LOWER", with: name.lowercased())
                    .replacing("LOW", with: name.lowercased().replacing("-", with: "_"))
                    .replacing("CANON", with: canonical).replacing("NAME", with: name)
                #expect(made.text.contains(line), "\(proxy): \(line)")
            }
        }
    }

    @Test("The page lists the headers that the configurations remove")
    func removedPage() throws {
        var page = """
            # Headers that a client cannot send

            For operators who check that a program serves the request that the gateway decided about. Programs and their libraries take
            path, host, scheme, address, method or client certificate of a request from headers. The configurations of `carnet gateway proxy`
            remove these headers of a client. Those that the proxy sets itself (`X-Forwarded-For`, `-Host`, `-Proto`, `-Method` and `-Uri`) replace
            the client's.

            The list holds what known programs read, so it is never complete. If a program takes one of these from another header, name this header
            in the gateway file, and make the configuration again: `proxy: { remove: [X-My-Path] }`.

            | a program takes from it | headers |
            |---|---|

            """
        for group in RemovedHeaders.groups {
            page += "| \(group.subject) | \(group.names.map { "`\($0)`" }.joined(separator: " ")) |\n"
        }
        page += "\nCaddy, HAProxy and Apache also remove every header that begins with one of these: "
        page += RemovedHeaders.beginnings.map { "`\($0)`" }.joined(separator: " ") + ".\n"
        try check(Self.root.appending(path: "Docs/gateway/headers.md"), is: page)
    }

    @Test("A header of remove is removed like those of the list", arguments: proxies)
    func removed(proxy: String) async throws {
        let made = try await make(proxy, Self.small + "proxy: { remove: [X-My-Path] }\n").text.lowercased()
        #expect(made.contains("x-my-path") && made.contains("x-traversal-path"), "\(made)")
    }

    /// nginx is the only one of the proxies that follows such a header (`check_program` of `Tests/Peers/Gateway/proxies`).
    @Test("GW-43: nginx follows no redirect of a program to another path, and nothing undoes that for a place")
    func GW_43_redirectsOfAProgram() async throws {
        let text = try await example("nginx").text
        let line = try #require(text.components(separatedBy: "\n").first { $0.contains("X-Accel-Redirect") })
        #expect(line.hasPrefix("proxy_ignore_headers X-Accel-Redirect;"))
        #expect(text.components(separatedBy: "proxy_ignore_headers").count == 2)
    }

    @Test("While nothing responds, nginx and Caddy show a page of every host", arguments: ["nginx", "caddy"])
    func failure(proxy: String) async throws {
        let text = try await example(proxy).text
        #expect(text.components(separatedBy: "<h1>This page is unavailable now</h1>").count == 2, "\(text)")
        let uses = proxy == "nginx" ? "include /etc/nginx/carnet-gateway.conf;" : "import carnet_failure\n"
        #expect(text.components(separatedBy: uses).count == 3, "\(text)")
    }

    @Test("Secret, metadata and ports are as the gateway file has them", arguments: proxies)
    func contents(proxy: String) async throws {
        let plain = try await make(proxy, Self.small).text
        #expect(!plain.contains("CARNET_PROXY_SECRET") && !plain.contains("carnet-secret.conf"), "\(plain)")
        #expect(
            !plain.contains("oauth-protected-resource") && plain.contains("8080") && plain.contains("127.0.0.1:4180"))
        let file = """
            gateway: 1
            origin: http://localhost:7000
            providers: [github]
            bearer: [github]
            routes:
              - { host: "*.apps.example", allow: signed_in, bearer: true }
              - { host: x.apps.example, path: /a/**, allow: signed_in }
            proxy: { secret_env: PROXY_KEY }

            """
        let other = try await make(
            proxy, file, ["--bind", "10.0.0.5", "--port", "5000", "--program", "x.apps.example/a/=app:81"]
        ).text
        #expect(other.contains(proxy == "nginx" ? "/etc/nginx/carnet-secret.conf" : "PROXY_KEY"), "\(other)")
        for text in ["oauth-protected-resource", "7000", "10.0.0.5:5000", "app:81", "localhost"] {
            #expect(other.contains(text), "\(proxy): \(text)")
        }
        #expect(try await make(proxy, file, ["--listen", "7001"]).text.contains("7001"))
    }

    @Test("A place without --program never gets the program of another")
    func guesses() async throws {
        try home.write(
            "gateway: 1\norigin: https://apps.example\nproviders: [github]\nroutes:\n"
                + "  - { path: /health, allow: anyone }\n  - { host: wiki.apps.example, allow: signed_in }\n"
                + "  - { host: x.apps.example, allow: signed_in }\n", to: "gateway.yaml")
        let made = try await home.start([
            "gateway", "proxy", "nginx", "gateway.yaml", "--no-tls", "--program",
            "wiki.apps.example=http://127.0.0.1:9001",
        ]).finish()
        let passes = made.standardOutput.matches(of: /proxy_pass http:\/\/(127.0.0.1:90[0-9]+)/).map { String($0.1) }
        #expect(passes.count == 3 && Set(passes).count == 3 && passes.contains("127.0.0.1:9001"), "\(passes)")
    }

    @Test("With --output, the files are written once, and the one with the secret is private", arguments: proxies)
    func output(proxy: String) async throws {
        try home.write(Self.small + "proxy: { secret_file: secret }\n", to: "gateway.yaml")
        try home.write("c2VjcmV0+/=\n", to: "secret")
        let folder = home.folder.appending(path: "made")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func run(_ more: String...) async throws -> CommandResult {
            try await home.start(["gateway", "proxy", proxy, "gateway.yaml", "--output", "made"] + more).finish()
        }
        let result = try await run()
        #expect(result.status == 0, "\(result)")
        let paths = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(paths.count >= 2 && paths.allSatisfy { $0.hasPrefix(folder.path + "/") })
        var secrets = 0
        for path in paths {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let mode = try #require(
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)
            #expect(!text.contains("/etc/\(proxy)"), "\(path): names another folder")
            guard text.contains("c2VjcmV0+/=") else {
                #expect(mode == 0o644, "\(path)")
                continue
            }
            secrets += 1
            #expect(mode == 0o600, "\(path)")
        }
        #expect(secrets == 1 && !result.standardError.contains("c2VjcmV0"))

        // A file of the same name beside one of these is not the command's.
        for path in paths { try Data("mine".utf8).write(to: URL(filePath: path + ".tmp")) }
        try Data("mine".utf8).write(to: URL(filePath: paths[0]))
        let second = try await run()
        #expect(second.status == 2 && second.standardError.contains("\(paths[0])"), "\(second)")
        #expect(second.standardError.contains("already exist, and nothing is written"), "\(second)")
        #expect(try String(contentsOfFile: paths[0], encoding: .utf8) == "mine")
        // All files are replaced, or none.
        try FileManager.default.removeItem(atPath: paths[1])
        try FileManager.default.createDirectory(atPath: paths[1], withIntermediateDirectories: false)
        let third = try await run("--force")
        #expect(third.status == 2 && third.standardError.contains("\(paths[1]) is a folder"), "\(third)")
        #expect(try String(contentsOfFile: paths[0], encoding: .utf8) == "mine")
        try FileManager.default.removeItem(atPath: paths[1])
        // A link stays one.
        let real = try home.write("mine", to: "real")
        try FileManager.default.createSymbolicLink(atPath: paths[1], withDestinationPath: real.path)
        let json = try await run("--force", "--json")
        let made = try JSONDecoder().decode(Made.self, from: Data(json.standardOutput.utf8))
        #expect(made.proxy == proxy && made.files.map(\.path) == paths, "\(json)")
        #expect(try String(contentsOfFile: paths[0], encoding: .utf8) != "mine")
        #expect(try String(contentsOf: real, encoding: .utf8) != "mine")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: paths[1]) == real.path)
        for path in paths { #expect(try String(contentsOfFile: path + ".tmp", encoding: .utf8) == "mine") }
    }

    @Test("Notes name the programs to edit, the gateway's command, and how the proxy reads the files")
    func notes() async throws {
        try home.write(Self.small, to: "gateway.yaml")
        let result = try await home.run("gateway", "proxy", "nginx", "gateway.yaml", "--port", "5000")
        #expect(result.status == 0 && result.standardOutput.hasPrefix("# /etc/nginx/carnet-gateway.conf"), "\(result)")
        for text in [
            "edit: the program of 127.0.0.1 is expected at http://127.0.0.1:9001",
            "write to /etc/nginx/conf.d/carnet-site.conf",
            "next: carnet gateway gateway.yaml --port 5000\n", "worker_connections 4096 or more",
            "next: nginx -t && nginx -s reload\n",
        ] {
            #expect(result.standardError.contains(text), "\(text): \(result.standardError)")
        }
    }

    @Test("A file with many hosts has no long line, and a host comes before the domain that it is in")
    func manyHosts() async throws {
        let hosts = (1...40).map { "h\($0).example" } + ["x.d.example", "*.d.example"]
        let file = """
            gateway: 1
            origin: https://apps.example
            providers: [github]
            routes:
            \(hosts.map { "  - { host: \"\($0)\", allow: signed_in }" }.joined(separator: "\n"))

            """
        let programs = (1...60).flatMap { ["--program", "*.d.example/p\($0)/=app:\($0)"] }
        let haproxy = try await make("haproxy", file, programs + Self.tls("haproxy")).text
        // HAProxy takes 64 words, of which a comment has some.
        for line in haproxy.split(separator: "\n") {
            #expect(line.prefix { $0 != "#" }.split(separator: " ").count < 60, "\(line)")
        }
        let traefik = try await make("traefik", file, programs + ["--no-tls"]).text
        func priorities(_ rule: String) -> [Int] {
            traefik.split(separator: "\n").enumerated().filter { $0.element.contains(rule) }.compactMap { found in
                let next = traefik.split(separator: "\n")[found.offset + 1]
                return next.split(separator: " ").last.flatMap { Int($0) }
            }
        }
        let (own, domain) = (priorities("rule: \"Host(`x.d.example`)"), priorities("rule: \"HostRegexp("))
        let pages = try #require(priorities("PathPrefix(`/carnet/`)").first)
        #expect(own.count == 2 && domain.count == 121, "\(own) \(domain)")
        #expect(try #require(own.min()) > #require(domain.max()) && pages > #require(own.max()))
        #expect(Set(own + domain).count == own.count + domain.count)
    }

    private static let secure = small.replacing("http://127.0.0.1:8080", with: "https://apps.example")

    @Test("An origin with https has TLS at its port, and leads there from port 80", arguments: proxies)
    func encrypted(proxy: String) async throws {
        let (tls, redirect) =
            [
                "nginx": ("listen 443 ssl", "return 308 https://"),
                "caddy": ("\napps.example {", "http://, https:// {"),
                "traefik": ("      tls: {}\n", "redirectScheme"),
                "haproxy": ("bind :443 ssl", "code 308 unless { ssl_fc }"),
                "apache": ("SSLEngine on", "carnet.lua redirect"),
            ][proxy] ?? ("", "")
        let made = try await make(proxy, Self.secure, Self.tls(proxy)).text
        #expect(made.contains(tls) && made.contains(redirect), "\(made)")
        for option in Self.tls(proxy) where option.hasPrefix("/") { #expect(made.contains(option), "\(option)") }

        // Only browsers at port 80 and 443 find the port of the origin by the scheme.
        let other = Self.secure.replacing("apps.example", with: "apps.example:8443")
        for made in [
            try await make(proxy, other, Self.tls(proxy)).text,
            try await make(proxy, Self.secure, Self.tls(proxy) + ["--listen", "8443"]).text,
        ] {
            #expect(made.contains("8443") && !made.contains(redirect), "\(made)")
        }
        for (file, more) in [(Self.secure, ["--no-tls"]), (Self.small, [])] {
            let made = try await make(proxy, file, more).text
            #expect(made.contains("8080") && !made.contains(tls) && !made.contains(redirect), "\(made)")
            // TLS ends in front of the proxy: programs get the scheme of the URLs that people open.
            let saysHTTPS = made.firstMatch(of: /X-Forwarded-Proto[^a-z]{1,8}https/) != nil
            #expect(saysHTTPS == (file == Self.secure), "\(made)")
        }
    }

    @Test("A certificate that is not there is a warning, and the files of Caddy are one for each site")
    func certificate() async throws {
        try home.write(Self.secure, to: "gateway.yaml")
        try home.write("", to: "chain.pem")
        try FileManager.default.createDirectory(
            at: home.folder.appending(path: "made"), withIntermediateDirectories: true)
        let result = try await home.run(
            "gateway", "proxy", "caddy", "gateway.yaml", "--certificate", "chain.pem", "--certificate-key", "none.pem",
            "--output", "made")
        #expect(result.status == 0, "\(result)")
        #expect(result.standardError.contains("--certificate-key none.pem: no such file"), "\(result)")
        #expect(!result.standardError.contains("--certificate chain.pem"), "\(result)")
        let made = try String(contentsOf: home.folder.appending(path: "made/Caddyfile"), encoding: .utf8)
        let folder = home.folder.path
        #expect(made.contains("\napps.example {\n\ttls \(folder)/chain.pem \(folder)/none.pem\n"), "\(made)")
    }

    @Test(
        "Objects of a cluster have the services, the secret of the certificate, and the gateway's secret in a file of its own"
    )
    func objects() async throws {
        try home.write(
            Self.secure.replacing("routes: [", with: "routes: [{ host: \"*.d.example\", allow: signed_in }, ")
                + "proxy: { secret_env: KEY }\n", to: "gateway.yaml")
        let options = [
            "gateway", "proxy", Self.cluster, "gateway.yaml", "--bind", "carnet-gateway.apps", "--certificate", "d-tls",
            "--program", "apps.example=web:80", "--program", "*.d.example/x/=http://x:81", "--output", ".",
        ]
        let result = try await home.start(options, environment: ["KEY": "c2VjcmV0"]).finish()
        #expect(result.status == 0, "\(result)")
        func text(_ name: String) throws -> String {
            try String(contentsOf: home.folder.appending(path: name), encoding: .utf8)
        }
        let objects = try text("carnet-traefik.yaml")
        for part in [
            #"address: "http://carnet-gateway.apps:4180/carnet/decide""#,
            "services: [{ name: carnet-gateway, port: 4180 }]",
            "services: [{ name: web, port: 80 }]", "services: [{ name: x, port: 81 }]", "tls: { secretName: d-tls }",
            "services: [{ name: noop@internal, kind: TraefikService }]", "middlewares: [{ name: carnet-https }]",
            "middlewares: [{ name: carnet-no-upgrade }, { name: carnet-clean }, { name: carnet-secret }, { name: carnet-decide }",
        ] {
            #expect(objects.contains(part), "\(part): \(objects)")
        }
        #expect(!objects.contains("c2VjcmV0") && !objects.contains("127.0.0.1"))
        #expect(try text("carnet-secret.yaml").contains(#"{ X-Gateway-Secret: "c2VjcmV0" }"#))
        #expect(!result.standardError.contains("next: carnet gateway"), "\(result.standardError)")
        #expect(
            result.standardError.contains("carnet-traefik.yaml --filename \(home.folder.path)/carnet-secret.yaml\n"),
            "\(result.standardError)")
    }

    @Test("A token for a program replaces the client's header, and the gateway sees that one before")
    func tokenForAProgram() async throws {
        try home.write(
            Self.small.replacing("allow: signed_in", with: "allow: signed_in, token: access"), to: "gateway.yaml")
        for (proxy, replacing, removing) in [
            ("nginx", "proxy_set_header Authorization $identity_authorization;", "proxy_set_header Authorization \"\""),
            ("caddy", "header_up Authorization {http.vars.", "request_header -Authorization"),
            ("haproxy", "authorization", "del-header authorization"),
            ("traefik", "\"Authorization\"", "\"Authorization\": \"\""),
        ] {
            let result = try await home.run(
                "gateway", "proxy", proxy, "gateway.yaml", "--no-tls", "--timeout", "600", "--connections", "800")
            #expect(result.status == 0 && result.standardOutput.contains(replacing), "\(proxy): \(result)")
            #expect(!result.standardOutput.contains(removing), "\(proxy)")
            #expect(result.standardError.contains("--connections 800"), "\(proxy): \(result.standardError)")
            #expect(result.standardError.contains("worker_connections 1600 or more") == (proxy == "nginx"))
            let own = ["nginx": ["keepalive 100;", "proxy_read_timeout 600s;"], "haproxy": ["timeout server 600s"]]
            for line in own[proxy] ?? [] { #expect(result.standardOutput.contains(line), "\(proxy): \(line)") }
        }
    }

    @Test("Mistakes have a reason and a next step")
    func mistakes() async throws {
        let cluster = Self.cluster
        let header = Self.small.replacing("Remote-User", with: "X-Real-IP")
        let rows: [(file: String, arguments: [String], reason: String)] = [
            (Self.small, ["nginxx", "gateway.yaml"], "unknown proxy \"nginxx\"; did you mean nginx?"),
            (Self.small, ["nginx"], "Missing expected argument"),
            (Self.small, ["nginx", "none.yaml"], "none.yaml"),
            (Self.small.replacing("signed_in", with: "nobody"), ["nginx", "gateway.yaml"], "gateway.yaml:4"),
            (header, ["nginx", "gateway.yaml"], "gateway.yaml:5: a proxy needs the header X-Real-IP for itself"),
            (Self.small + "proxy: { dialect: original }\n", ["caddy", "gateway.yaml"], "proxy.dialect is original"),
            (Self.small, ["apache", "gateway.yaml", "--socket", "/run/carnet.sock"], "reaches the gateway by a port"),
            (Self.small, ["nginx", "gateway.yaml", "--socket", "carnet.sock"], "--socket must be a path"),
            (Self.small, ["nginx", "gateway.yaml", "--bind", "::1"], "no address for a proxy"),
            (Self.small, ["nginx", "gateway.yaml", "--listen", "0"], "--listen must be a number"),
            (Self.small, ["nginx", "gateway.yaml", "--program", "127.0.0.2=http://a:1"], "did you mean 127.0.0.1?"),
            (Self.small, ["nginx", "gateway.yaml", "--program", "127.0.0.1=a"], "is not a host and the URL"),
            (Self.small, ["nginx", "gateway.yaml", "--program", "127.0.0.1/x=a:1"], "is not a host and the URL"),
            (Self.small, ["nginx", "gateway.yaml", "--program", "127.0.0.1=a;b:1"], "is not a host and the URL"),
            (
                Self.small, ["nginx", "gateway.yaml", "--program", "127.0.0.1=a:1", "--program", "127.0.0.1/=b:1"],
                "--program names 127.0.0.1/ twice"
            ),
            (Self.small, ["nginx", "gateway.yaml", "--output", "none"], "--output none: no such folder"),
            (
                Self.small, ["nginx", "gateway.yaml"] + Self.files,
                "the origin has http, and so no use for a certificate"
            ),
            (Self.secure, ["nginx", "gateway.yaml", "--no-tls"] + Self.files, "--no-tls has no use for a certificate"),
            (Self.secure, ["nginx", "gateway.yaml"], "for which nginx needs certificate and key"),
            (Self.secure, ["apache", "gateway.yaml", "--certificate", "a.pem"], "apache needs certificate and key"),
            (
                Self.secure, ["traefik", "gateway.yaml", "--certificate-key", "a.pem"],
                "traefik needs certificate and key"
            ),
            (Self.secure, ["caddy", "gateway.yaml", "--certificate", "a.pem"], "caddy needs certificate and key"),
            (Self.secure, ["haproxy", "gateway.yaml"], "haproxy needs one file with certificate, chain and key"),
            (Self.secure, ["haproxy", "gateway.yaml"] + Self.files, "haproxy needs one file"),
            (
                Self.secure, ["haproxy", "gateway.yaml", "--certificate", "a b.pem"],
                "--certificate a b.pem: a configuration cannot name this file"
            ),
            (
                Self.secure, ["nginx", "gateway.yaml", "--certificate", "a", "--certificate-key", "k;x"],
                "--certificate-key k;x: a configuration cannot name this file"
            ),
            (Self.secure, [cluster, "gateway.yaml"], "traefik-kubernetes needs a Secret"),
            (Self.secure, [cluster, "gateway.yaml", "--no-tls"], "the gateway is no service of the cluster"),
            (Self.secure, [cluster, "gateway.yaml", "--certificate", "a/b"], "traefik-kubernetes needs a Secret"),
            (
                Self.secure, [cluster, "gateway.yaml", "--no-tls", "--bind", "gateway.apps"],
                "the program of apps.example is no service of the namespace apps"
            ),
            (
                Self.secure,
                [
                    cluster, "gateway.yaml", "--certificate", "tls", "--bind", "gateway.apps", "--program",
                    "apps.example=web:80", "--listen", "8443",
                ], "--listen is for a proxy of a machine: a cluster has entry points"
            ),
            (
                Self.small + "proxy: { secret_env: MISSING }\n", ["nginx", "gateway.yaml", "--output", "."],
                "the environment variable MISSING is not set"
            ),
            (
                Self.small + "proxy: { secret_env: ODD }\n", ["nginx", "gateway.yaml", "--output", "."],
                "proxy.secret has a character"
            ),
        ]
        for row in rows {
            try home.write(row.file, to: "gateway.yaml")
            let result = try await home.start(
                ["gateway", "proxy"] + row.arguments, environment: ["ODD": "a$host\""]
            ).finish()
            #expect(result.status == 2 && result.standardOutput.isEmpty, "\(row.arguments): \(result)")
            #expect(result.standardError.contains(row.reason), "\(row.arguments): \(result.standardError)")
            #expect(!result.standardError.contains("a$host"))
        }
    }
}
