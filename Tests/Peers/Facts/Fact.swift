import CarnetTestSupport
import Foundation

/// A row of `facts.tsv`: what a source states about a provider.
struct Fact: Sendable {
    let id: String
    let key: String
    let value: String
    let source: String
    let date: String
    /// `own`, `libs2`, `lib1` or `conflict`.
    let sure: String
    let line: Int

    var row: String { "\(id)\t\(key)\t\(value)" }
}

/// A row of `settled.tsv`: a difference between a fact and Carnet, after a third look.
struct Settlement: Sendable {
    /// Whose mistake the difference was.
    enum Mistake: String, CaseIterable {
        /// The descriptor was wrong, and is corrected.
        case descriptor
        /// The row is wrong: its source does not state it.
        case entry
        /// The source is wrong or old.
        case source
        /// Both are right, or Carnet chose among what is right.
        case none
    }

    let id: String
    let key: String
    let value: String
    let mistake: Mistake
    /// What Carnet did when the difference was found.
    let carnet: String
    let reason: String
    let source: String
    let line: Int

    var row: String { "\(id)\t\(key)\t\(value)" }
}

enum FactTable {
    static let folder = "Tests/Peers/Facts"

    static func facts() throws -> [Fact] {
        try rows("facts.tsv", columns: ["id", "key", "value", "source", "date", "sure"]).map { line, row in
            Fact(id: row[0], key: row[1], value: row[2], source: row[3], date: row[4], sure: row[5], line: line)
        }
    }

    static func settlements() throws -> [Settlement] {
        let columns = ["id", "key", "value", "mistake", "carnet", "reason", "source"]
        return try rows("settled.tsv", columns: columns).map { line, row in
            guard let mistake = Settlement.Mistake(rawValue: row[3]) else {
                throw FactTableError(file: "settled.tsv", line: line, message: "\(row[3]) is no mistake")
            }
            return Settlement(
                id: row[0], key: row[1], value: row[2], mistake: mistake, carnet: row[4], reason: row[5],
                source: row[6], line: line)
        }
    }

    static func rows(_ name: String, columns: [String]) throws -> [(line: Int, row: [String])] {
        let lines = try Repository.file("\(folder)/\(name)").lines.filter { !$0.text.isEmpty }
        let rows = lines.map { (line: $0.number, row: $0.text.components(separatedBy: "\t")) }
        guard rows.first?.row == columns else {
            throw FactTableError(file: name, line: 1, message: "the columns are not \(columns)")
        }
        for row in rows where row.row.count != columns.count || row.row.contains("") {
            throw FactTableError(file: name, line: row.line, message: "a column is missing or empty")
        }
        return Array(rows.dropFirst())
    }
}

struct FactTableError: Error, CustomStringConvertible {
    let file: String
    let line: Int
    let message: String

    var description: String { "\(file):\(line): \(message)" }
}
