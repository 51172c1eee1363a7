public import CarnetDescriptors

/// Looks at all files together, so it is no rule of a single one.
public enum DuplicateProvider {
    public static let explanation = RuleExplanation(
        code: "M002",
        name: "duplicate-provider",
        summary: "Two files of one folder have the same id, or ids that are the same in code.",
        rationale: """
            A provider is selected by its id, so one of the two can never be. A file in another folder may have the same \
            id on purpose: the later folder hides the earlier one.
            """
    )

    static func check(_ documents: [DescriptorDocument]) -> [Diagnostic] {
        struct Place: Hashable {
            var folder: String
            var id: ProviderID
        }
        var first: [Place: DescriptorDocument] = [:]
        return documents.compactMap { document in
            guard let id = document.id else { return nil }
            let folder = document.file.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            let place = Place(folder: folder.joined(separator: "/"), id: id)
            guard let earlier = first[place] else {
                first[place] = document
                return nil
            }
            return explanation.diagnostic(
                "another file has the id \"\(id)\" too",
                file: document.file.path,
                span: document.span(of: ["id"]),
                related: [
                    .init(message: "the other file", file: earlier.file.path, span: earlier.span(of: ["id"]))
                ]
            )
        }
    }
}
