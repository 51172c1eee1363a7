import Foundation

/// How a program ended, and all that it said.
struct CommandResult: Sendable, CustomStringConvertible {
    /// The exit status as a shell has it: 128 and the signal's number for a program that a signal ended.
    let status: Int32
    let standardOutputData: Data
    let standardErrorData: Data

    init(status: Int32, standardOutput: Data, standardError: Data) {
        self.status = status
        standardOutputData = standardOutput
        standardErrorData = standardError
    }

    var standardOutput: String {
        String(decoding: standardOutputData, as: UTF8.self)
    }

    var standardError: String {
        String(decoding: standardErrorData, as: UTF8.self)
    }

    /// Standard output as the one JSON object that it is; throws when it is anything else.
    func json() throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: standardOutputData) as? [String: Any] else {
            throw CommandRun.Failure(description: "not a JSON object: \(standardOutput)")
        }
        return object
    }

    var description: String {
        "exit status \(status)\nstandard output: \(standardOutput)\nstandard error: \(standardError)"
    }
}
