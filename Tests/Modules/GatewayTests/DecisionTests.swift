import Carnet
import CarnetFoundation
import CarnetGateway
import Testing

/// The rules of `Docs/decisions/gateway.md`, each with the requests that show it. The table was written before the code.
@Suite("Decisions of the gateway")
struct DecisionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let request: String
        let sender: String
        let outcome: GatewayDecision.Outcome
        /// The title of the route that decides.
        let route: String
        let missing: [GatewayDecision.Missing]

        init(
            _ request: String, _ sender: String, _ outcome: GatewayDecision.Outcome, _ route: String = "-",
            _ missing: [GatewayDecision.Missing] = []
        ) {
            self.request = request
            self.sender = sender
            self.outcome = outcome
            self.route = route
            self.missing = missing
        }

        var testDescription: String { "\(request) as \(sender)" }
    }

    static let table = [
        // Anyone and everybody who signed in.
        Row("GET /health", "-", .allowed, "health"),
        Row("GET /health", "eve", .allowed, "health"),
        Row("DELETE /health?x=/admin", "-", .allowed, "health"),
        Row("GET /health/", "-", .allowed, "health"),
        Row("GET /healthz", "-", .noRoute),
        Row("GET /", "-", .signIn, "start", [.signIn]),
        Row("GET /", "eve", .allowed, "start"),
        Row("GET /?q=1", "anna", .allowed, "start"),
        Row("GET /", "gus", .signIn, "start", [.signIn]),
        Row("GET /", "bank", .forbidden, "start", [.person]),
        // What no route has.
        Row("GET /other", "anna", .noRoute),
        Row("GET /other", "-", .noRoute),
        Row("GET /reports", "anna", .noRoute),
        Row("GET //evil.example/health", "-", .noRoute),
        Row("GET //other.apps.example/", "anna", .noRoute),
        Row("GET //tools.example/", "anna", .noRoute),
        // Groups, with the provider that states them.
        Row("GET /admin", "anna", .allowed, "admin"),
        Row("POST /admin/users/5", "anna", .allowed, "admin"),
        Row("GET /admin/x", "dan", .allowed, "admin"),
        Row("GET /admin/x", "bob", .forbidden, "admin", [.group(["ops", "root"])]),
        Row("GET /admin/x", "eve", .forbidden, "admin", [.provider(["acme"])]),
        Row("GET /admin/x", "cleo", .forbidden, "admin", [.provider(["acme"]), .group(["ops", "root"])]),
        Row("GET /admin/x", "-", .signIn, "admin", [.signIn]),
        Row("GET /admin/x", "bank", .forbidden, "admin", [.person]),
        // One of several conditions; methods of one path.
        Row("GET /reports/2026", "anna", .allowed, "read report"),
        Row("HEAD /reports/2026", "anna", .allowed, "read report"),
        Row("GET /reports/2026", "cleo", .allowed, "read report"),
        Row("GET /reports/2026", "eve", .forbidden, "read report", [.email]),
        Row("GET /reports/2026", "bob", .forbidden, "read report", [.email]),
        Row("PUT /reports/2026", "anna", .allowed, "write report"),
        Row("PUT /reports/2026", "eve", .forbidden, "write report", [.provider(["acme"])]),
        Row("PUT /reports/2026", "bob", .forbidden, "write report", [.subject]),
        Row("POST /reports/2026", "anna", .noRoute),
        Row("DELETE /reports/2026", "-", .noRoute),
        Row("GET /reports/2026/7", "anna", .noRoute),
        // Scopes and clients of programs, and of people.
        Row("GET /api/x", "reader", .allowed, "api"),
        Row("GET /api/x", "anna", .allowed, "api"),
        Row("GET /api/x", "bob", .forbidden, "api", [.scopes(["read"])]),
        Row("GET /api/x", "-", .signIn, "api", [.signIn]),
        Row("GET /api/x", "stranger", .signIn, "api", [.signIn]),
        Row("POST /api/accounts/5/transfer", "bank", .allowed, "transfer"),
        Row("POST /api/accounts/5/transfer", "reader", .forbidden, "transfer", [.scopes(["daily"])]),
        Row("POST /api/accounts/5/transfer", "anna", .forbidden, "transfer", [.scopes(["transfer", "daily"])]),
        Row("GET /api/accounts/5/transfer", "bank", .noRoute),
        Row("GET /api/accounts/5", "bank", .allowed, "api"),
        Row("POST /api/deploy", "robot", .allowed, "deploy"),
        Row("POST /api/deploy", "bank", .forbidden, "deploy", [.client]),
        Row("POST /api/deploy", "anna", .forbidden, "deploy", [.client]),
        Row("POST /api/deploy/x", "robot", .allowed, "api"),
        // Claims.
        Row("GET /staff/x", "anna", .allowed, "staff"),
        Row("GET /staff/x", "bob", .forbidden, "staff", [.claim("/badge/level")]),
        Row("GET /staff/x", "dan", .forbidden, "staff", [.claim("department"), .claim("/badge/level")]),
        Row("GET /staff/x", "eve", .forbidden, "staff", [.provider(["acme"])]),
        // Addresses.
        Row("GET //wiki.apps.example/Start", "anna", .allowed, "wiki"),
        Row("GET //wiki.apps.example/Start", "cleo", .allowed, "wiki"),
        Row(
            "GET //wiki.apps.example/Start", "bob", .forbidden, "wiki", [.emailDomain(["example.com", "example.org"])]),
        Row("GET //wiki.apps.example/Start", "dan", .forbidden, "wiki", [.verifiedEmail]),
        Row("GET //wiki.apps.example/Start", "fay", .forbidden, "wiki", [.verifiedEmail]),
        Row(
            "GET //wiki.apps.example/Start", "eve", .forbidden, "wiki", [.emailDomain(["example.com", "example.org"])]),
        // Hosts: a route with a host comes before a route without one, and the most specific host first.
        Row("GET //wiki.apps.example/public/x.png", "-", .allowed, "pictures"),
        Row("GET //wiki.apps.example/health", "-", .signIn, "wiki", [.signIn]),
        Row("GET //WIKI.apps.example.:8443/public/x.png", "-", .allowed, "pictures"),
        Row("GET //a.tools.example/x", "eve", .allowed, "tools"),
        Row("GET //a.b.tools.example/x", "eve", .allowed, "tools"),
        Row("GET //build.tools.example/x", "eve", .forbidden, "builds", [.provider(["globex"])]),
        Row("GET //build.tools.example/x", "cleo", .allowed, "builds"),
        Row("GET //a.build.tools.example/x", "eve", .allowed, "tools"),
        // Paths in another than the normal form.
        Row("GET /health/../admin", "-", .malformed),
        Row("GET //apps.example//health", "anna", .malformed),
        Row("GET /admin%2fx", "anna", .malformed),
        // At a host with one route for everything, no path can be another route's.
        Row("GET //build.tools.example//x/../y%2Fz;a", "cleo", .allowed, "builds"),
        Row("GET //build.tools.example//x/../y%2Fz;a", "eve", .forbidden, "builds", [.provider(["globex"])]),
        Row("GET //a.tools.example/%c3%a9", "-", .signIn, "tools", [.signIn]),
        // Every route of the host is open to her, however a program reads the path.
        Row("GET //wiki.apps.example/%c3%a9", "anna", .allowed, "wiki"),
        Row("GET //wiki.apps.example/%c3%a9", "eve", .malformed),
        Row("GET //wiki.apps.example/%c3%a9", "-", .malformed),
        Row("GET /ADMIN/x", "anna", .noRoute),
        Row("GET /Health", "-", .noRoute),
    ]

    @Test("Each request of the table", arguments: table)
    func decisions(row: Row) throws {
        let decision = try GatewayExample.decision(try GatewayExample.gateway(), row.request, as: row.sender)
        #expect(decision.outcome == row.outcome, "\(decision.reason)")
        #expect(decision.route?.title ?? "-" == row.route)
        #expect(decision.missing == row.missing)
        #expect(decision.isAllowed == (row.outcome == .allowed))
        #expect((decision.place == nil) == (row.route == "-"))
        #expect(!decision.reason.isEmpty && !decision.reason.hasSuffix("."))
        #expect(row.outcome == .allowed || decision.headers.isEmpty)
    }

    @Test("The order of the routes has no meaning")
    func order() throws {
        let lines = GatewayExample.text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "routes:"))
        let end = try #require(lines.firstIndex(of: "headers:"))
        var routes: [[Substring]] = []
        for line in lines[(start + 1)..<end] {
            if line.hasPrefix("  - ") { routes.append([line]) } else { routes[routes.count - 1].append(line) }
        }
        let reversed = lines[...start] + routes.reversed().flatMap { $0 } + lines[end...]
        let gateway = try GatewayExample.gateway(reversed.joined(separator: "\n"))
        for row in Self.table {
            let decision = try GatewayExample.decision(gateway, row.request, as: row.sender)
            #expect(decision.outcome == row.outcome && decision.route?.title ?? "-" == row.route, "\(row.request)")
        }
    }

    @Test("A decision names the line of its route")
    func places() throws {
        let gateway = try GatewayExample.gateway()
        #expect(try GatewayExample.decision(gateway, "GET /health", as: "-").place == "gateway.yaml:10")
        #expect(try GatewayExample.decision(gateway, "GET /reports/1", as: "eve").place == "gateway.yaml:13")
        #expect(try GatewayExample.decision(gateway, "GET //wiki.apps.example/", as: "-").place == "gateway.yaml:26")
    }

    @Test("Of the accounts of a session, the first that is allowed is the sender")
    func accounts() throws {
        let gateway = try GatewayExample.gateway()
        func decide(_ target: String, _ names: [String]) throws -> GatewayDecision {
            gateway.decide(
                try ForwardedRequest(method: "GET", scheme: "https", host: "apps.example", target: target),
                asAnyOf: try names.map { try #require(GatewayExample.senders[$0]) })
        }
        #expect(try decide("/admin", ["eve", "anna"]).identity?.provider == "acme")
        #expect(try decide("/", ["eve", "anna"]).identity?.provider == "initech")
        let refused = try decide("/staff", ["cleo", "eve"])
        #expect(refused.outcome == .forbidden && refused.identity?.provider == "globex")
        #expect(try decide("/admin", ["gus", "anna"]).isAllowed)
        #expect(try decide("/admin", []).outcome == .signIn)
        #expect(try decide("/none", ["anna"]).outcome == .noRoute)
    }

    @Test("What a person reads has no value of the file but providers and scopes")
    func phrases() throws {
        let gateway = try GatewayExample.gateway()
        let values = ["ops", "root", "auditors", "anna", "a-1", "deploy-bot", "department", "badge", "example"]
        for row in DecisionTests.table where row.outcome == .forbidden {
            let decision = try GatewayExample.decision(gateway, row.request, as: row.sender)
            for missing in decision.missing {
                for value in values { #expect(!missing.phrase().contains(value), "\(missing.phrase())") }
            }
        }
        #expect(GatewayDecision.Missing.provider(["acme", "globex"]).phrase() == "to sign in with acme or globex")
        #expect(GatewayDecision.Missing.scopes(["read", "write"]).phrase() == "the scopes read write")
    }

    @Test("The origin and the hosts of the routes are known")
    func hosts() throws {
        let gateway = try GatewayExample.gateway()
        for host in [
            "apps.example", "wiki.apps.example", "a.tools.example", "build.tools.example", "a.b.tools.example",
        ] {
            #expect(gateway.knows(host: host), "\(host)")
        }
        for host in ["tools.example", "evil.example", "xapps.example", "a.apps.example", "example", ""] {
            #expect(!gateway.knows(host: host), "\(host)")
        }
    }

    @Test("A file with a mistake makes no gateway, and the error has its line")
    func mistakes() {
        let text = GatewayExample.text.replacing("path: /health", with: "pth: /health")
        let file = GatewayFile(SourceFile(path: "gateway.yaml", text: text))
        #expect(file.rules == nil)
        let error = #expect(throws: OAuthError.self) { try Gateway(file) }
        #expect(error?.kind == .badDescriptor)
        #expect("\(error.map { "\($0)" } ?? "")".contains("gateway.yaml:10:"))
    }
}
