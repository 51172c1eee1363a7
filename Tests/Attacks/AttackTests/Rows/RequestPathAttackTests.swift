// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetFoundation
import CarnetResourceServer
import CarnetTestSupport
import HTTPTypes
import Testing

/// Everything is open to anyone, except what an administrator alone may do: whatever leads there by another way is refused.
@Suite("RS: paths of requests")
struct RequestPathAttackTests {
    private static let map = """
        resources:
          - { title: Pages, url: /**, anonymous: they are public, method: [GET, POST, PUT, PATCH, DELETE] }
          - { title: Administration, url: /admin/**, scope: admin, method: [GET, POST] }
          - { title: Users, url: "/users/{id}", scope: users }
          - { title: Other site, url: "https://other.acme.example/**", scope: other }

        """

    private func refuse(
        _ paths: [String], _ method: HTTPRequest.Method = .get, fields: [(name: String, value: String)] = []
    ) async throws {
        let door = try Door(map: Self.map)
        await door.expectAllowed(Door.request("/public", method: method, []))
        await door.expectRefused(Door.request("/admin/x", method: .get, []), 401, nil)
        for path in paths {
            switch await door.server.decide(Door.request(path, method: method, fields)) {
            case .allowed: Issue.record("\(path) is allowed")
            case .refused: break
            }
        }
    }

    @Test("RS-21: Empty and dot segments")
    func RS_21_emptyAndDotSegments() async throws {
        try await refuse([
            "//admin/x", "/admin//x", "///admin", "/./admin/x", "/x/../admin", "/public/../admin/x", "/admin/./x",
            "/x/..;/admin", "/.//admin", "/%2e%2e/admin", "/x/%2E%2E/admin", "/.%2e/admin", "/public/..%2fadmin",
            "/admin/x/..", "/admin", "/admin/",
        ])
    }

    @Test("RS-22: Encoded separators and letters")
    func RS_22_encodedSeparatorsAndLetters() async throws {
        try await refuse([
            "/public%2f..%2fadmin", "/%2Fadmin", "/admin%2Fx", "/public%5c..%5cadmin", "/public\\..\\admin",
            "/%61dmin/x",
            "/adm%69n", "/admin%00", "/admin%00.html", "/admin%0d%0a", "/admin%20", "/%2561dmin", "/%c0%afadmin",
            "/admin%ef%bc%8fx", "/admin%e2%80%8b",
        ])
    }

    @Test("RS-23: Path parameters")
    func RS_23_pathParameters() async throws {
        try await refuse([
            "/admin;x=1", "/admin;/x", "/;/admin", "/public;/../admin", "/admin%3Bx", "/admin;jsessionid=1",
        ])
    }

    @Test("RS-24: Upper case and dots at the end")
    func RS_24_upperCaseAndDotsAtTheEnd() async throws {
        try await refuse([
            "/ADMIN", "/Admin/x", "/aDMIN/x", "/admin.", "/admin./x", "/admin..", "/admin/.", "/Users/5", "/USERS/5",
        ])
    }

    @Test("RS-25: Method override and unknown methods")
    func RS_25_methodOverrideAndUnknownMethods() async throws {
        for name in ["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"] {
            try await refuse(["/public", "/admin/x"], .post, fields: [(name, "DELETE")])
        }
        try await refuse(["/admin/x"], .delete)
        try await refuse(["/users/5"], .post)
        let door = try Door(map: Self.map)
        for name in ["TRACE", "CONNECT", "PROPFIND", "get", "POSTX"] {
            let method = try #require(HTTPRequest.Method(name))
            for path in ["/public", "/admin/x", "/users/5"] {
                await door.expectRefused(Door.request(path, method: method, []), 405, nil, "\(name) \(path)")
            }
        }
    }

    @Test("RS-26: Other host")
    func RS_26_otherHost() async throws {
        let door = try Door(map: Self.map)
        for host in ["other.acme.example", "OTHER.acme.example", "other.acme.example.", "other.acme.example:443"] {
            var request = Door.request("/public", [])
            request.authority = host
            await door.expectRefused(request, 401, nil, host)
        }
        // A header that only a proxy may set decides about nothing.
        var request = Door.request("/admin/x", [])
        for name in ["X-Forwarded-Host", "X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Prefix", "X-Forwarded-Uri"] {
            if let name = HTTPField.Name(name) { request.headerFields[name] = "/public" }
        }
        await door.expectRefused(request, 401, nil)
    }

