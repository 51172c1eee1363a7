import CarnetWeb
import HTTPTypes
import Testing

/// What browsers send for the cookies of the Web Platform Tests, as far as a server reads them.
@Suite("The cookies of a request")
struct CookieTests {
    private struct Case: CustomTestStringConvertible {
        let field: String
        let pairs: [[String]]

        init(_ field: String, _ pairs: [[String]]) { (self.field, self.pairs) = (field, pairs) }

        var testDescription: String { field.debugDescription }
    }

    private func read(_ fields: [String], _ prefix: String = "") -> ReceivedCookies {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: "/")
        for field in fields { request.headerFields.append(HTTPField(name: .cookie, value: field)) }
        return ReceivedCookies(request, namesBeginningWith: prefix)
    }

    private static let cases = [
        Case("foo=bar", [["foo", "bar"]]),
        Case("a=1; b=2; c=3", [["a", "1"], ["b", "2"], ["c", "3"]]),
        // Without a space, with more of them, and with nothing between semicolons.
        Case("a=1;b=2", [["a", "1"], ["b", "2"]]),
        Case(" \t a \t = \t 1 \t ;;; \t ; b=2;", [["a", "1"], ["b", "2"]]),
        // An empty value, and no name.
        Case("foo=", [["foo", ""]]),
        Case("foo", []), Case("=bar", []), Case("=", []), Case("", []), Case(" ; ; ", []),
        Case("foo; a=1", [["a", "1"]]),
        Case("==a; b=2", [["b", "2"]]),
        // The first equals sign ends the name; others are of the value.
        Case("foo==bar", [["foo", "=bar"]]), Case("a=b=c", [["a", "b=c"]]), Case("id=AA==", [["id", "AA=="]]),
        // Quotes, commas, backslashes and dollars are characters as any other.
        Case("foo=\"1", [["foo", "\"1"]]), Case("foo=\"a; b=c\"", [["foo", "\"a"], ["b", "c\""]]),
        Case("foo=\"a\\\"; b=c\"", [["foo", "\"a\\\""], ["b", "c\""]]),
        Case("foo=bar, baz=quux", [["foo", "bar, baz=quux"]]),
        Case("$Version=1; foo=bar; $Path=/", [["$Version", "1"], ["foo", "bar"], ["$Path", "/"]]),
        Case("\"foo\"=bar", [["\"foo\"", "bar"]]), Case("a,b=c", [["a,b", "c"]]),
        // Spaces and tabs inside stay.
        Case("foo bar=baz qux", [["foo bar", "baz qux"]]), Case("foo=a\tb", [["foo", "a\tb"]]),
        // Letters of any script, and white space that is none for a browser.
        Case("привет=мир", [["привет", "мир"]]), Case("\u{A0}foo=bar\u{A0}", [["\u{A0}foo", "bar\u{A0}"]]),
        Case("\u{2003}foo\u{3000}=\u{2028}bar", [["\u{2003}foo\u{3000}", "\u{2028}bar"]]),
        Case("\u{FEFF}foo=bar", [["\u{FEFF}foo", "bar"]]), Case("\u{85}foo=bar", [["\u{85}foo", "bar"]]),
        // What only looks like a semicolon or an equals sign.
        Case("a=1\u{37E}b=2", [["a", "1\u{37E}b=2"]]), Case("a\u{FF1D}1; b=2", [["b", "2"]]),
        Case("a=1;\u{301}b=2", [["a", "1"], ["\u{301}b", "2"]]), Case("a=\u{301}1", [["a", "\u{301}1"]]),
        Case("a\u{338}=1", [["a\u{338}", "1"]]),
        // Names are bytes.
        Case("e\u{301}=1; \u{E9}=2", [["e\u{301}", "1"], ["\u{E9}", "2"]]),
        Case("a=1; A=2", [["a", "1"], ["A", "2"]]),
    ]

    @Test("are those that a browser meant", arguments: cases)
    private func pairs(of sample: Case) {
        let cookies = read([sample.field])
        #expect(
            cookies.all.map { [Array($0.name.utf8), Array($0.value.utf8)] }
                == sample.pairs.map { $0.map { Array($0.utf8) } })
        #expect(!cookies.isAmbiguous)
    }

    @Test("may come in several fields, as over HTTP/2")
    func severalFields() {
        #expect(read(["a=1", "b=2; c=3"]).all.map(\.name) == ["a", "b", "c"])
        #expect(read(["a=1", "a=1"]).isAmbiguous)
    }

    @Test(
        "are none where one name comes twice, wherever it stands", arguments: ["a=1; a=2", "a=1; a=1", "a=; b=2; a=1"])
    func twoOfOneName(field: String) {
        let cookies = read([field])
        #expect(cookies.isAmbiguous && cookies.all.isEmpty && cookies["a"] == nil && !cookies.isEmpty)
        // Others may come as often as they like.
        #expect(read([field + "; own-x=1"], "own-")["own-x"] == "1")
    }

    @Test("are those of the site alone where one name comes twice")
    func foreignValues() {
        func read(_ field: String) -> ReceivedCookies {
            var request = HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: "/")
            request.headerFields[.cookie] = field
            return ReceivedCookies(request, namesBeginningWith: "") { $1.hasPrefix("own") }
        }
        for field in ["a=own1; a=2; b=3", "a=2; b=3; a=own1"] {
            #expect(read(field)["a"] == "own1" && read(field)["b"] == "3" && !read(field).isAmbiguous)
        }
        #expect(read("a=1; a=2; b=3").all.map(\.name) == ["b"])
        for field in ["a=own1; a=own2", "a=own1; a=own1", "a=own1; a=2; a=3; a=4; a=5"] {
            #expect(read(field).isAmbiguous && read(field).all.isEmpty)
        }
        // A name that comes once is read by whoever knows its use.
        #expect(read("a=1")["a"] == "1")
    }

    @Test("are read by the bytes of their names")
    func lookup() {
        #expect(read(["\u{212A}=1"])["K"] == nil)
        #expect(read(["K=1"])["K"] == "1")
        #expect(read(["K=1; \u{212A}=2"])["K"] == "1")
    }

    @Test("are bounded, and none hides behind others")
    func bounds() {
        let many = (0..<100).map { "own-\($0)=x" }.joined(separator: "; ")
        #expect(read([many], "own-").isAmbiguous)
        let others = (0..<5000).map { "x\($0)=\($0)" }.joined(separator: "; ")
        #expect(read([others + "; own-a=1"], "own-")["own-a"] == "1")
        #expect(read(["own-a=1; " + others + "; own-a=2"], "own-").isAmbiguous)
        // No browser keeps such a value, so nothing is made of it.
        #expect(read(["own-a=" + String(repeating: "x", count: 4097)], "own-")["own-a"] == "")
    }
}
