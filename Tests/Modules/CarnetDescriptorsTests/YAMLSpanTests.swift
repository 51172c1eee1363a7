import CarnetDescriptors
import Testing

/// The marked stretch of each text is the span of the value at the path.
@Suite("YAML span")
struct YAMLSpanTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var path: [String]
        var isKey = false

        init(_ text: String, _ path: String..., isKey: Bool = false) {
            self.text = text
            self.path = path
            self.isKey = isKey
        }

        var testDescription: String { text.debugDescription }
    }

    static let cases = [
        Case("a: ⟦b⟧\n", "a"),
        Case("⟦a: b\nc: d⟧\n\n# end\n"),
        Case("a:⟦⟧\nb: c\n", "a"),
        Case("a:⟦⟧   # nothing yet\n\nb: c\n", "a"),
        Case("a:⟦⟧", "a"),
        Case("a: ⟦'it''s'⟧ # comment\n", "a"),
        Case("a: ⟦\"x\\ty\"⟧\n", "a"),
        Case("a: ⟦one\n  two⟧  \nb: c\n", "a"),
        Case("a: ⟦|\n  one\n  two⟧\n\n\nb: c\n", "a"),
        Case("a: ⟦>-\n  one\n  # text⟧\n# comment\nb: c\n", "a"),
        Case("a:\n  b: ⟦|\n    one⟧\n  c: d\n", "a", "b"),
        Case("a:\n  ⟦b: c\n  d: e⟧\n\nf: g\n", "a"),
        Case("a:\n  ⟦- b\n  - c⟧\n\nf: g\n", "a"),
        Case("a:\n⟦- b\n- c⟧\nf: g\n", "a"),
        Case("a:\n- ⟦b: c\n  d: e⟧\n- f\n", "a", "0"),
        Case("a:\n-⟦⟧\n- f\n", "a", "0"),
        Case("a: ⟦{ b: c, d: [e] }⟧ # end\n", "a"),
        Case("a: { b: c, d: ⟦[e]⟧ }\n", "a", "d"),
        Case("a: { b:⟦⟧ , d: e }\n", "a", "b"),
        Case("a: { b⟦⟧, d: e }\n", "a", "b"),
        Case("a: &x ⟦b⟧\n", "a"),
        Case("a: &x # the anchor\n  ⟦b: c⟧\nd: e\n", "a"),
        Case("a: !!str ⟦b⟧\n", "a"),
        Case("a: &x ⟦[b]⟧\nc: 1\n", "a"),
        Case("a: &x⟦:b⟧\nc: 1\n", "a"),
        Case("a: &x b\nc: ⟦*x⟧ # again\n", "c"),
        Case("a: &x { b: c }\nc: ⟦*x⟧\nd: e\n", "c"),
        Case("? ⟦a⟧\n: b\n", "a", isKey: true),
        Case("? a⟦⟧\n\nb: c\n", "a"),
        Case("a: ⟦b⟧\r\nc: d\r\n", "a"),
        Case("a: b\r\nc: ⟦d⟧\r\n", "c"),
        Case("a: b\r\nc:\r\n  ⟦- d\r\n  - e⟧\r\n\r\nf: g\r\n", "c"),
        Case("a: ⟦|\r\n  one⟧\r\n\r\nc: d\r\n", "a"),
        Case("a: b\rc: ⟦d⟧\r", "c"),
        Case("\u{FEFF}⟦a⟧: b\n", "a", isKey: true),
        Case("\u{FEFF}# comment\na: ⟦b⟧\n", "a"),
        Case("\u{FEFF}a: ⟦|\n  é🌱⟧\nb: c\n", "a"),
        Case("é: ⟦名前⟧ # comment\n", "é"),
        Case("a: { 👩‍👩‍👧: ⟦x⟧ }\n", "a", "👩‍👩‍👧"),
        Case("a: \"🌱\" # 🌱\nb: ⟦c⟧\n", "b"),
        Case("a: 🌱\nb: ⟦|\n  🌱🌱⟧\n\nc: d\n", "b"),
        Case("a: [ 🌱,\t⟦b⟧\t]\n", "a", "1"),
        Case("a:\t⟦b⟧\t# comment\n", "a"),
        Case("a: {\n\tb: ⟦c⟧\n}\n", "a", "b"),
        Case("{\"a\": ⟦[1, {\"b\": null}]⟧}", "a"),
        Case("---\na: ⟦b⟧\n...\n", "a"),
        Case("a: ⟦\"one\n\n  two\"⟧\nb: c\n", "a"),
        Case("a:\n  - b:\n      ⟦- c⟧\n  - d\n", "a", "0", "b"),
        Case("a: ⟦|+⟧\n\n\nb: c\n", "a"),
    ]

    @Test("A span covers just the text", arguments: cases)
    func aSpanCoversJustTheText(case: Case) throws {
        let example = MarkedExample(`case`.text)
        let document = YAMLReader().read(example.file(named: "spans.yaml"))
        #expect(document.diagnostics == [])
        let root = try #require(document.root)
        let span: SourceSpan?
        if `case`.isKey, let key = `case`.path.last {
            span = root.node(at: `case`.path.dropLast())?.entry(key)?.keySpan
        } else {
            span = root.node(at: `case`.path)?.span
        }
        #expect(span == example.spans.first)
    }

    @Test("Positions and offsets agree with libyaml in a mixed text")
    func positionsAndOffsetsAgreeWithLibyaml() throws {
        let text = "\u{FEFF}é: [🌱, 'x\r\n  y']\r\nb:\n  - \"a\u{301}\"\r  - z # c\n"
        let file = SourceFile(path: "mixed.yaml", bytes: Array(text.utf8))
        let source = SourceText(file)
        let root = try #require(YAMLReader().read(file).root)
        #expect(source.text(in: try #require(root.node(at: ["é", "0"])).span) == "🌱")
        #expect(source.text(in: try #require(root.node(at: ["é", "1"])).span) == "'x\r\n  y'")
        #expect(source.text(in: try #require(root.node(at: ["b", "0"])).span) == "\"a\u{301}\"")
        #expect(source.text(in: try #require(root.node(at: ["b", "1"])).span) == "z")
    }
}
