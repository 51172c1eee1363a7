import Foundation
import Testing

/// The tests of the command line can be no better than what runs it for them.
@Suite("Command run")
struct CommandRunTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private func shell(_ script: String) throws -> CommandRun {
        try CommandRun(
            URL(filePath: "/bin/sh"),
            ["-c", script],
            environment: home.environment,
            folder: home.folder
        )
    }

    @Test("Both channels are read to their end, however much there is")
    func bothChannelsAreReadToTheir() async throws {
        let result = try await shell("head -c 300000 /dev/zero | tee /dev/stderr; exit 7").finish()
        #expect(result.status == 7)
        #expect(result.standardOutputData.count == 300_000)
        #expect(result.standardErrorData.count == 300_000)
    }

    @Test("A line is there as soon as it is whole, while the program runs on")
    func aLineIsThereAsSoon() async throws {
        let run = try shell("printf 'half '; read word; echo \"of a $word\"; read end || exit 3")
        run.send("line")
        #expect(try await run.line(of: .standardOutput) == "half of a line")
        #expect(try await run.finish().status == 3, "the second read met the end of standard input")
    }

    @Test("The end of a program ends every wait for its output")
    func theEndOfAProgramEnds() async throws {
        let run = try shell("echo something else >&2")
        let failure = await #expect(throws: CommandRun.Failure.self) {
            try await run.line(of: .standardError, where: { $0.hasPrefix("https:") })
        }
        #expect(failure?.description.contains("something else") == true)
    }

    @Test("The deadline ends a program and what it started")
    func theDeadlineEndsAProgram() async throws {
        let run = try shell("sleep 600 & echo $!; wait")
        let grandchild = try #require(pid_t(try await run.line(of: .standardOutput)))
        await #expect(throws: CommandRun.Failure.self) {
            try await run.finish(within: .milliseconds(50))
        }
        // All output ends only when nobody is left who could write to it.
        #expect(try await run.finish().status == 128 + SIGKILL)
        #expect(kill(grandchild, 0) != 0 || isZombie(grandchild))
    }

    @Test("A program that reads nothing can be written to")
    func aProgramThatReadsNothingCan() async throws {
        let run = try shell("exec <&-; echo closed; exec sleep 600")
        #expect(try await run.line(of: .standardOutput) == "closed")
        run.send(Data(repeating: 0, count: 1_000_000))
        run.send(signal: SIGTERM)
        #expect(try await run.finish().status == 128 + SIGTERM)
    }

    @Test("A home has only the environment that was given")
    func aHomeHasOnlyTheEnvironment() async throws {
        let result = try await shell("env | cut -d = -f 1 | sort | grep -v -x -e PWD -e OLDPWD -e SHLVL -e _").finish()
        let names = Set(result.standardOutput.split(separator: "\n").map(String.init))
        #expect(names == Set(home.environment.keys))
    }

    private func isZombie(_ process: pid_t) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        return status?.contains("State:\tZ") == true
    }
}
