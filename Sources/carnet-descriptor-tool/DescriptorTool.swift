import CarnetDescriptors
import CarnetLint
import Foundation

/// Checks descriptors at build time and writes the Swift file that embeds them.
///
///     carnet-descriptor-tool embed --output FILE --parents FOLDER DESCRIPTOR...
///
/// `FOLDER` has further descriptors that the given ones may extend. They are not embedded.
///
/// Findings go to standard error as `file:line:column: error: ...`, where build systems look for them. Exit status: 0
/// written, 1 a descriptor has errors, 2 usage, 3 the program itself failed.
@main
enum DescriptorTool {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let given = Array(arguments)
        guard given.count >= 5, given[0] == "embed", given[1] == "--output", given[3] == "--parents" else {
            report("usage: carnet-descriptor-tool embed --output FILE --parents FOLDER DESCRIPTOR...")
            exit(2)
        }
        let output = given[2]
        let (source, findings) = embed(paths: Array(given.dropFirst(5)), parents: given[4])
        for finding in findings where finding.severity != .information { report(finding.description) }
        guard let source else { exit(1) }
        do {
            try Data(source.utf8).write(to: URL(filePath: output), options: .atomic)
        } catch {
            report("error: \(output) cannot be written: \(error.localizedDescription)")
            exit(3)
        }
    }

    /// The Swift source that embeds the files, if none of them has an error, and everything that was found.
    ///
    /// - Parameter parents: A folder of descriptors that these may extend.
    static func embed(paths: [String], parents: String? = nil) -> (source: String?, findings: [Diagnostic]) {
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
        var findings = Linter(known: known).lint(files: files, unreadable: unreadable).diagnostics
        let embedded = EmbeddedDescriptors(documents)
        findings += embedded.conflicts
        guard !findings.contains(where: { $0.severity == .error }) else { return (nil, findings) }
        return (embedded.swiftSource, findings)
    }

    private static func report(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
