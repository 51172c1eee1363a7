/// The pages of what can be wrong between a descriptor and the one that it extends.
package enum InheritanceRules {
    package static let all = [unknownParent, cycle, brokenParent]

    static let unknownParent = RuleExplanation(
        code: "K020",
        name: "unknown-parent",
        summary: "'extends' names a provider that is not there.",
        rationale: """
            A descriptor that extends another says only what differs, so without the other it is no provider. The parent \
            may be built in or stand in any folder of providers; a descriptor may also extend the one of its own id that \
            it hides.
            """
    )

    static let cycle = RuleExplanation(
        code: "K021",
        name: "endless-inheritance",
        summary: "A descriptor extends itself by way of others, or extends too many.",
        rationale: """
            In a circle no descriptor is the base, so nothing says what the endpoints are. A chain may be at most 16 files \
            long: past a few, nobody can tell any more which file a value comes from.
            """
    )

    static let brokenParent = RuleExplanation(
        code: "K022",
        name: "broken-parent",
        summary: "The descriptor that this one extends has errors.",
        rationale: """
            What a broken file meant cannot be known, so nothing is inherited from it. The parent's own findings say what \
            to mend.
            """
    )
}
