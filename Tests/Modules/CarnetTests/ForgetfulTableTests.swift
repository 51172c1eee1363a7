import CarnetDescriptors
import Testing

@testable import Carnet

@Suite("Forgetful table")
struct ForgetfulTableTests {
    @Test("What is over is forgotten in time")
    func whatIsOverIsForgottenInTime() {
        var table = ForgetfulTable<Int, Bool>()
        for number in 0..<100_000 {
            table.forget { $0 }
            // One of a hundred stays.
            table[number] = !number.isMultiple(of: 100)
        }
        #expect(table.entries.count < 2100)
        #expect(stride(from: 0, to: 100_000, by: 100).allSatisfy { table[$0] == false })
    }

    /// Work that grows with the square of the entries would look at five thousand million.
    @Test("What is not over is read few times")
    func whatIsNotOverIsLookedAtFewTimes() {
        var table = ForgetfulTable<Int, Bool>()
        var looks = 0
        for number in 0..<100_000 {
            table.forget { _ in
                looks += 1
                return false
            }
            table[number] = false
        }
        #expect(looks < 200_000)
    }
}
