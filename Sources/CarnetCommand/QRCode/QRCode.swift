/// A QR code of a string (ISO/IEC 18004), large enough for an address: bytes at error correction level L, up to version
/// 10.
struct QRCode {
    let size: Int
    /// Row by row; `true` is dark.
    private(set) var modules: [[Bool]]

    /// - Parameter mask: One of the eight masks; `nil` for the best.
    /// - Returns: `nil` for a string of more than 271 bytes.
    init?(_ text: String, mask: Int? = nil) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.all.first(where: { bytes.count <= $0.byteCapacity }) else { return nil }
        let codewords = version.codewords(for: bytes)
        let candidates = (mask.map { [$0] } ?? Array(0..<8)).map { QRGrid(version, codewords, mask: $0) }
        guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
        size = version.size
        modules = best.modules
    }

    /// The code for a terminal, two rows a line, with the light margin that readers need.
    ///
    /// - Parameter usesColor: Whether black and white can be asked for; otherwise the terminal is taken to be dark.
    func lines(usesColor: Bool) -> [String] {
        let margin = 2
        func isDark(_ row: Int, _ column: Int) -> Bool {
            modules.indices.contains(row) && modules.indices.contains(column) && modules[row][column]
        }
        return stride(from: -margin, to: size + margin, by: 2).map { row in
            let line = (-margin..<size + margin).map { column -> Character in
                // The text draws the light modules.
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (false, false): "\u{2588}"
                case (false, true): "\u{2580}"
                case (true, false): "\u{2584}"
                case (true, true): " "
                }
            }
            return usesColor ? "\u{1B}[97;40m\(String(line))\u{1B}[0m" : String(line)
        }
    }
}
