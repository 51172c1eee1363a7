import Carnet
import CarnetFoundation
import CarnetGateway
import HTTPTypes
import Testing

/// What the proxies' documents say that they send: X-Forwarded-Method, -Proto, -Host and -Uri (ForwardAuth of Traefik,
/// forward_auth of Caddy), or X-Original-Method and X-Original-URL (the ingress controller for nginx).
@Suite("Requests that a proxy describes")
struct ForwardedRequestTests {
    static let complete = [
        ("X-Forwarded-Method", "GET"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "apps.example"),
        ("X-Forwarded-Uri", "/admin?x=1,2"),
    ]

    static func rules(_ proxy: String = "{}") throws -> GatewayProxyRules {
        let text = """
            gateway: 1
            origin: https://apps.example
            providers: [acme]
            routes: [{ allow: signed_in }]
            proxy: \(proxy)

            """
        return try GatewayExample.gateway(text).rules.proxy
    }

    static func request(_ fields: [(String, String)]) -> HTTPRequest {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:4180", path: "/decide")
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
        }
        return request
    }

    static func read(
        _ fields: [(String, String)], _ proxy: GatewayProxyRules, from peer: String? = "127.0.0.1",
        secret: Secret? = nil
    ) throws(ForwardingProblem) -> ForwardedRequest {
        try ForwardedRequest(
            request(fields), from: peer.flatMap { IPAddress(numericHost: $0) }, by: proxy, secret: secret)
    }

    @Test("The headers of the dialect")
    func headers() throws {
        let forwarded = try Self.read(Self.complete, try Self.rules())
        #expect(forwarded.method == "GET" && forwarded.scheme == "https" && forwarded.host == "apps.example")
        #expect(forwarded.target == "/admin?x=1,2")
        let original = try Self.read(
            [("X-Original-Method", "PUT"), ("X-Original-URL", "http://Apps.example:8080/a%20b?u=http://x/")],
            try Self.rules("{ dialect: original }"))
        #expect(original.method == "PUT" && original.scheme == "http" && original.host == "apps.example")
        #expect(original.target == "/a%20b?u=http://x/")
    }

    @Test("A header that is missing or repeated is named", arguments: complete.map(\.0))
    func incomplete(name: String) throws {
        let rules = try Self.rules()
        let others = Self.complete.filter { $0.0 != name }
        #expect(throws: ForwardingProblem.missing(header: name)) { try Self.read(others, rules) }
        #expect(throws: ForwardingProblem.missing(header: name)) { try Self.read(others + [(name, "")], rules) }
        #expect(throws: ForwardingProblem.repeated(header: name)) {
            try Self.read(Self.complete + [(name, "x")], rules)
        }
        #expect(ForwardingProblem.missing(header: name).reason.contains(name))
    }

    @Test(
        "A value that no proxy sends is refused",
        arguments: [
            ("X-Forwarded-Method", "GET /x"), ("X-Forwarded-Method", "GÉT"), ("X-Forwarded-Proto", "ftp"),
            ("X-Forwarded-Host", "apps.example/x"), ("X-Forwarded-Host", "user@apps.example"),
            ("X-Forwarded-Host", "apps.example:x"), ("X-Forwarded-Host", "apps.example:123456"),
            ("X-Forwarded-Host", "apps..example"), ("X-Forwarded-Host", "[apps.example]"), ("X-Forwarded-Host", "."),
            ("X-Forwarded-Host", "ápps.example"),
            ("X-Forwarded-Uri", "/" + String(repeating: "a", count: 17_000)),
        ])
    func invalid(name: String, value: String) throws {
        let fields = Self.complete.map { $0.0 == name ? (name, value) : $0 }
        let rules = try Self.rules()
        #expect(throws: ForwardingProblem.invalid(header: name)) { try Self.read(fields, rules) }
    }

    @Test("A list of values, which joins the client's and the proxy's, is refused")
    func lists() throws {
        let rules = try Self.rules()
        for (name, value) in Self.complete.dropLast() {
            let fields = Self.complete.map { $0.0 == name ? (name, "evil, \(value)") : $0 }
            #expect(throws: ForwardingProblem.repeated(header: name)) { try Self.read(fields, rules) }
        }
    }

    @Test(
        "Spellings of a host",
        arguments: [
            ("APPS.example", "apps.example"), ("apps.example.", "apps.example"), ("apps.example:443", "apps.example"),
            ("apps.example:8443", "apps.example"), ("[2001:DB8::1]:80", "2001:db8::1"), ("192.0.2.1", "192.0.2.1"),
            ("my_host.local", "my_host.local"),
        ])
    func hosts(written: String, host: String) throws {
        let request = try ForwardedRequest(method: "GET", scheme: "wss", host: written, target: "/")
        #expect(request.host == host && request.scheme == "https")
    }

    private static func untrusted(_ peer: String) -> ForwardingProblem {
        .untrustedPeer(IPAddress(numericHost: peer) ?? IPAddress([0, 0, 0, 0]))
    }

    @Test("The reason names the address that is no proxy", arguments: ["192.0.2.1", "2001:db8:0:0:0:0:0:1"])
    func untrustedReason(peer: String) {
        #expect(Self.untrusted(peer).reason.contains("the sender \(peer) is not"))
    }

    @Test("By default only this machine asks; with a secret, who has it")
    func trust() throws {
        let rules = try Self.rules()
        for peer in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            _ = try Self.read(Self.complete, rules, from: peer)
        }
        _ = try Self.read(Self.complete, rules, from: nil)
        for peer in ["192.0.2.1", "10.0.0.1", "2001:db8::1", "::ffff:10.0.0.1"] {
            #expect(throws: Self.untrusted(peer)) { try Self.read(Self.complete, rules, from: peer) }
        }
        let named = try Self.rules("{ trusted: [10.0.0.0/8, \"2001:db8::/32\"] }")
        for peer in ["10.255.0.1", "2001:db8:1::1"] { _ = try Self.read(Self.complete, named, from: peer) }
        for peer in ["127.0.0.1", "11.0.0.1", "2001:db9::1"] {
            #expect(throws: Self.untrusted(peer)) { try Self.read(Self.complete, named, from: peer) }
        }
        let shared = try Self.rules("{ secret_env: S }")
        let secret = Secret("correct horse")
        let proof = ("X-Gateway-Secret", "correct horse")
        _ = try Self.read(Self.complete + [proof], shared, from: "192.0.2.1", secret: secret)
        #expect(throws: ForwardingProblem.missing(header: "X-Gateway-Secret")) {
            try Self.read(Self.complete, shared, from: "127.0.0.1", secret: secret)
        }
        #expect(throws: ForwardingProblem.wrongSecret) {
            try Self.read(Self.complete + [("X-Gateway-Secret", "correct horsf")], shared, secret: secret)
        }
        #expect(throws: ForwardingProblem.repeated(header: "X-Gateway-Secret")) {
            try Self.read(Self.complete + [proof, proof], shared, secret: secret)
        }
        let both = try Self.rules("{ secret_env: S, trusted: 10.0.0.0/8 }")
        #expect(throws: Self.untrusted("192.0.2.1")) {
            try Self.read(Self.complete + [proof], both, from: "192.0.2.1", secret: secret)
        }
    }

    @Test(
        "Addresses and ranges",
        arguments: [
            ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.1.2.3", false), ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
            ("2001:db8::/33", "2001:db8:7fff::", true), ("2001:db8::/33", "2001:db8:8000::", false),
        ])
    func ranges(range: String, address: String, isInside: Bool) throws {
        let address = try #require(IPAddress(numericHost: address))
        #expect(try #require(AddressRange(range)).contains(address) == isInside)
    }

    @Test(
        "What is no range",
        arguments: [
            "10.0.0.1/8", "10.0.0.0/33", "10.0/8", "127.1", "010.0.0.0/8", "localhost", "10.0.0.0/", "10.0.0.0/08",
            "", "/8", "10.0.0.0/8/8", "0x7f000001", "[::1]", "::1/129",
        ])
    func noRanges(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
