import ArgumentParser
import CarnetDescriptors
import CarnetLint
import CarnetTestSupport
import Foundation

#if !COVERAGE
    @main
#endif
struct Fuzzing: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Try what takes input from strangers with inputs that nobody would write.",
        discussion: """
            An input that ends the program, takes too long or too much memory, or breaks a promise is left in the file \
            'offender'. Put it into the target's folder once it is mended: the tests replay those.
            """
    )

    @Option(help: "What takes the input: \(FuzzTargetName.allCases.map(\.rawValue).joined(separator: ", ")).")
    var target = FuzzTargetName.descriptor

    @Option(help: "How many inputs to try.")
    var inputs = 1_000_000

    @Option(help: "Another seed makes other inputs.")
    var seed: UInt64 = 1

    @Option(help: "A folder with the inputs to start from; the target's own unless given.")
    var corpus: String?

    @Option(help: "Where the input under test is kept.")
    var offender = "fuzzing-offender"

    @Option(help: "Try this input alone.")
    var replay: String?

    /// CPU time for one input; the slowest take a tenth of it.
    private static let secondsForInput = 5

    func run() async throws {
        let target = try target.make(corpus: try Self.files(in: corpus ?? target.corpus))
        if let replay {
            let bytes = Array(try Data(contentsOf: URL(filePath: replay)))
            let start = ContinuousClock.now
            try await target.check(bytes, index: 0)
            print("nothing found in \(ContinuousClock.now - start)")
            return
        }
        let current = try CurrentInput(path: offender)
        Self.limitMemory()
        let start = ContinuousClock.now
        for index in 0..<inputs {
            var random = SplitMix64(seed: seed &* 0x1_0000_0001 &+ UInt64(index))
            let bytes = target.input(&random)
            current.note(bytes)
            Self.limitTime()
            do throws(InputCheck.Violation) {
                try await target.check(bytes, index: index)
            } catch {
                print("input \(index) of seed \(seed) is in \(offender): \(error)")
                throw ExitCode.failure
            }
            if index > 0, index.isMultiple(of: 100_000) {
                print("\(index) inputs, \(ContinuousClock.now - start)")
                fflush(nil)
            }
        }
        try FileManager.default.removeItem(atPath: offender)
        print(
            "\(self.target.rawValue): \(inputs) inputs of seed \(seed) in \(ContinuousClock.now - start), nothing found"
        )
    }

    /// The examples of all rules: each is one step from a finding.
    static var examples: [[UInt8]] {
        DiagnosticCatalog.all.flatMap { $0.bad + $0.good }.map { MarkedExample(completing: $0).file(named: "").bytes }
    }

    static func files(in folder: String) throws -> [[UInt8]] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        return try names.map { Array(try Data(contentsOf: URL(filePath: folder).appending(path: $0))) }
    }

    /// Past this an allocation fails, and the program ends.
    private static func limitMemory() {
        var limit = rlimit(rlim_cur: 2 << 30, rlim_max: 2 << 30)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        #else
            setrlimit(RLIMIT_AS, &limit)
        #endif
    }

    /// Past this the system ends the program.
    private static func limitTime() {
        var timer = itimerval()
        timer.it_value.tv_sec = secondsForInput
        #if canImport(Glibc)
            setitimer(__itimer_which_t(ITIMER_VIRTUAL.rawValue), &timer, nil)
        #else
            setitimer(ITIMER_VIRTUAL, &timer, nil)
        #endif
    }
}

extension FuzzTargetName: ExpressibleByArgument {}
