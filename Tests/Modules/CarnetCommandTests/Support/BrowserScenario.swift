import Foundation

/// A script of `Tests/Peers/Browser`: a person in front of a real browser.
struct BrowserScenario {
    private struct Line: Decodable {
        /// What the test is to do before the script goes on.
        let ask: String?
        /// The folder of photographs, once all is done.
        let shots: String?
    }

    let name: String

    /// Plays the script to its end.
    ///
    /// - Parameter response: Does what the script asks for, and says what came of it.
    /// - Throws: `CommandRun.Failure` with the script's words if it saw what it should not.
    func play(at site: String, _ response: (String) async throws -> String = { _ in "" }) async throws {
        let shots = BuiltProduct.package.appending(path: ".build/screenshots/\(name)").path
        let run = try CommandRun(
            URL(filePath: "/usr/bin/env"),
            ["python3", "Tests/Peers/Browser/\(name).py", site, "--shots", shots],
            environment: ProcessInfo.processInfo.environment,
            folder: BuiltProduct.package
        )
        var number = 0
        while true {
            // Long enough to download the browser's driver, which happens once.
            let text = try await run.line(number, of: .standardOutput, within: .seconds(900))
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            guard let ask = line.ask else { break }
            run.send(String(decoding: try JSONEncoder().encode(try await response(ask)), as: UTF8.self))
            number += 1
        }
        let result = try await run.finish()
        guard result.status == 0 else { throw CommandRun.Failure(description: "\(name): \(result)") }
        print("Screenshots of \(name): \(shots)")
    }
}

/// `carnet demo` on a port of its own.
struct RunningDemo {
    let run: CommandRun
    let address: String

    init(_ home: CommandHome, port: Int, _ arguments: [String] = []) async throws {
        run = try home.start(["demo", "--port", "\(port)"] + arguments)
        address = try await run.line(0, of: .standardOutput)
    }

    /// Ends it as Ctrl-C does, so that its port is free again.
    func stop() async throws {
        run.send(signal: SIGINT)
        _ = try await run.finish()
    }
}
