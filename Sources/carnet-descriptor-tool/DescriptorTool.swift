import CarnetDescriptors
import CarnetLint
import Foundation

/// Checks descriptors at build time and writes the Swift file that embeds them.
///
///     carnet-descriptor-tool embed --output FILE DESCRIPTOR...
///
/// Findings go to standard error as `file:line:column: error: ...`, where build systems look for them. Exit status: 0
/// written, 1 a descriptor has errors, 2 usage, 3 the program itself failed.
@main
enum DescriptorTool {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 3, arguments.first == "embed", arguments.dropFirst().first == "--output",
            let output = arguments.dropFirst(2).first
        else {
            report("usage: carnet-descriptor-tool embed --output FILE DESCRIPTOR...")
            exit(2)
        }
        let (source, findings) = embed(paths: Array(arguments.dropFirst(3)))
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
    static func embed(paths: [String]) -> (source: String?, findings: [Diagnostic]) {
        var files: [SourceFile] = []
        var unreadable: [SourceFileError] = []
        for path in paths {
            do throws(SourceFileError) {
                files.append(try SourceFile(readingFrom: path))
            } catch {
                unreadable.append(error)
            }
        }
        var findings = Linter().lint(files: files, unreadable: unreadable).diagnostics
        let embedded = EmbeddedDescriptors(files.map { DescriptorDocument($0) })
        findings += embedded.conflicts
        guard !findings.contains(where: { $0.severity == .error }) else { return (nil, findings) }
        return (embedded.swiftSource, findings)
    }

    private static func report(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
