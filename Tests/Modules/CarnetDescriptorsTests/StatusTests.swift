import CarnetFoundation
import CarnetLint
import Testing

@testable import CarnetDescriptors

@Suite("Status and registration")
struct StatusTests {
    private func document(_ rest: String) -> DescriptorDocument {
        DescriptorDocument(
            SourceFile(
                path: "acme.yaml",
                text: "carnet: 1\nid: acme\nname: Acme\nissuer: https://acme.example\n" + rest))
    }

    @Test("Without a status a provider is open")
    func withoutAStatus() throws {
        #expect(try #require(document("").descriptor).status == .open)
        #expect(try #require(document("status: open\n").descriptor).status == .open)
    }

    @Test("A closed provider has a reason, and a retiring one a date too")
    func statesAreRead() throws {
        let closed = try #require(
            document("status: { closed: partners alone, link: 'https://acme.example/news' }\n").descriptor)
        #expect(closed.status == .closed(because: "partners alone", link: "https://acme.example/news"))
        let retiring = try #require(
            document("status: { retiring: '2027-01-31', because: they sold it }\n").descriptor)
        #expect(retiring.status == .retiring(on: "2027-01-31", because: "they sold it", link: nil))
        #expect(retiring.status.remark == "ends on 2027-01-31")
    }

    @Test(
        "A state without its reason, two states and other words are errors",
        arguments: [
            "closed", "dead", "{}", "{ retiring: '2027-01-31' }", "{ because: they sold it }",
            "{ closed: a, retiring: '2027-01-31', because: b }", "{ closed: a, because: b }", "{ closed: '' }",
            "[open]",
        ])
    func badStates(status: String) {
        #expect(document("status: \(status)\n").descriptor == nil)
    }

    @Test("The names of the console are read")
    func registerIsRead() throws {
        let register = try #require(
            document(
                """
                register:
                  url: https://acme.example/console
                  id: App key
                  secret: App secret
                  notes: [Add the product Login to the app.]

                """
            ).descriptor
        ).register
        #expect(register.url == "https://acme.example/console")
        #expect((register.id, register.secret) == ("App key", "App secret"))
        #expect(register.notes == ["Add the product Login to the app."])
    }
}
