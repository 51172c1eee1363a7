import CarnetDescriptors
import CarnetFoundation
package import HTTPTypes

/// The cookies of a request whose names begin in one way, read as browsers send them (RFC 6265, sections 4.2 and 5.4).
///
/// A `Cookie` field is bytes, and a browser decides by bytes which names have a prefix such as `__Host-`: what a server
/// decodes, trims or folds beyond that gives a name to a cookie that had another in the browser. So the field is split
/// at semicolons, spaces and tabs at the ends are dropped, and the first equals sign ends the name; nothing is quoted,
/// and a comma is a character as any other.
package struct ReceivedCookies: Sendable {
    /// More names than any browser has of these.
    private static let countLimit = 32
    /// Each value of a name that comes twice is decrypted.
    private static let repetitionLimit = 4
    /// No browser keeps a longer value (RFC 6265, section 6.1).
    private static let valueLimit = 4096

    /// In the order of the request; none if `isAmbiguous`.
    package private(set) var all: [(name: String, value: String)] = []
    /// Whether the request has no cookie at all.
    package private(set) var isEmpty = true
    /// Whether one of the names came twice, with values of this site. A browser sends two of one name if they were set for
    /// different hosts or paths, and says nothing of where each is from. Programs also send a host's cookies to its subdomains.
    package private(set) var isAmbiguous = false

    /// - Parameters:
    ///   - prefix: How the wanted names begin.
    ///   - isOwn: Whether a value is of this site. Asked where a name comes twice.
    package init(
        _ request: HTTPRequest, namesBeginningWith prefix: String,
        isOwn: (_ name: String, _ value: String) -> Bool = { _, _ in true }
    ) {
        var places: [ArraySlice<UInt8>: Int] = [:]
        var found: [(name: String, values: [String])] = []
        // A browser sends one field over HTTP/1.1, and may send one for each cookie over HTTP/2 (RFC 9113, section
        // 8.2.3).
        for field in request.headerFields[values: .cookie].map({ Array($0.utf8) }) {
            Work.count(field.count + 1)
            for pair in field.split(separator: UInt8(ascii: ";")) {
                let pair = Self.trimmed(pair)
                isEmpty = isEmpty && pair.isEmpty
                // A cookie without a name is sent without an equals sign; browsers never send `=value`.
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
                let name = Self.trimmed(pair[..<equals])
                guard !name.isEmpty, name.starts(with: prefix.utf8) else { continue }
                let value = Self.trimmed(pair[(equals + 1)...])
                let place = places[name] ?? found.count
                if place == found.count { found.append((Self.text(name), [])) }
                places[name] = place
                found[place].values.append(value.count <= Self.valueLimit ? Self.text(value) : "")
                guard found.count <= Self.countLimit, found[place].values.count <= Self.repetitionLimit else {
                    isAmbiguous = true
                    return
                }
            }
        }
        for (name, values) in found {
            let own = values.count == 1 ? values : values.filter { isOwn(name, $0) }
            isAmbiguous = isAmbiguous || own.count > 1
            all += own.map { (name, $0) }
        }
        if isAmbiguous { all = [] }
    }

    /// The other cookies of a request, as one field; empty without any. Every byte of their names and values stays.
    static func text(of request: HTTPRequest, withoutNamesBeginningWith prefix: String) -> String {
        let pairs = request.headerFields[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
        let others = pairs.filter { pair in !pair.drop { $0 == 0x20 || $0 == 0x09 }.starts(with: prefix.utf8) }
        let texts = others.map { pair in Substring(pair).trimming { $0 == " " || $0 == "\t" } }
        return texts.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    package subscript(name: String) -> String? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// Without spaces and tabs at its ends; other white space is part of a name for browsers.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return bytes[first...last]
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