    @Test("RS-31: Spellings of a host")
    func RS_31_spellingsOfAHost() async throws {
        let map = """
            resources:
              - { title: Admin, url: "https://admin.acme.example/reports/**", scope: admin }
              - { title: Service, url: "http://service.acme.example:8080/reports/**", scope: admin }
              - { title: Rest, url: /**, anonymous: the public pages }

            """
        func status(_ host: String?, hosts: String = "", more: String? = nil) async throws -> Int? {
            var request = Door.request("/reports/5", [])
            request.authority = host
            if let more, let name = HTTPField.Name("Host") { request.headerFields[name] = more }
            return switch await (try Door(map: hosts + map)).server.decide(request) {
            case .allowed: nil
            case .refused(let refusal): refusal.response.status.code
            }
        }
        for hosts in ["", "hosts: [www.acme.example]\n", "hosts: [\"*\"]\n"] {
            for host in [
                "admin.acme.example", "admin.acme.example:444", "admin.acme.example:8443", "admin.acme.example:0443",
                "ADMIN.acme.example.:1", "admin.acme.example:", "service.acme.example:8080",
            ] {
                #expect(try await status(host, hosts: hosts) == 401, "\(hosts)\(host)")
            }
            for host in [
                "x@admin.acme.example", "admin.acme.example%2e", "admin.acme.example%00", "", " ",
                "admin.acme.example/",
                "admin.acme.example, www.acme.example", "admin.acme.example:x", "admin.acme.example:123456",
                "admin.acme.example\\", "[admin.acme.example]", "ådmin.acme.example", "-.example", "a..b",
            ] {
                #expect(try await status(host, hosts: hosts) == 400, "\(hosts)\(host)")
            }
            #expect(try await status(nil, hosts: hosts) == 400)
            #expect(try await status("admin.acme.example", hosts: hosts, more: "www.acme.example") == 400)
            // Where a URL has a port, another one is another host, and nobody's.
            for host in ["service.acme.example", "service.acme.example:443", "service.acme.example:81"] {
                #expect(try await status(host, hosts: hosts) == 421, "\(hosts)\(host)")
            }
            #expect(try await status("api.acme.example", hosts: hosts) == nil)
        }
        #expect(try await status("www.acme.example") == 421)
        #expect(try await status("www.acme.example", hosts: "hosts: [www.acme.example]\n") == nil)
        #expect(try await status("other.example", hosts: "hosts: [www.acme.example]\n") == 421)
        #expect(try await status("other.example", hosts: "hosts: [\"*\"]\n") == nil)
    }

    @Test("RS-32: Case outside ASCII")
    func RS_32_caseOutsideASCII() async throws {
        let map = """
            resources:
              - { title: Pages, url: /**, anonymous: they are public }
              - { title: Settings, url: /Settings/**, scope: admin }
              - { title: Kiosk, url: /kiosk/**, scope: admin }
              - { title: Admin, url: /admin/**, scope: admin }
              - { title: Street, url: /stra%C3%9Fe, scope: admin }
              - { title: Cafe, url: /caf%C3%A9, scope: admin }

            """
        let door = try Door(map: map)
        for path in [
            "/%C5%BFettings/x", "/Setting%C5%BF", "/settings", "/%E2%84%AAiosk", "/k%C4%B1osk", "/K%C4%B0osk",
            "/adm%C4%B1n/x", "/ADM%C4%B0N", "/admi%CC%87n", "/STRASSE", "/stra%E1%BA%9Ee", "/CAF%C3%89", "/cafe%CC%81",
        ] {
            await door.expectRefused(Door.request(path, []), 404, nil, path)
        }
        for path in ["/caf%C3%A8", "/settin%C4%A1s", "/adm%C3%ADn"] { await door.expectAllowed(Door.request(path, [])) }
    }

    @Test("RS-27: Targets that are no paths")
    func RS_27_targetsThatAreNoPaths() async throws {
        try await refuse([
            "*", "", "admin/x", "http://api.acme.example/admin/x", "https://evil.example/public", "/public#/admin",
            "?x=/admin", "/" + String(repeating: "a", count: 9000), String(repeating: "/a", count: 200),
        ])
    }

    @Test("RS-28: A query that looks like a path")
    func RS_28_queryThatLooksLikeAPath() async throws {
        let door = try Door(map: Self.map)
        for path in ["/admin?/public", "/admin/x?a=/../public", "/admin?../public", "/admin/?x"] {
            await door.expectRefused(Door.request(path, []), 401, nil, path)
        }
        await door.expectAllowed(Door.request("/public?x=/admin/../%2f", []))
    }

    @Test("RS-29: Claims that are only similar")
    func RS_29_claimsThatAreOnlySimilar() async throws {
        let door = try Door(
            map: "resources:\n  - { title: A, url: /a, claims: { groups: admin, /realm/roles: [x] } }\n")
        func request(_ claims: [String: JSONValue?]) throws -> HTTPRequest {
            Door.bearing(try Door.token(claims), path: "/a")
        }
        await door.expectAllowed(try request(["groups": ["admin"], "realm": ["roles": "x"]]))
        for groups in [
            "Admin", "admin ", "admins", "a\u{0}dmin", ["ADMIN"], [["admin"]], ["admin": true], 5, true, .null,
        ]
            as [JSONValue]
        {
            await door.expectRefused(try request(["groups": groups, "realm": ["roles": "x"]]), 403, nil, "\(groups)")
        }
        await door.expectRefused(
            try request(["groups": "admin", "/realm/roles": "x", "realm": ["roles": [:]]]), 403, nil)
    }

    @Test("RS-30: Order of the resources")
    func RS_30_orderOfTheResources() async throws {
        let lines = Self.map.split(separator: "\n").dropFirst().reversed().joined(separator: "\n")
        for map in [Self.map, "resources:\n\(lines)\n"] {
            let door = try Door(map: map)
            await door.expectRefused(Door.request("/admin/x", []), 401, nil)
            await door.expectRefused(Door.request("/users/5", []), 401, nil)
            await door.expectAllowed(Door.request("/public", []))
        }
    }
}
