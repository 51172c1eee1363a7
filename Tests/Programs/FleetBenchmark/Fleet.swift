import Foundation

enum FleetTask: String {
    case give, refresh

    var words: String {
        switch self {
        case .give: "accessToken() of a valid session"
        case .refresh: "refresh()"
        }
    }

    var floorWords: String {
        switch self {
        case .give: "the same SELECT"
        case .refresh: "the same five statements"
        }
    }
}

/// Processes that wait for the start, and then work for a given time.
struct Fleet {
    struct Failure: Error {}

    private struct Worker {
        var process: Process
        var input: FileHandle
        var output: FileHandle
    }

    private let workers: [Worker]
    private let seconds: Double

    /// Returns when all processes have their accounts and are ready.
    init(_ count: Int, program: String, address: String, task: FleetTask, seconds: Double) throws {
        self.seconds = seconds
        workers = try (0..<count).map { number in
            let process = Process()
            let (input, output) = (Pipe(), Pipe())
            process.executableURL = URL(filePath: program)
            process.arguments = ["worker", address, "process\(number)", task.rawValue, String(seconds)]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            return Worker(
                process: process, input: input.fileHandleForWriting, output: output.fileHandleForReading)
        }
        for worker in workers where try worker.output.read(upToCount: 1) == nil { throw Failure() }
    }

    /// - Returns: What all did together, a second.
    func run() throws -> Double {
        for worker in workers { try worker.input.write(contentsOf: Data("\n".utf8)) }
        return try workers.reduce(0) { sum, worker in
            let text = String(decoding: try worker.output.readToEnd() ?? Data(), as: UTF8.self)
            guard let done = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw Failure() }
            worker.process.waitUntilExit()
            return sum + done / seconds
        }
    }
}
