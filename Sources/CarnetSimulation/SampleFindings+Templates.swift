import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// Templates that make nothing of the values in samples.
extension SampleFindings {
    /// Claims that are to be made of others, which the samples have in another form.
    func ofDerived(_ first: Profile) -> [Diagnostic] {
        let whole = simulation.completed(first).profile
        guard let values = whole.values(at: simulation.provider) else { return [] }
        return simulation.provider.profile.derive.compactMap { claim in
            guard claim.name != "subject", whole[claim.name] == nil, !expect.claims.contains(claim.name),
                values.makeNothing(of: claim.value)
            else { return nil }
            return leftOut("the claim \(claim.name)", at: places.profile.derive[claim.name].span)
        }
    }

    /// A derived subject that is not that of the ID token, with which the engine compares it.
    func ofOtherSubject(_ profile: Profile, in sample: Sample) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard descriptor.comparesSubjects, !descriptor.derivesOtherSubject,
            let template = simulation.provider.profile.subjectTemplate,
            !template.references.contains(where: { $0.isAlwaysSecret && !simulation.hasSampledClaims(of: $0) }),
            let own = profile.subject,
            let stated = sample.body[stated: "sub"]?.scalarText ?? descriptor.subjectOfSampleIDToken,
            !own.isSameBytes(as: stated)
        else { return [] }
        return context.findings(
            .contradictedSubject, "the subject that 'derive' makes is not the sample's sub, which the ID token has",
            at: places.profile.derive["subject"].span, help: DiagnosticExplanation.otherSubject, sample: sample.place)
    }

    private func leftOut(_ what: String, at span: SourceSpan) -> Diagnostic {
        context.finding(
            .claimNotRead, "the samples have the values of \(what), and its template finds nothing in them", at: span,
            help: "correct its pattern or table, or give it a default")
    }

    /// Parameters and headers that are left out, because a function finds nothing in what the samples have.
    var ofAdditions: [Diagnostic] {
        let (captures, samples) = (context.descriptor.callback.capture.items, samples.callback)
        let invented = captures.filter { $0.value.example == nil && samples?.contains($0.parameter) != true }.map(
            \.name)
        // A derived value may be made of one that was invented.
        func isStated(_ value: TemplateReference) -> Bool {
            value.origin == .callback ? !invented.contains(value.name) : value.origin != .connection || invented.isEmpty
        }
        let additions = context.root.additions.prefix(256).compactMap { entry, _ in
            entry.value.scalar.flatMap { try? Template($0.text, in: .anywhere) }.map { (entry: entry, template: $0) }
        }.filter { !$0.template.references.isEmpty && $0.template.inputNames.isEmpty }
        guard !additions.isEmpty else { return [] }
        let values = simulation.connectionRequests.known
        return additions.compactMap { entry, template in
            template.references.allSatisfy(isStated) && values.makeNothing(of: template)
                ? leftOut("\(entry.key)", at: entry.value.span) : nil
        }
    }
}

extension TemplateValues {
    /// Whether a template finds nothing in its values, which are all stated. Redacted ones say nothing.
    fileprivate func makeNothing(of template: Template) -> Bool {
        let texts = template.references.map { known[$0]?.text ?? "" }
        return !texts.isEmpty && texts.allSatisfy { !$0.isEmpty && !$0.lowercased().contains("redacted") }
            && !template.references.contains(where: \.isAlwaysSecret) && template.claimsOfTokens.isEmpty
            && fill(template) == nil
    }
}
