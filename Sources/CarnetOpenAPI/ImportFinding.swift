package import CarnetDescriptors
import CarnetFoundation

/// Something that a descriptor and a resource map cannot say as an API's description does.
package struct ImportFinding: Hashable {
    package let severity: Diagnostic.Severity
    package let message: String
    package var help: String?
    /// In the file that is imported, unless `file` names another.
    package let place: SourcePosition
    package var file: String?
}

/// The findings, each once, in the order of the file.
package final class ImportFindings {
    private(set) var all: [ImportFinding] = []
    private var seen: Set<ImportFinding> = []

    func error(_ place: SourceSpan, _ message: String, help: String? = nil) { add(.error, place, message, help) }
    func warn(_ place: SourceSpan, _ message: String, help: String? = nil) { add(.warning, place, message, help) }
    func inform(_ place: SourceSpan, _ message: String, help: String? = nil) { add(.information, place, message, help) }

    func add(
        _ severity: Diagnostic.Severity, _ place: SourceSpan, _ message: String, _ help: String?, in file: String? = nil
    ) {
        let finding = ImportFinding(severity: severity, message: message, help: help, place: place.start, file: file)
        if seen.insert(finding).inserted { all.append(finding) }
    }

    package var sorted: [ImportFinding] {
        all.sorted { ($0.file ?? "", $0.place, $0.message) < ($1.file ?? "", $1.place, $1.message) }
    }

    /// Findings with the same words as one, with the number of places.
    package var grouped: [(first: ImportFinding, count: Int)] {
        var groups: [(first: ImportFinding, count: Int)] = []
        var positions: [ImportFinding: Int] = [:]
        for finding in sorted {
            let words = ImportFinding(
                severity: finding.severity, message: finding.message, place: SourceSpan.fileStart.start)
            if let position = positions[words] {
                groups[position].count += 1
            } else {
                positions[words] = groups.count
                groups.append((finding, 1))
            }
        }
        return groups
    }

    package func count(_ severity: Diagnostic.Severity) -> Int { all.count { $0.severity == severity } }
}
