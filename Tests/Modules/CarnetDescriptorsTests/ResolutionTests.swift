import CarnetFoundation
import Testing

@testable import CarnetDescriptors

@Suite("Resolution")
struct ResolutionTests {
    private let yaml = """
        inputs:
          domain: { type: hostname, example: dev.auth.example }
          tenant: { default: common, pattern: "[a-z]{2,8}" }
          region: { enum: [us, eu], default: us }
          audience: { type: text, optional: true }
        issuer: https://{domain}/{tenant}
        endpoints: { authorization: "https://{domain}/{input.region}/authorize" }
        authorization: { parameters: { audience: "{audience}", fixed: x } }
        token: { headers: { X-Tenant: "{tenant}" } }
        api: { hosts: ["API.{region}.example"] }

        """

    private func refusal(_ inputs: [String: String]) throws -> ResolutionError? {
        let descriptor = try ResolutionFixture.descriptor(yaml)
        return #expect(throws: ResolutionError.self) { try descriptor.resolve(inputs: inputs) }
    }

    @Test("Templates are filled")
    func templatesAreFilled() throws {
        let provider = try ResolutionFixture.provider(
            yaml, inputs: ["domain": "acme.auth.example", "region": "eu", "audience": "https://api/?x y"])
        #expect(provider.issuer == "https://acme.auth.example/common")
        #expect(provider.endpoints[.authorization]?.text == "https://acme.auth.example/eu/authorize")
        #expect(provider.authorization.parameters == [Named("audience", "https://api/?x y"), Named("fixed", "x")])
        #expect(provider.token.request.headers == [Named("X-Tenant", "common")])
        #expect(provider.api.hosts == ["api.eu.example"])
        #expect(provider.inputs["tenant"] == "common")
        #expect(provider.inputs.count == 4)
    }

    private let withPointers = """
        inputs:
          id: { type: text, default: sub }
          mail: { type: text, optional: true }
          box: { type: text, default: /a/b }
        issuer: https://acme.example
        token:
          response:
            root: "/{box}"
            fields: { access_token: "/{id}_token", id_token: ["/{mail}", /id_token] }
            success: { field: "/{id}" }
            capture: { team: "/{box}/team" }
        profile:
          root: "/{box}/user"
          claims:
            subject: "/{id}"
            email: ["/{mail}", /email]
            groups: { root: "/{box}", where: { kind: "{id}" }, each: "/{id}" }
            odd: "/{http:}/x{}"
          requests: [{ url: https://acme.example/more, root: "/{id}", claims: { plan: "/{id}/plan" } }]

        """

    @Test("An input in a pointer is the name of a member, or a pointer if it starts with a slash")
    func inputsInPointers() throws {
        func claims(of provider: Provider, _ name: String) -> [String] {
            provider.profile.claims.first { $0.name == name }?.value.map(\.description) ?? []
        }
        let plain = try ResolutionFixture.provider(withPointers)
        #expect(claims(of: plain, "subject") == ["/sub"])
        #expect(claims(of: plain, "email") == ["/email"])
        #expect(claims(of: plain, "odd") == ["/{http:}/x{}"])
        #expect(claims(of: plain, "groups") == ["/a/b"])
        #expect(plain.profile.ownClaims["groups"]?.elements?.pointers.map(\.description) == ["/sub"])
        #expect(plain.profile.root.description == "/a/b/user")
        let further = try #require(plain.profile.requests.first)
        #expect(further.root.description == "/sub")
        #expect(further.claims.first?.value.pointers.map(\.description) == ["/sub/plan"])
        let response = plain.token.response
        #expect(response.root.description == "/a/b")
        #expect(response.success.field?.pointers.map(\.description) == ["/sub"])
        #expect(response.fields.accessToken.pointers.map(\.description) == ["/sub_token"])
        #expect(response.fields.idToken.pointers.map(\.description) == ["/id_token"])
        #expect(response.capture["team"]?.pointers.pointers.map(\.description) == ["/a/b/team"])

        #expect(ResponseFields.all.count == ResponseFields.keys.count, "each field takes inputs")

        let values = ["id": "https://acme.example/~id", "mail": "/mails/0/{id}", "box": "b"]
        let filled = try ResolutionFixture.provider(withPointers, inputs: values)
        // RFC 6901, section 3: ~0 is the tilde and ~1 the slash in the name of a member.
        #expect(claims(of: filled, "subject") == ["/https:~1~1acme.example~1~0id"])
        #expect(claims(of: filled, "email") == ["/mails/0/{id}", "/email"])
    }

