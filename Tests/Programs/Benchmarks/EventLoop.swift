#if canImport(CLibYAML)
    import CLibYAML
#else
    import CYaml
#endif

/// libyaml reading a text and doing nothing with it: the least that any reader costs.
func libyamlEvents(of bytes: [UInt8]) -> Int {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else { return 0 }
    defer { yaml_parser_delete(&parser) }
    return bytes.withUnsafeBufferPointer { buffer in
        yaml_parser_set_input_string(&parser, buffer.baseAddress, buffer.count)
        var count = 0
        var isDone = false
        while !isDone {
            var event = yaml_event_t()
            guard yaml_parser_parse(&parser, &event) == 1 else { break }
            isDone = event.type == YAML_STREAM_END_EVENT
            yaml_event_delete(&event)
            count += 1
        }
        return count
    }
}
