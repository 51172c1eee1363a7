public import CarnetDescriptors
import CarnetFoundation

/// Checks descriptors before anyone signs in with them.
public struct Linter: Sendable {
    /// The rules as closures. A call through a list of existentials copies the rule, which takes longer than most rules
    /// need for a file without a finding.
    private let checks: [@Sendable (LintContext) -> [Diagnostic]]
    /// The rules that also run on a descriptor with errors.
    private let singleValueRules: [any LintRule]
    let reader: YAMLReader
    private let known: ProviderRegistry
    private let simulator: (any DescriptorSimulator)?
    private let others: [any OtherFiles]
    let today: String?

    /// - Parameter known: Providers that a file may extend, besides the other files. They are not linted.
    public init(known: ProviderRegistry = ProviderRegistry()) {
        self.init(rules: LintRuleCatalog.all, known: known)
    }

    /// - Parameters:
    ///   - simulator: Runs a descriptor in the engine's own code; `nil` skips that.
    ///   - others: Files of other kinds, which are checked too.
    ///   - today: The day, such as 2026-11-28, for facts that end. Without it, the same files have the same findings on each day.
    package init(
        rules: [any LintRule] = LintRuleCatalog.all, reader: YAMLReader = YAMLReader(),
        known: ProviderRegistry = ProviderRegistry(), simulator: (any DescriptorSimulator)? = nil,
        others: [any OtherFiles] = [], today: String? = nil
    ) {
        checks = rules.map { rule in { rule.check($0) } }
        singleValueRules = rules.filter(\.checksSingleValues)
        self.reader = reader
        self.known = known
        self.simulator = simulator
        self.others = others
        self.today = today
    }

    /// The findings in each file and in all files together, ordered by file and place. An invalid file hides no finding in
    /// another.
    public func diagnostics(in files: [SourceFile]) -> [Diagnostic] { lint(files: files).diagnostics }

    /// The findings as a report, for printing and fixing.
    ///
    /// - Parameter unreadable: Files that could not be read. The report contains a finding for each.
    package func lint(files: [SourceFile], unreadable: [SourceFileError] = []) -> LintReport {
        var seen = Set<String>()
        let files = files.filter { seen.insert($0.path).inserted }
        let looked = files.concurrentMap(look(at:))
        let outlines = looked.compactMap(\.outline)
        let children = heirs(among: outlines)
        let diagnostics =
            looked.flatMap(\.diagnostics) + children.concurrentMap(lint).flatMap { $0 }
            + DuplicateProvider.check(outlines)
        return LintReport(
            files: files, diagnostics: withoutUsed(diagnostics, by: children), unreadable: unreadable)
    }

    /// The findings without those about keys that have an effect in a descriptor which extends the file.
    private func withoutUsed(_ found: [Diagnostic], by children: [DescriptorDocument]) -> [Diagnostic] {
        let rule = KeyWithoutEffect()
        guard found.contains(where: { $0.code == rule.explanation.code }) else { return found }
        let used = children.concurrentMap { (child: DescriptorDocument) -> [InFile] in
            guard let parent = child.parent.flatMap({ LintContext($0, today: today) }), parent.isWhole,
                let context = LintContext(child, today: today), context.isWhole
            else { return [] }
            let idle = Set(rule.check(context).map(\.span))
            return rule.check(parent).map { child.fromParent($0.span) }
                .filter { !idle.contains($0) && context.root.isWritten(at: $0) }
                .map { InFile(file: child.place(of: $0).file, span: child.place(of: $0).span) }
        }
        let places = Set(used.flatMap { $0 })
        return found.filter {
            $0.code != rule.explanation.code || !places.contains(InFile(file: $0.file, span: $0.span))
        }
    }

    private struct InFile: Hashable {
        var file: String
        var span: SourceSpan
    }

    /// The findings in each of a few files, apart from those that need another file. A tree takes many times the memory of
    /// its text, so no tree is kept.
    ///
    /// Each step is done for all of the files before the next one, because the code of all steps does not fit into a
    /// processor's cache.
    private func look(at files: ArraySlice<SourceFile>) -> [(outline: DescriptorOutline?, diagnostics: [Diagnostic])] {
        let trees = files.map(reader.read)
        let kinds = trees.map { tree in tree.root.flatMap { root in others.first { $0.fits(root) } } }
        let documents = zip(zip(files, kinds), trees).map { file, tree in
            file.1 != nil || tree.root.map(isResourceMap) == true ? nil : DescriptorDocument(file.0, read: tree)
        }
        var found = lint(documents.compactMap { $0?.parentID == nil ? $0 : nil }[...])[...]
        return zip(zip(files, kinds), zip(trees, documents)).map { source, content in
            let ((file, kind), (tree, document)) = (source, content)
            guard let document else {
                if let kind { return (nil, lint(file, tree, as: kind)) }
                let map = ResourceMapFile(file, reader: reader)
                return (nil, (map.diagnostics + CheckedResources.diagnostics(in: map)).sorted())
            }
            return (DescriptorOutline(document), document.parentID == nil ? found.removeFirst() : [])
        }
    }

    /// The findings in a file of another kind, without those that a comment silences.
    private func lint(_ file: SourceFile, _ tree: YAMLDocument, as kind: any OtherFiles) -> [Diagnostic] {
        let (mistakes, found) = kind.check(file, reader: reader)
        let codes = Set(kind.suppressibleCodes)
        return mistakes
            + Suppressions(file, tree.comments, isSuppressible: codes.contains)
            .filter(found, simulated: true, isWhole: !mistakes.contains { $0.severity == .error })
    }