    @Test(
        "A pointer takes neither a secret, nor what is no pointer, nor an input that is missing for the subject",
        arguments: [
            ("id: { type: text, default: sub }", "id: { type: text, secret: true }", "profile.claims.subject"),
            ("id: { type: text, default: sub }", "id: { type: text, optional: true }", "profile.claims.subject"),
            ("/{id}_token", "/{token}_token", "token.response.fields"),
            ("default: /a/b", "default: /a~b", "profile.root"),
        ])
    func refusedPointers(_ old: String, _ new: String, key: String) throws {
        let yaml = withPointers.replacing(old, with: new).replacing("root: \"/{id}\", ", with: "")
        let inputs = new.contains("secret") ? ["id": "sub"] : [:]
        let error = #expect(throws: ResolutionError.self) { try ResolutionFixture.provider(yaml, inputs: inputs) }
        #expect(error?.key == key)
    }

    @Test("An input in a condition of a claim is filled, and a condition of inputs without a value does not count")
    func inputsInConditions() throws {
        func isMet(_ value: JSONValue, _ condition: String, inputs: [String: String] = [:]) throws -> Bool {
            let provider = try ResolutionFixture.provider(
                """
                issuer: https://acme.example
                inputs: { hd: { type: text, optional: true }, top: { default: example } }
                profile: { claims: { subject: { where: { hd: \(condition) }, first: /sub } } }

                """, inputs: inputs)
            let place = try #require(provider.profile.ownClaims["subject"])
            #expect(provider.profile.hasConditionalSubject == place.isConditional)
            return place.value(in: ["sub": "u-1", "hd": value]) != nil
        }
        let acme = ["hd": "acme"]
        #expect(try isMet("acme", "'{hd}'", inputs: acme))
        #expect(try !isMet("other", "'{hd}'", inputs: acme) && !isMet("{hd}", "'{hd}'", inputs: acme))
        #expect(try isMet("acme.example", "'{hd}.{top}'", inputs: acme) && !isMet("acme", "'{hd}.{top}'", inputs: acme))
        #expect(try isMet("other", "'{hd}'") && isMet("other", "'{hd}.{top}'"))
        #expect(try isMet("beta", "['{hd}', beta]", inputs: acme) && isMet("acme", "['{hd}', beta]", inputs: acme))
        #expect(try isMet("beta", "['{hd}', beta]") && !isMet("acme", "['{hd}', beta]"))
        #expect(try isMet("https://acme.example", "'{issuer}'") && !isMet("{issuer}", "'{issuer}'"))
        #expect(try !isMet("x", "[]"))
        let long = String(repeating: "{hd}", count: 500)
        let text = String(repeating: "a", count: 1024)
        #expect(try !isMet(.string(String(repeating: text, count: 500)), "'\(long)'", inputs: ["hd": text]))
    }

