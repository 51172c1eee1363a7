import CarnetDescriptors
import Testing

@Suite struct YAMLReaderTests {
    private func read(_ text: String, limits: YAMLLimits = .init()) -> YAMLDocument {
        YAMLReader(limits: limits).read(SourceFile(path: "test.yaml", bytes: Array(text.utf8)))
    }

    private func read(bytes: [UInt8]) -> YAMLDocument {
        YAMLReader().read(SourceFile(path: "test.yaml", bytes: bytes))
    }

    // MARK: Values

    @Test func `keys keep their order and scalars their style`() throws {
        let root = try #require(read("b: true\na: 'true'\nc: 1.50\nd:\n").root)
        #expect(root.entries?.map(\.key) == ["b", "a", "c", "d"])
        #expect(root.entry("b")?.value.scalar?.boolean == true)
        #expect(root.entry("a")?.value.scalar?.boolean == nil)
        #expect(root.entry("c")?.value.scalar?.number == "1.50")
        #expect(root.entry("d")?.value.scalar?.isNull == true)
    }

    @Test func `words of YAML 1_1 are plain strings`() throws {
        let root = try #require(read("on: yes\n").root)
        #expect(root.entry("on")?.value.scalar?.boolean == nil)
        #expect(root.entry("on")?.value.scalar?.text == "yes")
    }

    @Test func `an escaped null byte is part of the text`() throws {
        let root = try #require(read(#"a: "x\0y""#).root)
        #expect(root.entry("a")?.value.scalar?.text == "x\0y")
    }

    @Test func `the str tag makes a string of a number`() throws {
        let root = try #require(read("a: !!str 42\n").root)
        #expect(root.entry("a")?.value.scalar?.integer == nil)
    }

    @Test func `JSON is YAML`() throws {
        let document = read("[\n\t{\"scope\": \"email\", \"url\": \"https://api.example/a?b=c#d\"}\n]\n")
        #expect(document.diagnostics == [])
        #expect(document.root?.node(at: ["0", "url"])?.scalar?.text == "https://api.example/a?b=c#d")
    }

    @Test func `a mapping of many keys keeps all of them and finds the duplicate`() throws {
        let text = (0..<100).map { "k\($0): \($0)\n" }.joined() + "k7: again\n"
        let document = read(text)
        #expect(document.root?.entries?.count == 100)
        #expect(document.diagnostics.map(\.code) == ["D008"])
        #expect(document.diagnostics.first?.related.first?.span.start.line == 8)
    }

    // MARK: Aliases

    @Test func `an alias repeats the value at its own place`() throws {
        let root = try #require(read("a: &x { b: [c] }\nd: *x\n").root)
        let alias = try #require(root.entry("d")?.value)
        #expect(alias.content == root.entry("a")?.value.content)
        #expect(alias.span.start == SourcePosition(line: 2, column: 4))
    }

    @Test func `the latest anchor of a name counts`() throws {
        let root = try #require(read("a: &x 1\nb: &x 2\nc: *x\n").root)
        #expect(root.entry("c")?.value.scalar?.text == "2")
    }

    @Test func `an anchor before a key names the key`() throws {
        let root = try #require(read("&k name: Acme\ntitle: *k\n").root)
        #expect(root.entry("title")?.value.scalar?.text == "name")
    }

    @Test func `a value with an undefined alias is left out and the rest stays`() throws {
        let document = read("a: *x\nb: 1\nc: [*y, 2]\n")
        #expect(document.diagnostics.map(\.code) == ["D012", "D012"])
        #expect(document.root?.entries?.map(\.key) == ["b", "c"])
        #expect(document.root?.node(at: ["c", "0"])?.scalar?.text == "2")
    }

