import CarnetDescriptors
import CarnetFoundation
import Testing

@Suite("JSON parser")
struct JSONParserTests {
    @Test("Reads every kind of value")
    func readsEveryKindOfValue() throws {
        let value = try JSONValue(parsing: #" {"a":[1,-2.5e+3,true,false,null,"x"],"b":{}} "#)
        #expect(value["a"]?.array == [.number("1"), .number("-2.5e+3"), true, false, .null, "x"])
        #expect(value["b"]?.object?.members.isEmpty == true)
        #expect(value["c"] == nil)
    }

    @Test("Keeps the order of members and the text of numbers")
    func keepsTheOrderOfMembersAndTheTextOfNumbers() throws {
        let text = #"{"z":9007199254740993,"a":1.10,"m":1E400}"#
        let value = try JSONValue(parsing: text)
        #expect(value.object?.members.map(\.name) == ["z", "a", "m"])
        #expect(value.jsonText() == text)
        #expect(value["z"]?.scalarText == "9007199254740993")
        #expect(value["z"]?.integer == 9_007_199_254_740_993)
    }

    @Test("Reads escapes")
    func readsEscapes() throws {
        let value = try JSONValue(parsing: #""\"\\\/\b\f\n\r\t\u00e9\ud83d\udddd\u0041""#)
        #expect(value.string == "\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{1F5DD}A")
    }

    // TOK-14, IDT-18.
    @Test(
        "Repeated name with another value is an error",
        arguments: [
            #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"x":{"a":1,"a":1.0}}"#, #"[{"a":1,"a":"1"}]"#,
            #"{"a":null,"a":""}"#, #"{"a":"\u00e9","a":"e\u0301"}"#, #"{"a":{"\u00e9":1},"a":{"e\u0301":1}}"#,
            #"{"a":{"b":1,"c":2},"a":{"c":2,"b":1}}"#, #"{"a":1,"a":1,"a":2}"#,
        ])
    func repeatedNameIsAnError(_ text: String) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.reason.contains("repeated") == true)
    }

