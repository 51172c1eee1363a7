package import CarnetDescriptors

/// Looks at all files together, so it is no rule of a single one.
package enum DuplicateProvider {
    package static let explanation = DiagnosticExplanation(
        "M002", name: "duplicate-provider",
        summary: "Two files of one folder have the same id, or ids that are the same in code.",
        rationale: """
            Users select a provider by its id, so one of the two files could never be used. A file in another folder \
            may have the same id on purpose: the later folder overrides the earlier one.
            """)

    static func check(_ outlines: [DescriptorOutline]) -> [Diagnostic] {
        struct Place: Hashable {
            var folder: Substring
            var id: ProviderID
        }
        var first: [Place: DescriptorOutline] = [:]
        return outlines.compactMap { outline in
            guard let id = outline.id else { return nil }
            let place = Place(folder: outline.folder, id: id)
            guard let earlier = first[place] else {
                first[place] = outline
                return nil
            }
            return explanation.diagnostic(
                "another file has the same id, \"\(id)\"", file: outline.file.path, span: outline.idSpan,
                related: [.init(message: "the other file", file: earlier.file.path, span: earlier.idSpan)])
        }
    }
}
