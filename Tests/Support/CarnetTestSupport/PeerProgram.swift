package import CarnetFoundation
import Foundation

/// A program of `Tests/Peers` that answers one question: JSON at its standard input and output.
package enum PeerProgram {
    struct Failure: Error {
        let reason: String
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Peers")

    /// Long enough to make the Python environment, which happens once.
    private static let limit = DispatchTimeInterval.seconds(1200)

    package static func answer(of program: String, to question: JSONValue) throws -> JSONValue {
        // Files, because a pipe that one side leaves unread stops both.
        let files = FileManager.default.temporaryDirectory.appending(path: "carnet-peer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: files) }
        let (input, output) = (files.appending(path: "question"), files.appending(path: "answer"))
        try Data(question.jsonText().utf8).write(to: input)
        try Data().write(to: output)

        let process = Process()
        let ended = DispatchSemaphore(value: 0)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", folder.appending(path: program).path]
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        guard ended.wait(timeout: .now() + limit) == .success else {
            process.terminate()
            throw Failure(reason: "\(program) does not end")
        }
        guard process.terminationStatus == 0 else {
            throw Failure(reason: "\(program) ended with status \(process.terminationStatus)")
        }
        return try JSONValue(parsing: try Data(contentsOf: output))
    }
}
