/// One step through a YAML text, in Carnet's own terms.
struct YAMLEvent {
    enum Kind {
        case documentStart
        case documentEnd
        case alias(String)
        case scalar(text: String, style: ScalarStyle)
        case sequenceStart(isFlow: Bool)
        case mappingStart(isFlow: Bool)
        case collectionEnd
    }

    enum ScalarStyle {
        case plain
        case quoted
        case block
    }

    var kind: Kind
    /// The name after `&`.
    var anchor: String?
    /// The tag in full, e.g. `tag:yaml.org,2002:str`.
    var tag: String?
    var start: YAMLMark
    var end: YAMLMark
}

/// A place as the YAML parser counts: everything from 0, columns and indices in Unicode scalars.
struct YAMLMark {
    var index: Int
    var line: Int
    var column: Int

    var position: SourcePosition { SourcePosition(line: line + 1, column: column + 1) }
}

/// Why a string is not YAML, in the parser's words.
struct YAMLSyntaxProblem {
    var problem: String
    var place: YAMLMark
    var context: String?
    var contextPlace: YAMLMark
}
