import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetTestSupport
import Foundation
import Testing

/// Mistakes that people make in a gateway file, each at one line. The list is made from the text of the file alone: it knows
/// no key and no rule.
@Suite("Mistakes in gateway files")
struct MutationTests {
    /// Every key of the language, with a correct value.
    static let whole = """
        gateway: 1
        origin: https://apps.example
        providers:
          - acme
          - id: globex
            client_id: gateway
            client_secret_env: GLOBEX_SECRET
            scopes: [profile, groups]
            inputs:
              tenant: example
            environment: production
            groups: /realm_access/roles
            trust_email: the administrators set all addresses
          - id: initech
            client_id_env: INITECH_ID
            client_secret_file: initech-secret
            sign_in: true
            post_logout_redirect: true
        bearer:
          - acme
          - provider: globex
            audience: [https://apps.example/api]
            introspection: true
        routes:
          - title: health
            path: /health
            allow: anyone
          - host: wiki.apps.example
            service_worker: the wiki can be read without a network
            allow: signed_in
          - path: /forum/**
            allow:
              signed_in: the forum is for everybody
          - host: ["*.tools.example", tools.example]
            path: /private/**
            methods: [GET, POST]
            allow:
              provider: acme
              group: [ops, dev]
          - path: /reports/{year}
            allow:
              - email_domain: example.com
              - provider: globex
                subject: g-5
              - email:
                  - anna@example.org
                  - bob@example.net
          - path: /staff/**
            allow:
              provider: [acme, globex]
              claim:
                department: [it, hr]
                /badge/level: 3
          - path: /api/**
            bearer: true
            allow:
              scope: read
              all_of: [write, openid]
              any_of: [daily, weekly]
          - path: /dashboard/**
            allow:
              provider: acme
              email_domain: example.com
            token:
              kind: access
              header: X-Access-Token
              audience: https://cluster.example
          - path: /api/deploy
            bearer: true
            allow:
              provider: acme
              client_id: robot
        headers:
          X-Auth-User: "{account.provider}:{account.subject}"
          X-Auth-Email: "{account.email}"
          X-Auth-Department: "{claim.department}"
        identity_token:
          header: X-Auth-Token
          lifetime: 120
          audience: https://apps.example
          key_file: identity.jwk
        session:
          store: files:/var/lib/gateway
          lifetime: 43200
          idle: 3600
          key_env: GATEWAY_KEY
        proxy:
          secret_file: proxy-secret
          trusted: [127.0.0.1, 10.0.0.0/8]
          dialect: forwarded
          same_host: the proxy compares the host of the request line
          remove: [X-My-Path, X-Other-Path]
        page:
          name: Example Apps
          color: "#0a5c36"
          skip: false
        log:
          email: true

        """

