import CarnetServerTestSupport
import Foundation
import Testing

/// `carnet` behind proxies that nobody here wrote. They send everything on to a proxy of the test, which plays the Internet:
/// every host is one server with a certificate for `id.acme.example`.
@Suite("Proxy")
struct ProxyTests {
    private let home: CommandHome
    private let certificates: OpenSSLFolder
    private let user = "alice:s3cret-word"

    /// The authority of the server.
    private var authority: String { certificates.path("authority.pem") }

    init() throws {
        home = try CommandHome()
        try home.write(
            """
            carnet: 1
            id: acme
            name: Acme
            issuer: https://id.acme.example
            scopes: { default: [read] }

            """, to: "providers/acme.yaml")
        certificates = try OpenSSLFolder()
        try certificates.signCertificate(for: "DNS:id.acme.example")
    }

    private func withInternet(_ body: (TLSServer, ConnectProxy) async throws -> Void) async throws {
        let server = try await TLSServer.provider(certificates) { _ in "https://id.acme.example" }
        let internet = try await ConnectProxy(to: try server.port)
        try await body(server, internet)
        try await internet.stop()
        try await server.stop()
    }

    private func run(_ arguments: String..., through proxy: String, _ added: [String: String] = [:]) async throws
        -> CommandResult
    {
        try await home.start(arguments, environment: ["HTTPS_PROXY": "http://\(proxy)"].merging(added) { $1 }).finish()
    }

    @Test(
        "A company's proxy with a password lets a user sign in and stay signed in",
        arguments: RealProxy.Program.allCases)
    func aCompanysProxyWithAPassword(
        _ program: RealProxy.Program
    ) async throws {
        try await withInternet { server, internet in
            let proxy = try await RealProxy(program, to: internet.port, user: user, trusting: authority)
            let address = "\(user)@\(proxy.address)"
            let trust = ["--ca-file", proxy.authority ?? authority]

            let untrusted = try await run("compare", "acme", through: address)
            #expect(untrusted.status == 1, "\(untrusted)")
            let distrust = "the certificate of id.acme.example:443 through the proxy \(proxy.address) (issued by \""
            #expect(untrusted.standardError.contains(distrust), "\(untrusted)")
            #expect(untrusted.standardError.contains(") is not trusted: "), "\(untrusted)")
            #expect(server.requestCount == 0)

            let compared = try await home.start(
                ["compare", "acme"] + trust, environment: ["HTTPS_PROXY": "http://\(address)"]
            ).finish()
            #expect(compared.status == 0, "\(compared)")
            let login = try home.start(
                ["login", "acme", "--client-id", "mine", "--account", "ada", "--no-browser"] + trust,
                environment: ["HTTPS_PROXY": "http://\(address)"])
            #expect(try await login.approve() == 200)
            let loggedIn = try await login.finish()
            #expect(loggedIn.status == 0, "\(loggedIn)")
            // The authorities of a company often come in a variable.
            let refresh = try await run(
                "refresh", "acme", "--client-id", "mine", through: address, ["SSL_CERT_FILE": trust[1]])
            #expect(refresh.status == 0, "\(refresh)")

            #expect(server.requestCount >= 5, "metadata three times, a code, a refresh token")
            let asked = internet.requests.filter { !$0.hasPrefix("CONNECT id.acme.example:443 ") }
            #expect(asked.isEmpty, "\(asked)")
            for result in [untrusted, compared, loggedIn, refresh] { #expect(!"\(result)".contains("s3cret-word")) }
            try await proxy.stop()
        }
    }

    @Test(
        "A proxy's password that is wrong or missing is an error that names the proxy",
        arguments: RealProxy.Program.allCases)
    func aProxysPasswordThatIsWrong(
        _ program: RealProxy.Program
    ) async throws {
        try await withInternet { server, internet in
            let proxy = try await RealProxy(program, to: internet.port, user: user)
            for credentials in ["alice:wr0ng-word@", ""] {
                let result = try await run(
                    "compare", "acme", "--ca-file", authority, through: credentials + proxy.address)
                #expect(result.status == 1, "\(result)")
                #expect(result.standardError.contains("no connection to id.acme.example:443"), "\(result)")
                #expect(result.standardError.contains("through the proxy \(proxy.address)"), "\(result)")
                #expect(result.standardError.contains("user and password"), "\(result)")
                #expect(!result.standardError.contains("wr0ng-word"))
            }
            #expect(internet.requests.isEmpty && server.requestCount == 0)
            try await proxy.stop()
        }
    }

    @Test(
        "A host that the proxy rejects is an error, and one of NO_PROXY is not asked for there",
        arguments: [RealProxy.Program.squid, .tinyproxy])
    func aHostThatTheProxyRefuses(
        _ program: RealProxy.Program
    ) async throws {
        try await withInternet { server, internet in
            let proxy = try await RealProxy(program, to: internet.port, refusing: "id.acme.example")
            let refused = try await run("compare", "acme", "--ca-file", authority, through: proxy.address)
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.standardError.contains("through the proxy \(proxy.address)"), "\(refused)")
            #expect(refused.standardError.contains("the proxy refused it"), "\(refused)")
            for exception in ["id.acme.example", ".acme.example", "*"] {
                let direct = try await run(
                    "compare", "acme", "--ca-file", authority, through: proxy.address, ["NO_PROXY": exception])
                // Nobody else knows the name.
                #expect(direct.status == 1, "\(direct)")
                #expect(!direct.standardError.contains("through the proxy"), "\(direct)")
            }
            try await proxy.stop()

            let open = try await RealProxy(program, to: internet.port)
            let other = try await run(
                "compare", "acme", "--ca-file", authority, through: open.address, ["NO_PROXY": "10.0.0.0/8,me.example"])
            #expect(other.status == 0, "\(other)")
            #expect(server.requestCount == 1)
            try await open.stop()
            let gone = try await run("compare", "acme", through: open.address)
            #expect(gone.status == 1 && gone.standardError.contains("through the proxy \(open.address)"), "\(gone)")
        }
    }
}

