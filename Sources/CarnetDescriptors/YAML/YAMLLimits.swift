/// Bounds on what a file may cost to read; past one of them the file gets a diagnostic and is not used.
package struct YAMLLimits: Hashable, Sendable {
    /// The size of the file.
    package var maximumBytes: Int
    /// How deep lists and mappings may be nested, aliases included.
    package var maximumDepth: Int
    /// How many values the file may hold once its aliases are expanded.
    package var maximumNodes: Int
    /// How many bytes of a string count as one more value: an alias repeats them.
    let bytesOfNode = 64
    /// The size of one scalar in UTF-8.
    package var maximumScalarBytes: Int

    package init(
        maximumBytes: Int = 1 << 20, maximumDepth: Int = 64, maximumNodes: Int = 100_000,
        maximumScalarBytes: Int = 256 << 10
    ) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumNodes = maximumNodes
        self.maximumScalarBytes = maximumScalarBytes
    }
}
