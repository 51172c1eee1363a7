import CarnetDescriptors
import CarnetFoundation

struct UselessCondition: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G012", name: "useless-condition", severity: .warning,
        summary: "Everybody who meets a condition meets another one of the same route.",
        rationale: """
            Of the conditions in a list, one is enough. A condition that demands more than another has no effect, so the \
            route is more open than it looks. One condition with all the keys was probably meant.
            """,
        bad: [
            "routes: [{ allow: [{ provider: acme }, ⟦{ provider: acme, group: ops }⟧] }]\n",
            "routes: [{ allow: [⟦{ email_domain: example.com, group: ops }⟧, { email_domain: [example.com, example.org] }] }]\n",
        ],
        good: [
            "routes: [{ allow: [{ provider: acme, group: dev }, { provider: acme, group: ops }] }]\n",
            "routes: [{ allow: { provider: acme, group: [dev, ops] } }]\n",
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        context.rules.routes.flatMap { route in
            let conditions = route.allow.conditions
            return conditions.indices.compactMap { index in
                let weaker = conditions.indices.first { other in
                    // Of two that are alike, the second has no effect.
                    other != index && conditions[other].isMet(whenever: conditions[index])
                        && (other < index || !conditions[index].isMet(whenever: conditions[other]))
                }
                return weaker.map { weaker in
                    GatewayFinding(
                        "another condition of the route demands less", at: conditions[index].span,
                        help: "remove one of the two, or join them into one condition",
                        related: ("it is here", conditions[weaker].span))
                }
            }
        }
    }
}

extension GatewayCondition {
    /// Whether everybody who meets another condition meets this one.
    fileprivate func isMet(whenever other: GatewayCondition) -> Bool {
        /// Whether one of these is had by everybody who has one of those.
        func covers(_ own: [String], _ others: [String]) -> Bool {
            own.isEmpty || !others.isEmpty && others.allSatisfy { own.containsBytes(of: $0) }
        }
        let claimsAreMet = claims.items.allSatisfy { claim in
            other.claims.items.contains { $0.name == claim.name && covers(claim.value.values, $0.value.values) }
        }
        let needed = other.scopes
        return covers(providers.map(\.rawValue), other.providers.map(\.rawValue))
            && covers(emailDomains, other.emailDomains) && covers(emails, other.emails)
            && covers(subjects, other.subjects) && covers(groups, other.groups)
            && covers(clientIDs, other.clientIDs) && claimsAreMet
            && scopes.allOf.allSatisfy { needed.allOf.containsBytes(of: $0) } && covers(scopes.anyOf, needed.anyOf)
    }
}