/// Hosts on this machine, and authorities that are not the system's.
@Suite("Reach")
struct ReachTests {
    private let home: CommandHome
    private let certificates: OpenSSLFolder

    init() throws {
        (home, certificates) = (try CommandHome(), try OpenSSLFolder())
    }

    @Test("A local host that only metadata names is reached with --allow-local alone")
    func aLocalHostThatOnlyMetadata() async throws {
        try certificates.signCertificate(for: "DNS:id.acme.example,IP:127.0.0.1")
        let server = try await TLSServer.provider(certificates) { "https://127.0.0.1:\($0)" }
        let internet = try await ConnectProxy(to: try server.port)
        let issuer = "https://id.acme.example"
        try home.write(
            "carnet: 1\nid: acme\nname: Acme\nissuer: \(issuer)\nscopes: { default: [read] }\n",
            to: "providers/acme.yaml")
        server.respond(
            "/.well-known/openid-configuration",
            with: TLSServer.metadata(issuer: issuer, endpointsAt: "https://\(server.authority)"))
        let login = [
            "login", "acme", "--client-id", "mine", "--account", "ada", "--no-browser", "--ca-file",
            certificates.path("authority.pem"),
        ]
        let environment = ["HTTPS_PROXY": "127.0.0.1:\(internet.port)"]
        let refused = try home.start(login, environment: environment)
        #expect(try await refused.approve() == 200)
        let refusal = try await refused.finish()
        #expect(refusal.status == 1, "\(refusal)")
        #expect(refusal.standardError.contains("\(server.authority) is an address of this machine"), "\(refusal)")
        #expect(refusal.standardError.contains("--allow-local"), "\(refusal)")
        #expect(server.requestCount == 1, "the metadata alone")

        let allowed = try home.start(login + ["--allow-local", "127.0.0.1"], environment: environment)
        #expect(try await allowed.approve() == 200)
        let loggedIn = try await allowed.finish()
        #expect(loggedIn.status == 0, "\(loggedIn)")
        try await internet.stop()
        try await server.stop()
    }

