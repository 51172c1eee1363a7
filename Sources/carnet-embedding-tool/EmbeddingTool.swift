import CarnetEmbedding
import CarnetFoundation

/// Writes the Swift file that embeds the catalogue. It checks nothing: tests lint the catalogue.
///
///     carnet-embedding-tool FILE DESCRIPTOR...
///
/// Exit status: 0 written, 1 a descriptor cannot be read or has no id, 2 usage, 3 the file cannot be written.
@main
enum EmbeddingTool {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let output = arguments.first else { fail("usage: carnet-embedding-tool FILE DESCRIPTOR...", 2) }
        let files = arguments.dropFirst().map { path in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8),
                let file = CatalogFile(name: path, text: text)
            else { fail("\(path):1:1: error: the file cannot be read, or has no id", 1) }
            return file
        }
        let file = URL(filePath: output)
        let content = Data(CatalogFile.descriptors(of: files).swiftSource.utf8)
        // A file that stays as it is causes no compilation.
        if (try? Data(contentsOf: file)) == content { return }
        do {
            try content.write(to: file, options: .atomic)
        } catch {
            fail("error: \(output) cannot be written: \(error.fileReason)", 3)
        }
    }

    private static func fail(_ message: String, _ status: Int32) -> Never {
        OutputChannel.standardError.write(message + "\n")
        exit(status)
    }
}
