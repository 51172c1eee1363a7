import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetCommand
@testable import CarnetOpenAPI

/// Expectations are written by hand from the OpenAPI specification 3.2.0 and from Swagger 2.0.
@Suite("Import of OpenAPI documents")
struct OpenAPIImportTests {
    /// A document with one operation `GET /a`.
    private static func document(
        security: String, general: String = "", schemes: String = OpenAPIImportTests.schemes, version: String = "3.1.0"
    ) -> String {
        """
        openapi: \(version)
        info: { title: Acme, version: "1" }
        \(general)
        components:
          securitySchemes:
        \(schemes)
        paths:
          /a:
            get: { \(security) }

        """
    }

    private static let schemes = """
            acme:
              type: oauth2
              flows:
                authorizationCode:
                  authorizationUrl: https://id.acme.example/authorize
                  tokenUrl: https://id.acme.example/token
                  scopes: { read: Read, write: Write, admin: All }
            programs:
              type: oauth2
              flows: { clientCredentials: { tokenUrl: https://id.acme.example/token, scopes: { read: Read } } }
            other:
              type: openIdConnect
              openIdConnectUrl: https://id.other.example/.well-known/openid-configuration
            pat: { type: http, scheme: Bearer }
            key: { type: apiKey, in: header, name: X-Key }
            password: { type: http, scheme: basic }
            certificate: { type: mutualTLS }
        """

    private static func imported(
        _ text: String, _ options: OpenAPIImport.Options = OpenAPIImport.Options()
    ) throws -> OpenAPIImport {
        try OpenAPIImport(SourceFile(path: "api.yaml", text: text), options)
    }

    /// The lines of the resources, without their titles.
    private static func lines(_ imported: OpenAPIImport) -> [String] {
        imported.map.split(separator: "\n").filter { $0.hasPrefix("  - ") }.map { line in
            String(line.dropFirst(6).dropLast(2)).replacing(#/title: ("[^"]*"|[^,]*), /#, with: "")
        }
    }

    private static func messages(_ imported: OpenAPIImport) -> [String] {
        imported.findings.sorted.map { "\($0.place.line):\($0.place.column) \($0.severity.rawValue): \($0.message)" }
    }

    /// What the map decides about a request; without scopes, about one without a token.
    private static func status(
        _ imported: OpenAPIImport, _ method: String, _ target: String, _ host: String, _ scopes: [String]? = nil
    ) -> Int {
        let map = ResourceMapFile(SourceFile(path: "map.yaml", text: imported.map))
        let (table, problems) = RouteTable.reading(map.entries, hosts: map.hosts)
        #expect(problems.isEmpty)
        return CheckedRequest(method: method, target: target, host: host, scopes: scopes)
            .decision(by: table, now: Date(timeIntervalSince1970: 0)).status
    }

    // MARK: Requirements

    @Test(
        "A security requirement is what a resource needs",
        arguments: [
            ("security: [{ acme: [read] }]", "scope: read"),
            ("security: [{ acme: [] }]", ""),
            ("security: [{ acme: [read, write] }]", "all_of: [read, write]"),
            ("security: [{ acme: [read] }, { acme: [write] }]", "any_of: [read, write]"),
            ("security: [{ acme: [read] }, { acme: [read, write] }]", "scope: read"),
            ("security: [{ acme: [read, write] }, { acme: [read, admin] }]", "all_of: [read], any_of: [write, admin]"),
            ("security: [{ acme: [read] }, { acme: [] }]", ""),
            // Of several schemes of one authorization server, a token may be of any.
            ("security: [{ acme: [write] }, { programs: [read] }]", "any_of: [write, read]"),
            ("security: [{ acme: [write], programs: [read] }]", "all_of: [write, read]"),
            ("security: []", "anonymous: no security is required"),
            ("security: [{ acme: [read] }, {}]", "anonymous: no security is required"),
            // Tokens of other schemes, and other credentials, are not accepted.
            ("security: [{ acme: [read] }, { other: [] }, { pat: [] }]", "scope: read"),
            ("security: [{ acme: [read] }, { key: [] }]", "scope: read"),
            ("security: [{ key: [] }]", "claims: { closed: [] }"),
            ("security: [{ password: [] }, { certificate: [] }]", "claims: { closed: [] }"),
            ("security: [{ acme: [read], key: [] }]", "claims: { closed: [] }"),
            ("security: [{ acme: [read], key: [] }, { acme: [write] }]", "scope: write"),
            ("security: [{ acme: [read], other: [] }]", "claims: { closed: [] }"),
            ("security: [{ nobody: [] }]", "claims: { closed: [] }"),
            ("security: { acme: [read] }", "claims: { closed: [] }"),
            ("security: [acme]", "claims: { closed: [] }"),
            ("security:", "claims: { closed: [] }"),
            ("security: [{ acme: read }]", "claims: { closed: [] }"),
            ("security: [{ acme: }]", "claims: { closed: [] }"),
            ("security: [{ acme: [[read]] }]", "claims: { closed: [] }"),
            ("security: [{ acme: [read write] }]", "claims: { closed: [] }"),
            // As many as a map can say.
            ("security: [{ acme: [read, write] }, { acme: [admin] }]", "scope: admin"),
            ("security: [{ acme: [a, b] }, { acme: [c, d] }]", "all_of: [a, b]"),
            ("security: [{ acme: [x, a] }, { acme: [x, b] }, { acme: [x, c, d] }]", "all_of: [x], any_of: [a, b]"),
        ])
    func requirements(security: String, expected: String) throws {
        // The scheme acme is the first that is used.
        let general = "security: [{ acme: [admin] }]"
        let lines = Self.lines(try Self.imported(Self.document(security: security, general: general)))
        #expect(lines == ["url: /a" + (expected.isEmpty ? "" : ", " + expected)])
    }

    @Test("The document's security is for operations without their own")
    func generalSecurity() throws {
        func lines(_ general: String) throws -> [String] {
            Self.lines(try Self.imported(Self.document(security: "summary: A", general: general)))
        }
        #expect(try lines("security: [{ acme: [admin] }]") == ["url: /a, scope: admin"])
        #expect(try lines("security: []") == ["url: /a, anonymous: no security is required"])
        // Without any, nobody has said that it is open.
        #expect(try lines("") == ["url: /a"])
        let imported = try Self.imported(Self.document(security: "summary: A"))
        #expect(
            Self.messages(imported).contains(
                "23:1 warning: the document has no security: the map requires a token for each operation"))
    }

