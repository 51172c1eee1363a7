import CarnetFoundation
import CarnetProtocol
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import Carnet

@Suite("Provider clock")
struct ProviderClockTests {
    /// The example of RFC 9110, section 5.6.7.
    private static let example = (text: "Sun, 06 Nov 1994 08:49:37 GMT", seconds: 784_111_777.0)
    private let local = ManualClock(now: Date(timeIntervalSince1970: 784_111_777))

    private func learn(_ date: String?, _ clock: ProviderClock, after seconds: Int = 0) {
        let sent = local.now
        local.advance(by: .seconds(seconds))
        var response = IncomingResponse.json("{}")
        response.head.headerFields[.date] = date
        clock.learn(from: response, sentAt: sent)
    }

    @Test("Until a response says otherwise, and if it has no readable date, the time is this machine's")
    func localTime() {
        let clock = ProviderClock(local)
        #expect(clock.now == local.now)
        for date in [nil, "yesterday"] {
            learn(date, clock)
            #expect(clock.now == local.now)
        }
    }

    @Test("A date that the request's round trip explains changes nothing: it has whole seconds", arguments: [0, 1, 30])
    func roundTrip(seconds: Int) {
        let clock = ProviderClock(local)
        learn(Self.example.text, clock, after: seconds)
        #expect(clock.now == local.now)
    }

    @Test(
        "A clock that is wrong follows the provider's, and its own time stays known", arguments: [-7200, -60, 60, 7200])
    func wrongClock(seconds: Int) {
        local.advance(by: .seconds(seconds))
        let (wrong, clock) = (local.now, ProviderClock(local))
        learn(Self.example.text, clock)
        #expect(clock.now.timeIntervalSince1970 == Self.example.seconds)
        #expect(clock.localNow == wrong)
        local.advance(by: .seconds(10))
        #expect(clock.now.timeIntervalSince1970 == Self.example.seconds + 10)
        learn(nil, clock)
        #expect(clock.now.timeIntervalSince1970 == Self.example.seconds + 10)
    }

    @Test("The last date counts")
    func lastDate() {
        let clock = ProviderClock(local)
        learn("Sun, 06 Nov 1994 09:49:37 GMT", clock)
        #expect(clock.now == local.now.addingTimeInterval(3600))
        learn(Self.example.text, clock)
        #expect(clock.now == local.now)
    }

    @Test("What is valid by one of the clocks is valid, and only a wrong time is excused")
    func eitherClock() throws {
        let clock = ProviderClock(local)
        learn("Sun, 06 Nov 1994 09:49:37 GMT", clock)
        let provider = clock.now
        func times(_ failures: [OAuthError.Kind?]) -> (kind: OAuthError.Kind?, times: [Date]) {
            var times: [Date] = []
            do throws(OAuthError) {
                try clock.onEitherClock { (date) throws(OAuthError) in
                    times.append(date)
                    if let kind = failures[times.count - 1] { throw OAuthError(.idToken, kind, "refused") }
                }
                return (nil, times)
            } catch {
                return (error.kind, times)
            }
        }
        #expect(times([nil]) == (nil, [local.now]))
        #expect(times([.expiredToken, nil]) == (nil, [local.now, provider]))
        #expect(times([.nonceMismatch]) == (.nonceMismatch, [local.now]))
        #expect(times([.expiredToken, .issuedInFuture]) == (.expiredToken, [local.now, provider]))
        #expect(times([.expiredToken, .nonceMismatch]) == (.nonceMismatch, [local.now, provider]))
    }

    @Test("If the provider's date is this machine's, the advice is not to check the clock")
    func agreeingClock() {
        let clock = ProviderClock(local)
        func hint() -> String? {
            do throws(OAuthError) {
                try clock.onEitherClock { (_: Date) throws(OAuthError) -> Void in
                    throw OAuthError(.idToken, .issuedInFuture, "refused")
                }
                return nil
            } catch {
                return error.hint
            }
        }
        #expect(hint() == "check the clock of this machine")
        learn(Self.example.text, clock)
        #expect(hint()?.contains("agrees with this machine") == true && hint()?.contains("id_token.clock_skew") == true)
    }
}
