extension DescriptorDocument {
    /// The file and the place in it of the value at a path of keys; the value may be inherited.
    package func place(of path: [String]) -> (file: String, span: SourceSpan) { place(of: span(of: path)) }

    /// The file and the place in it of a place in the completed tree.
    package func place(of span: SourceSpan) -> (file: String, span: SourceSpan) {
        let (index, span) = sources.place(of: span)
        return (sources.files[index].path, span)
    }

    /// A finding about the completed tree as one about this file: what is inherited is shown at `extends`, with the place
    /// in the parent beside it.
    package func placed(_ finding: Diagnostic) -> Diagnostic {
        guard sources.files.count > 1 else { return finding }
        var placed = finding
        placed.related = finding.related.map { related in
            let (index, span) = sources.place(of: related.span)
            return Diagnostic.Related(message: related.message, file: sources.files[index].path, span: span)
        }
        if let fix = finding.fix, fix.edits.contains(where: { sources.place(of: $0.span).index != 0 }) {
            placed.fix = nil
        }
        let (index, span) = sources.place(of: finding.span)
        guard index != 0 else { return placed }
        placed.fix = nil
        placed.span = self.span(of: ["extends"])
        let origin = Diagnostic.Related(message: "inherited from here", file: sources.files[index].path, span: span)
        placed.related.insert(origin, at: 0)
        return placed
    }

    /// Whether a finding about the completed tree is at a place that is inherited.
    package func isInherited(_ span: SourceSpan) -> Bool { sources.place(of: span).index != 0 }

    /// The place in the parent's own tree for a place in the completed tree.
    package func inParent(_ span: SourceSpan) -> SourceSpan { span.moved(byLines: -sources.parentOffset) }

    /// The place in the completed tree for a place in the parent's own tree.
    package func fromParent(_ span: SourceSpan) -> SourceSpan { span.moved(byLines: sources.parentOffset) }
}