    @Test func `an alias bomb ends quickly and with a finding`() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...60 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        let clock = ContinuousClock()
        var document: YAMLDocument?
        let time = clock.measure { document = read(text) }
        #expect(document?.root == nil)
        #expect(document?.diagnostics.map(\.code) == ["D014"])
        #expect(time < .seconds(10))
    }

    @Test func `aliases cannot build what is too deep to write`() {
        var text = "a0: &a0 [x]\n"
        for level in 1...70 { text += "a\(level): &a\(level) [*a\(level - 1)]\n" }
        let document = read(text)
        #expect(document.root == nil)
        #expect(document.diagnostics.map(\.code) == ["D013"])
    }

    // MARK: Limits

    @Test(arguments: ["[", "- ", "{a: ", "? "])
    func `a hundred thousand nested collections end at the depth limit`(opening: String) {
        let clock = ContinuousClock()
        var document: YAMLDocument?
        let text = String(repeating: opening, count: 100_000)
        let time = clock.measure { document = read(text) }
        #expect(document?.root == nil)
        #expect(document?.diagnostics.map(\.code) == ["D013"])
        #expect(time < .seconds(10))
    }

    @Test func `places in one long line cost no more than in many`() {
        let text = "x: { " + (0..<20_000).map { "é\($0): , a\($0):  " }.joined(separator: ",") + " }"
        let clock = ContinuousClock()
        var document: YAMLDocument?
        let time = clock.measure { document = read(text) }
        #expect(document?.diagnostics == [])
        #expect(document?.root?.node(at: ["x"])?.entries?.count == 40_000)
        #expect(time < .seconds(20))
    }

    @Test func `many tag directives cost no more than their lines`() {
        let text = (0..<20_000).map { "%TAG !t\($0)! x:\n" }.joined() + "---\na: b\n"
        let clock = ContinuousClock()
        var document: YAMLDocument?
        let time = clock.measure { document = read(text) }
        #expect(document?.diagnostics.map(\.code) == ["D011"])
        #expect(time < .seconds(10))
    }

    @Test func `a directive between two documents is found too`() {
        let document = read("a: b\n...\n%TAG !t! x:\n---\nc: d\n")
        #expect(document.diagnostics.map(\.code) == ["D011", "D006"])
    }

    @Test func `a percent sign inside a text is no directive`() {
        let document = read("a: 'x\n%y'\n")
        #expect(document.diagnostics == [])
    }

    @Test func `the YAML directive is accepted`() {
        #expect(read("%YAML 1.2\n---\na: b\n").diagnostics == [])
    }

    @Test func `a file past the size limit is not read`() {
        let document = read("a: 1\n", limits: YAMLLimits(maximumBytes: 4))
        #expect(document.root == nil)
        #expect(document.diagnostics.map(\.code) == ["D003"])
    }

    @Test func `the value limit counts every value`() {
        #expect(read("[a, b, c]", limits: YAMLLimits(maximumNodes: 4)).diagnostics == [])
        let document = read("[a, b, c]", limits: YAMLLimits(maximumNodes: 3))
        #expect(document.diagnostics.map(\.code) == ["D014"])
        #expect(document.diagnostics.first?.span.start.column == 8)
    }

    @Test func `a text past its limit has a finding and the rest is read`() {
        let document = read("a: xxxx\nb: yyyyy\nb: z\n", limits: YAMLLimits(maximumScalarBytes: 4))
        #expect(document.diagnostics.map(\.code) == ["D015", "D008"])
        #expect(document.root != nil)
    }

    // MARK: Bad input

    @Test func `all problems are found in one pass`() {
        let document = read(
            """
            carnet: 1
            id: acme
            id: other
            token: &t { body: form, body: json }
            refresh:
              <<: *t
              [x]: y
            name: !!binary QQ==
            api: *nothing
            """
        )
        #expect(document.diagnostics.map(\.code) == ["D008", "D008", "D010", "D009", "D011", "D012"])
        #expect(document.root?.entry("id")?.value.scalar?.text == "acme")
        #expect(document.root?.entry("refresh")?.value.entries?.isEmpty == true)
    }

    @Test func `findings before a syntax error are kept and the nodes are not`() {
        let document = read("a: 1\na: 2\nb: [\n")
        #expect(document.root == nil)
        #expect(document.diagnostics.map(\.code) == ["D008", "D004"])
    }

    @Test func `only the first of two documents is read`() {
        let document = read("a: 1\n---\nb: [\n")
        #expect(document.diagnostics.map(\.code) == ["D006"])
        #expect(document.root?.entry("a") != nil)
    }

    @Test func `a binary file is told at its first bad byte`() {
        let document = read(bytes: [0x61, 0x3A, 0x20, 0xC3, 0xA9, 0xFF, 0x0A, 0xFE])
        #expect(document.root == nil)
        #expect(document.diagnostics.map(\.code) == ["D001"])
        #expect(document.diagnostics.first?.message == "the byte 0xFF is not UTF-8")
        #expect(document.diagnostics.first?.span.start == SourcePosition(line: 1, column: 5))
        #expect(document.diagnostics.first?.help?.contains("1 more such place") == true)
    }

    @Test func `an executable is not taken for text`() {
        let document = read(bytes: [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0xFF, 0x80])
        #expect(document.root == nil)
        #expect(Set(document.diagnostics.map(\.code)) == ["D001", "D002"])
    }

    @Test(
        arguments: [
            [0x61, 0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80], [0x80],
            [0xE2, 0x82],
        ] as [[UInt8]])
    func `overlong, surrogate and cut off sequences are not UTF-8`(bytes: [UInt8]) {
        #expect(read(bytes: bytes).diagnostics.map(\.code) == ["D001"])
    }

    @Test(
        arguments: [
            [0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61], [0x61, 0x00, 0x3A, 0x00], [0x00, 0x61, 0x00, 0x3A],
        ] as [[UInt8]])
    func `UTF-16 is named as such`(bytes: [UInt8]) {
        let diagnostics = read(bytes: bytes).diagnostics
        #expect(diagnostics.map(\.message) == ["the file is encoded in UTF-16"])
        #expect(diagnostics.first?.help == "save it as UTF-8")
    }

    @Test(
        arguments: [
            [0xFF, 0xFE, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00], [0x00, 0x00, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0x61],
            [0x61, 0x00, 0x00, 0x00, 0x3A, 0x00, 0x00, 0x00], [0x00, 0x00, 0x00, 0x0A, 0x00, 0x00, 0x00, 0x61],
        ] as [[UInt8]])
    func `UTF-32 is named as such`(bytes: [UInt8]) {
        #expect(read(bytes: bytes).diagnostics.map(\.message) == ["the file is encoded in UTF-32"])
    }

    @Test func `a byte order mark belongs at the start alone`() {
        #expect(read("\u{FEFF}a: b\n").diagnostics == [])
        let found = read("\u{FEFF}\u{FEFF}a: b\n").diagnostics
        #expect(
            found.map(\.description) == [
                "test.yaml:1:1: error: a byte order mark is not at the start of the file [D002]"
            ])
    }

    @Test func `a null byte is told with its place`() {
        let document = read("a: b\nc: d\0e\n")
        #expect(document.diagnostics.map(\.message) == ["the file contains a null byte"])
        #expect(document.diagnostics.first?.span.start == SourcePosition(line: 2, column: 5))
    }

    @Test func `more tabs below are counted`() {
        let document = read("a:\n\tb: 1\n\tc: 2\n\td: 3\n")
        #expect(document.diagnostics.map(\.code) == ["D005"])
        #expect(document.diagnostics.first?.help == "use spaces; 2 more lines below start with a tab")
    }

    @Test func `a syntax error names where its list began`() {
        let document = read("scopes:\n  default: [openid,\n    profile\nid: acme\n")
        #expect(document.diagnostics.map(\.code) == ["D004"])
        #expect(document.diagnostics.first?.related.map(\.message) == ["the list starts here"])
        #expect(document.diagnostics.first?.related.first?.span.start == SourcePosition(line: 2, column: 12))
    }

    // MARK: Comments

    @Test func `comments are found outside of texts only`() {
        let document = read(
            "# first\na: b # second\nc: 'x # no'\nd: |\n  # no\ne: x#no\nf: [ # third\n  g ] #fourth\nh: \"\n  # no\"\n#\n"
        )
        #expect(document.comments.map(\.text) == ["first", "second", "third", "fourth", ""])
        #expect(document.comments.map(\.span.start.line) == [1, 2, 7, 8, 11])
        #expect(document.comments.map(\.span.start.column) == [1, 6, 6, 7, 1])
    }

    @Test func `a comment after a wide character has the right column`() {
        let document = read("\u{FEFF}é: 🌱 # über\r\n")
        #expect(document.comments.map(\.text) == ["über"])
        #expect(document.comments.first?.span.start == SourcePosition(line: 1, column: 6))
        #expect(document.comments.first?.span.end == SourcePosition(line: 1, column: 12))
    }
}
