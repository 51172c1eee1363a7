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
        let imports: Set<String>

        var description: String { "\(ModuleTable.path):\(line) (\(module))" }

        /// A plugin imports nothing of the package: it runs a tool.
        var isPlugin: Bool { module == "CarnetProviders" }
    }

    static func rows() throws -> [Row] {
        let rows = try Repository.file(path).lines.compactMap { number, line -> Row? in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmed }
            guard cells.count == 6, cells[2].hasPrefix("`") else { return nil }
            return Row(line: number, part: cells[1], module: names(in: cells[2])[0], imports: Set(names(in: cells[4])))
        }
        try #require(rows.count > 20, "\(path) has no table of modules")
        return rows
    }

    /// What Package.swift calls a module that the sources import under another name.
    static func product(of module: String) -> String { module == "CYaml" ? "Yams" : module }

    /// The page with its picture drawn from its table.
    static func drawn(into page: String) throws -> String {
        let begin = "<!-- parts: made from the table below -->\n"
        let end = "<!-- end of parts -->"
        let start = try #require(page.range(of: begin), "\(path) has no picture")
        let stop = try #require(page.range(of: end), "\(path) has no end of the picture")
        return page[..<start.upperBound] + "\n" + (try picture()) + "\n" + page[stop.lowerBound...]
    }

    private static func picture() throws -> String {
        let rows = try rows()
        return parts.reversed().map { part in
            var lines: [String] = []
            var line = ""
            for name in rows.filter({ $0.part == part }).map(\.module) {
                if line.count + name.count > 100 {
                    lines.append(line)
                    line = ""
                }
                line += (line.isEmpty ? "" : "  ") + name
            }
            lines.append(line)
            return lines.enumerated().map { index, names in
                "    " + (index == 0 ? part : "").padded(to: 10) + names + "\n"
            }.joined()
        }.joined()
    }

    private static func names(in cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().compactMap {
            $0.offset.isMultiple(of: 2) ? nil : String($0.element)
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
