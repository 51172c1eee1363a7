/// Bounds on what a file may cost to read; past one of them the file gets a diagnostic and is not used.
public struct YAMLLimits: Hashable, Sendable {
    /// The size of the file.
    public var maximumBytes: Int
    /// How deep lists and mappings may be nested, aliases included.
    public var maximumDepth: Int
    /// How many values the file may hold once its aliases are expanded.
    public var maximumNodes: Int
    /// The size of one scalar in UTF-8.
    public var maximumScalarBytes: Int

    public init(
        maximumBytes: Int = 1 << 20,
        maximumDepth: Int = 64,
        maximumNodes: Int = 100_000,
        maximumScalarBytes: Int = 256 << 10
    ) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumNodes = maximumNodes
        self.maximumScalarBytes = maximumScalarBytes
    }
}
