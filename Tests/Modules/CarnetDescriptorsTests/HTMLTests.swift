import CarnetDescriptors
import CarnetFoundation
import Testing

@Suite("HTML")
struct HTMLTests {
    @Test("A value is escaped, in an element and in an attribute")
    func values() {
        let value = "a & b < c > d \" e ' f é"
        let html: HTML = "<p title=\"\(value)\">\(value) \(-7)</p>"
        let escaped = "a &amp; b &lt; c &gt; d &quot; e &#39; f é"
        #expect(html.text == "<p title=\"\(escaped)\">\(escaped) -7</p>")
    }

    @Test(
        "No part of a value is lost before, between or after escaped characters",
        arguments: [("", ""), ("<", "&lt;"), ("''", "&#39;&#39;"), ("&lt;", "&amp;lt;"), ("plain", "plain")])
    func edges(value: String, escaped: String) {
        let html: HTML = "\(value)"
        #expect(html.text == escaped)
    }

    /// Together they are one `Character`, which differs from each escaped one.
    @Test(
        "A character is escaped although a combining mark follows it",
        arguments: [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")])
    func combiningMarks(character: String, reference: String) {
        for mark in ["\u{301}", "\u{200D}", "\u{FE0F}"] {
            let html: HTML = "\(character + mark)"
            #expect(Array(html.text.utf8) == Array((reference + mark).utf8))
        }
    }

    @Test("HTML inside HTML is not escaped again")
    func nesting() {
        let inner: HTML = "<b>\("<&>")</b>"
        let outer: HTML = "<p>\(inner)</p>"
        let outermost: HTML = "<div>\(outer)</div>"
        #expect(outermost.text == "<div><p><b>&lt;&amp;&gt;</b></p></div>")
    }

    @Test("A list of HTML is joined; nil and a false condition add nothing")
    func partsInAList() {
        let names: [String] = ["<", "b"]
        let missing: String? = nil
        let list: HTML = "<ul>\(names.map { "<li>\($0)</li>" })</ul>\(missing.map { "<p>\($0)</p>" })"
        #expect(list.text == "<ul><li>&lt;</li><li>b</li></ul>")
        let choice: HTML = "\(if: names.isEmpty, "<i>none</i>")\(if: !names.isEmpty, "<i>\(names.count)</i>")"
        #expect(choice.text == "<i>2</i>")
        let optional: HTML = "\(names.first.map { "<b>\($0)</b>" })"
        #expect(optional.text == "<b>&lt;</b>")
    }
}