    @Test("An input that is a whole scope may be several, and one that is a part of a scope may not")
    func severalScopes() throws {
        let yaml = """
            inputs: { more: { type: text }, team: { type: text } }
            issuer: https://acme.example
            scopes:
              default: [openid, "{more}", "{team}.read"]
              extra: { user: ["{more}"] }
              catalog: [openid, { id: "{more}", title: More, implies: ["{more}"] }]
            resources:
              - { any_of: ["{more}"], title: Any, url: https://acme.example/any }
              - { scope: "{more}", title: All, url: https://acme.example/all }

            """
        let descriptor = try ResolutionFixture.descriptor(yaml)
        let inputs = ["more": " read  write ", "team": "a b"]
        let provider = try descriptor.resolve(inputs: inputs)
        #expect(provider.scopes.defaults == ["openid", "read", "write", "a b.read"], "the engine refuses the last")
        #expect(provider.scopes.extra["user"] == ["read", "write"])
        #expect(provider.scopes.catalog.map(\.id) == ["openid", "read", "write"])
        #expect(provider.scopes.catalog[1].title == "More" && provider.scopes.catalog[1].implies == ["read", "write"])
        #expect(provider.resources[0].requirement.anyOf == ["read", "write"])
        #expect(provider.resources[1].requirement.allOf == ["read", "write"])
        let error = #expect(throws: ResolutionError.self) {
            try descriptor.resolve(inputs: ["more": " ", "team": "a"])
        }
        #expect(error?.key == "resources.0.any_of", "a resource would be open to all")
    }

    @Test("A scope is filled once, and a resource keeps its scope")
    func scopes() throws {
        let yaml = """
            inputs: { team: { type: text, optional: true }, key: { secret: true, type: text, optional: true } }
            issuer: https://acme.example
            scopes: { default: [openid, "{team}"], extra: { more: ["{team}.x"] } }
            resources: [{ any_of: [openid, "{team}.read"], title: Team, url: https://acme.example/team }]

            """
        let provider = try ResolutionFixture.provider(yaml, inputs: ["team": "{client.id}"])
        #expect(provider.scopes.defaults == ["openid", "{client.id}"])
        #expect(provider.scopes.extra["more"] == ["{client.id}.x"])
        #expect(provider.resources[0].requirement.anyOf == ["openid", "{client.id}.read"])
        let error = #expect(throws: ResolutionError.self) { try ResolutionFixture.provider(yaml, inputs: [:]) }
        #expect(error?.key == "resources.0.any_of")
        let secret = yaml.replacing("{team}.x", with: "{key}")
        #expect(throws: ResolutionError.self) {
            try ResolutionFixture.provider(secret, inputs: ["team": "a", "key": "b"])
        }
    }

    @Test("Parameter of an optional input without a value is left out")
    func parameterOfAnOptionalInputWithoutAValueIsLeftOut() throws {
        let provider = try ResolutionFixture.provider(yaml, inputs: ["domain": "a.example"])
        #expect(provider.authorization.parameters == [Named("fixed", "x")])
    }

    // What is missing is said at once, by its name.
    @Test("Missing input is named with an example")
    func missingInputIsNamedWithAnExample() throws {
        let error = try refusal([:])
        #expect(error?.kind == .missingInput)
        #expect(error?.key == "inputs.domain")
        #expect(error?.reason.contains("dev.auth.example") == true)
    }

    @Test("That there is a subject identifies nobody")
    func presentSubject() throws {
        let yaml = """
            issuer: https://acme.example
            profile: { claims: { subject: { present: /id } }, derive: { subject: "{claim.subject}" } }

            """
        let error = #expect(throws: ResolutionError.self) { try ResolutionFixture.provider(yaml, inputs: [:]) }
        #expect(error?.key == "profile.claims.subject")
    }

    @Test("A missing input is named with the input that its default is made of")
    func missingInputOfADefault() throws {
        let yaml = """
            inputs:
              team: { example: acme, optional: true }
              domain: { type: hostname, default: "{team}.auth.example" }
            issuer: https://{domain}

            """
        let error = #expect(throws: ResolutionError.self) { try ResolutionFixture.provider(yaml, inputs: [:]) }
        #expect(error?.kind == .missingInput && error?.key == "inputs.domain")
        #expect(error?.reason == "the input domain has no value; its default needs the input team")
        #expect(try ResolutionFixture.provider(yaml, inputs: ["team": "a"]).issuer == "https://a.auth.example")
    }

    @Test("Unknown input gets the nearest name")
    func unknownInputGetsTheNearestName() throws {
        let error = try refusal(["domian": "a.example"])
        #expect(error?.kind == .unknownInput)
        #expect(error?.reason.contains("did you mean domain?") == true)
        let none = #expect(throws: ResolutionError.self) {
            try ResolutionFixture.provider("", inputs: ["x": "y"])
        }
        #expect(none?.reason.contains("no inputs") == true)
    }

    private let ofClient = """
        inputs: { app: { default: "{client.id}", example: shop }, realm: { default: "realm-{app}" } }
        issuer: https://acme.example/{app}
        discovery_url: https://acme.example/{realm}/metadata
        endpoints: { jwks: "https://acme.example/keys?appid={app}" }
        issuer_match: { any_of: ["https://old.acme.example/{app}"] }

        """

    @Test("An input can be the client id by default, also where no other key knows it")
    func clientIDByDefault() throws {
        let descriptor = try ResolutionFixture.descriptor(ofClient)
        for (id, inputs, app) in [("a.b~1", [:], "a.b~1"), ("other", [:], "other"), ("a", ["app": "own"], "own")] {
            let provider = try descriptor.resolve(inputs: inputs, clientID: id)
            #expect(provider.issuer == "https://acme.example/\(app)")
            #expect(provider.discoveryURL?.text == "https://acme.example/realm-\(app)/metadata")
            #expect(provider.endpoints[.jwks]?.text == "https://acme.example/keys?appid=\(app)")
            #expect(provider.issuerMatch == .anyOf(["https://old.acme.example/\(app)"]))
            #expect(provider.inputs == ["app": app, "realm": "realm-\(app)"])
        }
        #expect(try descriptor.resolve(inputs: descriptor.exampleInputs()).issuer == "https://acme.example/shop")
    }

    // As before a dynamic registration.
    @Test("An input that is the client id by default is missing as long as nobody knows that id")
    func clientIDUnknown() throws {
        let error = #expect(throws: ResolutionError.self) { try ResolutionFixture.provider(ofClient) }
        #expect(error?.kind == .missingInput && error?.key == "inputs.app")
        #expect(error?.reason.contains("the client id is not known") == true)
        let published = ofClient + "client: { authentication: [none], published_id: everybody }\n"
        #expect(try ResolutionFixture.provider(published).issuer == "https://acme.example/everybody")
        #expect(
            try ResolutionFixture.descriptor(published).resolve(inputs: [:], clientID: "own").issuer
                == "https://acme.example/own")
    }

    @Test(
        "A client id that would be more than one piece of a path is refused", arguments: ["a/b", "..", "a?b", "a%2Fb"])
    func clientIDWithDelimiters(id: String) throws {
        let descriptor = try ResolutionFixture.descriptor(ofClient)
        let error = #expect(throws: ResolutionError.self) { try descriptor.resolve(inputs: [:], clientID: id) }
        #expect(error?.kind == .badInput && error?.key == "inputs.app")
        #expect(error?.reason.contains("client id") == true)
    }

    @Test(
        "Nothing else of the client can be a default",
        arguments: [
            "{client.secret}", "{client.scope}", "{client.redirect_uri}", "{lower(client.id)}", "{client.id|x}",
        ])
    func otherDefaults(template: String) {
        #expect(throws: ResolutionFixture.NoDescriptor.self) {
            try ResolutionFixture.descriptor("inputs: { app: { default: '\(template)' } }\n")
        }
    }

    // A host that could lead elsewhere, or smuggle a second one.
    @Test(
        "Hostname must be a host alone",
        arguments: [
            "", "http://a.example", "http://localhost:8080", "https://", "https://https://a.example", "a.example/path",
            "https://a.example/path", "https://a.example//", "https://a.example/?x=y", "https://user:pass@a.example/",
            "https://a.example\\@b.example", "//a.example", "https:a.example", "a.example?x", "a.example#x",
            "user@a.example", "a b",
            "a.example\n",
            "évil.example", "a.example:99999", "a.example\\b", ":8080", String(repeating: "a", count: 1025),
        ])
    func hostnameMustBeAHostAlone(_ value: String) throws {
        let error = try refusal(["domain": value])
        #expect(error?.kind == .badInput)
        #expect(error?.key == "inputs.domain")
        if value.count > 3 { #expect(error?.reason.contains(value) == false) }
    }

    @Test("The https:// and the final slash of a copied address are ignored")
    func copiedAddress() throws {
        for (value, host) in [
            ("https://a.example", "a.example"), ("HTTPS://a.example/", "a.example"), ("a.example/", "a.example"),
            ("https://a.example:8443/", "a.example:8443"), ("https://[2001:db8::1]:8443/", "[2001:db8::1]:8443"),
        ] {
            let provider = try ResolutionFixture.provider(yaml, inputs: ["domain": value])
            #expect(provider.issuer == "https://\(host)/common")
            #expect(provider.inputs["domain"] == host)
        }
        let yaml = """
            inputs:
              site: { type: host_path }
              name: { default: "{site}", type: text }
              note: { type: text }
            issuer: https://{site}
            token: { headers: { X-Name: "{name}", X-Note: "{note}" } }

            """
        let site = "https://a.example/tracker/"
        let provider = try ResolutionFixture.provider(yaml, inputs: ["site": site, "note": site])
        #expect(provider.issuer == "https://a.example/tracker")
        #expect(
            provider.token.request.headers == [Named("X-Name", "a.example/tracker"), Named("X-Note", site)])
        for value in [
            "https://a.example/x?y=z", "https://u@a.example/x", "http://a.example/x", "https://a.example/x//",
        ] {
            #expect(throws: ResolutionError.self) {
                try ResolutionFixture.provider(yaml, inputs: ["site": value, "note": "x"])
            }
        }
    }

    @Test("Hostname may have a port")
    func hostnameMayHaveAPort() throws {
        let provider = try ResolutionFixture.provider(yaml, inputs: ["domain": "a.example:8443"])
        #expect(provider.issuer == "https://a.example:8443/common")
    }

    @Test(
        "Identifier is one piece of a path",
        arguments: ["a/b", "..", ".", "a?b", "a%2Fb", "a b", "a@b", "é", "a\u{301}"])
    func identifierIsOnePieceOfAPath(_ value: String) throws {
        let descriptor = try ResolutionFixture.descriptor(
            "inputs: { id: { example: x } }\nissuer: https://a.example/{id}\n")
        let error = #expect(throws: ResolutionError.self) { try descriptor.resolve(inputs: ["id": value]) }
        #expect(error?.kind == .badInput)
        _ = try descriptor.resolve(inputs: ["id": "a-b.c_d~1"])
    }

    @Test(
        "Pattern and enum are kept",
        arguments: [
            ["tenant": "x"], ["tenant": "abcdefghi"], ["tenant": "ab1"], ["region": "US"], ["region": "asia"],
        ])
    func patternAndEnumAreKept(_ inputs: [String: String]) throws {
        let error = try refusal(inputs.merging(["domain": "a.example"]) { $1 })
        #expect(error?.kind == .badInput)
    }

    // HTTP-10.
    @Test("Text has no control characters", arguments: ["a\r\nb", "a\u{0}b", "a\u{7F}"])
    func textHasNoControlCharacters(_ value: String) throws {
        #expect(try refusal(["domain": "a.example", "audience": value])?.kind == .badInput)
    }

    @Test(
        "Error names the key",
        arguments: [
            ("issuer: http://a.example\n", "issuer"), ("issuer: \"https://a.example/{x}\"\n", "issuer"),
            ("endpoints: { token: \"http://a.example/\" }\n", "endpoints.token"),
            ("discovery_url: ftp://a.example\n", "discovery_url"),
        ])
    func errorNamesTheKey(_ yaml: String, _ key: String) throws {
        let error = #expect(throws: ResolutionError.self) { try ResolutionFixture.provider(yaml) }
        #expect(error?.key == key)
        #expect(error?.kind == .badURL || error?.kind == .unknownInput)
    }

    @Test("Refresh is shaped as the token request unless it says otherwise")
    func refreshIsShapedAsTheTokenRequestUnlessItSaysOtherwise() throws {
        let provider = try ResolutionFixture.provider(
            "token: { body: json, headers: { X-A: \"1\" }, rename: { client_id: app } }\nrefresh: { body: form }\n")
        #expect(provider.refresh.request.body == .form)
        #expect(provider.refresh.request.headers == [Named("X-A", "1")])
        #expect(provider.refresh.request.rename["client_id"] == "app")
        #expect(provider.token.request.body == .json)
    }

    @Test("An empty key of a grant inherits nothing, also when it is written as JSON and read again")
    func anEmptyKeyInheritsNothing() throws {
        let keys = """
            token: { headers: { X-A: "1" }, rename: { client_id: app }, omit: [redirect_uri], encode: { code: raw } }
            refresh: { headers: {}, omit: [] }
            device: { token: { rename: {}, encode: {} } }

            """
        let first = try ResolutionFixture.descriptor(keys)
        let written = try #require(first.shared.value.json(\.source)).jsonText()
        let again = DescriptorDocument(SourceFile(path: "again.yaml", text: written))
        for descriptor in [first, try #require(again.descriptor, "\(again.diagnostics)")] {
            let provider = try descriptor.resolve()
            #expect(provider.refresh.request.headers == [])
            #expect(provider.refresh.request.omit == [])
            #expect(provider.refresh.request.rename["client_id"] == "app")
            #expect(provider.device.token.request.rename.isEmpty)
            #expect(provider.device.token.request.encode.isEmpty)
            #expect(provider.device.token.request.headers == [Named("X-A", "1")])
        }
    }

    @Test("Example inputs make a test client")
    func exampleInputsMakeASimulatedClient() throws {
        let descriptor = try ResolutionFixture.descriptor(yaml)
        let inputs = descriptor.exampleInputs()
        #expect(inputs["domain"] == "dev.auth.example")
        _ = try descriptor.resolve(inputs: inputs)
    }

    @Test("An input that is the client id by default is that of a test client, unless it has an example or must differ")
    func clientIDOfATestClient() throws {
        let descriptor = try ResolutionFixture.descriptor(
            """
            inputs:
              app: { default: "{client.id}" }
              shop: { default: "{client.id}", example: ours }
              number: { default: "{client.id}", pattern: "[0-9]+" }
            issuer: https://acme.example

            """)
        #expect(descriptor.exampleInputs(clientID: "test") == ["app": "test", "shop": "ours"])
        #expect(descriptor.exampleInputs(["app": "own"], clientID: "test")["app"] == "own")
    }

    @Test("Claims of the descriptor stand beside the standard ones")
    func claimsOfTheDescriptorStandBesideTheStandardOnes() throws {
        let provider = try ResolutionFixture.provider("profile: { claims: { subject: /id, plan: /plan } }\n")
        #expect(provider.profile.claims.first { $0.name == "subject" }?.value == [JSONPointer(tokens: ["id"])])
        #expect(provider.profile.claims.first { $0.name == "email" }?.value == [JSONPointer(tokens: ["email"])])
        #expect(provider.profile.claims.last?.name == "plan")
        #expect(provider.profile.claims.count == 10)
    }
}

