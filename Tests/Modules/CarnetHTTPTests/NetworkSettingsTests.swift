// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import NIOSSL
import Testing

@testable import CarnetHTTP
@testable import CarnetTransport

@Suite("The network settings")
struct NetworkSettingsTests {
    private func place(
        _ host: String, scheme: String = "https", _ environment: [String: String]
    ) throws -> String? {
        try NetworkSettings(environment: environment).proxy(scheme: scheme, host: host)?.place
    }

    @Test(
        "take the proxy of the scheme, lower case first, then the one for all",
        arguments: [
            (["https_proxy": "http://a:1", "HTTPS_PROXY": "http://b:2", "ALL_PROXY": "http://c:3"], "a:1"),
            (["HTTPS_PROXY": "http://b:2/", "ALL_PROXY": "http://c:3"], "b:2"),
            (["all_proxy": "c:3", "ALL_PROXY": "d:4", "http_proxy": "e:5"], "c:3"),
            (["HTTPS_PROXY": "proxy.corp"], "proxy.corp:1080"),
            (["HTTPS_PROXY": "socks5://[::1]:9050"], "[::1]:9050"),
            (["HTTPS_PROXY": "", "ALL_PROXY": "http://c:3"], nil),
            (["HTTP_PROXY": "http://e:5"], nil),
        ] as [([String: String], String?)])
    func choosesProxy(environment: [String: String], expected: String?) throws {
        #expect(try place("id.acme.example", environment) == expected)
    }

    @Test("ignore HTTP_PROXY in a CGI program, where anybody can set it")
    func ignoresForgedProxy() throws {
        let environment = ["HTTP_PROXY": "http://e:5"]
        #expect(try place("a.example", scheme: "http", environment) == "e:5")
        let cgi = environment.merging(["REQUEST_METHOD": "GET"]) { $1 }
        #expect(try place("a.example", scheme: "http", cgi) == nil)
        #expect(try place("a.example", scheme: "http", cgi.merging(["http_proxy": "f:6"]) { $1 }) == "f:6")
    }

    @Test("except the hosts of NO_PROXY, in either case of its letters", arguments: ["no_proxy", "NO_PROXY"])
    func exceptsHosts(name: String) throws {
        let variables = ["HTTPS_PROXY": "p:1", name: "a.example, b.example c.example"]
        for host in ["a.example", "b.example", "c.example"] { #expect(try place(host, variables) == nil) }
        #expect(try place("d.example", variables) == "p:1")
    }

    @Test(
        "never send loopback through a proxy", arguments: ["localhost", "a.localhost", "127.9.9.9", "[::1]", "127.1"])
    func loopbackIsDirect(host: String) throws {
        #expect(try place(host, ["ALL_PROXY": "p:1"]) == nil)
        #expect(try NetworkSettings.proxy("p:1").proxy(scheme: "http", host: host) == nil)
    }

    @Test(
        "refuse a proxy that cannot be used, when it applies, and never quote it",
        arguments: [
            "https://user:hunter2@p:1", "ftp://p", "http://", "http://p:0", "http://p:99999", "http://p:x",
            "socks5://user:hunter2@p", "http://user:hunter2%ZZ@p", "[::1]x",
        ])
    func refusesUnusableProxy(url: String) async throws {
        let settings = NetworkSettings(environment: ["HTTPS_PROXY": url, "NO_PROXY": "b.example"])
        #expect(try settings.proxy(scheme: "https", host: "b.example") == nil)
        for kind in NetworkTransport.allCases {
            let error = await #expect(throws: TransportError.self) {
                try await kind.make(network: settings).send(.get("a.example", scheme: "https"), limits: .init())
            }
            #expect(error?.kind == .unsupportedRequest)
            #expect(error?.reason.contains("HTTPS_PROXY") == true)
            #expect(error?.reason.contains("hunter2") == false)
        }
        #expect(throws: TransportError.self) { try NetworkSettings.proxy(url) }
    }

    @Test("read user and password as they are percent-encoded")
    func readsCredentials() throws {
        let proxy = try #require(
            try NetworkSettings.proxy("http://al%40ice:p%3Aw:x@p:1").proxy(scheme: "https", host: "a.example"))
        #expect(proxy.user == "al@ice")
        #expect(proxy.password?.reveal() == "p:w:x")
        #expect(!"\(proxy)".contains("p:w:x"))
    }
}

