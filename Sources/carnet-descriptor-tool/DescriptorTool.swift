import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// Checks descriptors, and writes the Swift file that embeds them.
///
///     carnet-descriptor-tool FILE FOLDER DESCRIPTOR...
///
/// `FOLDER` has further descriptors that the given ones may extend. They are not embedded.
///
/// Findings go to standard error as `file:line:column: error: ...`, where build systems look for them. Exit status: 0
/// written or without errors, 1 a descriptor has errors, 2 usage, 3 the program itself failed.
@main
enum DescriptorTool {
    static func main() {
        let given = CommandLine.arguments.dropFirst()
        guard given.count >= 2, let output = given.first else {
            report("usage: carnet-descriptor-tool FILE FOLDER DESCRIPTOR...")
            exit(2)
        }
        let (source, findings) = embed(paths: Array(given.dropFirst(2)), parents: given.dropFirst().first)
        for finding in findings where finding.severity != .information { report(finding) }
        guard let source else { exit(1) }
        let file = URL(filePath: output)
        let content = Data(source.utf8)
        // A file that stays as it is causes no compilation.
        if (try? Data(contentsOf: file)) == content { return }
        do {
            try content.write(to: file, options: .atomic)
        } catch {
            report("error: \(output) cannot be written: \(error.fileReason)")
            exit(3)
        }
    }

    /// The Swift source that embeds the files, if none of them has an error, and everything that was found.
    ///
    /// - Parameter parents: A folder of descriptors that these may extend.
    static func embed(paths: [String], parents: String? = nil) -> (source: String?, findings: [Diagnostic]) {
        let (documents, known, found) = read(paths, parents: parents)
        let findings = found + conflicts(of: documents)
        guard !findings.contains(where: { $0.severity == .error }) else { return (nil, findings) }
        var registry = known
        registry.add(documents.map(\.file), origin: .folder(""))
        return (documents.compactMap { EmbeddedDescriptor($0, in: registry) }.swiftSource, findings)
    }

    private static func read(
        _ paths: [String], parents: String?
    ) -> (documents: [DescriptorDocument], known: ProviderRegistry, findings: [Diagnostic]) {
        var files: [SourceFile] = []
        var unreadable: [SourceFileError] = []
        for path in paths {
            do throws(SourceFileError) {
                files.append(try SourceFile(readingFrom: path))
            } catch {
                unreadable.append(error)
            }
        }
        let documents = files.map { DescriptorDocument($0) }
        var known = ProviderRegistry()
        let ids = Set(documents.compactMap(\.id))
        if let parents, documents.contains(where: { $0.parentID.map { !ids.contains($0) } ?? false }) {
            // A folder that cannot be read leaves the parents unknown, which the linter reports at `extends`.
            _ = try? known.add(folder: parents)
        }
        return (documents, known, Linter(known: known).lint(files: files, unreadable: unreadable).diagnostics)
    }

    /// Descriptors whose constants would have one name, such as those of `a-b` and `a--b`.
    static func conflicts(of documents: [DescriptorDocument]) -> [Diagnostic] {
        var first: [String: ProviderID] = [:]
        return documents.compactMap { document in
            guard document.isSound, let id = document.id else { return nil }
            let name = EmbeddedDescriptor.constantName(of: id.rawValue)
            guard let earlier = first.updateValue(first[name] ?? id, forKey: name), earlier != id else { return nil }
            return DuplicateProvider.explanation.diagnostic(
                "the ids \"\(earlier)\" and \"\(id)\" both become the constant \"\(name)\"", file: document.file.path,
                span: document.span(of: ["id"]))
        }
    }

    /// The first line is for build systems. The excerpt and the suggestion below it are for people.
    private static func report(_ finding: Diagnostic) {
        let text = TextReporter().render(finding) { path in
            (try? SourceFile(readingFrom: path)).map { SourceText($0) }
        }
        OutputChannel.standardError.write(text)
    }

    private static func report(_ line: String) { OutputChannel.standardError.write(line + "\n") }
}

extension EmbeddedDescriptor {
    /// - Returns: `nil` for a document that is not sound.
    init?(_ document: DescriptorDocument, in registry: ProviderRegistry) {
        guard document.isSound, let id = document.id else { return nil }
        let inputs = (try? registry.descriptor(id))?.inputs.items ?? []
        self.init(
            id: id.rawValue, parent: document.parentID?.rawValue, file: document.file.path, text: document.file.text,
            inputs: inputs.map(Input.init))
    }
}

extension EmbeddedDescriptor.Input {
    init(_ input: Named<InputRules>) {
        self.init(
            name: input.name, title: input.value.title,
            isRequired: input.value.defaultValue == nil && !input.value.isOptional, isSecret: input.value.isSecret,
            allowed: input.value.allowed)
    }
}