    @Test(
        "The accepted scheme is the first with an authorization server that is used, or the named ones",
        arguments: [
            ("[{ key: [] }, { pat: [] }, { other: [] }, { acme: [] }]", [], ["acme", "programs"]),
            ("[{ key: [] }, { pat: [] }, { other: [] }]", [], ["other"]),
            ("[{ key: [] }, { pat: [] }]", [], ["pat"]),
            ("[{ key: [] }]", [], ["acme", "programs"]),
            ("[{ acme: [] }]", ["pat", "other"], ["pat", "other"]),
        ])
    func choice(security: String, named: [String], expected: [String]) throws {
        let text = Self.document(security: "security: \(security)")
        let imported = try Self.imported(text, OpenAPIImport.Options(schemes: named))
        #expect(imported.acceptedSchemes == expected)
    }

    @Test("A scheme that another program checks is no part of what a token needs")
    func checkedElsewhere() throws {
        for (security, expected) in [
            ("[{ acme: [read], key: [] }]", "url: /a, scope: read"),
            // Alone, it is no token.
            ("[{ key: [] }]", "url: /a, claims: { closed: [] }"),
            ("[{ acme: [read] }, { key: [] }]", "url: /a, scope: read"),
            ("[{ acme: [read], key: [], password: [] }]", "url: /a, claims: { closed: [] }"),
            ("[{ key: [] }, { pat: [] }]", "url: /a"),
        ] {
            let imported = try Self.imported(
                Self.document(security: "security: \(security)"), OpenAPIImport.Options(checkedElsewhere: ["key"]))
            #expect(Self.lines(imported) == [expected], "\(security)")
        }
    }

    // MARK: Paths, methods and servers

