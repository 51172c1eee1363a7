import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import Testing

@testable import CarnetSimulation

@Suite("Made once")
final class MadeOnceTests {
    private let calls = Lock(0)

    @Test("What is made is kept")
    func whatIsMadeIsKept() throws {
        let made = MadeOnce<Int>()
        for _ in 1...3 {
            let value = try made.value { () throws(OAuthError) in
                calls.withLock { $0 += 1 }
                return 7
            }
            #expect(value == 7)
        }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("A failure is kept too")
    func aFailureIsKeptToo() {
        let made = MadeOnce<Int>()
        for _ in 1...3 {
            #expect(throws: OAuthError.self) {
                try made.value { () throws(OAuthError) in
                    calls.withLock { $0 += 1 }
                    throw OAuthError(.configuration, .unsupported, "never")
                }
            }
        }
        #expect(calls.withLock { $0 } == 1)
    }
}