    // INT-39.
    @Test(
        "Repeated name with the same value is one member",
        arguments: [
            (#"{"a":1,"a":1}"#, #"{"a":1}"#), (#"{"x":{"a":1,"b":2,"a":1}}"#, #"{"x":{"a":1,"b":2}}"#),
            (#"[{"a":"b","\u0061":"\u0062"}]"#, #"[{"a":"b"}]"#), (#"{"a":[1,{}],"a":[1, {}]}"#, #"{"a":[1,{}]}"#),
        ])
    func repeatedEqualMemberIsOne(_ text: String, read: String) throws {
        #expect(try JSONValue(parsing: text).jsonText() == read)
    }

    // TOK-14.
    @Test(
        "Lone surrogate is an error",
        arguments: [#""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800x""#, #""\udc00\ud800""#, #""\ud800"#])
    func loneSurrogateIsAnError(_ text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    // DISC-05.
    @Test(
        "What is not JSON is an error",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{'a':1}",
            "{1:1}", "tru", "truex", "True", "nul", "nan", "NaN", "Infinity", "-", "+1", "01", "1.", ".5", "1e", "1e+",
            "0x10", "--1", "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\uＡＡＡＡ\"", "\"a\nb\"",
            "\"a\u{0}b\"", "\"a\tb\"", "1 2", "{} {}", "[]x", "\u{FEFF}{}", "/**/1", "// x\n1", "\u{A0}1",
        ])
    func whatIsNotJSONIsAnError(_ text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test(
        "Invalid UTF-8 is an error",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0xAF, 0x22],
        ])
    func invalidUTF8IsAnError(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    }

    // JOSE-27, TOK-14: depth is counted, not felt.
    @Test("Depth is bounded")
    func depthIsBounded() throws {
        _ = try JSONValue(parsing: String(repeating: "[", count: 64) + String(repeating: "]", count: 64))
        for text in [
            String(repeating: "[", count: 66) + String(repeating: "]", count: 66),
            String(repeating: "[", count: 1 << 20),
            String(repeating: "{\"a\":", count: 100_000),
        ] {
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
            #expect(error?.reason.contains("nested deeper") == true)
        }
    }

    @Test("Error reports the place")
    func errorTellsThePlace() {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: #"{"a": x}"#) }
        #expect(error?.offset == 6)
    }

    @Test("Huge strings are read in a moment", .timeLimit(.minutes(5)))
    func hugeTextsAreReadInAMoment() throws {
        let members = (0..<50_000).map { "\"m\($0)\":1" }.joined(separator: ",")
        #expect(try JSONValue(parsing: "{\(members)}").object?.members.count == 50_000)
        #expect(try JSONValue(parsing: String(repeating: "9", count: 500_000)).double == .infinity)
        #expect(
            try JSONValue(parsing: "\"" + String(repeating: "x", count: 500_000) + "\"").string?.utf8.count == 500_000)
    }

    @Test(
        "Numbers are read as the nearest Double",
        arguments: [
            "0", "-12", "999999999999999", "-99999999999999", "1000000000000000", "9007199254740993", "1.5", "-2e3",
            "1E400",
        ])
    func numbersAreReadAsTheNearestDouble(text: String) throws {
        #expect(try JSONValue(parsing: text).double == Double(text))
    }

    @Test("Text is read back as the same value")
    func textIsReadBackAsTheSameValue() throws {
        let value: JSONValue = ["a": "q\"\\\n\u{1}\u{7F}é🗝", "b": [1, true, nil], "": [:], "c": []]
        #expect(try JSONValue(parsing: value.jsonText()) == value)
        #expect(try JSONValue(parsing: value.jsonText(.indented)) == value)
        #expect(value.jsonText().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }

    @Test("Text is read by YAML as the same string", arguments: [0x85, 0xA0, 0x2028, 0x2029, 0xFEFF, 0x1F5DD])
    func textIsReadByYAMLAsTheSameString(code: UInt32) throws {
        let string = "a \(try #require(Unicode.Scalar(code))) b"
        let file = SourceFile(path: "test.yaml", text: "key: \(JSONValue.string(string).jsonText())\n")
        let document = YAMLReader().read(file)
        #expect(document.diagnostics.isEmpty)
        #expect(document.root?.entry("key")?.value.scalar?.text.utf8.elementsEqual(string.utf8) == true)
    }

    @Test("Scalars have a string and others none")
    func scalarsHaveATextAndOthersNone() throws {
        #expect(JSONValue.bool(true).scalarText == "true")
        #expect(JSONValue.number("1.0").scalarText == "1.0")
        #expect(JSONValue.null.scalarText == nil)
        #expect(([1] as JSONValue).scalarText == nil)
        #expect(JSONValue.number("1.5").integer == nil)
        #expect(JSONValue.string("5").integer == nil)
    }
}

@Suite("JSON pointer")
struct JSONPointerTests {
    // RFC 6901, section 5.
    @Test("Finds the standard's examples")
    func findsTheStandardsExamples() throws {
        let document = try JSONValue(
            parsing: #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#)
        let expected: [(String, JSONValue)] = [
            ("", document), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2),
            ("/e^f", 3),
            ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8),
        ]
        for (text, value) in expected {
            let pointer = try #require(JSONPointer(text))
            #expect(document[pointer] == value, "\(text)")
            #expect(pointer.description == text)
        }
    }

    @Test("What is no pointer is rejected", arguments: ["foo", "/~", "/~2", "/a~", "~0", "#/foo", " /a"])
    func whatIsNoPointerIsRefused(_ text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test("Escapes are undone in the right order")
    func escapesAreUndoneInTheRightOrder() throws {
        #expect(try #require(JSONPointer("/~01")).tokens == ["~1"])
        #expect(JSONPointer(tokens: ["~1", "a/b"]).description == "/~01/a~1b")
    }

    @Test(
        "Step that does not exist leads nowhere",
        arguments: [
            "/a/2", "/a/-", "/a/01", "/a/-1", "/a/+1", "/a/x", "/b", "/a/0/x", "/a/1e0", "/a/99999999999999999999",
        ])
    func stepThatDoesNotExistLeadsNowhere(_ text: String) throws {
        let document: JSONValue = ["a": ["x", "y"]]
        #expect(document[try #require(JSONPointer(text))] == nil)
    }

    @Test("First that is there and not null counts")
    func firstThatIsThereAndNotNullCounts() throws {
        let document: JSONValue = ["a": nil, "b": 2, "c": 3]
        let pointers = try ["/x", "/a", "/b", "/c"].map { try #require(JSONPointer($0)) }
        #expect(document.first(of: pointers) == 2)
        #expect(document.first(of: Array(pointers.prefix(2))) == nil)
    }

    @Test("Value is put at a place")
    func valueIsPutAtAPlace() throws {
        var document: JSONValue = ["a": [1, 2]]
        document.set(9, at: try #require(JSONPointer("/a/1")))
        document.set("x", at: try #require(JSONPointer("/b/c")))
        #expect(document == ["a": [1, 9], "b": ["c": "x"]])
    }
}
