package import CarnetDescriptors

/// The reference of the descriptor language in Markdown, made from the table of keys: `Docs/descriptor-reference.md`.
package struct DescriptorReference: Sendable {
    /// The page.
    package static var page: String {
        let reference = DescriptorReference(of: DescriptorRules.shape, root: "The descriptor")
        return introduction + reference.tables { examples[$0] } + requests
    }

    /// The tables of a file of another kind.
    ///
    /// - Parameter root: The title of the table of the whole file.
    package static func tables(of shape: Shape, root: String) -> String {
        DescriptorReference(of: shape, root: root).tables { _ in nil }
    }

    /// A section with all the places where it stands, or the sections of which one can stand in a place.
    private struct Chapter {
        var sections: [SectionDescription]
        var paths: [String]
        let root: String

        var title: String {
            paths == [""] ? root : paths.map { "`\($0)`" }.joined(separator: ", ")
        }

        /// The first of its places.
        var shortTitle: String { paths == [""] ? root : "`\(paths[0])`" }

        /// The name that a heading gets as the target of a link: lower case, hyphens for spaces, no punctuation.
        var anchor: String {
            String(
                title.lowercased().compactMap { character in
                    if character == " " { return "-" }
                    return character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
                }
            )
        }
    }

    /// In the order of the table.
    private let chapters: [Chapter]

    private init(of shape: Shape, root: String) {
        var paths: [String] = []
        var sections: [String: [SectionDescription]] = [:]
        for use in shape.sectionUses() {
            if sections[use.path] == nil { paths.append(use.path) }
            if sections[use.path, default: []].contains(where: { $0.name == use.section.name }) { continue }
            sections[use.path, default: []].append(use.section)
        }
        var chapters: [Chapter] = []
        for path in paths {
            let here = sections[path] ?? []
            if let index = chapters.firstIndex(where: { $0.sections.map(\.name) == here.map(\.name) }) {
                chapters[index].paths.append(path)
            } else {
                chapters.append(Chapter(sections: here, paths: [path], root: root))
            }
        }
        self.chapters = chapters
    }

    private static let introduction =
        """
        # Descriptor reference

        For authors of descriptors: every key of the descriptor language, version 1. [Features of a
        descriptor](descriptor-features.md) explains the keys by task. `carnet schema` prints them as a JSON Schema. This page is generated from the table of keys
        in the code.

        In a heading, `[]` stands for each element of a list, and `NAME` for a name that you choose. Keys in bold are required. A
        *template* is a string in which `{name}` stands for an input. In a *template with* origins, `{origin.name}` also stands for a
        value of these origins; *sign-in values* are client, callback, token, step and connection. A *pointer* is a JSON Pointer
        such as `/user/name`; *pointers* are one, or a list of which the first that finds a value counts.

        The examples leave out `carnet: 1`, `id: acme` and `name: Acme`, with which each descriptor begins, and this issuer:

        ```yml
        \(issuer)```

        """

    private static let issuer = "issuer: https://id.acme.example\n"

    /// The description with the words for templates and pointers that the introduction explains.
    private func short(_ description: String) -> String {
        description
            .replacing(
                "a string, in which {name} stands for an input and {origin.name} for a value of",
                with: "a template with"
            )
            .replacing("a string, in which {name} stands for an input", with: "a template")
            .replacing("client, callback, token, step, connection", with: "sign-in values")
            .replacing("a JSON Pointer such as /user/name", with: "a pointer")
    }

    private func tables(_ example: (String) -> String?) -> String {
        var first: [String: Int] = [:]
        for (index, chapter) in chapters.enumerated() {
            for key in chapter.sections.flatMap(\.keys) where first[row(key)] == nil { first[row(key)] = index }
        }
        return chapters.indices.map { index in
            let rows = chapters[index].sections.flatMap(\.keys).map(row)
            // Rows that another chapter has already are named with a link, if they are two or more.
            let before = Dictionary(grouping: rows) { first[$0] ?? index }
                .filter { $0.key != index && $0.value.count >= 2 }
            return text(chapters[index], before, example)
        }.joined()
    }

    /// - Parameter before: The rows of the chapter that earlier chapters have, by the index of the first.
    private func text(_ chapter: Chapter, _ before: [Int: [String]], _ example: (String) -> String?) -> String {
        var seen: Set<String> = []
        let keys = chapter.sections.flatMap(\.keys).filter { seen.insert(row($0)).inserted }
        var rows = keys.map(row).filter { row in !before.values.contains { $0.contains(row) } }
        for (index, repeated) in before.sorted(by: { $0.key < $1.key }) {
            let names = keys.filter { repeated.contains(row($0)) }.map(name).joined(separator: ", ")
            rows.append("| \(names) | as in [\(chapters[index].shortTitle)](#\(chapters[index].anchor)) | |\n")
        }
        var table = "\n| Key | Value | Meaning |\n|---|---|---|\n" + rows.joined()
        if chapter.sections.count > 1 {
            // No key is required in all forms.
            let forms = chapter.sections.map { form in
                form.keys.filter(\.isRequired).map { "`\($0.name)`" }.joined(separator: " with ")
            }
            table = "\nEither \(forms.joined(separator: ", or ")):\n" + table.replacing("**", with: "")
        }
        let example =
            chapter.paths.lazy.compactMap(example).first.map { example in
                let text = example.hasPrefix(Self.issuer) ? String(example.dropFirst(Self.issuer.count)) : example
                return "\n```yml\n\(text)```\n"
            } ?? ""
        return "\n## \(chapter.title)\n" + table + example
    }

    private func name(_ key: KeyDescription) -> String { key.isRequired ? "**`\(key.name)`**" : "`\(key.name)`" }

    private func row(_ key: KeyDescription) -> String {
        "| \(name(key)) | \(holds(key.shape)) | \(cell(key.summary)) |\n"
    }

    /// What a value may be, with a link to each mapping that has a chapter.
    private func holds(_ shape: Shape) -> String {
        switch shape {
        case .text, .boolean, .json, .structure, .null: cell(short(shape.description))
        case .integer(let range) where range.count == 1: "`\(range.lowerBound)`"
        case .integer: shape.description
        case .choice(let names): oneOf(names.map { "`\($0)`" })
        case .list(let element) where holds(element) == "a string": "a list of strings"
        case .list(let element): "a list; each: \(holds(element))"
        case .map(let value): "a mapping; each: \(holds(value))"
        case .either(let shapes): either(shapes)
        case .variant: "[\(shape.description)](#\(chapters.first?.anchor ?? ""))"
        case .section(let section):
            "[\(section.phrase.map { "`\($0)`" } ?? "a mapping")](#\(anchor(of: section)))"
        }
    }

    private func oneOf(_ names: [String]) -> String {
        let head = names.dropLast().joined(separator: ", ")
        return [head, names.last ?? ""].filter { !$0.isEmpty }.joined(separator: " or ")
    }

    private func either(_ shapes: [Shape]) -> String {
        let sections = shapes.compactMap { if case .section(let section) = $0 { section } else { nil } }
        // The tables of one chapter show its many forms.
        let chapter = sections.count > 2 && Set(sections.map(anchor)).count == 1 ? anchor(of: sections[0]) : nil
        let named = shapes.filter { if case .section = $0 { chapter == nil } else { true } }
        let texts = named.map(holds)
        let all = named.indices.map { index in
            guard case .list(let element) = named[index], texts.contains(holds(element)) else { return texts[index] }
            return "a list of such"
        }
        return (all + (chapter.map { ["[a mapping](#\($0))"] } ?? []))
            .joined(separator: "; or ").replacing("a pointer; or a list of such", with: "pointers")
    }

    private func anchor(of section: SectionDescription) -> String {
        chapters.first { $0.sections.contains { $0.name == section.name } }?.anchor ?? ""
    }

    /// A text in a cell of a table.
    private func cell(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("->", with: "→")
    }
}
