import CarnetTestSupport
import Foundation
import Testing

/// The table of modules in Docs/architecture.md.
enum ModuleTable {
    static let path = "Docs/architecture.md"

    /// From below to above.
    static let parts = ["ground", "language", "engine", "edges", "sites", "proof", "command"]

    struct Row: CustomStringConvertible, Sendable {
        let line: Int
        let part: String
        let module: String

        var description: String { "\(ModuleTable.path):\(line) (\(module))" }

        /// A plugin imports nothing of the package: it runs a tool.
        var isPlugin: Bool { module == "CarnetProviders" }
    }

    static func rows() throws -> [Row] {
        let rows = try Repository.file(path).lines.compactMap { number, line -> Row? in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmed }
            guard cells.count == 5, parts.contains(cells[1]), cells[2].hasPrefix("`") else { return nil }
            return Row(line: number, part: cells[1], module: String(cells[2].dropFirst().dropLast()))
        }
        try #require(rows.count > 20, "\(path) has no table of modules")
        return rows
    }

    /// What Package.swift calls a module that the sources import under another name.
    static func product(of module: String) -> String { module == "CYaml" ? "Yams" : module }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
