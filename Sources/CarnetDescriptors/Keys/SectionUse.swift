/// A place of the language where a section stands.
package struct SectionUse: Sendable {
    /// The keys that lead there, e.g. `token.response`; `[]` is an element of a list, `NAME` a name of the author's own.
    package let path: String
    package let section: SectionDescription
}

extension Shape {
    /// The sections in and below a value of this shape, outer ones first, in the order of the table.
    package func sectionUses(at path: String = "") -> [SectionUse] {
        switch self {
        case .text, .integer, .boolean, .choice, .variant, .json, .structure, .null: []
        case .list(let element): element.sectionUses(at: path + "[]")
        case .map(let value): value.sectionUses(at: path + ".NAME")
        case .either(let shapes): shapes.flatMap { $0.sectionUses(at: path) }
        case .section(let section):
            [SectionUse(path: path, section: section)]
                + section.keys.flatMap { key in
                    key.shape.sectionUses(at: path.isEmpty ? key.name : "\(path).\(key.name)")
                }
        }
    }
}
