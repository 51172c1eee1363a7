import CarnetDescriptors
import CarnetTestSupport
import Foundation

extension Repository {
    /// The descriptors that are shipped, and those that the documentation shows.
    static func descriptors() throws -> [SourceFile] {
        let providers = try DescriptorFolder(root.appending(path: "providers").path).descriptorPaths()
        let pages = try ["README.md", "Docs/adding-a-provider.md", "Docs/descriptor-features.md"].flatMap { page in
            try file(page).text.split(separator: "```yaml\n").dropFirst().compactMap { block in
                block.firstRange(of: "```").map { String(block[..<$0.lowerBound]) }
            }
        }
        // A resource map is a file of another kind.
        let blocks = pages.filter { !$0.hasPrefix("resources:") }
        return try providers.map { try SourceFile(readingFrom: $0) }
            + blocks.enumerated().map { SourceFile(path: "block \($0.offset)", text: $0.element) }
    }
}
