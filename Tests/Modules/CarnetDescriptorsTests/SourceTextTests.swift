import CarnetDescriptors
import Testing

@Suite("Source text")
struct SourceTextTests {
    private func text(_ text: String) -> SourceText { SourceText(bytes: Array(text.utf8)) }

    @Test("Lines end with any of the three breaks", arguments: ["\n", "\r\n", "\r"])
    func linesEndWithAny(lineBreak: String) {
        let text = text(["one", "", "zwei ü"].joined(separator: lineBreak))
        #expect(text.lineCount == 3)
        #expect((1...3).map { text.line($0) } == ["one", "", "zwei ü"])
        #expect(text.line(4) == nil)
        #expect(text.line(0) == nil)
    }

    @Test("A byte order mark is no part of the first line")
    func aByteOrderMark() {
        let text = text("\u{FEFF}é: x\n")
        #expect(text.line(1) == "é: x")
        #expect(text.offset(of: SourcePosition(line: 1, column: 1)) == 3)
        #expect(text.offset(of: SourcePosition(line: 1, column: 2)) == 5)
        #expect(text.position(ofOffset: 5) == SourcePosition(line: 1, column: 2))
    }

    @Test("Columns count scalars")
    func columnsCountScalars() {
        let text = text("a\n🌱e\u{301}x\n")
        #expect(text.offset(of: SourcePosition(line: 2, column: 4)) == 9)
        #expect(text.position(ofOffset: 9) == SourcePosition(line: 2, column: 4))
    }

    @Test("Every offset of a character survives the way to a position and back")
    func everyOffsetOfACharacterSurvives() {
        let string = "\u{FEFF}aé🌱\r\n\r\n\tb\rc\n"
        let text = text(string)
        for line in 1...text.lineCount {
            let length = text.line(line)?.unicodeScalars.count ?? 0
            for column in 1...(length + 1) {
                let position = SourcePosition(line: line, column: column)
                #expect(text.offset(of: position).map(text.position(ofOffset:)) == position)
            }
        }
    }

    @Test("Places outside of the text have no offset")
    func placesOutsideOfTheTextHave() {
        let text = text("ab\n")
        #expect(text.offset(of: SourcePosition(line: 1, column: 3)) == 2)
        #expect(text.offset(of: SourcePosition(line: 1, column: 4)) == nil)
        #expect(text.offset(of: SourcePosition(line: 3, column: 1)) == nil)
        #expect(text.offset(of: SourcePosition(line: 1, column: 0)) == nil)
    }

    @Test("An empty file has one empty line")
    func anEmptyFileHasOneEmpty() {
        let text = text("")
        #expect(text.lineCount == 1)
        #expect(text.line(1) == "")
        #expect(text.position(ofOffset: 0) == SourcePosition(line: 1, column: 1))
    }
}
