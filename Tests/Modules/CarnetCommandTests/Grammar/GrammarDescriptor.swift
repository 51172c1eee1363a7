import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport

/// A descriptor that is made from the table of keys alone: each step adds a random key of the language with a value of its
/// shape. What a value means is in `GrammarValues`; which keys go together is nowhere, so that nobody has to think of it.
struct GrammarDescriptor {
    var dice: SplitMix64
    private(set) var root: JSONValue

    init(seed: UInt64) {
        dice = SplitMix64(seed: seed)
        root = .null
        root = start()
    }

    /// A descriptor of which each step is one that is accepted.
    static func growing(seed: UInt64, while accepts: (JSONValue) -> Bool) -> JSONValue {
        var descriptor = GrammarDescriptor(seed: seed)
        guard accepts(descriptor.root) else { return descriptor.root }
        for _ in 0..<(2 + descriptor.dice.below(14)) {
            let before = descriptor.root
            descriptor.grow()
            if !accepts(descriptor.root) { descriptor.root = before }
        }
        return descriptor.root
    }

    /// Adds a key of the language.
    mutating func grow() {
        guard case .section(let section) = DescriptorRules.shape else { return }
        let open = section.keys.filter { !["carnet", "id", "name", "extends"].contains($0.name) }
        let key = dice.pick(open)
        root = root.with(key.name, value(of: key.shape, at: [key.name], besides: root[key.name]))
    }

    /// What a provider needs at least: endpoints, an issuer, or an endpoint for programs.
    private mutating func start() -> JSONValue {
        let head: JSONValue = ["carnet": 1, "id": "odd", "name": "Odd"]
        let pages: JSONValue = [
            "authorization": "https://odd.example/authorize", "token": "https://odd.example/token",
        ]
        switch dice.below(6) {
        case 0, 1:
            // To make an RSA key takes longer than all else.
            return head.with("issuer", "https://odd.example").with("id_token", ["algorithms": ["ES256"]])
                .with("scopes", ["default": ["openid"]])
        case 2, 3:
            return head.with("endpoints", pages.with("userinfo", "https://api.odd.example/me"))
                .with("profile", ["claims": ["subject": "/id"]])
        case 4: return head.with("endpoints", pages)
        default:
            let token: JSONValue = ["token": "https://odd.example/token"]
            return dice.pick([
                head.with("endpoints", token).with("client_credentials", [:]),
                head.with("endpoints", token).with("jwt_bearer", [:]),
                head.with("endpoints", token).with("profile", ["subject": ["none": "a token is for the client"]]),
                head.with("endpoints", token.with("device_authorization", "https://odd.example/device")),
            ])
        }
    }

    // MARK: Shapes

    private mutating func value(of shape: Shape, at path: [String], besides old: JSONValue? = nil) -> JSONValue {
        switch shape {
        case .text(_, let pattern, _): return .string(text(pattern, at: path))
        case .integer(let range): return JSONValue(integerLiteral: number(in: range, at: path))
        case .boolean: return .bool(dice.once(in: 2))
        case .choice(let names):
            // RSA keys are rare, because they are slow.
            let fast = names.filter { !$0.hasPrefix("RS") && !$0.hasPrefix("PS") && !$0.hasPrefix("RSA") }
            return .string(dice.pick(fast.isEmpty || dice.once(in: 20) ? names : fast))
        case .list(let element):
            let kept = dice.once(in: 2) ? old?.array ?? [] : []
            let added = (0..<(dice.once(in: 12) ? 0 : 1 + dice.below(2))).map { _ in value(of: element, at: path) }
            return .array(kept + added)
        case .map(let element):
            var map: JSONValue = .object(old?.object ?? JSONObject())
            for _ in 0..<(dice.once(in: 12) ? 0 : 1 + dice.below(2)) {
                let name = memberName(at: path)
                map = map.with(name, value(of: element, at: path + [name], besides: map[name]))
            }
            return map
        case .section(let section): return mapping(section, at: path, besides: old)
        case .either(let shapes):
            let open = shapes.filter { if case .null = $0 { dice.once(in: 4) } else { true } }
            return value(of: dice.pick(open.isEmpty ? shapes : open), at: path, besides: old)
        case .variant(let excluded):
            guard case .section(let root) = DescriptorRules.shape else { return [:] }
            let open = SectionDescription(name: "", keys: root.keys.filter { !excluded.contains($0.name) })
            return mapping(open, at: [], besides: old)
        case .json: return body(at: path)
        case .structure: return .object(JSONObject(members: [.init(name: "of", value: .string(template(at: path)))]))
        case .null: return .null
        }
    }

    private mutating func mapping(_ section: SectionDescription, at path: [String], besides old: JSONValue?)
        -> JSONValue
    {
        var object: JSONValue = .object(old?.object ?? JSONObject())
        for key in section.keys where key.isRequired && object[key.name] == nil {
            object = object.with(key.name, value(of: key.shape, at: path + [key.name]))
        }
        let open = section.keys.filter { !$0.isRequired }
        guard !open.isEmpty, !dice.once(in: 10) else { return object }
        for _ in 0..<(1 + dice.below(2)) {
            let key = dice.pick(open)
            object = object.with(
                key.name, value(of: key.shape, at: path + [key.name], besides: object[key.name]))
        }
        return object
    }
}

extension JSONValue {
    /// An object with a member, in the place of an older one of the name.
    func with(_ name: String, _ value: JSONValue) -> JSONValue {
        var object = object ?? JSONObject()
        object[name] = value
        return .object(object)
    }
}
