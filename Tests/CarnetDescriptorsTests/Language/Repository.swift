import CarnetDescriptors
import Foundation

/// The checkout that the tests were built from.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The descriptors that are shipped, and those that the documentation shows.
    static func descriptors() throws -> [SourceFile] {
        let providers = try DescriptorFolder(root.appending(path: "providers").path).descriptorPaths()
        let pages = try ["README.md", "Docs/adding-a-provider.md"].flatMap { page in
            try text(page).split(separator: "```yaml\n").dropFirst().compactMap { block in
                block.firstRange(of: "```").map { String(block[..<$0.lowerBound]) }
            }
        }
        // A resource map is a file of another kind.
        let blocks = pages.filter { !$0.hasPrefix("resources:") }
        return try providers.map { try SourceFile(readingFrom: $0) }
            + blocks.enumerated().map { SourceFile(path: "block \($0.offset)", text: $0.element) }
    }
}
