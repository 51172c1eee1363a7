import CLibPQ
import Carnet

enum DatabaseValue: Sendable {
    case text(String)
    case bytes([UInt8])

    /// In PostgreSQL's syntax for intervals.
    static func duration(_ duration: Duration) -> DatabaseValue { .text("\(duration.milliseconds) milliseconds") }
}

/// The result of a statement, in PostgreSQL's binary format.
struct DatabaseRows: Sendable {
    var rows: [[[UInt8]?]] = []
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

    func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

    func bytes(_ row: Int, _ column: Int) -> [UInt8] { rows[row][column] ?? [] }
}

/// Passes the parameters of a statement: their bytes, with a null pointer at the end, their lengths and formats.
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
        let pointers = offsets.map { offset in buffer.baseAddress.map { $0 + offset } } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress, lengths, formats) }
    }
}

extension Duration {
    /// Whole milliseconds, at least one.
    var milliseconds: Int64 { max(1, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000) }
}
