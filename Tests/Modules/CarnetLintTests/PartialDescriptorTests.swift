import CarnetDescriptors
import CarnetLint
import Testing

/// One run tells everything that can be reported, also beside an error of shape.
@Suite("Partial descriptor")
struct PartialDescriptorTests {
    private func codes(_ text: String) -> [String] {
        Linter().lint(files: [SourceFile(path: "acme.yaml", text: text)]).diagnostics.map(\.code)
    }

    private static let head = "carnet: 1\nid: acme\nname: Acme\n"

    @Test("Values are validated beside an unknown key")
    func valuesAreValidatedBesideAnUnknown() {
        #expect(codes(Self.head + "issuer: http://id.acme.example\nscope: {}\n").sorted() == ["E001", "K001"])
    }

    @Test("What an error may have left out is not missed")
    func whatAnErrorMayHaveLeft() {
        // The endpoints are misspelled, not missing.
        #expect(codes(Self.head + "endpoint: { token: https://acme.example/token }\n") == ["K001"])
    }

    @Test("A comment is not called unused where its rule was not asked")
    func aCommentIsNotCalledUnused() {
        #expect(codes(Self.head + "# carnet-lint-disable E008: the form is odd\nendpoint: {}\n") == ["K001"])
    }

    @Test("An unknown parent is reported beside other errors")
    func anUnknownParentIsReportedBeside() {
        #expect(codes(Self.head + "extends: nosuch\nscope: {}\n").sorted() == ["K001", "K020"])
    }
}