    struct Mutation: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        /// The line of the mistake, and those where it may be reported too.
        let lines: ClosedRange<Int>
        var testDescription: String { "\(name), line \(lines.lowerBound)" }
    }

    private static let lines = whole.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

    private static func replacing(_ line: Int, by new: [String]) -> String {
        (lines[..<line] + new + lines[(line + 1)...]).joined(separator: "\n")
    }

    /// The part of a line before its key, the key, and the rest; `nil` for a line without a key.
    private static func split(_ line: String) -> (indent: String, key: String, rest: String)? {
        guard let match = line.wholeMatch(of: /( *(?:- )?)([A-Za-z_\/-]+):( .*)?/) else { return nil }
        return (String(match.output.1), String(match.output.2), String(match.output.3 ?? ""))
    }

    /// Keys whose names the author chooses: no spelling of them is wrong.
    private static let freeKeys: Set = ["tenant", "department", "/badge/level"]
    /// Values that are any text, so that no other text is a mistake that a file shows.
    private static let freeValues: Set = [
        "client_id", "client_secret_file", "title", "name", "subject", "group", "groups", "environment", "tenant",
        "department",
        "/badge/level", "key_file", "secret_file", "audience", "trust_email", "same_host",
    ]

    /// The end of the block of a key.
    private static func end(of line: Int) -> Int {
        let indent = lines[line].prefix { $0 == " " }.count
        var end = line + 1
        while end < lines.count, !lines[end].isEmpty {
            let own = lines[end].prefix { $0 == " " }.count
            guard
                own > indent
                    || own == indent && lines[line].drop(while: { $0 == " " }).first != "-"
                        && lines[end].dropFirst(own).hasPrefix("- ")
            else { break }
            end += 1
        }
        return end
    }

    static let all: [Mutation] = {
        var mutations: [Mutation] = []
        func add(_ name: String, _ line: Int, _ text: String, until last: Int? = nil) {
            mutations.append(Mutation(name: name, text: text, lines: (line + 1)...((last ?? line) + 1)))
        }
        for (number, line) in lines.enumerated() {
            guard let (indent, key, rest) = split(line) else { continue }
            let spaces = String(repeating: " ", count: indent.count)
            if !freeKeys.contains(key), !key.hasPrefix("X-"), number > 0 {
                // Slips of the pen.
                add("a letter twice", number, replacing(number, by: [indent + key.prefix(1) + key + ":" + rest]))
                add("a letter missing", number, replacing(number, by: [indent + key.dropLast() + ":" + rest]))
                add("upper case", number, replacing(number, by: [indent + key.uppercased() + ":" + rest]))
                add("with hyphens", number, replacing(number, by: [indent + "my-" + key + ":" + rest]))
            }
            // The same key again.
            if !rest.isEmpty {
                add("key twice", number, replacing(number, by: [line, spaces + key + ":" + rest]), until: number + 1)
            }
            // No value.
            if !rest.isEmpty { add("no value", number, replacing(number, by: [indent + key + ":"])) }
            if !rest.isEmpty { add("empty string", number, replacing(number, by: [indent + key + ": ''"])) }
            if !rest.isEmpty { add("empty list", number, replacing(number, by: [indent + key + ": []"])) }
            if !rest.isEmpty { add("empty mapping", number, replacing(number, by: [indent + key + ": {}"])) }
            // Another kind of value.
            if !rest.isEmpty {
                add("a mapping", number, replacing(number, by: [indent + key + ": { wrong: { deep: 1 } }"]))
                add("a list of lists", number, replacing(number, by: [indent + key + ": [[a]]"]))
            } else {
                let end = end(of: number)
                let text = (lines[..<number] + [indent + key + ": 5x 7"] + lines[end...]).joined(separator: "\n")
                add("text for a block", number, text)
            }
            // A word that means nothing.
            if !rest.isEmpty, !freeValues.contains(key) {
                add("nonsense", number, replacing(number, by: [indent + key + ": \"§ nonsense {\""]))
            }
            // YAML.
            add("a tab", number, replacing(number, by: ["\t" + line]), until: number + 1)
            if !rest.isEmpty {
                add(
                    "no space behind the colon", number, replacing(number, by: [indent + key + ":" + rest.dropFirst()]),
                    until: number + 1)
            }
        }
        // What only a reader who knows the meaning finds: the line, what is written, and what is written instead.
        func change(_ name: String, _ old: String, _ new: String, in lineText: String? = nil, more: Int = 0) {
            guard let number = lines.firstIndex(where: { $0.contains(lineText ?? old) }) else {
                Issue.record("no line has \(lineText ?? old)")
                return
            }
            add(name, number, replacing(number, by: [lines[number].replacing(old, with: new)]), until: number + more)
        }
        change("another version", "gateway: 1", "gateway: 2")
        change("http", "https://apps.example", "http://apps.example", in: "origin:")
        change("an origin with a path", "https://apps.example", "https://apps.example/login", in: "origin:")
        change("an origin without a scheme", "https://apps.example", "apps.example", in: "origin:")
        change("a provider twice", "- acme", "- globex", in: "  - acme", more: 1)
        change("a capital id", "- acme", "- Acme", in: "  - acme")
        change("an issuer that is no provider", "provider: globex", "provider: umbrella", in: "  - provider: globex")
        change("a secret as the name of a variable", "GLOBEX_SECRET", "s3cr3t!", in: "client_secret_env")
        change("a secret in the file", "client_secret_env: GLOBEX_SECRET", "client_secret: s3cr3ts3cr3t")
        change("scopes in one string", "[profile, groups]", "profile groups")
        change("a pointer of another notation", "/realm_access/roles", "/realm~access")
        change("no reason", "the administrators set all addresses", "yes")
        change("a host with a scheme", "host: wiki.apps.example", "host: https://wiki.apps.example")
        change("a host with a path", "host: wiki.apps.example", "host: wiki.apps.example/wiki")
        change("a host with a port", "host: wiki.apps.example", "host: wiki.apps.example:8443")
        change("a star in a host", "host: wiki.apps.example", "host: wiki.*.example")
        change("a star alone", "\"*.tools.example\"", "\"*\"")
        change("a path without a slash", "path: /health", "path: health")
        change("a regular expression", "path: /health", "path: ^/health$")
        change("a star in a path", "/private/**", "/private/*")
        change("stars in the middle", "/private/**", "/**/private")
        change("two slashes", "/private/**", "/private//**")
        change("a dot segment", "/private/**", "/private/../**")
        change("a part of a segment", "/reports/{year}", "/reports/y{year}")
        change("an encoded letter", "/staff/**", "/st%61ff/**")
        change("a path with a query", "path: /health", "path: /health?x=1")
        change("lower-case methods", "[GET, POST]", "[get, post]")
        change("methods in one string", "[GET, POST]", "GET POST")
        change("another word for everybody", "allow: anyone", "allow: everyone")
        change("another word for people", "allow: signed_in", "allow: signed-in")
        change("a boolean", "allow: anyone", "allow: true")
        change("the same route again", "/api/deploy", "/api/**")
        change(
            "a provider that is not in the list", "provider: acme", "provider: amce",
            in: "              provider: acme".trimmingCharacters(in: .whitespaces))
        change(
            "a group of any provider", "provider: globex", "email_domain: example.org",
            in: "- provider: globex\n".trimmingCharacters(in: .newlines))
        change("an address as a domain", "email_domain: example.com", "email_domain: anna@example.com")
        change("a domain with a star", "email_domain: example.com", "email_domain: \"*.example.com\"")
        change("a domain with an at sign", "email_domain: example.com", "email_domain: \"@example.com\"")
        change("a domain as an address", "- anna@example.org", "- example.org")
        change("two addresses in one string", "- anna@example.org", "- anna@example.org, eve@example.org")
        change("a name with an address", "- anna@example.org", "- Anna <anna@example.org>")
        change("a scope with a space", "scope: read", "scope: read write")
        change("a claim without a value", "department: [it, hr]", "department: []")
        change("a header with an underscore", "X-Auth-User:", "X_Auth_User:")
        change("a header with a space", "X-Auth-User:", "X-Auth User:")
        change("a header of the proxy", "X-Auth-User:", "X-Forwarded-Host:")
        change("a header of the connection", "X-Auth-User:", "Host:")
        change("a cookie", "X-Auth-User:", "Cookie:")
        change("a header twice", "X-Auth-Email:", "x-auth-user:")
        change("a subject without its provider", "{account.provider}:{account.subject}", "{account.subject}")
        change("an unknown value", "{account.subject}", "{account.sub}")
        change("a value without its origin", "{account.subject}", "{subject}")
        change("a brace without its partner", "{account.subject}", "{account.subject")
        change("dollars and braces", "{account.subject}", "${subject}")
        change("the token in a header of another value", "header: X-Auth-Token", "header: X-Auth-User")
        change("a token in a header of another value", "header: X-Access-Token", "header: X-Auth-User")
        change("a token in a header of the gateway", "header: X-Access-Token", "header: Carnet-Decision")
        change("an exchanged ID token", "kind: access", "kind: id", more: 2)
        change("a lifetime with a unit", "lifetime: 120", "lifetime: 2m")
        change("a lifetime of nothing", "lifetime: 120", "lifetime: 0")
        change("a lifetime of a day", "lifetime: 120", "lifetime: 86400")
        change("a negative lifetime", "lifetime: 43200", "lifetime: -1")
        change("a store on Redis", "files:/var/lib/gateway", "redis://127.0.0.1:6379")
        change("a store that is a path", "files:/var/lib/gateway", "/var/lib/gateway.db")
        change("a password in the file", "files:/var/lib/gateway", "postgresql://g:hunter2@db/g")
        change("a key in the file", "key_env: GATEWAY_KEY", "key: c2VjcmV0")
        change("the proxy's secret in the file", "secret_file: proxy-secret", "secret: hunter2")
        change("a host for an address", "127.0.0.1", "localhost", in: "trusted:")
        change("a range that is none", "10.0.0.0/8", "10.0.0.1/8")
        change("an address that is none", "127.0.0.1", "127.0.0.256", in: "trusted:")
        change("an unknown dialect", "dialect: forwarded", "dialect: nginx")
        change("a colour without a hash", "\"#0a5c36\"", "0a5c36")
        change("a colour without quotes", "\"#0a5c36\"", "#0a5c36")
        change("a colour of three digits", "\"#0a5c36\"", "\"#0a5\"")
        change("a colour by name", "\"#0a5c36\"", "green")
        change(
            "a second secret", "client_secret_env: GLOBEX_SECRET", "client_secret_env: A\n    client_secret_file: b",
            more: 1)
        change(
            "tokens without an issuer's consent", "client_id: robot",
            "email: robot@example.com\n      client_id: robot", more: 1)
        change("a condition of people and programs", "bearer: true", "bearer: maybe")
        change("a key of another section", "title: health", "email: anna@example.com")
        return mutations
    }()

    private func findings(_ text: String) -> [Diagnostic] {
        let file = SourceFile(path: "gateway.yaml", text: text)
        return Linter(others: [GatewayFiles(registry: nil)]).lint(files: [file]).diagnostics
    }

    @Test("The whole file has no finding, and every key of the language")
    func wholeFile() {
        #expect(findings(Self.whole) == [])
        let used = Set(Self.lines.compactMap { Self.split($0)?.key })
        let keys = Set(GatewayFile.shape.sectionUses().flatMap { $0.section.keys.map(\.name) })
        // Secrets in the file itself are findings.
        let inline: Set = [
            "client_secret", "secret", "key", "store_env", "secret_env", "key_env", "key_file", "client_secret_file",
        ]
        #expect(keys.subtracting(used).subtracting(inline) == [])
    }

    /// Measured: 937 of 937.
    @Test("At least 99 of 100 mistakes are found at their lines")
    func mistakes() {
        var missed: [String] = []
        for mutation in Self.all {
            let found = findings(mutation.text)
            let isFound = found.contains { mutation.lines.contains($0.line) && $0.severity != .information }
            if !isFound { missed.append("\(mutation): \(found.map(\.description))") }
        }
        #expect(Self.all.count >= 700, "\(Self.all.count)")
        #expect(
            missed.count * 100 <= Self.all.count,
            "\(missed.count) of \(Self.all.count): \(missed.joined(separator: "\n"))")
    }

    @Test("A line that is deleted leaves a file without a finding, or one that is reported where it is missing")
    func deletions() {
        for (number, line) in Self.lines.enumerated() where Self.split(line) != nil {
            let end = Self.end(of: number)
            let text = (Self.lines[..<number] + Self.lines[end...]).joined(separator: "\n")
            let required = ["gateway", "origin", "providers", "routes"]
            guard let key = Self.split(line)?.key, line.first != " ", required.contains(key), key != "gateway" else {
                continue
            }
            #expect(findings(text).contains { $0.code == "K003" && $0.line == 1 }, "\(key)")
        }
    }
}
