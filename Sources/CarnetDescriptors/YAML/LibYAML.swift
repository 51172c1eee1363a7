#if canImport(CLibYAML)
    import CLibYAML
#else
    import CYaml
#endif

/// The only door to libyaml.
enum LibYAML {
    /// Goes through the events of a UTF-8 text without a byte order mark, until `body` returns `false`.
    ///
    /// libyaml 0.2.5 has no limit on nesting, but its parser keeps its state on the heap and looks ahead at most 1024
    /// characters, so a reader that stops at a depth has read no more than that.
    ///
    /// - Returns: why the text is not YAML, if that was found out.
    static func forEachEvent(in text: UnsafeBufferPointer<UInt8>, _ body: (YAMLEvent) -> Bool) -> YAMLSyntaxProblem? {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else { return outOfMemory }
        defer { yaml_parser_delete(&parser) }
        // Without this, bytes such as FF FE would make it read UTF-16.
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(&parser, text.baseAddress, text.count)
        var event = yaml_event_t()
        while true {
            guard yaml_parser_parse(&parser, &event) == 1 else { return problem(of: parser) }
            defer { yaml_event_delete(&event) }
            switch event.type {
            case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return nil
            default:
                if !body(translate(&event)) { return nil }
            }
        }
    }

    private static let outOfMemory = YAMLSyntaxProblem(problem: "out of memory", place: .start, contextPlace: .start)

    private static func problem(of parser: yaml_parser_t) -> YAMLSyntaxProblem {
        guard let problem = parser.problem else { return outOfMemory }
        return YAMLSyntaxProblem(
            problem: String(cString: problem), place: mark(parser.problem_mark),
            context: parser.context.map { String(cString: $0) }, contextPlace: mark(parser.context_mark))
    }

    // By pointer: a copy of what libyaml has just written waits for it to be there.
    private static func translate(_ event: UnsafePointer<yaml_event_t>) -> YAMLEvent {
        func make(
            _ kind: YAMLEvent.Kind, anchor: UnsafeMutablePointer<yaml_char_t>? = nil,
            tag: UnsafeMutablePointer<yaml_char_t>? = nil
        ) -> YAMLEvent {
            let properties =
                anchor == nil && tag == nil
                ? nil
                : YAMLEvent.Properties(
                    anchor: anchor.map { String(cString: $0) }, tag: tag.map { String(cString: $0) })
            return YAMLEvent(
                kind: kind, properties: properties, start: mark(event.pointee.start_mark),
                end: mark(event.pointee.end_mark))
        }
        switch event.pointee.type {
        case YAML_DOCUMENT_START_EVENT: return make(.documentStart)
        case YAML_ALIAS_EVENT:
            return make(.alias(event.pointee.data.alias.anchor.map { String(cString: $0) } ?? ""))
        case YAML_SCALAR_EVENT:
            let scalar = event.pointee.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            return make(.scalar(bytes, style: style(scalar.style)), anchor: scalar.anchor, tag: scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.pointee.data.sequence_start
            let isFlow = start.style == YAML_FLOW_SEQUENCE_STYLE
            return make(.sequenceStart(isFlow: isFlow), anchor: start.anchor, tag: start.tag)
        case YAML_MAPPING_START_EVENT:
            let start = event.pointee.data.mapping_start
            let isFlow = start.style == YAML_FLOW_MAPPING_STYLE
            return make(.mappingStart(isFlow: isFlow), anchor: start.anchor, tag: start.tag)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return make(.collectionEnd)
        default: return make(.other)
        }
    }

    private static func style(_ style: yaml_scalar_style_t) -> YAMLEvent.ScalarStyle {
        switch style {
        case YAML_PLAIN_SCALAR_STYLE: .plain
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
        default: .quoted
        }
    }

    private static func mark(_ mark: yaml_mark_t) -> YAMLMark {
        YAMLMark(index: mark.index, line: mark.line, column: mark.column)
    }
}
