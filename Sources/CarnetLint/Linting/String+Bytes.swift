extension String {
    /// Whether a part is in the text, byte for byte.
    ///
    /// The standard library's search compares characters, which takes longer than all the rest of linting.
    package func holds(_ part: String) -> Bool {
        var text = self
        var part = part
        return text.withUTF8 { text in
            part.withUTF8 { part in
                guard let first = part.first else { return true }
                guard text.count >= part.count else { return false }
                let last = part[part.count - 1]
                for start in 0...text.count - part.count
                where text[start] == first && text[start + part.count - 1] == last {
                    if text[start..<start + part.count].elementsEqual(part) { return true }
                }
                return false
            }
        }
    }
}
