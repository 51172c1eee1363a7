import CarnetDescriptors
import CarnetLint
import CarnetSimulation
import Testing

@Suite("Sample simulator")
struct SampleSimulatorTests {
    private func lint(_ text: String, _ simulator: SampleSimulator? = SampleSimulator()) -> [String] {
        Linter(simulator: simulator).lint(files: [MarkedExample(completing: text).file(named: "acme.yaml")])
            .diagnostics.map { "\($0.code): \($0.message)" }
    }

    /// A request that the engine does not build. Rules about the file alone do not decode names in URLs.
    private static let repeated = """
        endpoints:
          authorization: https://id.acme.example/authorize?audienc%65=x
          token: https://id.acme.example/token
        authorization: { parameters: { audience: z } }

        """

    @Test("The requests of a descriptor without samples are built, too")
    func aDescriptorWithoutSamples() {
        #expect(lint(Self.repeated, nil) == [])
        #expect(
            lint(Self.repeated) == [
                "R002: the engine cannot build the authorization request: the endpoint's URL already has the parameter \"audience\""
            ])
    }

    @Test(
        "A secret that signs is long enough",
        arguments: [
            "client: { authentication: [client_secret_jwt] }", "id_token: { hs256: 'https://acme.example/docs' }",
            "client: { authentication: [client_secret_jwt], assertion: { algorithm: HS512 } }",
        ])
    func aSecretThatSignsIsLong(keys: String) {
        let found = lint("scopes: { default: [openid] }\n\(keys)\n")
        #expect(found == [])
    }

    @Test("What only an environment breaks is found at the name of the environment, once for each")
    func onlyInAnEnvironment() {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: '{token.account}'
            token: { response: { capture: { account: { from: /account, example: 'https://api.acme.example/1' } } } }
            trusted_hosts: [api.acme.example]
            profile: { claims: { subject: /id } }
            samples:
              token: { access_token: x, token_type: bearer, account: 'https://api.acme.example/1' }
              userinfo: { id: 1 }
            environments:
              good: { trusted_hosts: [api.acme.example, api.good.example] }
              hosts: { trusted_hosts: [api.hosts.example] }
              claims: { profile: { root: /data } }

            """
        let found = Linter(simulator: SampleSimulator()).diagnostics(in: [SourceFile(path: "acme.yaml", text: text)])
        #expect(found.map(\.code) == ["R002", "T003"], "\(found)")
        #expect(found.map(\.line) == [16, 17])
        let message = found.first?.message ?? ""
        #expect(message.hasPrefix("in the environment hosts, the engine cannot build the userinfo request"), "\(found)")
        #expect(message.hasSuffix("the host api.acme.example is not among trusted_hosts"))
    }

    @Test("A sample with tokens that are bound to a key is one of a client with a key")
    func boundTokens() {
        let sample = "samples: { token: { access_token: redacted, token_type: DPoP, expires_in: 600 } }\n"
        #expect(lint("client: { dpop_bound_access_tokens: true }\n" + sample) == [])
        #expect(lint(sample).map { $0.prefix(4) } == ["T004"])
    }

    @Test("A subject in no element of a list is found once, with what the element must have")
    func subjectInNoElement() {
        let found = lint(
            """
            profile: { claims: { subject: { root: /ids, where: { kind: main }, first: /id } } }
            samples: { userinfo: { ids: [{ kind: other, id: 7 }] } }

            """)
        #expect(found.map { $0.prefix(4) } == ["T003"])
        #expect(found.first?.hasSuffix("with kind main, at /id") == true, "\(found)")
    }

    @Test("A sample of a callback without code and state is told to have them, by the provider's names")
    func incompleteCallback() {
        let text = "callback: { rename: { code: auth_code } }\nsamples: { callback: { shop: a } }\n"
        let found = Linter(simulator: SampleSimulator())
            .lint(files: [MarkedExample(completing: text).file(named: "acme.yaml")]).diagnostics
        #expect(found.map(\.code) == ["R004"])
        #expect(found.first?.help?.hasPrefix("add auth_code and state: ") == true, "\(found)")
    }

    @Test("A kept value that is an object is named with its place and its type")
    func keptObject() {
        let found = lint(
            """
            token: { response: { capture: { team: /team } } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 60, team: { id: 1 } } }

            """)
        let message = "the response's \"team\" at /team is an object, not a text or a number"
        #expect(found == ["T004: the engine rejects samples.token: \(message)"])
    }

    @Test("A lifetime of twenty years is one, and a point in time is none")
    func aLifetimeOfTwentyYears() {
        let start = "samples: { token: { access_token: redacted, token_type: Bearer, expires_in: "
        #expect(lint(start + "631138518 } }\n") == [])
        #expect(lint(start + "1000000000 } }\n").map { $0.prefix(4) } == ["T005"])
    }

    @Test("Three weeks are milliseconds, unless the descriptor says seconds", arguments: ["token", "refresh"])
    func writtenUnit(section: String) {
        let sample = "samples: { \(section): { access_token: redacted, token_type: Bearer, expires_in: NUMBER } }\n"
        let milliseconds = sample.replacing("NUMBER", with: "1800000")
        #expect(lint(milliseconds).map { $0.prefix(4) } == ["T005"])
        let unit = "token: { response: { expires: seconds } }\n"
        #expect(lint(unit + milliseconds) == [])
        #expect(lint(unit + sample.replacing("NUMBER", with: "1795255200")).map { $0.prefix(4) } == ["T005"])
    }

    @Test("One cause is reported once, and not beside the error that it follows from")
    func oneCauseIsReportedOnce() {
        let broken = Self.repeated + "scopes: { default: ['a b'] }\n"
        let found = lint(broken)
        #expect(!found.isEmpty && !found.contains { $0.hasPrefix("R002") }, "\(found)")
    }

    @Test("Without a simulation a suppression of its findings is not called unused")
    func withoutASimulationASuppression() {
        let suppressed = "# carnet-lint-disable T004: redacted too well\nscopes: { default: [openid] }\n"
        #expect(lint(suppressed, nil) == [])
        #expect(lint(suppressed).map { $0.prefix(4) } == ["D021"])
    }

    @Test("A form-encoded response is validated as one")
    func aFormEncodedResponseIsValidated() {
        let sample = """
            token: { response: { format: form } }
            scopes: { default: [read, write] }
            samples:
              token: { access_token: redacted, scope: 'read write', token_type: bearer, expires_in: 600 }
              expect: { scopes: [read, write], expires_in: 601 }

            """
        #expect(lint(sample) == ["R005: the samples result in another value: the token is valid for 600 seconds"])
    }

    @Test(
        "A sample that is a text is a body in the format that the descriptor says",
        arguments: [
            ("claims: { subject: /userid }", "<user userid=\"U1\"/>", "T004"),
            ("format: json, claims: { subject: /userid }", "<html><body>Error</body></html>", "T004"),
            ("format: json, claims: { subject: /id }", "id=7&name=Ada", "T004"),
            ("claims: { subject: /id }", "id=7&name=Ada", "T004"),
            ("format: form, claims: { subject: /userid }", "id=7&name=Ada", "T003"),
            ("format: form, claims: { subject: /id }", "id=7&name=Ada", nil),
            ("claims: { subject: /userid }", "{\"id\":7}", "T003"),
            ("claims: { subject: /id }", "{\"id\":7}", nil),
            ("format: jsonp, claims: { subject: /id }", "callback( {\"id\":7} );", nil),
            ("format: guarded, claims: { subject: /id }", "&&&START&&&{\"id\":7}", nil),
        ])
    func textSample(profile: String, body: String, code: String?) {
        let endpoints = """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              userinfo: https://id.acme.example/me

            """
        let found = lint(endpoints + "profile: { \(profile) }\nsamples: { userinfo: '\(body)' }\n")
        #expect(found.map { String($0.prefix(4)) } == [code].compactMap { $0 }, "\(found)")
    }

    @Test(
        "The same holds for the sample of a further request",
        arguments: [
            ("", "<user name=\"Ada\"/>", "T004"), ("", "name=Ada", "T004"), ("format: form, ", "name=Ada", nil),
            ("", "{\"name\":\"Ada\"}", nil), ("", "{\"nom\":\"Ada\"}", "T003"),
        ])
    func textSampleOfRequest(format: String, body: String, code: String?) {
        let found = lint(
            """
            profile:
              requests: [{ url: 'https://id.acme.example/name', \(format)claims: { nick: /name }, sample: '\(body)' }]
            samples: { userinfo: { sub: '1' } }

            """)
        #expect(found.map { String($0.prefix(4)) } == [code].compactMap { $0 }, "\(found)")
    }

    @Test("A sample that is no text is a body in the format that the descriptor says", arguments: ["jsonp", "guarded"])
    func encodedSample(format: String) {
        let found = lint(
            """
            token: { response: { format: \(format) } }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 600 } }

            """)
        #expect(found == [])
    }

    @Test("Each environment is simulated with what it says itself")
    func eachEnvironmentIsSimulatedWithWhat() {
        let text = """
            environments:
              sandbox: { token: { response: { root: /data } }, samples: { token: { access_token: a,
                  token_type: Bearer } } }

            """
        #expect(
            lint(text) == [
                "T004: the engine rejects samples.token: the response has no object where the fields should be"
            ])
    }

    @Test("A claim of the token response is looked for where the engine looks for it")
    func aClaimOfTheTokenResponse() {
        let text = """
            profile: { from: token, root: /athlete, claims: { subject: /id, name: /nickname } }
            samples:
              token: { access_token: redacted, token_type: Bearer, athlete: { id: 12, nick_name: ada } }
              expect: { claims: { subject: 12 } }

            """
        #expect(lint(text) == ["T013: /nickname finds nothing in samples.token"])
    }

    @Test("An input in a pointer is used, and the samples are read at the place that it names")
    func inputOfPointer() {
        func found(_ key: String, _ more: String = "", member: String = "ref") -> [String] {
            lint(
                """
                inputs: { user_key: { type: text, example: \(key) } }
                profile: { claims: { subject: "/{user_key}" } }
                samples: { userinfo: { id: 7, \(member): 7, user: { uid: 8 } } }
                \(more)
                """)
        }
        #expect(found("id") == [] && found("/user/uid") == [])
        #expect(found("uuid") == ["T003: /uuid finds nothing in samples.userinfo"])
        #expect(
            lint(
                "inputs: { key: { type: text } }\nprofile: { claims: { subject: '/{key}' } }\nsamples: { userinfo: {} }\n"
            )
                == ["R001: Carnet cannot simulate the descriptor, because \"key\" has no example"])
        // The rule about the subject of an ID token reads the sample, too.
        let scopes = "scopes: { default: [openid] }"
        let warned = "T071: the subject may differ from the ID token's sub"
        #expect(found("id", scopes) == [warned] && found("id", scopes, member: "sub") == [])
        #expect(
            found("id", #"refresh: { response: { fields: { scope: "/{user_key}" } } }"# + "\n")
                == ["K124: {user_key} is not filled here"])
    }

    private func help(_ text: String) -> [String] {
        Linter(simulator: SampleSimulator()).lint(files: [MarkedExample(completing: text).file(named: "acme.yaml")])
            .diagnostics.map { "\($0.code): \($0.message); \($0.help ?? "")" }
    }

    @Test("A finding quotes what would not show, and says nothing of a session or of another cause")
    func words() {
        let list = "profile: { claims: { subject: /id, groups: { root: /teams, each: [/id, /x] } } }\n"
        #expect(
            help(list + "samples: { userinfo: { id: 7, teams: [{ name: a }] } }\n")
                == ["T013: /id, /x finds nothing in the list of samples.userinfo; "])
        let whole = list.replacing("[/id, /x]", with: "''")
        #expect(help(whole + "samples: { userinfo: { id: 7, teams: [{ name: a }] } }\n") == [])
        #expect(
            help(
                whole.replacing("{ claims", with: "{ from: token, claims")
                    + "samples: { token: { access_token: a, token_type: Bearer, id: 7, teams: [{ name: a }] } }\n"
            )
            .contains { $0.hasPrefix("T013: a value of another type cannot be groups") })
        let blank = "samples: { userinfo: { sub: '7', name: ' ' }, expect: { claims: { name: Ada } } }\n"
        #expect(lint(blank) == ["R005: the samples result in another value: the claim name is \" \""])
        let refused = help("samples: { refresh: '{\"access_token\":' }\n")
        #expect(
            refused.count == 1 && refused.allSatisfy { $0.hasPrefix("T004") && !$0.contains("session") }, "\(refused)")
        for (code, meaning) in [
            ("Unauthorized", "invalid_client"), ("bad_client_secret", "invalid_client"), ("used", "invalid_grant"),
        ] {
            let found = help("samples: { error: { error: \(code) } }\n")
            #expect(found.count == 1 && found[0].contains("codes: { \"\(code)\": \(meaning) }"), "\(found)")
        }
    }

    @Test("A value that a sign-in needs is in the sample, whether or not it has an example")
    func neededValue() {
        for more in ["", ", example: s1"] {
            let capture = "capture: { site: { from: /blog/id\(more) } }"
            #expect(
                help(
                    "token: { response: { \(capture) } }\n"
                        + "samples: { token: { access_token: a, token_type: Bearer, expires_in: 3600, blog: { ID: 1 } } }\n"
                ) == [
                    "T004: the engine rejects samples.token: the response has no \"site\" at /blog/id; did you mean /blog/ID?"
                ])
            let step =
                "exchange: { x: { url: 'https://a.example/x', brings: values, \(capture), sample: { blog: { ID: 1 } } } }\n"
            let found = help(step)
            #expect(found.count == 1 && found[0].hasPrefix("T004") && found[0].hasSuffix("did you mean /blog/ID?"))
            // A refresh keeps the value of the first response.
            let again =
                "refresh: { response: { \(capture) } }\nsamples: { refresh: { access_token: a, token_type: Bearer, expires_in: 3600 } }\n"
            #expect(help(again) == [])
        }
    }

    @Test(
        "What prevents a request has advice",
        arguments: [DiagnosticExplanation.requestNotMade, .inputWithoutExample].flatMap(\.bad))
    func adviceAboutRequests(example: String) {
        let found = help(example)
        #expect(!found.isEmpty && found.allSatisfy { !$0.hasSuffix("; ") }, "\(found)")
    }

    @Test(
        "Advice about a sample of an error is about the reason why it has no code",
        arguments: [
            ("{ message: expired }", "set its place: token: { response: { errors: { error: /... } } }"),
            ("'{\"message\":\"expired\"}'", "set its place: token: { response: { errors: { error: /... } } }"),
            ("'error=invalid_grant'", "add token: { response: { format: form } }"),
            ("'callback({\"error\":\"invalid_grant\"});'", "add token: { response: { format: jsonp } }"),
            ("\")]}'{\\\"error\\\":\\\"invalid_grant\\\"}\"", "add token: { response: { format: guarded } }"),
            ("' bad code '", "codes: { \"bad code\": invalid_grant } } } }"), ("<html></html>", "or as the whole text"),
        ])
    func errorWithoutCode(sample: String, advice: String) {
        let found = help("samples:\n  error: \(sample)\n")
        #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("T007") && $0.hasSuffix(advice) }, "\(found)")
    }

    @Test("A subject that is not mapped has one finding, which the sample decides")
    func subjectNotMapped() {
        let api =
            "endpoints: { authorization: https://a.example/a, token: https://a.example/t, userinfo: https://a.example/u }\n"
        func found(_ member: String) -> [String] {
            lint(api + "profile: { claims: { name: /login } }\nsamples: { userinfo: { \(member): 7, login: ada } }\n")
        }
        #expect(found("sub") == [] && found("id") == ["T003: the sample has no subject at /sub"])
    }

    @Test("An empty claim is expected as null, and another pointer is read in its place")
    func emptyClaim() {
        func found(_ name: String, pointers: String = "/full_name") -> [String] {
            lint(
                """
                profile: { claims: { subject: /id, name: \(pointers) } }
                samples:
                  userinfo: { id: 7, full_name: "", login: ada }
                  expect: { claims: { name: \(name) } }

                """)
        }
        #expect(found("null") == [] && found("ada", pointers: "[/full_name, /login]") == [])
        #expect(found(#""""#) == ["R005: the samples result in another value: the claim name is missing"])
    }

    @Test("An expectation about what no sample says is reported")
    func anExpectationAboutWhatNoSample() {
        let text = """
            samples:
              token: { access_token: redacted, token_type: Bearer }
              expect: { scopes: [read], expires_in: 3600 }

            """
        #expect(
            lint(text) == [
                "R005: the samples result in another value: the granted scopes are as requested",
                "R005: the samples result in another value: the token has no expiry",
            ])
    }
}
