/// The files that a descriptor is made of: its own, then its parent's, and so on.
///
/// All their lines are counted through, so that one span says a file and a place in it.
package struct SourceChain: Sendable {
    package let files: [SourceFile]
    /// How many lines come before each file.
    private let offsets: [Int]

    init(_ file: SourceFile) {
        files = [file]
        offsets = [0]
    }

    init(_ file: SourceFile, before parents: SourceChain) {
        files = [file] + parents.files
        let count = SourceText(SourceFile(path: file.path, bytes: file.bytes + Self.separator)).lineCount - 1
        offsets = [0] + parents.offsets.map { $0 + count }
    }

    private static let separator = [UInt8(ascii: "\n")]

    /// How many lines come before the parent.
    var parentOffset: Int { offsets.count > 1 ? offsets[1] : 0 }

    /// The strings of all files, one after the other.
    package var text: SourceText {
        var bytes: [UInt8] = files[0].bytes
        for file in files.dropFirst() {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            bytes += Self.separator + (file.bytes.starts(with: mark) ? Array(file.bytes.dropFirst(3)) : file.bytes)
        }
        return SourceText(SourceFile(path: files[0].path, bytes: bytes))
    }

    /// The file that a span is in, as an index of `files`, and the place there.
    func place(of span: SourceSpan) -> (index: Int, span: SourceSpan) {
        let index = offsets.lastIndex { $0 < span.start.line } ?? 0
        return (index, span.moved(byLines: -offsets[index]))
    }
}
