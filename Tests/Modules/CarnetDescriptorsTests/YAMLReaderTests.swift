import CarnetDescriptors
import CarnetFoundation
import Testing

@Suite("YAML reader")
struct YAMLReaderTests {
    private func read(_ text: String, limits: YAMLLimits = .init()) -> YAMLDocument {
        YAMLReader(limits: limits).read(SourceFile(path: "test.yaml", bytes: Array(text.utf8)))
    }

    private func read(bytes: [UInt8]) -> YAMLDocument {
        YAMLReader().read(SourceFile(path: "test.yaml", bytes: bytes))
    }

    // MARK: Values

    @Test("Keys keep their order and scalars their style")
    func keysKeepTheirOrderAndScalars() throws {
        let root = try #require(read("b: true\na: 'true'\nc: 1.50\nd:\n").root)
        #expect(root.entries?.map(\.key) == ["b", "a", "c", "d"])
        #expect(root.entry("b")?.value.scalar?.boolean == true)
        #expect(root.entry("a")?.value.scalar?.boolean == nil)
        #expect(root.entry("c")?.value.scalar?.number == "1.50")
        #expect(root.entry("d")?.value.scalar?.isNull == true)
    }

    @Test("Words of YAML 1_1 are plain strings")
    func wordsOfYAML11ArePlain() throws {
        let root = try #require(read("on: yes\n").root)
        #expect(root.entry("on")?.value.scalar?.boolean == nil)
        #expect(root.entry("on")?.value.scalar?.text == "yes")
    }

    @Test("An escaped null byte is part of the text")
    func anEscapedNullByteIsPart() throws {
        let root = try #require(read(#"a: "x\0y""#).root)
        #expect(root.entry("a")?.value.scalar?.text == "x\0y")
    }

    @Test("The str tag makes a string of a number")
    func theStrTagMakesAString() throws {
        let root = try #require(read("a: !!str 42\n").root)
        #expect(root.entry("a")?.value.scalar?.integer == nil)
    }

    @Test("JSON is YAML")
    func jsonIsYAML() throws {
        let document = read("[\n\t{\"scope\": \"email\", \"url\": \"https://api.example/a?b=c#d\"}\n]\n")
        #expect(document.diagnostics == [])
        #expect(document.root?.node(at: ["0", "url"])?.scalar?.text == "https://api.example/a?b=c#d")
    }

    @Test("A mapping of many keys keeps all of them and finds the duplicate")
    func aMappingOfManyKeysKeeps() throws {
        let text = (0..<100).map { "k\($0): \($0)\n" }.joined() + "k7: again\n"
        let document = read(text)
        #expect(document.root?.entries?.count == 100)
        #expect(document.diagnostics.map(\.code) == ["D008"])
        #expect(document.diagnostics.first?.related.first?.span.start.line == 8)
    }

    // MARK: Aliases

    @Test("An alias repeats the value at its own place")
    func anAliasRepeatsTheValue() throws {
        let root = try #require(read("a: &x { b: [c] }\nd: *x\n").root)
        let alias = try #require(root.entry("d")?.value)
        #expect(alias.content == root.entry("a")?.value.content)
        #expect(alias.span.start == SourcePosition(line: 2, column: 4))
    }

    @Test("The latest anchor of a name counts")
    func theLatestAnchorOfAName() throws {
        let root = try #require(read("a: &x 1\nb: &x 2\nc: *x\n").root)
        #expect(root.entry("c")?.value.scalar?.text == "2")
    }

    @Test("An anchor before a key names the key")
    func anAnchorBeforeAKeyNames() throws {
        let root = try #require(read("&k name: Acme\ntitle: *k\n").root)
        #expect(root.entry("title")?.value.scalar?.text == "name")
    }

    @Test("A value with an undefined alias is left out and the rest stays")
    func aValueWithAnUndefinedAlias() throws {
        let document = read("a: *x\nb: 1\nc: [*y, 2]\n")
        #expect(document.diagnostics.map(\.code) == ["D012", "D012"])
        #expect(document.root?.entries?.map(\.key) == ["b", "c"])
        #expect(document.root?.node(at: ["c", "0"])?.scalar?.text == "2")
    }

