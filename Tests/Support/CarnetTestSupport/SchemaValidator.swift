import CarnetDescriptors
public import CarnetFoundation
import Foundation

/// A JSON Schema validator that nobody here wrote: `Tests/Peers/validate.py`.
public enum SchemaValidator {
    public struct Answer: Sendable {
        /// What the meta-schema has against the schema.
        public let schema: String?
        /// What the schema has against each instance, in their order; `nil` for one that it accepts.
        public let instances: [String?]
    }

    private struct Failure: Error {
        let reason: String
    }

    private static let program = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Peers/validate.py")

    /// Long enough to make the Python environment, which happens once.
    private static let limit = DispatchTimeInterval.seconds(1200)

    /// - Parameter schema: One of draft 2020-12, or the name of one of SchemaStore's.
    public static func validate(_ instances: [JSONValue], against schema: JSONValue) throws -> Answer {
        // Files, because a pipe that one side leaves unread stops both.
        let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-schema-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (question, answer) = (folder.appending(path: "question"), folder.appending(path: "answer"))
        let document: JSONValue = ["schema": schema, "instances": .array(instances)]
        try Data(document.jsonText().utf8).write(to: question)
        try Data().write(to: answer)

        let process = Process()
        let ended = DispatchSemaphore(value: 0)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", Self.program.path]
        process.standardInput = try FileHandle(forReadingFrom: question)
        process.standardOutput = try FileHandle(forWritingTo: answer)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        guard ended.wait(timeout: .now() + limit) == .success else {
            process.terminate()
            throw Failure(reason: "the validator does not end")
        }
        guard process.terminationStatus == 0 else {
            throw Failure(reason: "the validator ended with status \(process.terminationStatus)")
        }
        let answered = try JSONValue(parsing: try Data(contentsOf: answer))
        guard let reasons = answered["instances"]?.array else { throw Failure(reason: "no answer") }
        return Answer(schema: answered["schema"]?.string, instances: reasons.map(\.string))
    }
}
