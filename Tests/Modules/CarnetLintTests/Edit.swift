import CarnetDescriptors
import CarnetTestSupport
import Foundation
import Testing

/// An edit of a descriptor of the catalogue: a paragraph of a file in `Edits`.
///
/// After its name and the provider with the codes of all findings, `-` lines are replaced by `+` lines. The findings are at
/// `⟦`, or at the text of the `@` lines.
struct Edit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let provider: String
    let codes: [String]
    private var replacements: [(found: String, written: String)] = []
    private var place: String?

    static func all(_ file: String) -> [Edit] { paragraphs(file).map { Edit($0) } }

    private static func paragraphs(_ file: String) -> [[String]] {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Edits/\(file).txt")
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        return text.split(separator: "\n\n").map { $0.split(separator: "\n").map(String.init) }
    }

    private init(_ lines: [String]) {
        let words = lines[1].split(separator: " ").map(String.init)
        (provider, codes) = (words[0], Array(words[1...]))
        testDescription = "\(provider): \(lines[0].dropFirst(2))"
        var last: Character?
        for line in lines[2...] {
            let (kind, text) = (line.first, String(line.dropFirst()))
            let ending = last == kind ? "\n" + text : text
            switch kind {
            case "-" where last == "-": replacements[replacements.count - 1].found += ending
            case "-": replacements.append((ending, ""))
            case "+": replacements[replacements.count - 1].written += ending
            default: place = (place ?? "") + ending
            }
            last = kind
        }
    }

    /// A paragraph of `kinds`: an edit of one of these, or of nothing. Lines of both versions begin with a space, those of one
    /// with `-` or `+`.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let codes: [String]
        let old: String
        let new: String

        private static let head = "carnet: 1\nid: acme\nname: Acme\n"
        private static let bases = [
            "plain": "", "oidc": "issuer: https://id.acme.example\nscopes: { default: [openid, profile] }\n",
            "oauth": """
            endpoints:
              authorization: https://acme.example/a
              token: https://acme.example/t
              userinfo: https://api.acme.example/me
            scopes: { default: [read] }
            profile: { claims: { subject: /id } }

            """,
        ]

        static let all = Edit.paragraphs("kinds").map { lines in
            let words = lines[1].split(separator: " ").map(String.init)
            func text(_ kind: Character) -> String {
                let own = lines[2...].filter { $0.first == " " || $0.first == kind }.map { $0.dropFirst() + "\n" }
                    .joined()
                let text = (bases[words[0]] ?? "") + own
                return text.isEmpty ? "" : head + text
            }
            return Kind(
                testDescription: String(lines[0].dropFirst(2)), codes: Array(words[1...]), old: text("-"),
                new: text("+"))
        }
    }

    /// The file as it is in the catalogue, and as it was edited.
    struct Versions {
        let old: String
        let new: String
        /// Where the findings are expected.
        let place: SourcePosition?
    }

    func versions() throws -> Versions {
        let old = try Repository.file("providers/\(provider).yaml").text
        var new = old
        for (found, written) in replacements {
            let range = try #require(new.range(of: found), "\(provider) has no \(found.debugDescription)")
            new.replaceSubrange(range, with: written)
        }
        if let place {
            let range = try #require(new.range(of: place), "the new \(provider) has no \(place.debugDescription)")
            new.insert("⟦", at: range.lowerBound)
        }
        guard let mark = new.firstIndex(of: "⟦") else { return Versions(old: old, new: new, place: nil) }
        let lines = new[..<mark].split(separator: "\n", omittingEmptySubsequences: false)
        let column = (lines.last?.unicodeScalars.count ?? 0) + 1
        return Versions(
            old: old, new: new.replacing("⟦", with: ""), place: SourcePosition(line: lines.count, column: column))
    }
}
