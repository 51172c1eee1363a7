import CarnetTestSupport
import Foundation
import Testing

/// The rows of `matrix.txt`, with the tests that have their names.
struct Matrix {
    struct Row: Sendable {
        var id: String
        var level: String
        var attack: String
        /// Why no test has its name.
        var reason: String?
    }

    struct Section: Sendable {
        var title: String
        var rows: [Row]
    }

    /// A test that mounts a row.
    struct Mounted: Hashable, Sendable {
        /// The path from the repository's root.
        var file: String
        var function: String
    }

    let sections: [Section]
    let tests: [String: [Mounted]]

    var rows: [Row] { sections.flatMap(\.rows) }

    init() throws {
        var sections: [Section] = []
        let text = try Repository.file("Tests/Attacks/AttackTests/matrix.txt").text
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("= ") {
                sections.append(Section(title: String(line.dropFirst(2)), rows: []))
                continue
            }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require((3...4).contains(cells.count), "\(line)")
            try #require(!sections.isEmpty)
            sections[sections.count - 1].rows.append(
                Row(id: cells[0], level: cells[1], attack: cells[2], reason: cells.count == 4 ? cells[3] : nil))
        }
        self.sections = sections
        tests = try Self.mounted()
    }

    /// The functions that begin with the id of a row, by that id: those of this folder, and of other targets' tests where a
    /// row takes a database, the command line or what is internal there.
    private static func mounted() throws -> [String: [Mounted]] {
        var tests: [String: [Mounted]] = [:]
        for file in try Repository.files("Tests", "swift") {
            for (_, line) in file.lines where line.contains("func ") {
                guard let match = line.firstMatch(of: /func (([A-Z]+)_(\d+)_\w+)/) else { continue }
                tests["\(match.2)-\(match.3)", default: []].append(
                    Mounted(file: file.path, function: String(match.1)))
            }
        }
        return tests
    }
}
