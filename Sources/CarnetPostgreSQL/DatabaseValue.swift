import CLibPQ
import Carnet

/// A parameter of a statement.
enum DatabaseValue: Sendable {
    case text(String)
    case bytes([UInt8])

    /// In PostgreSQL's syntax for intervals.
    static func duration(_ duration: Duration) -> DatabaseValue { .text("\(duration.milliseconds) milliseconds") }
}

/// The result of a statement, in PostgreSQL's binary format.
struct DatabaseRows: Sendable {
    var rows: [[[UInt8]?]] = []
    /// The number of changed rows.
    var changed = 0

    init() {}

    init(_ result: OpaquePointer) {
        let columns = PQnfields(result)
        rows = (0..<PQntuples(result)).map { row in
            (0..<columns).map { column in
                guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else {
                    return nil
                }
                let length = Int(PQgetlength(result, row, column))
                return Array(UnsafeRawBufferPointer(start: value, count: length))
            }
        }
        changed = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    func text(_ row: Int, _ column: Int) -> String {
        String(decoding: rows[row][column] ?? [], as: UTF8.self)
    }

    func bytes(_ row: Int, _ column: Int) -> [UInt8] {
        rows[row][column] ?? []
    }
}

/// Passes strings as a C array that ends with a null pointer.
func withCStrings<Result>(
    _ texts: [String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let bytes = texts.flatMap { Array($0.utf8CString) }
    return bytes.withUnsafeBufferPointer { buffer in
        var pointers: [UnsafePointer<CChar>?] = []
        var offset = 0
        for text in texts {
            pointers.append(buffer.baseAddress.map { $0 + offset })
            offset += text.utf8CString.count
        }
        pointers.append(nil)
        return pointers.withUnsafeBufferPointer { pointers in
            // The array has at least its null pointer.
            guard let base = pointers.baseAddress else { preconditionFailure("an array without elements") }
            return body(base)
        }
    }
}

/// Passes the parameters of a statement: their bytes, lengths and formats.
func withParameters<Result>(
    _ values: [DatabaseValue],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
) -> Result {
    var bytes: [CChar] = []
    var offsets: [Int] = []
    var lengths: [Int32] = []
    var formats: [Int32] = []
    for value in values {
        offsets.append(bytes.count)
        switch value {
        case .text(let text):
            bytes += text.utf8CString
            lengths.append(Int32(text.utf8.count))
            formats.append(0)
        case .bytes(let data):
            bytes += data.map { CChar(bitPattern: $0) }
            // An empty value is not NULL.
            bytes.append(0)
            lengths.append(Int32(data.count))
            formats.append(1)
        }
    }
    return bytes.withUnsafeBufferPointer { buffer in
        let pointers = offsets.map { offset in buffer.baseAddress.map { $0 + offset } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress, lengths, formats) }
    }
}

extension Duration {
    /// Whole milliseconds, at least one.
    var milliseconds: Int64 {
        max(1, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
