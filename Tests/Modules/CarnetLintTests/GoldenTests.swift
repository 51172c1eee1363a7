import CarnetDescriptors
import CarnetLint
import Foundation
import Testing

/// What is printed about bad files, to the letter: `Golden/NAME.yaml` and `Golden/NAME.out`. With `CARNET_UPDATE_DOCS=1` in
/// the environment the outputs are written anew.
@Suite("Golden")
struct GoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    private static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
        .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted() ?? []

    @Test("The report is the golden one", arguments: names)
    func theReportIsTheGoldenOne(name: String) throws {
        let bytes = Array(try Data(contentsOf: Self.folder.appending(path: "\(name).yaml")))
        let report = Linter().lint(files: [SourceFile(path: "acme.yaml", bytes: bytes)])
        let output = TextReporter().render(report)
        let golden = Self.folder.appending(path: "\(name).out")
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" { try Data(output.utf8).write(to: golden) }
        #expect(output == String(decoding: try Data(contentsOf: golden), as: UTF8.self))
        #expect(!report.diagnostics.isEmpty)
    }

    @Test("There are golden files, each with its output")
    func thereAreGoldenFilesEach() throws {
        #expect(Self.names.count >= 15)
        let all = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { !$0.hasPrefix(".") }
        #expect(Set(all) == Set(Self.names.flatMap { ["\($0).yaml", "\($0).out"] }))
    }
}