@Suite("A transport behind a proxy")
struct ProxiedTransportTests {
    private let certificate: TestCertificate

    init() throws {
        certificate = try TestCertificate(subjectAlternativeName: "DNS:id.acme.example,IP:127.0.0.1")
    }

    private func port(of server: TLSServer) throws -> Int {
        try #require(server.authority.split(separator: ":").last.flatMap { Int($0) })
    }

    @Test(
        "tunnels TLS to a name that only the proxy knows, with credentials for the proxy alone",
        arguments: NetworkTransport.allCases)
    func tunnels(kind: NetworkTransport) async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "DNS:id.acme.example")
        let server = try await certificate.server()
        // alice:secret
        let proxy = try await ConnectProxy(to: try port(of: server), demanding: "Basic YWxpY2U6c2VjcmV0")
        let transport = try kind.make(
            trusting: certificate.certificatePath,
            network: .proxy("http://alice:secret@127.0.0.1:\(proxy.port)"))
        let response = try await transport.send(.get("id.acme.example", scheme: "https"), limits: .init())
        #expect(response.head.status == .ok)
        #expect(server.requestCount == 1)
        #expect(proxy.requests.count == 1)
        #expect(proxy.requests.first?.hasPrefix("CONNECT id.acme.example:443 ") == true)
        await transport.shutdown()
        try await proxy.stop()
        try await server.stop()
    }

    @Test(
        "reports a proxy that wants a password, without sending anything to the server",
        arguments: NetworkTransport.allCases)
    func wantsPassword(kind: NetworkTransport) async throws {
        let server = try await certificate.server()
        let proxy = try await ConnectProxy(to: try port(of: server), demanding: "Basic YWxpY2U6c2VjcmV0")
        let transport = try kind.make(
            trusting: certificate.certificatePath, network: .proxy("http://127.0.0.1:\(proxy.port)"))
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(.get("id.acme.example", scheme: "https"), limits: .init())
        }
        #expect(error?.kind == .connection)
        #expect(error?.reason.contains("through the proxy 127.0.0.1:\(proxy.port)") == true)
        #expect(error?.reason.contains("user and password") == true)
        #expect(server.requestCount == 0)
        await transport.shutdown()
        try await proxy.stop()
        try await server.stop()
    }

    @Test(
        "does not let the proxy impersonate a server, even with a certificate for its own address",
        arguments: NetworkTransport.allCases,
        ["DNS:id.acme.example", "IP:127.0.0.1", "DNS:id.acme.example,IP:127.0.0.1"])
    func HTTP_14_checksCertificate(kind: NetworkTransport, subject: String) async throws {
        let certificate = try TestCertificate(subjectAlternativeName: subject)
        let server = try await certificate.server()
        let proxy = try await ConnectProxy(to: try port(of: server))
        let transport = try kind.make(
            trusting: certificate.certificatePath, network: .proxy("127.0.0.1:\(proxy.port)"))
        for host in ["other.example", "93.184.216.34", "other.example", "93.184.216.34"] {
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(.get(host, scheme: "https"), limits: .init())
            }
            #expect(error?.kind == .tls)
            #expect(error?.reason.contains("issued for another host") == true)
        }
        #expect(server.requestCount == 0)
        await transport.shutdown()
        try await proxy.stop()
        try await server.stop()
    }

    @Test(
        "compares the host that was requested, without a proxy too",
        arguments: NetworkTransport.allCases,
        [
            ("IP:127.0.0.1", "localhost", false), ("DNS:localhost,IP:127.0.0.1", "localhost", true),
            ("IP:127.0.0.1", "127.0.0.1", true), ("DNS:localhost", "127.0.0.1", false),
            ("IP:127.0.0.1,DNS:LOCALHOST", "localhost", true), ("IP:127.0.0.1,DNS:*.localhost", "localhost", false),
        ])
    func HTTP_14_comparesHost(
        kind: NetworkTransport, names: (subject: String, host: String, isAccepted: Bool)
    ) async throws {
        let (subject, host, isAccepted) = names
        let certificate = try TestCertificate(subjectAlternativeName: subject)
        let server = try await certificate.server()
        let transport = kind.make(
            trusting: certificate.certificatePath, localAccess: .all, network: .direct)
        let authority = "\(host):\(try port(of: server))"
        for _ in 1...2 {
            let response = try? await transport.send(.get(authority, scheme: "https"), limits: .init())
            #expect((response?.head.status == .ok) == isAccepted)
        }
        #expect(server.requestCount == (isAccepted ? 2 : 0))
        await transport.shutdown()
        try await server.stop()
    }

    @Test(
        "matches wildcards of one whole first label",
        arguments: [
            ("*.acme.example", "id.acme.example", true), ("*.acme.example", "ID.ACME.example.", true),
            ("*.acme.example", "a.id.acme.example", false), ("*.acme.example", "acme.example", false),
            ("*.acme.example", ".acme.example", false), ("*", "localhost", false), ("*.example", "acme.example", false),
            ("i*.acme.example", "id.acme.example", false), ("*.*.example", "id.acme.example", false),
        ])
    func matchesWildcards(name: String, host: String, isMatch: Bool) throws {
        let certificate = try TestCertificate(subjectAlternativeName: "DNS:\(name)")
        let leaf = try #require(try NIOSSLCertificate.fromPEMFile(certificate.certificatePath).first)
        #expect(leaf.identifies(hostName: host) == isMatch)
    }

    @Test(
        "refuses hosts that are local by their spelling, proxy or not",
        arguments: NetworkTransport.allCases,
        ["10.0.0.1", "169.254.169.254", "[::1]", "127.0.0.1", "localhost", "0x7f000001"])
    func refusesLocalHosts(kind: NetworkTransport, host: String) async throws {
        let proxy = try await ConnectProxy(to: 1)
        let transport = kind.make(network: try .proxy("127.0.0.1:\(proxy.port)"))
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(.get(host, scheme: "https"), limits: .init())
        }
        #expect(error?.kind == .localAddress)
        #expect(proxy.requests.isEmpty)
        await transport.shutdown()
        try await proxy.stop()
    }

    @Test("trusts the authorities of SSL_CERT_FILE and of a folder", arguments: NetworkTransport.allCases)
    func trustsNamedAuthorities(kind: NetworkTransport) async throws {
        let server = try await certificate.server()
        let folder = URL(filePath: certificate.certificatePath).deletingLastPathComponent().path
        for variables in [["SSL_CERT_FILE": certificate.certificatePath], ["SSL_CERT_DIR": folder]] {
            let transport = kind.make(localAccess: .all, network: NetworkSettings(environment: variables))
            let response = try await transport.send(.get(server.authority, scheme: "https"), limits: .init())
            #expect(response.head.status == .ok)
            await transport.shutdown()
        }
        try await server.stop()
    }

    @Test("trusts nobody else where SSL_CERT_FILE names another authority", arguments: NetworkTransport.allCases)
    func trustsNobodyElse(kind: NetworkTransport) async throws {
        let server = try await certificate.server()
        let other = try TestCertificate(subjectAlternativeName: "DNS:other.example")
        let settings = NetworkSettings(environment: ["SSL_CERT_FILE": other.certificatePath])
        let transport = kind.make(localAccess: .all, network: settings)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(.get(server.authority, scheme: "https"), limits: .init())
        }
        #expect(error?.kind == .tls)
        let trusting = kind.make(
            localAccess: .all, network: settings.trusting(certificate.certificatePath, named: "--ca-file"))
        #expect(try await trusting.send(.get(server.authority, scheme: "https"), limits: .init()).status == 200)
        for each in [transport, trusting] { await each.shutdown() }
        try await server.stop()
    }

    @Test(
        "refuses every request where the authorities cannot be read", arguments: NetworkTransport.allCases,
        ["SSL_CERT_FILE", "SSL_CERT_DIR"])
    func refusesUnreadableAuthorities(kind: NetworkTransport, name: String) async throws {
        let settings = NetworkSettings(environment: [name: "/nonexistent/roots.pem"])
        let error = await #expect(throws: TransportError.self) {
            try await kind.make(localAccess: .all, network: settings)
                .send(.get("127.0.0.1:1"), limits: .init())
        }
        #expect(error?.kind == .tls)
        #expect(error?.reason.hasPrefix("\(name) names /nonexistent/roots.pem") == true)
    }
}
