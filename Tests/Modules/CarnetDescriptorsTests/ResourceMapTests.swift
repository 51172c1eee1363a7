import CarnetDescriptors
import CarnetFoundation
import Testing

@Suite("Resource map")
struct ResourceMapTests {
    private static let entries = """
        resources:
          - { id: transfer, scope: openid, title: Transfer, url: "http://localhost:8080/banking/transfer" }
          - { scope: email, title: Balance, url: "http://localhost:8080/banking/balance" }
          - { scope: profile, title: Some name, url: "http://localhost:8080/pets/pet/2" }
          - { scope: phone, title: Phone, url: "http://localhost:8080/pets/pet/1" }

        """

    private func open(_ granted: [String], _ yaml: String = entries) throws -> [String] {
        ResourceMap(of: try ResolutionFixture.provider(yaml)).open(granted: granted).map(\.title)
    }

    // The sample system's own behaviour: file order, one entry a scope.
    @Test("Granted scopes open their entries in file order")
    func grantedScopesOpenTheirEntriesInFileOrder() throws {
        #expect(try open(["email", "openid", "profile"]) == ["Transfer", "Balance", "Some name"])
        #expect(try open(["email", "openid"]) == ["Transfer", "Balance"])
        #expect(try open([]) == [])
    }

    // Whole tokens, case and all.
    @Test(
        "Scope that only looks like it opens nothing",
        arguments: ["email_extra", "Email", "EMAIL", "read:email", "emai", "email ", "", "e-mail", "email,openid"])
    func scopeThatOnlyLooksLikeItOpensNothing(_ scope: String) throws {
        #expect(try open([scope]) == [])
    }

    @Test("Requested granted and needed are apart")
    func requestedGrantedAndNeededAreApart() throws {
        let access = ResourceMap(of: try ResolutionFixture.provider(Self.entries)).access(granted: ["openid"])
        #expect(access.map(\.missing) == [[], ["email"], ["profile"], ["phone"]])
        #expect(access.map(\.isOpen) == [true, false, false, false])
    }

    @Test("All of and any of")
    func allOfAndAnyOf() throws {
        let yaml = """
            resources:
              - { title: Both, all_of: [a, b], url: "https://x.example/" }
              - { title: Either, any_of: [c, d], url: "https://x.example/" }
              - { title: Mixed, scope: a, any_of: [c, d], url: "https://x.example/" }
              - { title: Free, url: "https://x.example/" }

            """
        func missing(_ granted: [String]) throws -> [[String]] {
            ResourceMap(of: try ResolutionFixture.provider(yaml)).access(granted: granted).map(\.missing)
        }
        #expect(try missing([]) == [["a", "b"], ["c"], ["a", "c"], []])
        #expect(try missing(["a", "d"]) == [["b"], [], [], []])
        #expect(try missing(["a", "b", "c"]) == [[], [], [], []])
    }

    @Test("Granted scope brings what it implies")
    func grantedScopeBringsWhatItImplies() throws {
        let yaml =
            Self.entries
                + """
                scopes:
                  catalog:
                    - { id: admin, implies: [user] }
                    - { id: user, implies: [email, admin] }

                """
        #expect(try open(["admin"], yaml) == ["Balance"])
        #expect(try open(["email"], yaml) == ["Balance"])
        #expect(try open(["administrator"], yaml) == [])
    }

    @Test("Resource is found by its ID else by a title that is unique")
    func resourceIsFoundByItsIDElseByATitleThatIsUnique() throws {
        let yaml = Self.entries + "  - { scope: x, title: Phone, url: \"https://x.example/\" }\n"
        let map = ResourceMap(of: try ResolutionFixture.provider(yaml))
        #expect(map.resource(named: "transfer")?.title == "Transfer")
        #expect(map.resource(named: "Balance")?.target.path == "/banking/balance")
        #expect(map.resource(named: "Phone") == nil)
        #expect(map.resource(named: "balance") == nil)
    }

    // A bad URL is an error with its place, not a crash at the button.
    @Test(
        "Bad URL is an error that names the entry",
        arguments: ["http://bank.example/x", "bank", "https://user@bank.example/"])
    func badURLIsAnErrorThatNamesTheEntry(_ url: String) {
        let error = #expect(throws: ResolutionError.self) {
            try ResolutionFixture.provider("resources: [{ scope: a, title: A, url: \"\(url)\" }]\n")
        }
        #expect(error?.kind == .badURL)
        #expect(error?.key == "resources.0.url")
    }

    private func file(_ text: String) -> ResourceMapFile {
        ResourceMapFile(SourceFile(path: "map.json", bytes: Array(text.utf8)))
    }

    // The sample's scopeData.json, unchanged.
    @Test("File of the sample's form is read")
    func fileOfTheSamplesFormIsRead() throws {
        let file = file(
            #"[{"scope":"openid","title":"Transfer","url":"http://localhost:8080/banking/transfer"},{"scope":"email","title":"Balance","url":"http://localhost:8080/banking/balance"}]"#
        )
        #expect(file.diagnostics.isEmpty)
        let descriptor = try ResolutionFixture.descriptor("")
        let resources = try file.resources(for: try descriptor.resolve(), of: descriptor)
        #expect(resources.map(\.title) == ["Transfer", "Balance"])
        #expect(
            ResourceMap(resources, scopes: try descriptor.resolve().scopes).open(granted: ["email"]).map(\.title) == [
                "Balance"
            ])
    }

    @Test("File with errors keeps its good entries and reports the places")
    func fileWithErrorsKeepsItsGoodEntriesAndTellsThePlaces() {
        let file = file(
            #"[{"scope":"a","title":"A","url":"https://x.example/"},{"scope":"b","titel":"B","url":"https://x.example/"}]"#
        )
        #expect(file.entries.map(\.title).contains("A"))
        #expect(!file.diagnostics.isEmpty)
        #expect(file.diagnostics.allSatisfy { $0.span.start.line == 1 })
    }
}
