import CarnetDescriptors
import CarnetFoundation

struct PointerWithoutSlash: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G018", name: "pointer-without-slash", severity: .warning,
        summary: "The place of the groups looks like a JSON Pointer, and is the name of a claim.",
        rationale: """
            A JSON Pointer begins with a slash. Without it, the gateway looks for one claim whose name has a slash in it, and \
            finds no group of anybody. Claims whose names are URLs are meant as they are.
            """,
        references: ["RFC 6901, section 3"],
        bad: ["providers: [{ id: acme, groups: ⟦realm_access/roles⟧ }]\n"],
        good: [
            "providers: [{ id: acme, groups: /realm_access/roles }]\n",
            "providers: [{ id: acme, groups: \"https://apps.example/roles\" }]\n",
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        context.rules.providers.compactMap { provider in
            let name = provider.groups
            guard name.utf8.first != UInt8(ascii: "/"), name.holds(UInt8(ascii: "/")), !name.holds(UInt8(ascii: ":")),
                let value = provider.node.entry("groups")?.value
            else { return nil }
            return GatewayFinding(
                "this is one claim with a slash in its name", at: value.span, help: "did you mean /\(name)?")
        }
    }
}
