package import CarnetFoundation

extension Date {
    /// A date in one of the three forms that a recipient must read (RFC 9110, section 5.6.7):
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// The day of the week is ignored.
    ///
    /// - Parameter now: Decides the century of a year with two digits: it is at most 50 years later.
    package init?(httpDate text: String, now: Date) {
        guard text.utf8.count <= 40 else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { Array($0) }
        let date: (day: Int?, month: Int?, year: Int?)
        let time: [UInt8]
        switch parts.count {
        case 6 where parts[5].elementsEqual("GMT".utf8) && parts[0].count == 4 && parts[0].last == Self.comma:
            date = (Self.number(parts[1], digits: 2), Self.month(parts[2]), Self.number(parts[3], digits: 4))
            time = parts[4]
        case 4 where parts[3].elementsEqual("GMT".utf8) && parts[0].last == Self.comma:
            let fields = parts[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map {
                Array($0)
            }
            guard fields.count == 3, let short = Self.number(fields[2], digits: 2) else { return nil }
            date = (Self.number(fields[0], digits: 2), Self.month(fields[1]), Self.year(endingIn: short, now: now))
            time = parts[2]
        case 5 where parts[0].count == 3:
            date = (Self.number(parts[2], digits: 2), Self.month(parts[1]), Self.number(parts[4], digits: 4))
            time = parts[3]
        case 6 where parts[0].count == 3 && parts[2].isEmpty:
            date = (Self.number(parts[3], digits: 1), Self.month(parts[1]), Self.number(parts[5], digits: 4))
            time = parts[4]
        default: return nil
        }
        guard let day = date.day, let month = date.month, let year = date.year,
            let days = Self.days(day: day, month: month, year: year), let seconds = Self.seconds(time)
        else { return nil }
        self.init(timeIntervalSince1970: TimeInterval(days * 86_400 + seconds))
    }

    private static let comma = UInt8(ascii: ",")
    private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

    private static func number(_ text: some Collection<UInt8>, digits: Int) -> Int? {
        guard text.count == digits, text.allSatisfy(ASCII.isDigit) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func month(_ name: [UInt8]) -> Int? {
        (1...12).first { months[(3 * $0 - 3)..<(3 * $0)].elementsEqual(name) }
    }

    private static func year(endingIn short: Int, now: Date) -> Int {
        // The average year of the Gregorian calendar has 365.2425 days.
        let current = 1970 + Int((now.timeIntervalSince1970 / 31_556_952).rounded(.down))
        let year = current - current % 100 + short
        // The year of the past 50 or the next 50 that ends so.
        return year > current + 50 ? year - 100 : year <= current - 50 ? year + 100 : year
    }

    /// `hh:mm:ss` as seconds of the day. A leap second is the 60th.
    private static func seconds(_ time: [UInt8]) -> Int? {
        let fields = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard fields.count == 3, let hour = number(fields[0], digits: 2), let minute = number(fields[1], digits: 2),
            let second = number(fields[2], digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// The days since 1970 in the Gregorian calendar; `nil` if there is no such day.
    private static func days(day: Int, month: Int, year: Int) -> Int? {
        guard year >= 1970 else { return nil }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        let past = year - 1
        let before = past * 365 + past / 4 - past / 100 + past / 400
        // 719,162 days precede 1970 in the years from 1 on.
        return before - 719_162 + lengths.prefix(month - 1).reduce(0, +) + day - 1
    }
}
