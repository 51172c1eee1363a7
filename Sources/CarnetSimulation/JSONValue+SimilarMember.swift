import CarnetDescriptors
import CarnetFoundation
import CarnetLint

extension JSONValue {
    /// The place of a value that nothing else reads, if a pointer differs from it by a letter or two of one name, or only in
    /// how its names are divided, as `/site/id` and `/site_id`, or goes on below it. Another name in another object is
    /// another member.
    func member(similarTo pointers: [JSONPointer], besides read: [JSONPointer]) -> JSONPointer? {
        pointers.lazy.compactMap { member(similarTo: $0, besides: read) ?? member(dividedAs: $0, besides: read) }.first
    }

    private func member(dividedAs pointer: JSONPointer, besides read: [JSONPointer]) -> JSONPointer? {
        let place = names(spelling: pointer.tokens.joined().lettersAndDigits[...]).map(JSONPointer.init(tokens:))
        return place.flatMap { read.contains($0) ? nil : $0 }
    }

    /// The names from here to a value that have just these letters.
    private func names(spelling letters: Substring) -> [String]? {
        for member in (object?.members ?? []).prefix(256) {
            let name = member.name.lettersAndDigits
            guard !name.isEmpty, letters.hasPrefix(name) else { continue }
            let rest = letters.dropFirst(name.count)
            if rest.isEmpty, member.value.object == nil, !member.value.isNull { return [member.name] }
            if let inner = member.value.names(spelling: rest) { return [member.name] + inner }
        }
        return nil
    }

    private func member(similarTo pointer: JSONPointer, besides read: [JSONPointer]) -> JSONPointer? {
        var (holder, tokens) = (self, pointer.tokens)
        guard
            let index = tokens.firstIndex(where: { name in
                guard let next = holder[JSONPointer(tokens: [name])] else { return true }
                holder = next
                return false
            })
        else { return nil }
        // Below a text there is nothing.
        let whole = JSONPointer(tokens: Array(tokens[..<index]))
        if index > 0, holder.scalarText?.isEmpty == false, !read.contains(whole) { return whole }
        let wanted = tokens[index].lettersAndDigits
        for member in (holder.object?.members ?? []).prefix(256) where member.name.lettersAndDigits.isNear(wanted) {
            tokens[index] = member.name
            let place = JSONPointer(tokens: tokens)
            if !read.contains(place), let value = self[place], value.object == nil, !value.isNull { return place }
        }
        return nil
    }
}

extension String {
    /// Whether the letters of one name are probably meant to be those of the other.
    fileprivate func isNear(_ name: String) -> Bool {
        // Short words that differ by a letter are often other words.
        self == name
            || self != name + "id" && name != self + "id"
                && name.utf8.count > 3 && nearestName(to: name, in: [self], within: 2) != nil
    }
}