@Suite("Template")
struct TemplateTests {
    private func filled(_ source: String, _ values: [String: String] = ["a": "1", "b": "2"]) throws -> String? {
        try Template(source).filled(values)
    }

    @Test("Places are filled")
    func placesAreFilled() throws {
        #expect(try filled("x{a}y{b}") == "x1y2")
        #expect(try filled("{input.a}") == "1")
        #expect(try filled("") == "")
        #expect(try filled("{a}{a}") == "11")
        #expect(try Template("x{a}y{input.b}").inputNames == ["a", "b"])
    }

    @Test("Value is not read as a template")
    func valueIsNotReadAsATemplate() throws { #expect(try filled("{a}", ["a": "{b}"]) == "{b}") }

    @Test("Place without a value fills nothing")
    func placeWithoutAValueFillsNothing() throws { #expect(try filled("x{c}") == nil) }

    @Test(
        "Braces must pair around a name",
        arguments: ["{", "}", "{a", "a}", "{}", "{a b}", "{a-b}", "{{a}}", "{é}", "{input.}", "{a.b}", "{a}}"])
    func bracesMustPairAroundAName(_ source: String) {
        #expect(throws: TemplateError.self) { try Template(source) }
    }
}

extension Template {
    fileprivate func filled(_ values: [String: String]) -> String? { filled { values[$0] } }
}
