/// One step through a YAML text, in Carnet's own terms.
struct YAMLEvent {
    enum Kind {
        case documentStart
        case alias(String)
        /// The bytes are libyaml's, and gone with the event.
        case scalar(UnsafeBufferPointer<UInt8>, style: ScalarStyle)
        case sequenceStart(isFlow: Bool)
        case mappingStart(isFlow: Bool)
        case collectionEnd
        /// The start of the stream, or the end of a document.
        case other
    }

    enum ScalarStyle {
        case plain
        case quoted
        case block
    }

    /// What stands before a value; an object, because few values have any.
    final class Properties {
        /// The name after `&`.
        let anchor: String?
        /// The tag in full, e.g. `tag:yaml.org,2002:str`.
        let tag: String?

        init(anchor: String?, tag: String?) { (self.anchor, self.tag) = (anchor, tag) }
    }

    var kind: Kind
    var properties: Properties?
    var start: YAMLMark
    var end: YAMLMark

    var span: SourceSpan { SourceSpan(start: start.position, end: end.position) }
}

/// A place as the YAML parser counts: everything from 0, columns and indices in Unicode scalars.
struct YAMLMark {
    static let start = YAMLMark(index: 0, line: 0, column: 0)

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
