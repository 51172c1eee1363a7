import CarnetDescriptors
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
        do {
            let files = try arguments.dropFirst(3).map { try SourceFile(readingFrom: $0) }
            let documents = files.map { DescriptorDocument($0) }
            let findings = documents.flatMap(\.diagnostics)
            for finding in findings { report(finding.description) }
            guard !findings.contains(where: { $0.severity == .error }) else { exit(1) }
            let source = EmbeddedDescriptors(documents).swiftSource
            try Data(source.utf8).write(to: URL(filePath: output), options: .atomic)
        } catch {
            report("error: \(error)")
            exit(3)
        }
    }

    private static func report(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
