import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import Testing

@Suite("Descriptor draft")
struct DescriptorDraftTests {
    static let metadata: [JSONValue?] = [
        nil, [:], ["scopes_supported": ["openid", "offline_access"]],
        ["token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_post"]],
        [
            "code_challenge_methods_supported": ["plain"], "scopes_supported": "openid",
            "token_endpoint_auth_methods_supported": 5,
        ],
    ]

    @Test("a draft has no finding, whatever the metadata says", arguments: metadata)
    func isLintClean(metadata: JSONValue?) throws {
        for issuer in ["https://id.acme.example", nil] {
            let draft = try #require(DescriptorDraft(id: "acme-two", issuer: issuer, metadata: metadata))
            let report = Linter().lint(files: [SourceFile(path: "acme-two.yaml", text: draft.text)])
            #expect(report.diagnostics.isEmpty, "\(draft.text)\n\(report.diagnostics)")
        }
    }

    @Test("a draft asks for what the server announces")
    func followsMetadata() throws {
        let draft = try #require(
            DescriptorDraft(
                id: "acme",
                issuer: "https://id.acme.example",
                metadata: [
                    "scopes_supported": ["email", "openid", "offline_access"],
                    "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
                ]
            )
        )
        let descriptor = try #require(DescriptorDocument(SourceFile(path: "acme.yaml", text: draft.text)).descriptor)
        #expect(descriptor.scopes.defaults == ["openid", "email"])
        #expect(descriptor.scopes.offline == ["offline_access"])
        #expect(descriptor.client.methods == [.clientSecretPost, .none])
    }

    @Test("a draft without an issuer has what nearly every plain provider needs, and marks each guess")
    func isComplete() throws {
        let draft = try #require(DescriptorDraft(id: "acme", issuer: nil))
        let descriptor = try #require(DescriptorDocument(SourceFile(path: "acme.yaml", text: draft.text)).descriptor)
        #expect(descriptor.endpoints[.userinfo] != nil)
        #expect(descriptor.client.authentication == [.clientSecretPost])
        #expect(descriptor.profile.claims.names == ["subject", "name", "email"])
        let facts = draft.text.split(separator: "\n").filter {
            $0.contains("https://") || $0.contains(": /") || $0.contains("[")
        }
        #expect(!facts.isEmpty && facts.allSatisfy { $0.contains("# guessed") }, "\(draft.text)")
    }

    @Test("what the author knows is no guess")
    func takesFacts() throws {
        var facts = DescriptorDraft.Facts()
        facts.name = "Acme: \"the\" # one"
        facts.authorization = "https://acme.example/a"
        facts.token = "https://acme.example/t"
        facts.userinfo = "https://acme.example/me"
        facts.scopes = ["read", "on"]
        facts.authentication = [.clientSecretBasic]
        facts.subject = JSONPointer("/user/id")
        let draft = try #require(DescriptorDraft(id: "acme", issuer: nil, facts: facts))
        let file = SourceFile(path: "acme.yaml", text: draft.text)
        #expect(Linter().lint(files: [file]).diagnostics == [])
        let descriptor = try #require(DescriptorDocument(file).descriptor)
        #expect(descriptor.name == facts.name)
        #expect(descriptor.endpoints[.userinfo]?.source == facts.userinfo)
        #expect(descriptor.scopes.defaults == ["read", "on"])
        #expect(descriptor.client.authentication == [.clientSecretBasic])
        #expect(descriptor.profile.claims["subject"]?.pointers == [try #require(facts.subject)])
        let guesses = draft.text.split(separator: "\n").filter { $0.contains("guessed") }
        #expect(guesses.count == 2, "\(draft.text)")
    }

    @Test("metadata of an OAuth server without OpenID Connect leaves the profile to the descriptor")
    func followsPlainMetadata() throws {
        let metadata: JSONValue = [
            "authorization_endpoint": "https://id.acme.example/a", "service_documentation": "https://acme.example/docs",
        ]
        let draft = try #require(DescriptorDraft(id: "acme", issuer: "https://id.acme.example", metadata: metadata))
        let file = SourceFile(path: "acme.yaml", text: draft.text)
        #expect(Linter().lint(files: [file]).diagnostics == [])
        let descriptor = try #require(DescriptorDocument(file).descriptor)
        #expect(descriptor.docs == "https://acme.example/docs")
        // Nobody named the host of a profile.
        #expect(descriptor.endpoints[.userinfo] == nil && descriptor.endpoints[.authorization] == nil)
        #expect(descriptor.profile.subject != nil && draft.text.contains("\nprofile: # guessed"))
        #expect(descriptor.scopes.defaults == [])
        var facts = DescriptorDraft.Facts()
        facts.userinfo = "https://api.acme.example/me"
        let told = try #require(
            DescriptorDraft(id: "acme", issuer: "https://id.acme.example", metadata: metadata, facts: facts))
        #expect(told.text.contains("userinfo: \"https://api.acme.example/me\"\n") && !told.text.contains("none:"))
    }

    @Test("metadata decides whether there are ID tokens, or people who sign in, and scopes are as it says")
    func followsWhatIsAnnounced() throws {
        func draft(
            scopes: JSONValue = ["openid", "x"], besides: [String] = ["authorization_endpoint", "jwks_uri"],
            grants: JSONValue = ["authorization_code"]
        ) throws -> (text: String, descriptor: ProviderDescriptor) {
            var metadata = JSONObject()
            for name in ["token_endpoint"] + besides { metadata[name] = .string("https://id.acme.example/" + name) }
            metadata["id_token_signing_alg_values_supported"] = ["RS256"]
            (metadata["scopes_supported"], metadata["grant_types_supported"]) = (scopes, grants)
            let text = try #require(
                DescriptorDraft(id: "acme", issuer: "https://id.acme.example", metadata: .object(metadata))
            ).text
            let file = SourceFile(path: "acme.yaml", text: text)
            #expect(Linter().lint(files: [file]).diagnostics == [], "\(text)")
            return (text, try #require(DescriptorDocument(file).descriptor))
        }
        #expect(try draft().descriptor.scopes.defaults == ["openid"])
        for (text, descriptor) in [
            try draft(scopes: ["x"]), try draft(scopes: ["x"], besides: ["authorization_endpoint"]),
        ] {
            #expect(descriptor.profile.subject != nil && text.contains("default: [] # guessed"), "\(text)")
            #expect(descriptor.scopes.catalog.map(\.id) == ["x"])
        }
        let (text, programs) = try draft(besides: [], grants: ["client_credentials"])
        #expect(!programs.hasSignInPage && programs.grantsWithoutPage == [.clientCredentials], "\(text)")
    }

    @Test("metadata without what a sign-in needs is named, and is no gap for programs")
    func missing() throws {
        func missing(_ metadata: JSONValue) throws -> [String] {
            try #require(DescriptorDraft(id: "acme", issuer: "https://id.acme.example", metadata: metadata))
                .missingEndpoints
        }
        let page: JSONValue = ["authorization_endpoint": "https://id.acme.example/a"]
        #expect(try missing(page) == ["token_endpoint"])
        let token: JSONValue = ["token_endpoint": "https://id.acme.example/t"]
        #expect(try missing(token) == ["authorization_endpoint"])
        let programs: JSONValue = [
            "token_endpoint": "https://id.acme.example/t", "grant_types_supported": ["client_credentials"],
        ]
        #expect(try missing(programs) == [])
        #expect(try #require(DescriptorDraft(id: "acme", issuer: nil)).missingEndpoints == [])
    }

    @Test("a draft says what the server does not announce: the code, or userinfo")
    func saysWhatIsNotAnnounced() throws {
        func text(_ metadata: JSONValue) throws -> String {
            let draft = try #require(DescriptorDraft(id: "acme", issuer: "https://id.acme.example", metadata: metadata))
            #expect(Linter().lint(files: [SourceFile(path: "acme.yaml", text: draft.text)]).diagnostics == [])
            return draft.text
        }
        let algorithms: JSONValue = ["RS256"]
        let implicit = try text([
            "response_types_supported": ["id_token", "token id_token"],
            "id_token_signing_alg_values_supported": algorithms,
        ])
        #expect(
            implicit.contains(
                "issuer: https://id.acme.example # guessed: the server does not announce the response type code"))
        #expect(implicit.contains("\n# The server announces no userinfo endpoint"))
        let hybrid = try text([
            "response_types_supported": ["code id_token"], "userinfo_endpoint": "https://id.acme.example/u",
            "id_token_signing_alg_values_supported": algorithms,
        ])
        #expect(hybrid.contains("issuer: https://id.acme.example\n") && !hybrid.contains("announces no userinfo"))
    }

    @Test("a draft names its scopes, and all that is known of the API and its server")
    func takesFactsOfAnAPI() throws {
        var facts = DescriptorDraft.Facts()
        facts.docs = "https://acme.example/docs"
        facts.refresh = "https://acme.example/r"
        facts.deviceAuthorization = "https://acme.example/d"
        facts.baseURL = "https://api.acme.example"
        facts.catalog = [("openid", nil), ("read:all", "Read: # all")]
        for issuer in ["https://id.acme.example", nil] {
            let draft = try #require(DescriptorDraft(id: "acme", issuer: issuer, facts: facts))
            let file = SourceFile(path: "acme.yaml", text: draft.text)
            #expect(Linter().lint(files: [file]).diagnostics == [], "\(draft.text)")
            let descriptor = try #require(DescriptorDocument(file).descriptor)
            #expect(descriptor.docs == facts.docs && descriptor.api.baseURL?.source == facts.baseURL)
            #expect(descriptor.scopes.catalog.map(\.id) == ["openid", "read:all"])
            #expect(descriptor.scopes.catalog.map(\.title) == [nil, "Read: # all"])
            #expect(descriptor.scopes.defaults == (issuer == nil ? [] : ["openid"]))
            #expect(descriptor.endpoints[.refresh]?.source == (issuer == nil ? facts.refresh : nil))
            #expect(
                descriptor.endpoints[.deviceAuthorization]?.source == (issuer == nil ? facts.deviceAuthorization : nil))
        }
    }

    @Test(
        "an id that YAML reads as a number or a boolean is between quotes",
        arguments: ["12", "yes", "null", "1e5", "n"])
    func ambiguousID(id: String) throws {
        let draft = try #require(DescriptorDraft(id: id, issuer: nil))
        let file = SourceFile(path: "\(id).yaml", text: draft.text)
        #expect(Linter().lint(files: [file]).diagnostics == [], "\(draft.text)")
        #expect(DescriptorDocument(file).descriptor?.id.rawValue == id)
    }

    @Test("what is no id makes no draft", arguments: ["", "Acme", "a b", "a/b", "-a"])
    func badID(id: String) {
        #expect(DescriptorDraft(id: id, issuer: nil)?.text == nil)
    }
}