    /// The documents that extend another, with what they inherit.
    func heirs(among outlines: [DescriptorOutline]) -> [DescriptorDocument] {
        guard outlines.contains(where: { $0.parentID != nil }) else { return [] }
        // A file that is known already must not extend itself.
        let texts = Set(outlines.map(\.file.bytes))
        let named = Set(outlines.compactMap(\.id) + outlines.compactMap(\.parentID))
        let others = known.written(inFamiliesOf: named).filter { !texts.contains($0.file.bytes) }
        let parents = Set(outlines.compactMap(\.parentID) + others.compactMap(\.parentID))
        let family = outlines.filter { $0.parentID != nil || $0.id.map(parents.contains) ?? false }
            .concurrentMap { DescriptorDocument($0.file, reader: reader) }
        let completed = Inheritance.complete(
            others + family, names: outlines.compactMap(\.id) + known.ids, prefersNeighbours: true)
        return completed.dropFirst(others.count).filter { $0.parentID != nil }
    }

    /// The findings of each document.
    private func lint(_ documents: ArraySlice<DescriptorDocument>) -> [[Diagnostic]] {
        let contexts = documents.map { LintContext($0, today: today) }
        var found = findings(contexts.compactMap { $0 })[...]
        return zip(documents, contexts).map { document, context in
            guard let context else { return document.diagnostics }
            let own = findings(in: document, found.removeFirst())
            return document.diagnostics
                + Suppressions(document.file, document.comments, isSuppressible: LintRuleCatalog.isSuppressible)
                .filter(own, simulated: simulator != nil, isWhole: context.isWhole)
        }
    }

    /// The findings of each descriptor and of its environments.
    private func findings(_ contexts: [LintContext]) -> [[Diagnostic]] {
        zip(contexts, checked(contexts)).map { context, found in
            guard !context.variants.isEmpty else { return found }
            let (known, places) = (Set(found), Set(found.map { Place(code: $0.code, span: $0.span) }))
            let ofVariants = zip(context.variants, checked(context.variants)).flatMap { variant, found in
                guard let own = variant.document.ownRoot?.span else { return [Diagnostic]() }
                return found.compactMap { finding in
                    guard !own.contains(finding.span) else { return known.contains(finding) ? nil : finding }
                    let isNew = !places.contains(Place(code: finding.code, span: finding.span))
                    return isNew ? context.placed(finding, causedBy: variant) : nil
                }
            }
            return found + ofVariants
        }
    }

    /// Where a rule found something.
    private struct Place: Hashable {
        var code: String
        var span: SourceSpan
    }

    private func checked(_ contexts: [LintContext]) -> [[Diagnostic]] {
        var found = contexts.map { $0.isWhole ? [] : validatedAlone($0) }
        let whole = contexts.indices.filter { contexts[$0].isWhole }
        for check in checks {
            for index in whole {
                let findings = check(contexts[index])
                if !findings.isEmpty { found[index] += findings }
            }
        }
        guard let simulator else { return zip(contexts, found).map { $0.withoutExplained($1) } }
        for (index, simulated) in zip(whole, simulator.check(whole.map { contexts[$0] })) {
            found[index] = SimulationDiagnostics.withoutConsequences(found[index] + simulated)
        }
        return zip(contexts, found).map { $0.withoutExplained($1) }
    }

    /// The findings besides errors. A value with an error gets no second finding.
    private func validatedAlone(_ context: LintContext) -> [Diagnostic] {
        let wrong = context.document.diagnostics.map(\.span)
        return singleValueRules.flatMap { $0.check(context) }.filter { finding in
            !wrong.contains { $0.start < finding.span.end && finding.span.start < $0.end }
        }
    }

    /// The findings of the file itself, without those that only its parent causes.
    private func findings(in document: DescriptorDocument, _ found: [Diagnostic]) -> [Diagnostic] {
        guard let parent = document.parent, let context = LintContext(parent, today: today) else { return found }
        let ofParent = Set(findings([context])[0].map { Place(code: $0.code, span: $0.span) })
        return found.filter { finding in
            !document.isInherited(finding.span)
                || !ofParent.contains(Place(code: finding.code, span: document.inParent(finding.span)))
        }
        .map(document.placed) + ExtendsClosedProvider.check(document)
    }

    /// Tells a resource map of its own from a descriptor: a list of resources, or nothing but `resources` and `hosts`.
    private func isResourceMap(_ root: YAMLNode) -> Bool {
        guard let keys = root.entries?.map(\.key) else { return root.elements != nil }
        return keys.contains("resources") && keys.allSatisfy { ["resources", "hosts"].contains($0) }
    }
}

extension LintContext {
    /// An error about an inherited value that only an environment causes: at the environment's name.
    fileprivate func placed(_ finding: Diagnostic, causedBy variant: LintContext) -> Diagnostic? {
        guard finding.severity == .error, let name = variant.descriptor.environment else { return nil }
        var placed = finding
        placed.message = "in the environment \(name), \(finding.message)"
        placed.span = places.environments[name].keySpan
        if SimulationDiagnostics.codes.contains(finding.code) {
            placed.help =
                (finding.help.map { "\($0); " } ?? "") + "an environment may have samples and examples of its own"
        }
        placed.fix = nil
        placed.related.insert(related("inherited from here", at: finding.span), at: 0)
        return placed
    }
}

extension YAMLNode {
    /// Whether one of its keys or values is at a place.
    fileprivate func isWritten(at place: SourceSpan) -> Bool {
        span == place || (elements ?? []).contains { $0.isWritten(at: place) }
            || (entries ?? []).contains { $0.keySpan == place || $0.value.isWritten(at: place) }
    }
}
