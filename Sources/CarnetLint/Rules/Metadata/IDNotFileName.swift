import CarnetDescriptors

struct IDNotFileName: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "M001", name: "id-not-file-name", severity: .warning, summary: "The id differs from the name of the file.",
        rationale: """
            Users select a provider by its id, and look for it by its file name. If the two differ, people edit the \
            wrong file, and a copy with the same id overrides the original.
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let path = context.path
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = path[(slash.map(path.utf8.index(after:)) ?? path.startIndex)...]
        guard name.utf8.first != UInt8(ascii: "<"), let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            [".yaml", ".yml"].contains(name[dot...]), name[..<dot] != context.descriptor.id.rawValue
        else { return [] }
        return findings(
            "the id is \"\(context.descriptor.id)\", but the file is called \(name)", in: context,
            at: context.places.id.span, help: "rename one of the two")
    }
}