    @Test("A file without certificates is an error that names it, and nothing is requested")
    func aFileWithoutCertificates() async throws {
        try certificates.signCertificate(for: "DNS:localhost")
        let server = try await TLSServer.provider(certificates) { "https://localhost:\($0)" }
        try home.write("no certificate\n", to: "company.pem")
        for file in ["company.pem", "nowhere.pem"] {
            let result = try await home.run(
                "new", "acme", "--issuer", "https://localhost:\(try server.port)", "--ca-file", file)
            #expect(result.status == 1 && result.standardOutput.isEmpty, "\(result)")
            #expect(result.standardError.contains("--ca-file names \(file)"), "\(result)")
        }
        #expect(server.requestCount == 0)
        let trusted = try await home.run(
            "new", "acme", "--issuer", "https://localhost:\(try server.port)", "--ca-file",
            certificates.path("authority.pem"))
        #expect(trusted.status == 0, "\(trusted)")
        try await server.stop()
    }
}

extension OpenSSLFolder {
    /// Makes an authority and a certificate that it signs: `authority.pem`, `certificate.pem` and `key.pem`.
    fileprivate func signCertificate(for names: String) throws {
        try openssl(
            ["req", "-x509"] + Self.newKey + [
                "-days", "1", "-subj", "/CN=A company", "-keyout", "authority-key.pem", "-out", "authority.pem",
            ])
        try openssl(
            ["req", "-new"] + Self.newKey + ["-subj", "/CN=A server", "-keyout", "key.pem", "-out", "request.pem"])
        try write("subjectAltName=\(names)\n", to: "names.cnf")
        try openssl([
            "x509", "-req", "-days", "1", "-in", "request.pem", "-CA", "authority.pem", "-CAkey", "authority-key.pem",
            "-CAcreateserial", "-extfile", "names.cnf", "-out", "certificate.pem",
        ])
    }
}

extension TLSServer {
    fileprivate var port: Int {
        get throws { try #require(authority.split(separator: ":").last.flatMap { Int($0) }) }
    }

    /// A provider of OAuth with the certificate of the folder.
    ///
    /// - Parameter origin: Its address, given its port.
    fileprivate static func provider(
        _ certificates: OpenSSLFolder, at origin: (Int) -> String
    ) async throws -> TLSServer {
        let server = try await TLSServer(
            certificate: certificates.path("certificate.pem"), key: certificates.path("key.pem"))
        let origin = origin(try server.port)
        server.respond("/.well-known/openid-configuration", with: metadata(issuer: origin, endpointsAt: origin))
        server.respond(
            "/token", with: #"{"access_token":"at","token_type":"Bearer","expires_in":3600,"refresh_token":"rt"}"#)
        return server
    }

    fileprivate static func metadata(issuer: String, endpointsAt origin: String) -> String {
        """
        {"issuer": "\(issuer)", "authorization_endpoint": "\(origin)/authorize", "token_endpoint": "\(origin)/token",
        "response_types_supported": ["code"], "scopes_supported": ["read"]}
        """
    }
}

extension CommandRun {
    /// Comes back from the authorization page that the program prints, with a code.
    ///
    /// - Returns: The status of the page that the browser ends on.
    fileprivate func approve() async throws -> Int {
        let address = try await line(of: .standardError) { $0.contains("/authorize?") }
        let items = URLComponents(string: address)?.queryItems ?? []
        let sent = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        let (callback, state) = (try #require(sent["redirect_uri"]), try #require(sent["state"]))
        return try await Browser().get("\(callback)?code=c0de&state=\(state)").status
    }
}