    @Test("Paths are those of a map; a part of a segment is refused, and never left to a general resource")
    func paths() throws {
        let imported = try Self.imported(
            """
            openapi: 3.0.3
            info: { title: Acme, version: "1" }
            security: [{ acme: [read] }]
            components:
              securitySchemes: { acme: { type: oauth2, flows: { implicit: { authorizationUrl: "https://id.acme.example/a", scopes: {} } } } }
            paths:
              /: { get: { summary: Root } }
              /users/{user-id}/: { get: {}, delete: { security: [{ acme: [admin] }] } }
              /users/{id}.json: { get: { security: [{ acme: [json] }] }, put: {} }
              /users/me: { options: {} }
              /files/{a}-{b}: { get: {} }
              /{issuer}/café: { get: {} }
              /glob/**: { get: {} }
              /a//b: { get: {} }
              /m;x=1: { get: {} }
              /heads: { get: { security: [{ acme: [a] }] }, head: { security: [{ acme: [b] }] }, trace: {}, GET: {} }
              /head: { head: {} }
              /query?x=1: { get: {} }
              /empty: {}
              /caf%c3%a9: { get: {} }
              /%7Eroot: { get: {} }
              relative: { get: {} }
              x-paths: { get: {} }

            """)
        let all = "method: [GET, POST, PUT, PATCH, DELETE], claims: { closed: [] }"
        #expect(
            Self.lines(imported) == [
                "url: /, scope: read",
                // Also for /users/5.json, which needs another scope.
                #"url: "/users/{user_id}", all_of: [read, json]"#,
                #"url: "/users/{user_id}", method: DELETE, scope: admin"#,
                #"url: "/{issuer_}/caf%C3%A9", scope: read"#,
                "url: /heads, all_of: [a, b]",
                #"url: "/caf%C3%A9", scope: read"#,
                #"url: "/~root", scope: read"#,
                "url: /users/me, " + all,
                #"url: "/files/{part}", "# + all,
                #"url: "/glob/{any}", "# + all,
                "url: /head, " + all,
                "url: /query, " + all,
                "url: /empty, " + all,
            ])
        #expect(
            Self.messages(imported) == [
                "5:22 information: the scheme has no authorization code flow: the descriptor has guesses for it",
                #"9:23 warning: a map cannot distinguish the request from /users/{user_id}: it requires what both need"#,
                "9:62 warning: a map cannot say a part of a segment, or a query: it refuses the request",
                #"10:16 warning: a map cannot name the method "OPTIONS": it refuses the request"#,
                "11:21 warning: a map cannot say a part of a segment, or a query: it refuses the request",
                "13:15 warning: a map cannot say a part of a segment, or a query: it refuses the request",
                "14:12 warning: no request can be this one: the path has two slashes in a row",
                "15:13 warning: no request can be this one: the path encodes a separator, a percent sign or a control character",
                #"16:49 warning: HEAD is GET for a map: it requires what both need"#,
                #"16:86 warning: a map cannot name the method "TRACE": it refuses the request"#,
                #"16:97 error: a path has no field "GET": it is not imported"#,
                "17:12 warning: a map cannot name HEAD without GET: it refuses the request",
                "18:17 warning: a map cannot say a part of a segment, or a query: it refuses the request",
                #"22:3 error: the path "relative" does not begin with a slash: it is not imported"#,
            ])
    }

    @Test("The methods of OpenAPI 3.2 and references to path items are read, and nothing of other documents")
    func references() throws {
        let imported = try Self.imported(
            """
            openapi: 3.2.0
            info: { title: Acme, version: "1" }
            components:
              securitySchemes:
                acme: { $ref: "#/components/securitySchemes/real~0one" }
                real~one: { type: http, scheme: bearer }
                away: { $ref: "other.yaml#/x" }
              pathItems:
                item: { get: { security: [{ acme: [] }] }, additionalOperations: { COPY: {} } }
                loop: { $ref: "#/components/pathItems/loop" }
            paths:
              /a: { $ref: "#/components/pathItems/item", put: { security: [] }, query: { security: [] } }
              /b: { $ref: "#/paths/~1a" }
              /c: { $ref: "#/components/pathItems/loop" }
              /d: { $ref: "./d.yaml" }
              /list: []
              /e: { get: { $ref: "./e.yaml" }, put: }

            """)
        let all = "method: [GET, POST, PUT, PATCH, DELETE], claims: { closed: [] }"
        #expect(
            Self.lines(imported) == [
                "url: /a, method: PUT, anonymous: no security is required", "url: /a",
                "url: /b, method: PUT, anonymous: no security is required", "url: /b",
                "url: /e, claims: { closed: [] }", "url: /e, method: PUT, claims: { closed: [] }",
                "url: /c, " + all, "url: /d, " + all, "url: /list, " + all,
            ])
        let errors = Self.messages(imported).filter { $0.contains("error") }
        #expect(
            errors == [
                "7:11 error: the security scheme is in another document",
                "14:7 error: the path refers to nothing in this document, or to itself: it is not imported",
                "15:7 error: the path is in another document: it is not imported",
                "16:3 error: the path is no mapping: it is not imported",
                "17:14 error: the operation is no mapping, or is in another document: the map refuses the request",
                "17:40 error: the operation is no mapping, or is in another document: the map refuses the request",
            ])
    }

    @Test(
        "The paths of servers stand before those of operations",
        arguments: [
            ("", ["/a"]),
            ("servers: []", ["/a"]),
            ("servers: [{ url: / }]", ["/a"]),
            ("servers: [{ url: /v1/ }]", ["/v1/a"]),
            ("servers: [{ url: https://api.acme.example }]", ["/a"]),
            ("servers: [{ url: https://api.acme.example/v1 }, { url: https://test.acme.example/v1/ }]", ["/v1/a"]),
            ("servers: [{ url: https://api.acme.example/v1 }, { url: http://localhost:8080 }]", ["/v1/a", "/a"]),
            (
                "servers: [{ url: 'https://{r}.acme.example/{v}', variables: { v: { enum: [v1, v2], default: v2 }, r: { default: eu, enum: [eu, us] } } }]",
                ["/v1/a", "/v2/a"]
            ),
            (
                "servers: [{ url: '{scheme}://h.example/{base}', variables: { base: { default: x/y }, scheme: { default: https } } }]",
                ["/x/y/a"]
            ),
            (
                "servers: [{ url: '{base}/v1', variables: { base: { default: 'https://api.acme.example' } } }]",
                ["/v1/a"]
            ),
            ("servers: [{ url: ../v1 }, { description: x }]", ["/a"]),
            ("servers: [{ url: //api.acme.example/v1 }]", ["/v1/a"]),
            // A value that looks like a variable is none.
            (
                "servers: [{ url: '/{a}/{b}', variables: { a: { default: x, enum: [y, '{b}'] }, b: { default: z } } }]",
                ["/y/z/a", #""/%7Bb%7D/z/a""#]
            ),
        ])
    func servers(servers: String, expected: [String]) throws {
        let text = Self.document(security: "security: [{ acme: [] }]", general: servers)
        #expect(Self.lines(try Self.imported(text)) == expected.map { "url: " + $0 })
    }

    @Test("Servers of a path or an operation replace those of the document; another host stays apart")
    func ownServers() throws {
        let imported = try Self.imported(
            """
            openapi: 3.0.0
            info: { title: Acme, version: "1" }
            servers: [{ url: https://api.acme.example/v1 }]
            security: [{ acme: [read] }]
            components:
              securitySchemes: { acme: { type: http, scheme: bearer } }
            paths:
              /files:
                get: { summary: List }
                post: { summary: Upload, servers: [{ url: https://Upload.acme.example:443/v2 }], security: [{ acme: [write] }] }
              /old: { servers: [{ url: https://api.acme.example }, { url: https://api.acme.example/older }], get: {} }

            """)
        #expect(
            Self.lines(imported) == [
                "url: /v1/files, scope: read", "url: https://upload.acme.example/v2/files, method: POST, scope: write",
                "url: /old, scope: read", "url: /older/old, scope: read",
            ])
        #expect(Self.status(imported, "POST", "/v2/files", "upload.acme.example", ["write"]) == 200)
        #expect(Self.status(imported, "POST", "/v2/files", "api.acme.example", ["write"]) == 404)
        #expect(Self.status(imported, "POST", "/v1/files", "api.acme.example", ["write"]) == 405)
    }

    /// A document whose scheme is a bearer token.
    private static func document(servers: String, paths: String) -> String {
        """
        openapi: 3.0.0
        \(servers)
        components: { securitySchemes: { o: { type: http, scheme: bearer } } }
        paths:
        \(paths)

        """
    }

    @Test("What another server leaves open stays closed where the document's server needs a token")
    func otherServers() throws {
        let relative = try Self.imported(
            Self.document(
                servers: "servers: [{ url: https://api.acme.example }]",
                paths: """
                      /{a}: { get: { security: [{ o: [read] }] } }
                      /health: { get: { servers: [{ url: ../ops }], security: [] } }
                    """))
        #expect(Self.lines(relative).last == "url: /health, claims: { closed: [] }")
        let unknown = try Self.imported(
            Self.document(
                servers: "",
                paths: """
                      /{page}: { servers: [{ url: https://api.acme.example }], get: { security: [] } }
                      /admin: { get: { security: [{ o: [admin] }] } }
                    """))
        #expect(Self.status(unknown, "GET", "/admin", "api.acme.example") == 401)
        #expect(Self.status(unknown, "GET", "/other", "api.acme.example") == 200)
        for server in ["https://static_files.example", "https://[2001:db8::1]", "https://\u{E9}.example"] {
            let imported = try Self.imported(
                Self.document(
                    servers: "servers: [{ url: https://api.acme.example }]",
                    paths: """
                          /{a}/{b}: { get: { security: [{ o: [read] }] } }
                          /public/{x}: { servers: [{ url: "\(server)" }], get: { security: [] } }
                        """))
            #expect(Self.status(imported, "GET", "/public/x", "api.acme.example") == 401, "\(imported.map)")
            #expect(Self.status(imported, "GET", "/public/x", "api.acme.example", ["read"]) == 200)
        }
        // The request is for the first path at one server, and for the second at the other.
        let versions = try Self.imported(
            Self.document(
                servers: "servers: [{ url: https://api.acme.example/v1 }, { url: https://test.acme.example }]",
                paths: """
                      /{x}: { get: { security: [] } }
                      /{p}/{q}: { get: { security: [{ o: [read] }] } }
                    """))
        #expect(Self.status(versions, "GET", "/v1/x", "test.acme.example") == 401)
        #expect(Self.status(versions, "GET", "/x", "test.acme.example") == 200)
        #expect(
            Self.messages(versions).contains(
                "5:11 warning: a request can also be one of /{p}/{q}: the map requires what both need"),
            "\(Self.messages(versions))")
    }

    @Test("A request of two paths, of which neither is more specific, needs what both need")
    func crossingPaths() throws {
        func imported(_ paths: String) throws -> OpenAPIImport {
            try Self.imported(Self.document(servers: "", paths: paths))
        }
        let two = try imported(
            """
              /{tenant}/secrets: { get: { security: [{ o: [admin] }] }, put: { security: [] } }
              /public/{file}: { get: { security: [] }, put: { security: [] } }
              /{tenant}: { get: { security: [{ o: [] }] } }
              /public: { get: { security: [] } }
            """)
        #expect(Self.status(two, "GET", "/public/secrets", "a.example") == 401)
        #expect(Self.status(two, "GET", "/public/secrets", "a.example", ["admin"]) == 200)
        #expect(Self.status(two, "PUT", "/public/secrets", "a.example") == 200)
        #expect(Self.status(two, "GET", "/public/other", "a.example") == 200)
        #expect(Self.status(two, "GET", "/public", "a.example") == 200)
        #expect(
            Self.messages(two).filter { $0.contains("both") } == [
                "6:21 warning: /public/secrets is also a request of /{tenant}/secrets: the map requires what both need"
            ], "\(Self.messages(two))")
        let three = try imported(
            """
              /a/{y}/{z}: { get: { security: [{ o: [x] }] } }
              /{x}/b/{z}: { get: { security: [{ o: [y] }] } }
              /{x}/{y}/c: { get: { security: [{ o: [z] }] } }
            """)
        #expect(Self.status(three, "GET", "/a/b/c", "a.example", ["x", "y"]) == 403)
        #expect(Self.status(three, "GET", "/a/b/c", "a.example", ["x", "y", "z"]) == 200)
        #expect(Self.status(three, "GET", "/a/b/d", "a.example", ["x", "y"]) == 200)
        #expect(Self.status(three, "GET", "/a/d/c", "a.example", ["x", "y"]) == 403)
        #expect(three.resources.count == 7)
        // A map knows no part of a segment, and no HEAD without GET.
        let parts = try imported(
            """
              /{a}.json/{b}: { get: { security: [{ o: [x] }] } }
              /{a}/run: { get: { security: [] } }
              /me/run: { get: { security: [] } }
              /{a}/x/{b}: { head: { security: [{ o: [x] }] }, post: { security: [] } }
              /y/{a}/z: { get: { security: [] } }
            """)
        #expect(Self.status(parts, "GET", "/v.json/run", "a.example") == 401)
        #expect(Self.status(parts, "GET", "/me/run", "a.example") == 200)
        #expect(Self.status(parts, "HEAD", "/y/x/z", "a.example") == 401)
        // What a path says itself is no conflict.
        let own = try imported(
            """
              /{tenant}/secrets: { get: { security: [{ o: [admin] }] } }
              /public/{file}: { get: { security: [] } }
              /public/secrets: { get: { security: [] } }
              /same/{file}: { get: { security: [{ o: [admin] }] } }
            """)
        #expect(Self.status(own, "GET", "/public/secrets", "a.example") == 200)
        #expect(own.resources.count == 4 && Self.messages(own).filter { $0.contains("both") }.isEmpty)
    }

    @Test("Paths that cross without end are refused in bounded time", .timeLimit(.minutes(1)))
    func manyCrossingPaths() throws {
        let paths = (0..<2_000).map { number in
            "  /{x}/a\(number): { get: { security: [] } }\n  /b\(number)/{y}: { get: { security: [{ o: [] }] } }"
        }
        let failure = try #require(throws: WritingError.self) {
            try Self.imported(Self.document(servers: "", paths: paths.joined(separator: "\n")))
        }
        #expect(failure.description.hasPrefix("too many paths"), "\(failure)")
    }

    @Test("Names of schemes are compared as bytes")
    func schemeNames() throws {
        let schemes = """
                "\u{E9}": { type: oauth2, flows: { clientCredentials: { tokenUrl: https://id.acme.example/t, scopes: {} } } }
                "e\u{301}": { type: apiKey, in: header, name: X-Key }
            """
        let text = Self.document(security: "security: [{ \"e\u{301}\": [] }]", schemes: schemes)
        #expect(Self.lines(try Self.imported(text)) == ["url: /a, claims: { closed: [] }"])
    }

    @Test("Two paths that are one for a map require what both need")
    func samePaths() throws {
        let imported = try Self.imported(
            """
            openapi: 3.0.0
            info: { title: Acme, version: "1" }
            components: { securitySchemes: { acme: { type: http, scheme: bearer } } }
            paths:
              /a/{x}: { get: { operationId: one, security: [{ acme: [x] }, { acme: [y] }] } }
              /a/{y}/: { get: { operationId: two, security: [{ acme: [z] }] } }
              /b/{x}: { get: { security: [] } }
              /b/{y}: { get: { security: [{ acme: [] }] } }

            """)
        #expect(
            Self.lines(imported) == [
                #"id: one, url: "/a/{x}", all_of: [z], any_of: [x, "y"]"#, #"url: "/b/{x}""#,
            ])
        #expect(
            Self.messages(imported).filter { $0.contains("both need") }.map { $0.prefix(4) } == ["6:14", "8:13"])
    }

    // MARK: Swagger 2.0

    @Test("Swagger 2.0 has other names for the same")
    func swagger() throws {
        let imported = try Self.imported(
            """
            {"swagger": "2.0", "info": {"title": "Acme: the API", "version": "1"}, "host": "api.acme.example",
             "basePath": "/v2", "schemes": ["http", "https"], "externalDocs": {"url": "https://acme.example/docs"},
             "securityDefinitions": {
               "token": {"type": "apiKey", "in": "header", "name": "authorization"},
               "petstore": {"type": "oauth2", "flow": "accessCode", "authorizationUrl": "https://id.acme.example/a",
                 "tokenUrl": "/oauth/token", "scopes": {"read:pets": "read your pets", "x-note": "no scope"}},
               "basic": {"type": "basic"}},
             "paths": {"/pets/{petId}": {
               "get": {"operationId": "getPet", "summary": "Find a pet", "security": [{"petstore": ["read:pets"]}]},
               "delete": {"security": [{"basic": []}]}}}}

            """)
        #expect(
            Self.lines(imported) == [
                #"id: getPet, url: "/v2/pets/{petId}", scope: read:pets"#,
                #"url: "/v2/pets/{petId}", method: DELETE, claims: { closed: [] }"#,
            ])
        #expect(imported.id == "acme-the-api")
        let descriptor = try #require(
            DescriptorDocument(SourceFile(path: "acme.yaml", text: imported.draft)).descriptor)
        #expect(descriptor.name == "Acme: the API" && descriptor.docs == "https://acme.example/docs")
        #expect(descriptor.endpoints[.authorization]?.source == "https://id.acme.example/a")
        #expect(descriptor.endpoints[.token]?.source == "https://api.acme.example/oauth/token")
        #expect(descriptor.api.baseURL?.source == "https://api.acme.example")
        #expect(descriptor.scopes.catalog.map(\.id) == ["read:pets"])
        #expect(descriptor.scopes.catalog.map(\.title) == ["read your pets"])
    }

    @Test("A base path of Swagger 2.0 without a slash is no part of the host")
    func basePath() throws {
        for (host, base) in [("host: api.acme.example", "https://api.acme.example"), ("", nil)] as [(String, String?)] {
            let imported = try Self.imported(
                """
                swagger: "2.0"
                basePath: v2
                \(host)
                securityDefinitions: { o: { type: oauth2, flow: application, tokenUrl: /oauth/token, scopes: {} } }
                paths: { /pets: { get: { security: [{ o: [] }] } } }

                """)
            #expect(Self.lines(imported) == ["url: /v2/pets"])
            #expect(
                Self.messages(imported).contains(
                    "2:1 warning: basePath does not begin with a slash: it is read with one"))
            let descriptor = try #require(
                DescriptorDocument(SourceFile(path: "acme.yaml", text: imported.draft)).descriptor)
            #expect(descriptor.api.baseURL?.source == base)
            if let base { #expect(descriptor.endpoints[.token]?.source == base + "/oauth/token") }
        }
    }

    // MARK: The descriptor

    @Test(
        "The descriptor has what the scheme says about its server",
        arguments: [
            (
                "{ type: openIdConnect, openIdConnectUrl: 'https://id.acme.example/.well-known/openid-configuration' }",
                "https://id.acme.example", nil, nil
            ),
            (
                "{ type: oauth2, oauth2MetadataUrl: 'https://id.acme.example/.well-known/oauth-authorization-server/t', flows: {} }",
                "https://id.acme.example/t", nil, nil
            ),
            ("{ type: openIdConnect, openIdConnectUrl: 'https://id.acme.example/metadata' }", nil, nil, nil),
            (
                "{ type: openIdConnect, openIdConnectUrl: 'https://id.acme.example/x:/.well-known/openid-configuration' }",
                "https://id.acme.example/x:", nil, nil
            ),
            (
                "{ type: oauth2, flows: { deviceAuthorization: { deviceAuthorizationUrl: 'https://id.acme.example/d', tokenUrl: 'https://id.acme.example/t', scopes: {} } } }",
                nil, "https://id.acme.example/t", "https://id.acme.example/d"
            ),
            (
                "{ type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://id.acme.example/t', scopes: {} } } }",
                nil, "https://id.acme.example/t", nil
            ),
            (
                "{ type: oauth2, flows: { password: { tokenUrl: 'http://id.acme.example/t', scopes: {} } } }", nil, nil,
                nil
            ),
            ("{ type: oauth2, flows: { authorizationcode: {} } }", nil, nil, nil), ("{ type: oauth2 }", nil, nil, nil),
            (
                "{ type: openIdConnect, openIdConnectUrl: 'https://id.acme.example/.well-known/openid-configuration?x=1' }",
                nil, nil, nil
            ),
            ("{ type: http, scheme: bearer, bearerFormat: JWT }", nil, nil, nil),
            (
                "{ type: oauth2, flows: { authorizationCode: { tokenUrl: \"https://id.acme.example/t\\nissuer: x\" } } }",
                nil, nil, nil
            ),
        ] as [(String, String?, String?, String?)])
    func drafts(scheme: String, issuer: String?, token: String?, device: String?) throws {
        let text = Self.document(security: "security: [{ acme: [] }]", schemes: "    acme: \(scheme)")
        let imported = try Self.imported(text, OpenAPIImport.Options(id: "acme"))
        let file = SourceFile(path: "acme.yaml", text: imported.draft)
        #expect(Linter().diagnostics(in: [file]).isEmpty, "\(imported.draft)")
        let resolved = try #require(DescriptorDocument(file).descriptor).resolve()
        #expect(resolved.issuer == issuer)
        let guess = "https://acme.example/oauth/token"
        #expect(resolved.endpoints[.token]?.text == (issuer == nil ? token ?? guess : nil))
        #expect(resolved.endpoints[.deviceAuthorization]?.text == device)
    }

    @Test("A scheme without a page gives a descriptor without one, and relative URLs are below the server")
    func clientCredentials() throws {
        let flow = "{ type: oauth2, flows: { clientCredentials: { tokenUrl: oauth/token, scopes: { read: Read } } } }"
        let imported = try Self.imported(
            Self.document(
                security: "security: [{ acme: [read] }]", general: "servers: [{ url: 'https://api.acme.example/v2/' }]",
                schemes: "    acme: \(flow)"), OpenAPIImport.Options(id: "acme"))
        let file = SourceFile(path: "acme.yaml", text: imported.draft)
        #expect(Linter().diagnostics(in: [file]).isEmpty, "\(imported.draft)")
        let resolved = try #require(DescriptorDocument(file).descriptor).resolve()
        #expect(resolved.endpoints[.token]?.text == "https://api.acme.example/v2/oauth/token")
        #expect(!resolved.hasSignInPage && resolved.grantsWithoutPage == [.clientCredentials])
        #expect(
            Self.messages(imported).contains {
                $0.hasSuffix("the scheme has no page to sign in at: the descriptor has none")
            })
    }

    /// The draft of a document with one operation `GET /a`, whose schemes are those of `names` in this order.
    private static func draft(
        _ names: [String], _ flows: [String: String], servers: String = "", used: [String]? = nil, more: String = ""
    ) throws -> (text: String, descriptor: ProviderDescriptor, messages: [String]) {
        let text = """
            openapi: 3.0.0
            \(servers)
            components: { securitySchemes: { \(names.map { "\($0): \(flows[$0] ?? "")" }.joined(separator: ", ")) } }
            paths:
              /a: { get: { security: [\((used ?? names).map { "{ \($0): [] }" }.joined(separator: ", "))] } }
            \(more)

            """
        let imported = try imported(text, OpenAPIImport.Options(id: "acme"))
        let file = SourceFile(path: "acme.yaml", text: imported.draft)
        #expect(Linter().diagnostics(in: [file]).isEmpty, "\(imported.draft)")
        return (imported.draft, try #require(DescriptorDocument(file).descriptor), messages(imported))
    }

    @Test("The endpoints are those of people's sign-in, whatever the order of flows and schemes is")
    func purpose() throws {
        let flows = [
            "code":
                "authorizationCode: { authorizationUrl: https://id.acme.test/a, tokenUrl: https://id.acme.test/t, scopes: { c: '' } }",
            "page": "implicit: { authorizationUrl: https://id.acme.test/implicit, scopes: { i: '' } }",
            "program": "clientCredentials: { tokenUrl: https://id.acme.test/program, scopes: { p: '' } }",
            "old": "password: { tokenUrl: https://id.acme.test/old, scopes: {} }",
        ]
        let schemes = flows.mapValues { "{ type: oauth2, flows: { \($0) } }" }
        for names in [["page", "old", "program", "code"], ["program", "code", "page"], ["code", "program"]] {
            let one = "{ type: oauth2, flows: { \(names.compactMap { flows[$0] }.joined(separator: ", ")) } }"
            for (text, descriptor, _) in [
                try Self.draft(["one"], ["one": one]), try Self.draft(names, schemes),
                // The document has it, although no operation needs it.
                try Self.draft(names, schemes, used: [names[0]]),
            ] {
                #expect(
                    text.contains(#"  authorization: "https://id.acme.test/a"\#n  token: "https://id.acme.test/t"\#n"#),
                    "\(text)")
                #expect(descriptor.clientCredentials.isWritten && descriptor.scopes.catalog.map(\.id).contains("c"))
            }
        }
        // What another flow names is a guess, and what the document rules out is not invented.
        let guess = try Self.draft(["page", "program"], schemes).text
        #expect(guess.contains("implicit\" # guessed") && guess.contains("program\" # guessed"), "\(guess)")
        let old = try Self.draft(["old"], schemes)
        #expect(
            old.descriptor.endpoints[.authorization] == nil && old.text.contains("client_credentials: {} # guessed"))
        let misspelled = "{ type: oauth2, flows: { authorizationcode: { tokenUrl: https://id.acme.test/t } } }"
        #expect(
            try Self.draft(["o"], ["o": misspelled]).messages.contains { $0.contains("unless it is authorizationCode") }
        )
        let half = "{ type: oauth2, flows: { authorizationCode: { authorizationUrl: https://id.acme.test/a } } }"
        #expect(try Self.draft(["o"], ["o": half]).messages.contains { $0.contains("flow has no tokenUrl") })
    }

    @Test("The issuer and the scopes are what the document names anywhere")
    func issuer() throws {
        let schemes = [
            "code":
                "{ type: oauth2, flows: { authorizationCode: { authorizationUrl: https://id.acme.test/a, tokenUrl: https://id.acme.test/t, scopes: { openid: '' } } } }",
            "oidc": "{ type: openIdConnect, openIdConnectUrl: https://id.acme.test/.well-known/openid-configuration }",
            "else": "{ type: openIdConnect, openIdConnectUrl: https://id.other.test/.well-known/openid-configuration }",
        ]
        #expect(
            try Self.draft(["code", "oidc"], schemes, used: ["code"]).text.contains(
                "issuer: https://id.acme.test # guessed"))
        #expect(try Self.draft(["code", "else"], schemes, used: ["code"]).descriptor.issuer == nil)
        let operation = "  /.well-known/openid-configuration: { get: { security: [] } }"
        let server = "servers: [{ url: https://id.acme.test }]"
        let found = try Self.draft(["code"], schemes, servers: server, more: operation)
        #expect(found.text.contains("issuer: https://id.acme.test # guessed: GET /.well-known"), "\(found.text)")
        let named = "  /b: { get: { security: [{ oidc: [accounts.read] }] } }"
        let (text, descriptor, _) = try Self.draft(["oidc"], schemes, more: named)
        #expect(descriptor.scopes.catalog.map(\.id) == ["openid", "accounts.read"] && !text.contains("announces"))
        #expect(text.contains("default: [openid] # guessed"), "\(text)")
        let plain = try Self.draft(
            ["o"],
            [
                "o":
                    "{ type: oauth2, oauth2MetadataUrl: https://id.acme.test/.well-known/oauth-authorization-server, flows: {} }"
            ])
        #expect(
            plain.text.contains("default: [] # guessed") && plain.descriptor.profile.subject != nil, "\(plain.text)")
    }

    @Test(
        "A URL of the document is complete, with inputs for variables, and a guess where it is not certain",
        arguments: [
            (
                "[{ url: https://api.acme.test/v1 }]", "../oauth/t", "https://api.acme.test",
                "https://api.acme.test/oauth/t", []
            ),
            (
                "[{ url: https://api.acme.test/v1 }]", "oauth/t", "https://api.acme.test",
                "https://api.acme.test/oauth/t", []
            ),
            (
                "[{ url: https://api.acme.test/v1/ }]", "./t?x=1", "https://api.acme.test",
                "https://api.acme.test/v1/t?x=1", []
            ),
            ("[{ url: //api.acme.test/v1 }]", "/t", "https://api.acme.test", "https://api.acme.test/t", []),
            (
                "[{ url: https://api.acme.test }]", "//id.acme.test/t", "https://api.acme.test",
                "https://id.acme.test/t", []
            ),
            (
                "[{ url: 'https://{tenant}.acme.test/{v}', variables: { tenant: { default: demo }, v: { default: v1, enum: [v1, v2] } } }]",
                "https://{tenant}.id.acme.test/t", "https://{tenant}.acme.test", "https://{tenant}.id.acme.test/t",
                ["tenant"]
            ),
            (
                "[{ url: '{s}://{host}/x', variables: { s: { default: https }, host: { default: api.acme.test } } }]",
                "/{host}/t",
                "https://{host}", "https://{host}/{host}/t", ["host"]
            ),
            (
                "[{ url: '{root}/x', variables: { root: { default: 'http://localhost:9091' } } }]", "/t",
                "http://localhost:9091", "http://localhost:9091/t", []
            ),
            // Such an input would choose whose host it is.
            (
                "[{ url: 'https://{tld}.test/x', variables: { tld: { default: acme } } }]", "/t", "https://acme.test",
                "https://acme.test/t", []
            ),
            (
                "[{ url: https://sandbox.acme.test/v1, description: Sandbox }, { url: https://api.acme.test/v1 }]",
                "/t",
                "https://api.acme.test", "https://api.acme.test/t", []
            ),
            ("[{ url: http://api.acme.test }]", "https://{tenant}.acme.test/t", nil, nil, []),
            ("[{ url: /v1 }]", "/t", nil, nil, []),
        ] as [(String, String, String?, String?, [String])])
    func urls(servers: String, token: String, base: String?, expected: String?, inputs: [String]) throws {
        let scheme =
            "{ type: oauth2, flows: { authorizationCode: { authorizationUrl: https://id.acme.test/a, tokenUrl: '\(token)', scopes: {} } } }"
        let (text, descriptor, messages) = try Self.draft(["o"], ["o": scheme], servers: "servers: \(servers)")
        #expect(descriptor.api.baseURL?.source == base, "\(text)")
        #expect(descriptor.endpoints[.token]?.source == expected ?? "https://acme.example/oauth/token", "\(text)")
        #expect(descriptor.inputs.names == inputs)
        let line = text.split(separator: "\n").first { $0.hasPrefix("  token:") } ?? ""
        #expect(token.hasPrefix("//") || line.contains(" # guessed"), "\(text)")
        // The value of the document is not lost.
        if expected == nil {
            #expect(line.contains("; the document has \(token): ") && text.contains("# The server is "))
            #expect(messages.contains { $0.contains("the descriptor cannot have the tokenUrl: ") }, "\(messages)")
        }
    }

    // MARK: Whole documents

    @Test("A map and a descriptor have no finding, whatever the names and texts of the document are")
    func hostileTexts() throws {
        let nasty = [
            "a: b # c", "{x}", "\u{202E}evil", "line\nbreak", "yes", "12", "- x", "\"quoted\"", "'single'", "é\u{301}",
            String(repeating: "long ", count: 100), "&anchor *alias", "%YAML", "\u{FEFF}", " ", "}, anonymous: yes",
            "\u{FFFE}", "\u{FFFF}", "y",
        ]
        for text in nasty {
            let quoted = JSONValue.string(text).jsonText()
            let imported = try Self.imported(
                """
                { "openapi": "3.0.0", "info": { "title": \(quoted), "version": "1" },
                  "components": { "securitySchemes": { \(quoted): { "type": "oauth2", "flows": { "authorizationCode":
                    { "authorizationUrl": \(quoted), "tokenUrl": "https://id.acme.example/t", "scopes": { \(quoted): \(quoted), "a": \(quoted) } } } } } },
                  "paths": { "/a": { "get": { "summary": \(quoted), "operationId": \(quoted), "security": [{ \(quoted): ["a"] }] } } } }

                """)
            let map = ResourceMapFile(SourceFile(path: "map.yaml", text: imported.map))
            #expect(map.diagnostics.isEmpty && map.entries.count == 1, "\(text): \(imported.map)")
            #expect(map.entries.first?.anonymous == nil && map.entries.first?.scope == "a", "\(imported.map)")
            #expect(imported.findings.all.allSatisfy { $0.file == nil }, "\(imported.findings)")
        }
    }

    @Test(
        "A file that is no description is refused with its place",
        arguments: [
            ("", "api.yaml is empty"),
            ("a: [\n", "api.yaml:"),
            ("openapi: 3.1.0\npaths: {\n", "api.yaml:"),
            ("[]", "no description in OpenAPI 3 or Swagger 2.0"),
            ("carnet: 1\n", "no description in OpenAPI 3 or Swagger 2.0"),
            ("openapi: 2.0\n", "no description in OpenAPI 3 or Swagger 2.0"),
            ("swagger: \"1.2\"\n", "no description in OpenAPI 3 or Swagger 2.0"),
            ("asyncapi: 3.0.0\n", "api.yaml:1:1"), ("\u{0}", "api.yaml"), ("a:\n\t- b\n", "api.yaml"),
        ])
    func refused(text: String, reason: String) throws {
        let failure = try #require(throws: WritingError.self) { try Self.imported(text) }
        #expect(failure.description.contains(reason) && !failure.next.isEmpty, "\(failure)")
    }

    @Test(
        "What to do with another file",
        arguments: [
            ("carnet: 1\n", "carnet lint api.yaml"),
            ("issuer: https://id.acme.example\n", "carnet new ID --issuer https://id"),
            ("<!DOCTYPE html><p>a: b</p>\n\t- : x", "download the description itself"),
        ])
    func otherFiles(text: String, next: String) throws {
        let failure = try #require(throws: WritingError.self) { try Self.imported(text) }
        #expect(failure.next.joined().contains(next), "\(failure.next)")
    }

    @Test("Options that name what the document has not are refused")
    func badOptions() throws {
        let text = Self.document(security: "security: [{ acme: [] }]")
        for (options, reason) in [
            (OpenAPIImport.Options(schemes: ["acne"]), "no security scheme \"acne\""),
            (OpenAPIImport.Options(checkedElsewhere: ["kee"]), "no security scheme \"kee\""),
            (OpenAPIImport.Options(schemes: ["key"]), "\"key\" is not for access tokens"),
            (OpenAPIImport.Options(id: "Acme"), "\"Acme\" is not an id"),
            (OpenAPIImport.Options(schemes: ["pat"], checkedElsewhere: ["pat"]), "cannot name the same"),
        ] {
            let failure = try #require(throws: WritingError.self) { try Self.imported(text, options) }
            #expect(failure.description.contains(reason), "\(failure)")
        }
    }

    @Test("Mistakes of YAML are findings where they matter, and nowhere else")
    func yamlMistakes() throws {
        let imported = try Self.imported(
            """
            openapi: 3.0.0
            info: { title: Acme, title: Acme }
            components:
              schemas: { A: { type: object, type: string } }
              securitySchemes: { acme: { type: http, scheme: bearer } }
            paths:
              /a:
                get:
                  responses: { 200: {}, 200: {} }
                  security: [{ acme: [a] }]
                  security: []

            """)
        #expect(
            Self.messages(imported).filter { $0.contains("twice") } == [
                #"11:7 error: the key "security" is defined twice in this mapping"#
            ])
        #expect(Self.lines(imported) == ["url: /a, scope: a"])
    }

    @Test(
        "A document without paths has a map without resources, and a finding", arguments: ["", "paths: []", "paths:"])
    func noPaths(paths: String) throws {
        let imported = try Self.imported("openapi: 3.1.0\n\(paths)\n")
        #expect(imported.map == "# From api.yaml\nresources: []\n")
        #expect(Self.messages(imported).map { $0.dropFirst(4) } == ["warning: the document has no paths"])
    }

    @Test("JSON is read with what YAML does not allow, and places stay")
    func characters() throws {
        let strange = "\u{7F}\u{85}\u{9F}\u{2028}\u{FEFF}\u{FFFF} é"
        let imported = try Self.imported(
            #"{"openapi": "3.0.0", "info": {"title": "\uD83D\uDE00 \ud83d \u00e9\\uD83D \#(strange)", "x\uD83D\uDE00": 1}, "#
                + #""components": {"securitySchemes": {"a": {"type": "http", "scheme": "bearer"}}}, "#
                + #""paths": {"/\uD83D\uDE00": {"get": {"summary": "\"\/", "security": [{"a": []}]}}, "b": {}}}"#)
        #expect(imported.map.hasPrefix("# From api.yaml (😀 \u{FFFD} é\\uD83D"), "\(imported.map)")
        #expect(Self.lines(imported) == [#"url: "/%F0%9F%98%80""#])
        let place = try #require(imported.findings.all.first { $0.message.contains("slash") }).place
        #expect(place.line == 1 && place.column == 269, "\(place)")
    }

    @Test("Variables of servers are filled once, in bounded time", .timeLimit(.minutes(1)))
    func manyVariables() throws {
        func servers(_ count: Int, _ value: (Int) -> String) -> String {
            let places = (0..<count).map { "{a\($0)}" }.joined()
            let variables = (0..<count).map { "a\($0): { \(value($0)) }" }.joined(separator: ", ")
            return "servers: [{ url: '/x/\(places)', variables: { \(variables) } }]"
        }
        let doubling = servers(40) { "default: '{a\($0 + 1)}{a\($0 + 1)}'" }
        let long = servers(16) { _ in "default: '\(String(repeating: "y", count: 1_000))'" }
        for general in [doubling, long] {
            let imported = try Self.imported(Self.document(security: "security: []", general: general))
            #expect(Self.lines(imported) == ["url: /a, anonymous: no security is required"])
            #expect(imported.findings.count(.warning) == 1, "\(imported.findings)")
        }
        let wide = servers(10) { "default: a, enum: [\($0), b, c, d]" }
        let imported = try Self.imported(Self.document(security: "security: []", general: wide))
        #expect(imported.resources.count == ServerReader.mostServers)
    }

    @Test("Servers that many operations refer to are read for the draft in bounded time", .timeLimit(.minutes(1)))
    func manyServers() throws {
        let names = "abcdefghijklmnop"
        let places = String(repeating: names.map { "{\($0)}" }.joined(), count: 84)
        let value = String(repeating: "x", count: 250)
        let variables = names.map { "\($0): { default: \(value) }" }.joined(separator: ", ")
        let servers = (0..<16).map { "{ url: 'http://h\($0).test/\(places)', variables: { \(variables) } }" }
        let paths = (0..<50).map { number in
            ["/p\(number)/me", "/oauth/p\(number)/revoke"].map { "  \($0): { $ref: '#/paths/~1i' }\n" }.joined()
        }
        let item = "servers: [\(servers.joined(separator: ", "))], get: {}, post: {}"
        let imported = try Self.imported(
            Self.document(servers: "", paths: "  /i: { \(item) }\n" + paths.joined()))
        #expect(imported.draft.contains("GET /p0/me is at http://h0.test/"), "\(imported.draft)")
    }

    @Test("A map is not made larger than its reader takes", .timeLimit(.minutes(1)))
    func largeMaps() throws {
        let scopes = (0..<1_000).map { "scope\($0)" }.joined(separator: ", ")
        let many = (0..<1_000).map { "  /p\($0): { get: {} }\n" }.joined()
        let servers = (0..<16).map { "{ url: 'https://h.example/\($0)\(String(repeating: "x", count: 1_000))' }" }
        let item = ["get", "put", "post", "delete", "patch"].map { "\($0): { security: [{ o: [] }] }" }
        let alternatives = (0..<2_000).map { number in
            "{ o: [\((0..<20).map { "s\(number)x\($0)" }.joined(separator: ", "))] }"
        }
        func references(_ item: String) -> String {
            "  /i: { \(item) }\n" + (0..<1_000).map { "  /p\($0): { $ref: '#/paths/~1i' }\n" }.joined()
        }
        for (servers, paths) in [
            ("security: [{ o: [\(scopes)] }]", many),
            ("servers: [\(servers.joined(separator: ", "))]", references(item.joined(separator: ", "))),
        ] {
            let failure = try #require(throws: WritingError.self) {
                try Self.imported(Self.document(servers: servers, paths: paths))
            }
            #expect(failure.description.contains("map"), "\(failure)")
        }
        // What many paths refer to is read once.
        let shared = references("get: { security: [\(alternatives.joined(separator: ", "))] }")
        #expect(try Self.imported(Self.document(servers: "", paths: shared)).resources.count == 1_001)
    }

    @Test("The findings about schemes are no longer than the document")
    func manySchemes() throws {
        let flow = "type: oauth2, flows: { clientCredentials: { tokenUrl: https://id.acme.example/t, scopes: {} } }"
        let schemes = (0..<500).map { "    a\($0): { \(flow) }\n    b\($0): { type: http, scheme: bearer }\n" }.joined()
        let names = (0..<500).map { "{ b\($0): [] }, { a\($0): [] }" }.joined(separator: ", ")
        let text = Self.document(security: "security: [\(names)]", schemes: schemes)
        let help = try Self.imported(text).findings.all.compactMap(\.help).map(\.utf8.count).reduce(0, +)
        #expect(help < 10 * text.utf8.count, "\(help) of \(text.utf8.count)")
    }

    @Test("References cannot make more of a document than its size")
    func manyReferences() throws {
        let item = (0..<100).map { "\"X\($0)\":{}" }.joined(separator: ",")
        let paths = (0..<2_500).map { "\"/p\($0)\":{\"$ref\":\"#/components/pathItems/i\"}" }.joined(separator: ",")
        let text =
            "{\"openapi\":\"3.2.0\",\"components\":{\"pathItems\":{\"i\":{\"additionalOperations\":{\(item)}}}},\"paths\":{\(paths)}}"
        let failure = try #require(throws: WritingError.self) { try Self.imported(text) }
        #expect(failure.description.contains("more than \(OpenAPIOperations.most) operations"), "\(failure)")
    }
}
