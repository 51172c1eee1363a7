import CarnetDescriptors
import CarnetFoundation

/// Who may send a request: anyone, or the sender of a token with all scopes of one of the alternatives.
struct AccessNeed: Equatable {
    private(set) var isOpen = false
    /// Without any, no token is enough. None is a part of another.
    private(set) var alternatives: [[String]] = []

    static let anyone = AccessNeed(isOpen: true)
    static let nobody = AccessNeed()
    static let anyToken = AccessNeed([[]])

    /// As many as a description can have that somebody wrote.
    static let mostAlternatives = 64

    private init(isOpen: Bool = false) { self.isOpen = isOpen }

    /// - Parameter alternatives: At most `mostAlternatives`; others are left out.
    init(_ alternatives: [[String]]) {
        let sets = alternatives.prefix(Self.mostAlternatives).map { scopes in
            var seen: Set<String> = []
            return (scopes: scopes.filter { seen.insert($0).inserted }, set: Set(scopes))
        }
        for (index, one) in sets.enumerated() {
            let isImplied = sets.enumerated().contains { position, other in
                position != index && other.set.isSubset(of: one.set) && (other.set != one.set || position < index)
            }
            if !isImplied { self.alternatives.append(one.scopes) }
        }
    }

    var isClosed: Bool { !isOpen && alternatives.isEmpty }

    /// What both need.
    func and(_ other: AccessNeed) -> AccessNeed {
        if isOpen || self == other { return other }
        if other.isOpen { return self }
        guard alternatives.count * other.alternatives.count <= Self.mostAlternatives else { return .nobody }
        return AccessNeed(alternatives.flatMap { one in other.alternatives.map { one + $0 } })
    }

    /// Whether both let the same requests in.
    func isSame(as other: AccessNeed) -> Bool {
        isOpen == other.isOpen && Set(alternatives.map(Set.init)) == Set(other.alternatives.map(Set.init))
    }

    /// In the language of resources: all of some scopes, and one of others.
    ///
    /// - Returns: Also whether this is all. If not, some of the alternatives are left out.
    var requirement: (allOf: [String], anyOf: [String], isWhole: Bool) {
        guard let first = alternatives.first else { return ([], [], true) }
        let common = alternatives.dropFirst().reduce(Set(first)) { $0.intersection($1) }
        let shared = first.filter(common.contains)
        let rests = alternatives.map { $0.filter { !common.contains($0) } }
        if rests.count == 1 { return (first, [], true) }
        let single = rests.filter { $0.count == 1 }.map { $0[0] }
        switch single.count {
        case 0: return (first, [], false)
        case 1: return (shared + single, [], false)
        case let count: return (shared, single, count == rests.count)
        }
    }
}
