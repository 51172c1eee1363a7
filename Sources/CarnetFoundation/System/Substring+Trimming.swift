extension StringProtocol where SubSequence == Substring {
    /// The string without the characters at its start and its end for which `isOuter` is true.
    package func trimming(_ isOuter: (Character) -> Bool) -> Substring {
        var trimmed = drop(while: isOuter)
        while let last = trimmed.last, isOuter(last) { trimmed.removeLast() }
        return trimmed
    }
}
