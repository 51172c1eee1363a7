import CarnetProtocol
import Testing

@Suite("Percent encoding")
struct PercentEncodingTests {
    @Test("Survives a round trip", arguments: awkwardValues)
    func survivesARoundTrip(_ value: String) throws {
        let decoded = try #require(PercentEncoding.decodeForm(PercentEncoding.encode([("name", value)])))
        #expect(decoded.count == 1)
        #expect(decoded.first?.value == value)
    }

    @Test("Is read alike by another decoder", arguments: awkwardValues)
    func isReadAlikeByAnotherDecoder(_ value: String) {
        #expect(decodedForm(PercentEncoding.encode([("name", value)])) == ["name": value])
    }

    @Test("Leaves unreserved alone and encodes every other byte")
    func leavesUnreservedAloneAndEncodesEveryOtherByte() {
        let unreserved = "ABCXYZabcxyz0189-._~"
        #expect(PercentEncoding.encode(unreserved) == unreserved)
        #expect(PercentEncoding.encode(" +*'()!") == "%20%2B%2A%27%28%29%21")
        #expect(PercentEncoding.encode("é") == "%C3%A9")
    }

    @Test("Reads plus as space")
    func readsPlusAsSpace() throws {
        #expect(PercentEncoding.decodeForm("a=b+c")?.first?.value == "b c")
    }

    @Test("Outside a form, plus is a plus, and bad text is refused alike")
    func readsOtherParts() {
        #expect(PercentEncoding.decode("b+c%20d%2B") == "b+c d+")
        #expect(["%", "%4", "%zz", "%00", "%FF", "%C3", "a\0"].allSatisfy { PercentEncoding.decode($0) == nil })
    }

    // ARES-10: one strict reading of odd input.
    @Test(
        "Rejects what is not properly encoded",
        arguments: ["a=%", "a=%4", "a=%zz", "a=%00", "a=%FF", "a=%C3", "%zz=1", "a=%ED%A0%80"])
    func refusesWhatIsNotProperlyEncoded(_ text: String) {
        #expect(PercentEncoding.decodeForm(text) == nil as [(name: String, value: String)]?)
    }

    @Test("Semicolon separates nothing")
    func semicolonSeparatesNothing() throws {
        let pairs = try #require(PercentEncoding.decodeForm("a=1;b=2"))
        #expect(pairs.map(\.name) == ["a"])
        #expect(pairs.map(\.value) == ["1;b=2"])
    }

    // A combining mark after a separator makes one character of the two; it must separate all the same.
    @Test("Separators are bytes not characters")
    func separatorsAreBytesNotCharacters() throws {
        let pairs = try #require(PercentEncoding.decodeForm("a=1&\u{301}b=2&c=\u{301}3"))
        #expect(pairs.map(\.name) == ["a", "\u{301}b", "c"])
        #expect(pairs.map(\.value) == ["1", "2", "\u{301}3"])
    }

    @Test("Empty pairs and missing values are read")
    func emptyPairsAndMissingValuesAreRead() throws {
        let pairs = try #require(PercentEncoding.decodeForm("&a&b=&&=c"))
        #expect(pairs.map(\.name) == ["a", "b", ""])
        #expect(pairs.map(\.value) == ["", "", "c"])
    }
}

private func == (left: [(name: String, value: String)]?, right: [(name: String, value: String)]?) -> Bool {
    left?.map { "\($0)" } == right?.map { "\($0)" }
}
