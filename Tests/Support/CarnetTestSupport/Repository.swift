public import Foundation

/// The checkout that the tests were built from.
public enum Repository {
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    public struct File: CustomStringConvertible, Sendable {
        /// Relative to the root.
        public let path: String
        public let text: String

        /// The last part of the path, without what follows its first dot.
        public var name: String { String(path.split(separator: "/").last?.prefix { $0 != "." } ?? "") }

        public var description: String { path }
        public var lines: [(number: Int, text: Substring)] {
            text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
                ($0.offset + 1, $0.element)
            }
        }
    }

    /// The files below a folder with one of the extensions, sorted by path, without what a test makes from other files.
    public static func files(_ folder: String, _ extensions: String...) throws -> [File] {
        let base = root.appending(path: folder)
        let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { path in
            extensions.contains { path.hasSuffix("." + $0) } && !path.contains("/Generated/")
        }.sorted().map { path in
            try file("\(folder)/\(path)")
        }
    }

    public static func file(_ path: String) throws -> File {
        File(path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
    }
}
