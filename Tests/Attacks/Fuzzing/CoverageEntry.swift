#if COVERAGE
    import Foundation

    // The same checks under libFuzzer, which chooses inputs by the code that they reach. It brings its own loop:
    //
    //     swift build -c release --scratch-path .build-coverage --product Fuzzing -Xswiftc -DCOVERAGE \
    //         -Xswiftc -sanitize=fuzzer -Xswiftc -parse-as-library -Xswiftc -use-ld=lld -Xswiftc -gnone
    //     FUZZ_TARGET=token .build-coverage/release/Fuzzing -max_total_time=60 -rss_limit_mb=2048 -timeout=5

    private let coverageTarget: (any FuzzTarget)? = {
        let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"].flatMap(FuzzTargetName.init) ?? .descriptor
        return try? name.make(corpus: Fuzzing.files(in: name.corpus))
    }()

    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
        _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt

    /// What the package manager makes the program's beginning.
    @_cdecl("Fuzzing_main")
    public func fuzzingMain(
        _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> CInt {
        var count = count
        var arguments = arguments
        return runDriver(&count, &arguments) { bytes, count in
            let input = Array(UnsafeBufferPointer(start: bytes, count: count))
            // The loop is not Swift's, so its thread may wait.
            let isDone = DispatchSemaphore(value: 0)
            Task.detached {
                do {
                    try await coverageTarget?.check(input, index: 1)
                } catch {
                    fatalError("\(error)")
                }
                isDone.signal()
            }
            isDone.wait()
            return coverageTarget == nil ? -1 : 0
        }
    }
#endif
