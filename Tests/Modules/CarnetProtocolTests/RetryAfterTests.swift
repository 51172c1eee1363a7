import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import Foundation
import HTTPTypes
import Testing

@Suite("Retry-After")
struct RetryAfterTests {
    /// The start of 2026, UTC.
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)
    /// The time that the examples of RFC 9110, section 5.6.7 stand for.
    private static let example = 784_111_777.0

    private func date(_ text: String) -> TimeInterval? {
        Date(httpDate: text, now: Self.now)?.timeIntervalSince1970
    }

    @Test(
        "A date is read in the three forms of RFC 9110, section 5.6.7",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", example), ("Sunday, 06-Nov-94 08:49:37 GMT", example),
            ("Sun Nov  6 08:49:37 1994", example), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Sun Nov 16 08:49:37 1994", example + 864_000),
            // A leap second (section 5.6.7: the seconds are 00 to 60).
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ])
    func dates(text: String, seconds: Double) {
        #expect(date(text) == seconds)
    }

    @Test(
        "Anything else is no date",
        arguments: [
            "", "soon", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, xx Nov 1994 08:49:37 GMT", "Sun, 31 Feb 2026 08:49:37 GMT", "Sun, 29 Feb 2100 08:49:37 GMT",
            "Sun, 00 Jan 2026 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
            "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 ０8:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT", "-1", "1e3",
        ])
    func noDates(text: String) {
        #expect(date(text) == nil)
    }

    @Test(
        "A year with two digits is at most 50 years in the future",
        arguments: [("76", 2076), ("77", 1977), ("25", 2025), ("26", 2026), ("99", 1999)])
    func twoDigits(text: String, year: Int) throws {
        let seconds = try #require(date("Friday, 01-May-\(text) 00:00:00 GMT"))
        #expect(Date(timeIntervalSince1970: seconds).formatted(.iso8601).hasPrefix("\(year)-05-01T"))
    }

    @Test("Dates are read as Python reads them")
    func secondOpinion() throws {
        var random = SplitMix64(seed: 9110)
        // Python decides the century of two digits by another rule, which agrees in these years.
        let seconds = (0..<2000).map { _ in Int.random(in: 220_924_800...3_124_224_000, using: &random) }
        let peer = try PeerProgram.answer(
            of: "http_dates.py", to: ["seconds": .array(seconds.map { .number(String($0)) })])
        let dates = try #require(peer["dates"]?.array)
        #expect(dates.count == seconds.count)
        for (expected, texts) in zip(seconds, dates) {
            for text in try #require(texts.array) {
                let text = try #require(text.string)
                #expect(date(text) == TimeInterval(expected), "\(text)")
            }
        }
    }

    private func retryAfter(_ texts: String..., sent: String? = nil) -> RetryAfter? {
        var response = IncomingResponse(head: HTTPResponse(status: .tooManyRequests))
        for text in texts { response.head.headerFields.append(HTTPField(name: .retryAfter, value: text)) }
        response.head.headerFields[.date] = sent
        return RetryAfter(of: response, at: Self.now)
    }

    @Test(
        "Seconds are read, and limited to an hour",
        arguments: [
            ("7", 7), ("007", 7), ("3600", 3600), ("3601", 3600), ("3155760000", 3600),
            (String(repeating: "9", count: 400), 3600), ("9223372036854775808", 3600),
        ] as [(String, Double)])
    func seconds(text: String, seconds: Double) throws {
        let read = try #require(retryAfter(text))
        #expect(read.seconds == seconds)
        #expect(read.date == Self.now.addingTimeInterval(seconds))
    }

    @Test(
        "What is neither seconds nor a date, or has passed, asks for nothing",
        arguments: ["", "0", "000", "-1", "+7", "7.5", "7 s", "٧", "soon", "Wed, 21 Oct 2015 07:28:00 GMT", "7, 9"])
    func nothing(text: String) {
        #expect(retryAfter(text) == nil)
    }

    @Test("A field that comes twice asks for nothing")
    func twice() {
        #expect(retryAfter("7", "9") == nil)
    }

    @Test("A date is counted from the response's own date, because this machine's clock may be wrong")
    func dateOfTheServer() {
        let end = "Wed, 21 Oct 2015 07:28:00 GMT"
        #expect(retryAfter(end, sent: "Wed, 21 Oct 2015 07:27:20 GMT")?.seconds == 40)
        #expect(retryAfter(end, sent: "Wed, 21 Oct 2015 07:28:20 GMT") == nil)
        #expect(retryAfter("Thu, 01 Jan 2026 00:02:00 GMT")?.seconds == 120)
        #expect(retryAfter("Thu, 01 Jan 2026 00:02:00 GMT", sent: "yesterday")?.seconds == 120)
        #expect(retryAfter("Wed, 21 Oct 2099 07:28:00 GMT")?.seconds == 3600)
    }
}
