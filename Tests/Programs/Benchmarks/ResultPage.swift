import BenchmarkSubjects
import Foundation

/// A page with results between marks: `<!-- results: GROUP -->` and `<!-- end -->`.
struct ResultPage {
    let path: String

    /// Replaces the results of these groups.
    ///
    /// - Throws: `BenchmarkFailure` if the page has no marks for a group.
    func write(_ results: [(group: Group, rows: [Row])]) throws {
        var text = try String(contentsOfFile: path, encoding: .utf8)
        for (group, rows) in results {
            let mark = "<!-- results: \(group.rawValue) -->\n"
            guard let start = text.range(of: mark),
                let end = text.range(of: "<!-- end -->", range: start.upperBound..<text.endIndex)
            else { throw BenchmarkFailure(reason: "\(path) has no place for \(group.rawValue)") }
            text.replaceSubrange(
                start.upperBound..<end.lowerBound,
                with: "\n\(Machine.description)\n\n\(Row.table(rows))\n\n")
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}

/// The machine and the compiler of a run.
enum Machine {
    static var description: String {
        let model =
            (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
        let day = Date().formatted(.iso8601.year().month().day())
        return "Measured on \(day): \(ProcessInfo.processInfo.activeProcessorCount) processors"
            + (model.map { " (\($0))" } ?? "") + ", \(ProcessInfo.processInfo.operatingSystemVersionString), "
            + "Swift \(swiftVersion)."
    }

    private static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #elseif compiler(>=6.2)
            "6.2"
        #else
            "6.1"
        #endif
    }
}
