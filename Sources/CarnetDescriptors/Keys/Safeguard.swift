/// A protection that is on unless the descriptor says none together with a reason.
package enum Safeguard: Hashable, Sendable {
    case required
    case off(because: String)

    package var isRequired: Bool { self == .required }
}

extension Safeguard: DescriptorValue {
    static var shape: Shape {
        let off = KeyDescription(
            name: "none",
            shape: String.shape,
            summary: "the reason why this provider does not support the protection, with a link",
            isRequired: true
        )
        let section = SectionDescription(name: "Safeguard", keys: [off], phrase: "{ none: REASON }", isWhole: true)
        return .either([.choice(["required"]), .section(section)])
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        if let scalar = node.scalar {
            switch scalar.text {
            case "required":
                self = .required
                return
            case "none":
                decoder.reportMissingReason(node)
                return nil
            default:
                decoder.reportNotAllowed(node, allowed: ["required", "none"])
                return nil
            }
        }
        guard let entries = node.entries else {
            decoder.reportWrongType(node, expected: Self.shape)
            return nil
        }
        for entry in entries where entry.key != "none" {
            decoder.reportUnknownKey(entry, allowed: ["none"])
        }
        guard let reason = node.entry("none") else {
            if entries.isEmpty { decoder.reportWrongType(node, expected: Self.shape) }
            return nil
        }
        guard let text = String(reason.value, &decoder) else { return nil }
        self = .off(because: text)
    }
}
