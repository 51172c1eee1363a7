import CarnetFoundation
import Testing

@testable import CarnetDescriptors

/// What the decoder says about values that almost fit.
@Suite("Decoder message")
struct DecoderMessageTests {
    private func finding(_ yaml: String) -> String? {
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: yaml))
        return document.diagnostics.first.map { "\($0.description); \($0.help ?? "")" }
    }

    @Test(
        "A number where a string stands wants quotes",
        arguments: [("42", "the number 42"), ("1.5", "the number 1.5"), ("true", "the boolean true")])
    func aNumberWhereATextStands(written: String, found: String) {
        #expect(
            finding("carnet: 1\nid: \(written)\nname: Acme\n")
                == "acme.yaml:2:5: error: found \(found) [K002]; expected a string; "
                + "put a string that looks like this between quotes"
        )
    }

    @Test(
        "A mapping has a limited number of values, and fewer if each may use another",
        arguments: [
            ("inputs", 32, "{ default: x }"), ("exchange", 32, "https://acme.example/x"),
            ("connection: { derive", 32, "x"), ("profile: { derive", 32, "x"),
            ("connection: { lookups", 32, "{ url: 'https://acme.example/x', value: /id, sample: {} }"),
            ("environments", 16, "{ api: { scheme: OAuth } }"), ("tables", 1000, "{ a: b }"),
            ("token: { headers", 1000, "x"), ("callback: { rename", 1000, "x"),
        ])
    func numberOfNames(key: String, limit: Int, value: String) {
        func finding(_ count: Int) -> String? {
            let names = (1...count).map { "n\($0): \(value)" }.joined(separator: ", ")
            let end = key.contains("{") ? "}" : ""
            return self.finding(ResolutionFixture.head + "\(key): { \(names) } \(end)\n")
        }
        #expect(finding(limit)?.contains("values here") != true)
        #expect(
            finding(limit + 1)?.hasSuffix("there are \(limit + 1) values here [K004]; at most \(limit) are allowed")
                == true, "\(finding(limit + 1) ?? "")")
    }

    @Test("A list whose elements may use each other, and what stands in a URL, have limits too")
    func lengthsOfListsAndURLs() {
        let request = "{ url: 'https://acme.example/x', claims: { c: /c } }"
        func requests(_ count: Int) -> String? {
            let list = Array(repeating: request, count: count).joined(separator: ", ")
            return finding(ResolutionFixture.head + "profile: { requests: [\(list)] }\n")
        }
        #expect(requests(32) == nil)
        #expect(requests(33)?.contains("there are 33 values here [K004]; at most 32 are allowed") == true)
        func issuer(_ length: Int) -> String? {
            let start = "https://acme.example/"
            let path = String(repeating: "a", count: length - start.utf8.count)
            return finding(ResolutionFixture.head + "issuer: \(start)\(path)\n")
        }
        #expect(issuer(2048) == nil)
        #expect(issuer(2049)?.contains("it is longer than 2048 bytes [K005]") == true)
    }

    @Test("A place without quotes is a mapping to YAML, and the message says so")
    func aPlaceWithoutQuotes() {
        let finding = finding(ResolutionFixture.head + "authorization: { parameters: { tenant: {tenant} } }\n")
        #expect(finding?.hasSuffix("; put a string that starts with { between quotes: '{tenant}'") == true)
    }

    @Test("Braces of another language go between quotes")
    func bracesOfAnotherLanguageGoBetween() {
        let head = ResolutionFixture.head + "profile: { parameters: { query: "
        #expect(
            finding(head + "'{ me { id } }' } }\n")?.hasSuffix(
                "[K005]; put other braces between quotes in a function: {join('', '{ me { id } }')}") == true)
        #expect(
            finding(head + "'{a b}' } }\n")?.hasSuffix("[K005]; write {name}, where inputs has the key name") == true)
        #expect(
            finding(head + "'{{client.id}}' } }\n")?.hasSuffix("; write one brace on each side, such as {client.id}")
                == true)
        let quoted = "\"{join('', '{ me { id } }')}\" } }\n"
        #expect(finding(head + quoted)?.contains("K005") != true)
    }

    @Test(
        "A mistake whose repair is likely has a possible fix",
        arguments: [
            ("scopes: [read, 'a,b']", "write { default: [read, \"a,b\"] }"),
            ("scopes:\n  - read\n  - write", "write { default: [read, write] }"),
            ("scopes: { default: openid email }", "write [openid, email]"),
            ("client: { authentication: none }", "write [none]"),
            ("token_url: https://acme.example/t", "write endpoints: { token: https://acme.example/t }"),
        ])
    func possibleFix(_ keys: String, _ summary: String) throws {
        let text = ResolutionFixture.head + keys + "\n"
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: text))
        let fix = try #require(document.diagnostics.first?.fix)
        #expect(fix.summary == summary && fix.applicability == .unsafe)
        // The fixed file has no error at that place.
        let source = SourceText(SourceFile(path: "acme.yaml", text: text))
        var bytes = source.bytes
        for edit in fix.edits.sorted(by: { $0.span.start > $1.span.start }) {
            bytes.replaceSubrange(try #require(source.range(of: edit.span)), with: Array(edit.replacement.utf8))
        }
        let fixed = DescriptorDocument(SourceFile(path: "acme.yaml", bytes: bytes))
        #expect(!fixed.diagnostics.contains { ["K001", "K002", "D004"].contains($0.code) }, "\(fixed.diagnostics)")
    }

    @Test("A file without its version gets the line")
    func missingVersion() {
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: "id: acme\nname: Acme\n"))
        let fix = document.diagnostics.first { $0.code == "K003" }?.fix
        #expect(fix?.edits.first?.replacement == "carnet: 1\n" && fix?.summary == "add the line carnet: 1")
    }

    @Test("A value that starts with a template and goes on must be quoted, and the message says so")
    func templateAtTheStart() {
        #expect(
            finding("carnet: 1\nid: acme\nissuer: {tenant}.acme.example # here\n")
                == "acme.yaml:3:9: error: a value that starts with '{' must be quoted [D004]; "
                + "put the value between quotes: \"{tenant}.acme.example\"")
    }

    /// What an author writes, and what the message must say.
    static let mistakes: [(keys: String, words: String)] = [
        (
            "inputs: { host: { title: The host, without a scheme, type: hostname } }",
            "unknown key \"without a scheme\" [K001]; a comma ends a value inside { }: put the whole text between quotes"
        ),
        ("token: { response: { expires_in: /expires } }", "it is a key of another section: fields.expires_in"),
        (
            "token: { authentication: [client_secret_post] }",
            "it is a key of another section: client.authentication, or refresh.authentication"
        ),
        ("profile: { subject: /id }", "write profile: { claims: { subject: /id } }"),
        ("profile: { trusted_hosts: [acme.example] }", "it is a key at the top of the file"),
        ("endpoints: [{ authorization: 'https://acme.example/a' }]", "write its keys without dashes"),
        ("resources: { title: A, url: 'https://acme.example' }", "write a dash before each element"),
        ("refresh: { url: 'https://acme.example/refresh' }", "it is endpoints.refresh"),
        ("profile: { url: 'https://acme.example/me' }", "it is endpoints.userinfo"),
        ("revocation: { endpoint: 'https://acme.example/revoke' }", "it is endpoints.revocation"),
        ("authorize_url: https://acme.example/a", "it is endpoints.authorization"),
        ("authorization_endpoint: https://acme.example/a", "it is endpoints.authorization"),
        ("token_url: https://acme.example/t", "it is endpoints.token"),
        ("token_endpoint: https://acme.example/t", "it is endpoints.token"),
        ("jwks_uri: https://acme.example/keys", "it is endpoints.jwks"),
        ("endpoints: { authorize: https://acme.example/a }", "it is authorization"),
        ("pkce: true", "it is authorization.pkce; PKCE is on without it"),
        ("authorization: { pkce: true }", "leave the key out: the protection is on without it"),
        ("authorization: { pkce: false }", "write { none: \"the reason, with a link\" }"),
        ("scope: openid", "did you mean \"scopes\"?"),
        ("default_scopes: openid", "it is scopes.default"),
        ("client_id: abc", "contains no client id: pass it with --client-id, write it into a clients file"),
        (
            "client_secret: hunter2hunter2",
            "a descriptor contains no secret, because everyone who uses the provider has it: pass the secret with "
                + "--client-secret-env, write it into a clients file"
        ),
        ("client: { secret: hunter2hunter2 }", "if this file was ever shared, replace the secret at the provider"),
        (
            "api: { token_in: query }",
            "allowed: authorization, or { header: NAME }, or { query: NAME, because: REASON }"
        ),
        ("profile: { claims: { subject: data.id } }", "a pointer starts with /, e.g. /data/id (RFC 6901)"),
        ("profile: { claims: { subject: '$.id' } }", "e.g. /id (RFC 6901)"),
        ("profile: { claims: { subject: '$.data[0].id' } }", "e.g. /data/0/id (RFC 6901)"),
        ("profile: { claims: { subject: '/{lower(id)}' } }", "it takes no values but inputs"),
        ("profile: { claims: { subject: '/{token.user_id}' } }", "it takes no values but inputs"),
        ("profile: { claims: { subject: '{token.user_id}' } }", "it takes no values but inputs"),
        ("profile: { claims: { name: null } }", "or [] for a value that is never there"),
        (
            "endpoints: { userinfo: 'https://acme.example/{token.access_token}' }",
            "cannot be in a URL [K005]; the authorization request is a URL, too; send it in a parameter or a header of another request"
        ),
        (
            "token: { parameters: { a: '{reversed(client.id)}' } }",
            "the functions are base64, base64url, "
        ),
        (
            "token: { parameters: { a: '{token.scope}' } }",
            "available here: {NAME} of inputs, {client.id}, {client.secret}, {client.redirect_uri}, {client.scope}, "
                + "{callback.code}, {callback.state}, {callback.NAME} of callback.capture"
        ),
        (
            "redirects: [x]\nauthorization: { parameters: { a: '{client.name}' } }",
            "available here: {NAME} of inputs, {client.id}"
        ),
        (
            "discovery_url: 'https://acme.example/{client.id}/metadata'",
            "declare an input: inputs: { NAME: { default: '{client.id}' } }"
        ),
    ]

    @Test("A common mistake is told what to write", arguments: mistakes.indices)
    func aCommonMistake(index: Int) {
        let (keys, words) = Self.mistakes[index]
        let found = finding(ResolutionFixture.head + keys + "\n")
        #expect(found?.contains(words) == true, "\(keys)\n\(found ?? "no finding")")
    }

    @Test("A wrong call of a function has a right one as its example", arguments: TemplateParser.functionNames)
    func aWrongCall(name: String) {
        func found(_ call: String) -> String {
            let parameters = "tables: { hosts: { eu: a } }\nrefresh: { parameters: { a: \"\(call)\" } }\n"
            return finding(ResolutionFixture.head + parameters) ?? ""
        }
        let wrong = found("{\(name)(\([String](repeating: "'x'", count: 17).joined(separator: ", ")))}")
        let example = wrong.split(separator: "; for example ").last.map(String.init) ?? ""
        #expect(example.hasPrefix("{\(name)(") && !found(example).contains("K005"), "\(wrong)")
    }

    @Test(
        "A value at the wrong level leads to its place",
        arguments: [
            ("authorization: https://acme.example/a", "an endpoint's URL belongs to endpoints.authorization"),
            ("token: https://acme.example/t", "an endpoint's URL belongs to endpoints.token"),
            ("revocation: https://acme.example/r", "an endpoint's URL belongs to endpoints.revocation"),
            ("scopes:\n  default:[openid]", "put a space after 'default:'"),
            ("logout: https://acme.example/o", "an endpoint's URL belongs to endpoints.end_session"),
            (
                "endpoints: { authorization: { pkce: required, response_type: code } }",
                "such a value belongs to authorization"
            ),
            (
                "endpoints:\nauthorization: https://acme.example/a\ntoken: https://acme.example/t",
                "indent the keys that belong to endpoints: authorization, token"
            ),
        ])
    func wrongLevel(_ keys: String, _ advice: String) {
        let finding = finding("carnet: 1\nid: acme\nname: Acme\n\(keys)\n")
        #expect(finding?.contains("[K002]; \(advice)") == true, "\(finding ?? "no finding")")
    }

    @Test("A version, a duration and an algorithm have no advice that contradicts them")
    func numbersAndAlgorithms() {
        #expect(finding("carnet: 2\nid: acme\nname: Acme\n")?.hasSuffix("expected the number 1") == true)
        let skew = finding(ResolutionFixture.head + "id_token: { clock_skew: 5m }\n")
        #expect(skew?.hasSuffix("; write the seconds without a unit: 300") == true, "\(skew ?? "")")
        let algorithm = finding(ResolutionFixture.head + "id_token: { algorithms: [HS256] }\n")
        #expect(algorithm?.contains("did you mean") == false, "\(algorithm ?? "")")
        #expect(algorithm?.contains("; allowed: ") == true && algorithm?.contains("ES256") == true)
    }

    @Test("Nothing is no pointer")
    func nothingIsNoPointer() {
        #expect(
            finding(ResolutionFixture.head + "profile:\n  root:\n")?.contains("found nothing [K002]") == true
        )
    }

    @Test("What deletes is a key of the language too")
    func whatDeletesIsAKey() {
        let finding = finding(ResolutionFixture.head + "extends: other\nscoeps:\n")
        #expect(finding == "acme.yaml:5:1: error: unknown key \"scoeps\" [K001]; did you mean \"scopes\"?")
    }

    @Test("A name is not inherited, so it cannot be deleted")
    func aNameIsNotInheritedSo() {
        #expect(finding("carnet: 1\nid: acme\nextends: other\nname:\n")?.contains("[K003]") == true)
    }

    @Test("A safeguard shows how it is switched off")
    func aRequirementShowsHow() {
        #expect(
            finding(ResolutionFixture.head + "authorization: { pkce: [] }\n")
                == "acme.yaml:4:24: error: found a list [K002]; expected required, or { encoding: hex }, or { none: REASON }"
        )
    }

    @Test("A colour without quotes is a comment, and the message says so")
    func aColourWithoutQuotes() {
        let finding = finding(ResolutionFixture.head + "display:\n  color: #2457a6\n")
        #expect(
            finding?.contains("found nothing [K002]; expected a colour such as \"#2457a6\", between quotes") == true)
    }

    @Test(
        "What is no colour is rejected", arguments: ["2457a6", "#2457a", "#2457a60", "#+f57a6", "#2457g6", "blue", ""])
    func whatIsNoColourIsRefused(written: String) {
        #expect(BrandColor(written) == nil)
        #expect(finding(ResolutionFixture.head + "display: { color: \"\(written)\" }\n")?.contains("[K004]") == true)
    }

    @Test("A colour is written as style sheets have it")
    func aColourIsWrittenAsStyle() throws {
        let text = ResolutionFixture.head + "issuer: https://id.acme.example\ndisplay: { color: \"#0A57fF\" }\n"
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: text))
        #expect(try document.descriptor?.resolve(inputs: [:]).display.color?.description == "#0a57ff")
    }
}
