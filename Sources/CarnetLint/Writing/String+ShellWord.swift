import CarnetFoundation

extension String {
    /// As one word of a shell's command line.
    package var shellWord: String {
        let isPlain = !isEmpty && utf8.allSatisfy { ASCII.isAlphanumeric($0) || "@.-_+/:=,".utf8.contains($0) }
        return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
