// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetDescriptors
import CarnetGateway
import CarnetLint
import Testing

/// What a decision returns as `Cookie` is tested with the site; `Tests/Peers/Gateway/proxies` runs the proxies.
@Suite("Cookies in the configurations of proxies")
struct ProxyCookieTests {
    private static let text = """
        gateway: 1
        origin: http://localhost
        providers: [acme]
        routes: [{ allow: signed_in, token: access }]
        headers: { X-Auth-User: "{account.id}" }

        """

    @Test(
        "GW-45: Each proxy asks with the client's cookies, and passes on those of the decision",
        arguments: ProxyKind.all)
    func GW_45_cookiesOfTheDecision(kind: ProxyKind) throws {
        let rules = try #require(GatewayFile(SourceFile(path: "gateway.yaml", text: Self.text)).rules)
        let setup = try ProxySetup(
            rules, of: "gateway.yaml", in: "/etc/x", gateway: .address("127.0.0.1:4180"), tls: nil, port: nil,
            programs: [], connections: 800, timeout: nil)
        let text = kind.files(setup).map(\.text).joined(separator: "\n")
        let (present, absent): ([String], [String])
        switch kind.name {
        case "nginx":
            present = [
                "auth_request_set $identity_cookie $upstream_http_cookie;",
                "\nproxy_set_header Cookie $identity_cookie;",
                "    proxy_set_header Cookie $http_cookie;",
            ]
            absent = ["proxy_set_header Cookie \"\""]
        case "caddy":
            present = [
                "identity_cookie {http.reverse_proxy.header.Cookie}", "header_up Cookie {http.vars.identity_cookie}",
            ]
            absent = ["request_header -Cookie"]
        case "haproxy":
            present = ["[\"cookie\"] = true"]
            absent = ["del-header cookie"]
        case "apache":
            present = ["[\"cookie\"] = true", "identity[lower] and lower ~= \"authorization\" and lower ~= \"cookie\""]
            absent = []
        default:
            present = ["authResponseHeaders: [\"X-Auth-User\", \"Authorization\", \"Cookie\"]"]
            absent = ["\"Cookie\": \"\""]
        }
        for line in present { #expect(text.contains(line), "\(line)") }
        for line in absent { #expect(!text.contains(line), "\(line)") }
    }

    @Test("GW-45: No gateway starts with tokens for programs that every process can ask for, unless the file says why")
    func GW_45_tokensNeedASecret() {
        func found(_ text: String) -> [String] {
            Linter(others: [GatewayFiles(registry: nil)]).lint(files: [SourceFile(path: "gateway.yaml", text: text)])
                .diagnostics.map(\.code)
        }
        #expect(found(Self.text) == ["G025"] && GatewayRuleCatalog.refused.contains("G025"))
        #expect(found(Self.text + "proxy: { trusted: 127.0.0.1 }\n") == ["G025"])
        #expect(found(Self.text + "proxy: { secret_env: SECRET }\n") == [])
        #expect(found("# carnet-lint-disable G025: the gateway listens at a socket\n" + Self.text) == [])
        #expect(found(Self.text.replacing(", token: access", with: "")) == [])
    }
}
