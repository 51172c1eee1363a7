#if os(Linux)
    import Carnet
    import CarnetDescriptors
    import CarnetFoundation
    import CarnetServerTestSupport
    import CarnetTesting
    import CarnetTransport
    import Foundation
    import Testing

    /// libcurl's thread at the end of a host program. `Tests/Programs/Faults/exits.py` tests the end of the command.
    @Suite("Exit of a host program")
    struct CurlExitTests {
        private static let isOver = DispatchSemaphore(value: 0)
        private static let held = Lock<(any ClosableTransport)?>(nil)

        /// The handler is registered before the first request loads libcurl, so it runs after OpenSSL's exit handler. No
        /// thread may use OpenSSL by then.
        @Test("the thread ends before earlier exit handlers run, with its request")
        func threadEndsFirst() async {
            await #expect(processExitsWith: .success) {
                atexit {
                    let isOver = CurlExitTests.isOver.wait(timeout: .now() + 10) == .success
                    _exit(isOver ? EXIT_SUCCESS : EXIT_FAILURE)
                }
                let server = try RawServer([.waitForHangUp])
                let transport = NetworkTransport.libcurl.make(localAccess: .all)
                // Not released: the end of the process is what ends the thread.
                CurlExitTests.held.withLock { $0 = transport }
                Task {
                    _ = try? await transport.send(.get(server.authority), limits: .init())
                    CurlExitTests.isOver.signal()
                }
                await server.waitForRequests()
                exit(EXIT_FAILURE)
            }
        }

        @Test("a request that begins while the process exits fails")
        func requestDuringExitFails() async {
            await #expect(processExitsWith: .success) {
                let server = try RawServer([.send("HTTP/1.1 204 No Content\r\n\r\n")])
                atexit {
                    guard let transport = CurlExitTests.held.withLock(\.self) else { _exit(EXIT_FAILURE) }
                    Task {
                        do {
                            _ = try await transport.send(.get("127.0.0.1:1"), limits: .init())
                        } catch let error as TransportError {
                            _exit(error.reason.hasSuffix("the transport was shut down") ? EXIT_SUCCESS : EXIT_FAILURE)
                        }
                    }
                    Thread.sleep(forTimeInterval: 10)
                    _exit(EXIT_FAILURE)
                }
                let first = NetworkTransport.libcurl.make(localAccess: .all)
                _ = try await first.send(.get(server.authority), limits: .init())
                // It has no thread yet.
                CurlExitTests.held.withLock { $0 = NetworkTransport.libcurl.make(localAccess: .all) }
                exit(EXIT_FAILURE)
            }
        }
    }
#endif
