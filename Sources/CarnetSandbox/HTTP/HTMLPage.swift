import CarnetDescriptors
import CarnetFoundation

/// A small page that needs no script.
struct HTMLPage {
    let title: String
    let content: HTML
    /// The colour of the provider's brand.
    var color: BrandColor?
    /// The origin of the page that this one shows in a frame.
    var framedOrigin: String?

    var html: HTML { .page(title, head: "<style>\(style)</style>", content) }

    /// The value of a hidden field of a page that was made here.
    static func value(of field: String, in html: String) -> String? {
        guard let start = html.firstRange(of: "name=\"\(field)\" value=\"")?.upperBound,
            let end = html[start...].firstIndex(of: "\"")
        else { return nil }
        return String(html[start..<end])
    }

    /// What a person reads on a page that was made here; any other text as it is.
    static func text(of html: String) -> String {
        guard let start = html.firstRange(of: "<main>")?.upperBound,
            let end = html.firstRange(of: "</main>")?.lowerBound,
            start < end
        else { return html }
        var text = ""
        var isTag = false
        for character in html[start..<end] {
            switch character {
            case "<": isTag = true
            case ">": isTag = false
            default: if !isTag { text.append(character) }
            }
        }
        for (escaped, plain) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
            text = text.replacing(escaped, with: plain)
        }
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
