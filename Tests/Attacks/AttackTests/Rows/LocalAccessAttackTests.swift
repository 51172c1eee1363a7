// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTesting
import CarnetTransport
import CarnetURLSession
import Foundation
import HTTPTypes
import Testing

@Suite("DISC: URLs from outside that lead inside", .serialized, .searchedForSecrets)
struct LocalAccessAttackTests {
    @Test(
        "DISC-13: Address that is not public",
        arguments: [
            "127.0.0.1", "127.0.0.2", "127.1", "0x7f000001", "2130706433", "017700000001", "0", "0.0.0.0", "10.0.0.1",
            "100.64.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.0.0.1", "198.18.0.1",
            "224.0.0.1", "255.255.255.255", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]",
            "[fd00:ec2::254]",
            "[fe80::1]", "[fc00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]", "[ff02::1]",
        ])
    func DISC_13_addressThatIsNotPublic(host: String) throws {
        #expect(try #require(IPAddress(numericHost: host)).isPublic == false)
    }

    @Test(
        "DISC-13: Address that is public",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "223.255.255.255",
            "[2606:4700::1111]",
            "[::ffff:1.1.1.1]", "[64:ff9b::101:101]", "[2a00::1]",
        ])
    func DISC_13_addressThatIsPublic(host: String) throws {
        #expect(try #require(IPAddress(numericHost: host)).isPublic)
    }

    /// Every place that metadata can name, at a service of this machine that listens.
    @Test(
        "DISC-13: Endpoint on this machine", arguments: NetworkTransport.allCases,
        ["token_endpoint", "jwks_uri", "userinfo_endpoint", "pushed_authorization_request_endpoint"])
    func DISC_13_endpointOnThisMachine(kind: NetworkTransport, name: String) async throws {
        let inside = try RawServer(Wire.response(Wire.good(.token)))
        defer { inside.stop() }
        for host in ["127.0.0.1", "localhost"] {
            let scenario = Scenario(wire: kind.make())
            let error = await expectRefusal(.undeclaredHost) {
                try await Flow.signIn.with { $0.delivery.isPushed = true }.run(scenario) {
                    $0.metadata[name] = .string("http://\(host):\(inside.port)/x")
                }
            }
            #expect(error?.disposition == .fixConfiguration)
        }
        #expect(inside.connections == 0)
        try await control(.signIn.with { $0.delivery.isPushed = true })
    }

    @Test("DISC-13: Host that is allowed by name")
    func DISC_13_hostThatIsAllowedByName() async throws {
        let inside = try RawServer(Wire.response("{}"))
        defer { inside.stop() }
        let request = { (host: String) in
            OutgoingRequest(
                head: HTTPRequest(method: .get, scheme: "http", authority: "\(host):\(inside.port)", path: "/"))
        }
        let access = LocalAccess.hosts(["127.0.0.1"])
        let transports: [any Transport] = NetworkTransport.allCases.map { $0.make(localAccess: access) }
        for transport in transports + [URLSessionTransport(localAccess: access)] {
            #expect(try await transport.send(request("127.0.0.1"), limits: .init()).status == 200)
            for host in ["127.0.0.2", "localhost", "127.1", "[::1]", "2130706433"] {
                let error = await expectThrown(TransportError.self) {
                    try await transport.send(request(host), limits: .init())
                }
                #expect(error?.kind == .localAddress, "\(host)")
            }
        }
        #expect(inside.connections == 3)
    }

    /// What the descriptor says itself is meant; the same host is refused where an input brings it.
    @Test("DISC-13: Host of an input", arguments: NetworkTransport.allCases)
    func DISC_13_hostOfAnInput(kind: NetworkTransport) async throws {
        let inside = try RawServer(Wire.response(Wire.good(.token)))
        defer { inside.stop() }
        let url = "http://127.0.0.1:\(inside.port)/token"
        let own = Flow.plain.replacingOccurrences(of: "https://id.acme.example/token", with: url)
        _ = try await Flow.plainSignIn.of(own).run(Scenario(wire: kind.make())) { _ in }
        #expect(inside.requests.count == 1)
        let given =
            own.replacingOccurrences(of: "127.0.0.1", with: "{domain}")
            + "inputs: { domain: { type: hostname } }\n"
        let flow = Flow.plainSignIn.of(given).registered { $0.inputs = ["domain": "127.0.0.1"] }
        await expectRefusal(.undeclaredHost) {
            try await flow.run(Scenario(wire: kind.make())) { _ in }
        }
        #expect(inside.requests.count == 1)
        // The host program says that the inputs are its own.
        let trusted = flow.registered {
            $0.inputs = ["domain": "127.0.0.1"]
            $0.allowsLocalInputs = true
        }
        _ = try await trusted.run(Scenario(wire: kind.make())) { _ in }
        #expect(inside.requests.count == 2)
    }

    /// The sender of an input chooses neither who gets code and secret nor whose tokens are the user's.
    @Test("DISC-24: Input with a path before the end of the host")
    func DISC_24_inputWithAPath() async throws {
        for (type, value) in [("host_path", "evil.example/x"), ("text", "evil.example/x"), ("text", "evil.example?x=")]
        {
            let yaml =
                Flow.plain.replacingOccurrences(of: "https://id.acme.example/", with: "https://{shop}.acme.example/")
                + "inputs: { shop: { type: \(type) } }\n"
            let scenario = Scenario()
            await expectThrown(ResolutionError.self) {
                try await Flow.plainSignIn.of(yaml).registered { $0.inputs = ["shop": value] }.run(scenario) { _ in }
            }
            #expect(scenario.log.isEmpty)
        }
        // The same host where it is known only at run time, and where the access token goes.
        for keys in ["api: { base_url: 'https://{shop|x}.acme.example' }", "api: { hosts: ['{shop}.acme.example'] }"] {
            let yaml =
                Flow.plain.replacingOccurrences(of: "api: { hosts: [api.acme.example] }", with: keys)
                + "inputs: { shop: { type: text } }\n"
            await expectThrown(ResolutionError.self) {
                try await Flow.plainSignIn.of(yaml).registered { $0.inputs = ["shop": "evil.example/x"] }
                    .run(Scenario()) { _ in }
            }
        }
        let good =
            Flow.plain.replacingOccurrences(of: "https://id.acme.example/", with: "https://{shop}.acme.example/")
            + "inputs: { shop: {} }\n"
        try await control(Flow.plainSignIn.of(good).registered { $0.inputs = ["shop": "id"] })
    }

    @Test("DISC-24: Input that ends the host")
    func DISC_24_inputThatEndsTheHost() async throws {
        for url in ["https://id.acme.{end}/", "https://id.acme{end}.example/"] {
            let yaml =
                Flow.plain.replacingOccurrences(of: "https://id.acme.example/", with: url) + "inputs: { end: {} }\n"
            let scenario = Scenario()
            await expectThrown(ResolutionError.self) {
                try await Flow.plainSignIn.of(yaml).registered { $0.inputs = ["end": "example.evil.example"] }
                    .run(scenario) { _ in }
            }
            #expect(scenario.log.isEmpty)
        }
    }

    /// A proxy that drops the dot at the end would connect to its own network.
    @Test("DISC-25: Local address for a proxy", arguments: NetworkTransport.allCases)
    func DISC_25_localAddressForAProxy(kind: NetworkTransport) async throws {
        let inside = try RawServer(Wire.response("{}"))
        defer { inside.stop() }
        let proxy = try await ConnectProxy(to: inside.port, demanding: "Basic YTpi")
        let transport = try kind.make(network: .proxy("http://127.0.0.1:\(proxy.port)"))
        func send(_ host: String) async -> TransportError? {
            await expectThrown(TransportError.self) {
                try await transport.send(
                    OutgoingRequest(head: HTTPRequest(method: .get, scheme: "https", authority: host, path: "/token")),
                    limits: .init())
            }
        }
        for host in [
            "169.254.169.254.", "10.1.2.3.", "0x0a010203.", "169.254.169.254..", "10.66051.", "012.1.2.3.",
            "2852039166.",
            "[::ffff:10.1.2.3]", "[::ffff:a9fe:a9fe]", "localhost.", "LOCALHOST..", "a.localhost.", "127.1.",
            "0x7F.1.:8443",
        ] {
            #expect(await send(host)?.kind == .localAddress, "\(host)")
        }
        for host in ["10.1.2.3.4", "08.1.1.1", "256.1.1.1.", "[::1"] {
            #expect(await send(host)?.kind == .unsupportedRequest, "\(host)")
        }
        #expect(proxy.requests.isEmpty)
        #expect(inside.connections == 0)
        // The recording proxy is asked for other hosts, and wants a password.
        _ = await send("id.acme.example")
        #expect(proxy.requests.count == 1)
        await transport.shutdown()
        try await proxy.stop()
    }

    /// VPN clients response every name with such an address; no host has one. As a number in a URL it stays refused.
    @Test("DISC-13: Address that stands for a name")
    func DISC_13_addressThatStandsForAName() throws {
        for (host, stands) in [
            ("198.18.0.1", true), ("198.19.255.255", true), ("198.20.0.1", false), ("100.64.0.1", false),
        ] {
            let address = try #require(IPAddress(numericHost: host))
            #expect(address.standsForName == stands)
        }
    }

    /// A name of this machine that does not say so.
    private static let ownName = [ProcessInfo.processInfo.hostName, "localhost.localdomain", "ip6-localhost"]
        .first { Set(IPAddress.lookUp($0)) == [IPAddress([127, 0, 0, 1])] }

    /// A name server responds with an address of this machine: the connection is closed before the request.
    @Test("DISC-13: Name with a local address", .enabled(if: ownName != nil))
    func DISC_13_nameWithALocalAddress() async throws {
        let name = try #require(Self.ownName)
        let inside = try RawServer(Wire.response("{}"))
        defer { inside.stop() }
        let request = OutgoingRequest(
            head: HTTPRequest(method: .get, scheme: "http", authority: "\(name):\(inside.port)", path: "/"))
        let transports: [any Transport] = NetworkTransport.allCases.map { $0.make() }
        for transport in transports + [URLSessionTransport()] {
            let error = await expectThrown(TransportError.self) {
                try await transport.send(request, limits: .init())
            }
            #expect(error?.kind == .localAddress)
        }
        #expect(inside.requests.isEmpty)
        for kind in NetworkTransport.allCases {
            let transport = kind.make(localAccess: .hosts([name]))
            #expect(try await transport.send(request, limits: .init()).status == 200)
        }
    }

    /// What one request is allowed is not allowed to the next one, which could use its connection.
    @Test("DISC-13: Connection of another request", .enabled(if: ownName != nil), arguments: NetworkTransport.allCases)
    func DISC_13_connectionOfAnotherRequest(kind: NetworkTransport) async throws {
        let name = try #require(Self.ownName)
        let certificates = try Certificates()
        let identity = try certificates.issue(for: "DNS:\(name)")
        let inside = try await TLSServer(certificate: identity.certificate, key: identity.key)
        let port = try #require(inside.authority.split(separator: ":").last)
        let request = OutgoingRequest(
            head: HTTPRequest(method: .get, scheme: "https", authority: "\(name):\(port)", path: "/"))
        let transport = kind.make(trusting: certificates.authority)
        var allowing = TransportLimits()
        allowing.localHosts = [name]
        for _ in 1...2 {
            #expect(try await transport.send(request, limits: allowing).status == 200)
            let error = await expectThrown(TransportError.self) {
                try await transport.send(request, limits: .init())
            }
            #expect(error?.kind == .localAddress)
        }
        #expect(inside.requestCount == 2)
        await transport.shutdown()
        try await inside.stop()
    }
}