    @Test("An alias bomb ends quickly and with a finding")
    func anAliasBombEndsQuickly() {
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

    @Test("Aliases cannot build what is too deep to write")
    func aliasesCannotBuildWhatIsToo() {
        var text = "a0: &a0 [x]\n"
        for level in 1...70 { text += "a\(level): &a\(level) [*a\(level - 1)]\n" }
        let document = read(text)
        #expect(document.root == nil)
        #expect(document.diagnostics.map(\.code) == ["D013"])
    }

    // MARK: Limits

    @Test("A hundred thousand nested collections end at the depth limit", arguments: ["[", "- ", "{a: ", "? "])
    func aHundredThousandNestedCollectionsEnd(opening: String) {
        let clock = ContinuousClock()
        var document: YAMLDocument?
        let text = String(repeating: opening, count: 100_000)
        let time = clock.measure { document = read(text) }
        #expect(document?.root == nil)
        #expect(document?.diagnostics.map(\.code) == ["D013"])
        #expect(time < .seconds(10))
    }

    @Test("Places in one long line cost no more than in many")
    func placesInOneLongLineCost() {
        let text = "x: { " + (0..<20_000).map { "é\($0): , a\($0):  " }.joined(separator: ",") + " }"
        let clock = ContinuousClock()
        var document: YAMLDocument?
        let time = clock.measure { document = read(text) }
        #expect(document?.diagnostics == [])
        #expect(document?.root?.node(at: ["x"])?.entries?.count == 40_000)
        #expect(time < .seconds(20))
    }

    @Test("Many tag directives cost no more than their lines")
    func manyTagDirectivesCostNoMore() {
        let text = (0..<20_000).map { "%TAG !t\($0)! x:\n" }.joined() + "---\na: b\n"
        let clock = ContinuousClock()
        var document: YAMLDocument?
        let time = clock.measure { document = read(text) }
        #expect(document?.diagnostics.map(\.code) == ["D011"])
        #expect(time < .seconds(10))
    }

    @Test("A directive between two documents is found too")
    func aDirectiveBetweenTwoDocuments() {
        let document = read("a: b\n...\n%TAG !t! x:\n---\nc: d\n")
        #expect(document.diagnostics.map(\.code) == ["D011", "D006"])
    }

    @Test("A percent sign inside a string is no directive")
    func aPercentSignInsideAText() {
        let document = read("a: 'x\n%y'\n")
        #expect(document.diagnostics == [])
    }

    @Test("The YAML directive is accepted")
    func theYAMLDirectiveIsAccepted() {
        #expect(read("%YAML 1.2\n---\na: b\n").diagnostics == [])
    }

    @Test("A file past the size limit is not read")
    func aFilePastTheSizeLimit() {
        let document = read("a: 1\n", limits: YAMLLimits(maximumBytes: 4))
        #expect(document.root == nil)
        #expect(document.diagnostics.map(\.code) == ["D003"])
    }

    @Test("The value limit counts every value")
    func theValueLimitCountsEveryValue() {
        #expect(read("[a, b, c]", limits: YAMLLimits(maximumNodes: 4)).diagnostics == [])
        let document = read("[a, b, c]", limits: YAMLLimits(maximumNodes: 3))
        #expect(document.diagnostics.map(\.code) == ["D014"])
        #expect(document.diagnostics.first?.span.start.column == 8)
    }

    @Test("A string past its limit has a finding and the rest is read")
    func aTextPastItsLimitHas() {
        let document = read("a: xxxx\nb: yyyyy\nb: z\n", limits: YAMLLimits(maximumScalarBytes: 4))
        #expect(document.diagnostics.map(\.code) == ["D015", "D008"])
        #expect(document.root != nil)
    }

    // MARK: Bad input

    @Test("All problems are found in one pass")
    func allProblemsAreFoundInOne() {
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

    @Test("Findings before a syntax error are kept and the nodes are not")
    func findingsBeforeASyntaxError() {
        let document = read("a: 1\na: 2\nb: [\n")
        #expect(document.root == nil)
        #expect(document.diagnostics.map(\.code) == ["D008", "D004"])
    }

    @Test("Only the first of two documents is read")
    func onlyTheFirstOfTwoDocuments() {
        let document = read("a: 1\n---\nb: [\n")
        #expect(document.diagnostics.map(\.code) == ["D006"])
        #expect(document.root?.entry("a") != nil)
    }

    @Test("A binary file is reported at its first bad byte")
    func aBinaryFileIsReported() {
        let document = read(bytes: [0x61, 0x3A, 0x20, 0xC3, 0xA9, 0xFF, 0x0A, 0xFE])
        #expect(document.root == nil)
        #expect(document.diagnostics.map(\.code) == ["D001"])
        #expect(document.diagnostics.first?.message == "the byte 0xFF is not UTF-8")
        #expect(document.diagnostics.first?.span.start == SourcePosition(line: 1, column: 5))
        #expect(document.diagnostics.first?.help?.contains("1 more such place") == true)
    }

    @Test("An executable is not taken for text")
    func anExecutableIsNotTaken() {
        let document = read(bytes: [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0xFF, 0x80])
        #expect(document.root == nil)
        #expect(Set(document.diagnostics.map(\.code)) == ["D001", "D002"])
    }

    @Test(
        "Overlong, surrogate and cut off sequences are not UTF-8",
        arguments: [
            [0x61, 0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80], [0x80],
            [0xE2, 0x82],
        ] as [[UInt8]])
    func overlongSurrogateAndCutOffSequences(bytes: [UInt8]) {
        #expect(read(bytes: bytes).diagnostics.map(\.code) == ["D001"])
    }

    @Test(
        "UTF-16 is named as such",
        arguments: [
            [0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61], [0x61, 0x00, 0x3A, 0x00], [0x00, 0x61, 0x00, 0x3A],
        ] as [[UInt8]])
    func utf16IsNamedAsSuch(bytes: [UInt8]) {
        let diagnostics = read(bytes: bytes).diagnostics
        #expect(diagnostics.map(\.message) == ["the file is encoded in UTF-16"])
        #expect(diagnostics.first?.help == "save it as UTF-8")
    }

    @Test(
        "UTF-32 is named as such",
        arguments: [
            [0xFF, 0xFE, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00], [0x00, 0x00, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0x61],
            [0x61, 0x00, 0x00, 0x00, 0x3A, 0x00, 0x00, 0x00], [0x00, 0x00, 0x00, 0x0A, 0x00, 0x00, 0x00, 0x61],
        ] as [[UInt8]])
    func utf32IsNamedAsSuch(bytes: [UInt8]) {
        #expect(read(bytes: bytes).diagnostics.map(\.message) == ["the file is encoded in UTF-32"])
    }

    @Test("A byte order mark belongs at the start alone")
    func aByteOrderMarkBelongs() {
        #expect(read("\u{FEFF}a: b\n").diagnostics == [])
        let found = read("\u{FEFF}\u{FEFF}a: b\n").diagnostics
        #expect(
            found.map(\.description) == [
                "test.yaml:1:1: error: a byte order mark is not at the start of the file [D002]"
            ])
    }

    @Test("A null byte is reported with its place")
    func aNullByteIsReported() {
        let document = read("a: b\nc: d\0e\n")
        #expect(document.diagnostics.map(\.message) == ["the file contains a null byte"])
        #expect(document.diagnostics.first?.span.start == SourcePosition(line: 2, column: 5))
    }

    @Test("More tabs below are counted")
    func moreTabsBelowAreCounted() {
        let document = read("a:\n\tb: 1\n\tc: 2\n\td: 3\n")
        #expect(document.diagnostics.map(\.code) == ["D005"])
        #expect(document.diagnostics.first?.help == "use spaces; 2 more lines below start with a tab")
    }

    @Test("A syntax error names where its list began")
    func aSyntaxErrorNamesWhere() {
        let document = read("scopes:\n  default: [openid,\n    profile\nid: acme\n")
        #expect(document.diagnostics.map(\.code) == ["D004"])
        #expect(document.diagnostics.first?.related.map(\.message) == ["the list starts here"])
        #expect(document.diagnostics.first?.related.first?.span.start == SourcePosition(line: 2, column: 12))
    }

    // MARK: Comments

    @Test("Comments are found outside of texts only")
    func commentsAreFoundOutsideOfTexts() {
        let document = read(
            "# first\na: b # second\nc: 'x # no'\nd: |\n  # no\ne: x#no\nf: [ # third\n  g ] #fourth\nh: \"\n  # no\"\n#\n"
        )
        #expect(document.comments.map(\.text) == ["first", "second", "third", "fourth", ""])
        #expect(document.comments.map(\.span.start.line) == [1, 2, 7, 8, 11])
        #expect(document.comments.map(\.span.start.column) == [1, 6, 6, 7, 1])
    }

    @Test("A comment after a wide character has the right column")
    func aCommentAfterAWideCharacter() {
        let document = read("\u{FEFF}é: 🌱 # über\r\n")
        #expect(document.comments.map(\.text) == ["über"])
        #expect(document.comments.first?.span.start == SourcePosition(line: 1, column: 6))
        #expect(document.comments.first?.span.end == SourcePosition(line: 1, column: 12))
    }
}
