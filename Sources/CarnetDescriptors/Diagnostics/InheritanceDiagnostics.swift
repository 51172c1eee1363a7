/// The pages of what can be wrong between a descriptor and the one that it extends.
package enum InheritanceDiagnostics {
    package static let all = [unknownParent, cycle, brokenParent]

    static let unknownParent = DiagnosticExplanation(
        code: "K020", name: "unknown-parent", summary: "'extends' names a provider that does not exist.",
        rationale: """
            A descriptor that extends another contains only the differences, so it is incomplete without its parent. \
            The parent can be beside the file, built in or in any folder of providers. A descriptor can also extend \
            the descriptor with the same id that it overrides.
            """
    )

    static let cycle = DiagnosticExplanation(
        code: "K021", name: "endless-inheritance",
        summary: "A descriptor extends itself through others, or its chain of parents is too long.",
        rationale: """
            In a cycle no descriptor is the base, so the endpoints are undefined. A chain can have at most 16 files. \
            In longer chains a reader cannot find out which file sets a value.
            """
    )

    static let brokenParent = DiagnosticExplanation(
        code: "K022", name: "broken-parent", summary: "The descriptor that this one extends has errors.",
        rationale: """
            The meaning of a broken file is unknown, so nothing is inherited from it. Fix the findings of the parent \
            first.
            """
    )
}
