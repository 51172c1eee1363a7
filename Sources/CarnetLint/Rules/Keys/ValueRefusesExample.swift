import CarnetDescriptors
import CarnetFoundation

struct ValueRefusesExample: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "K121", name: "value-refuses-example",
        summary: "The example or sample of a kept value does not match the value's own pattern.",
        rationale: """
            Carnet rejects a value that does not match the pattern. A real value like the example would therefore end \
            the sign-in. The sandbox sends the example.
            """,
        bad: [
            "callback: { capture: { shop: { pattern: '[a-z]+', example: ⟦Acme⟧ } } }",
            "callback: { capture: { realm: ⟦{ from: realmId, pattern: '[0-9]+' }⟧ } }",
            "token: { response: { capture: { team: { from: /team/id, pattern: 'T[0-9]+', example: ⟦X7⟧ } } } }",
            """
            exchange:
              long: { url: https://id.acme.example/long, capture: { kind: { from: /kind, pattern: '[0-9]+', example: ⟦a⟧ } } }

            connection:
              lookups:
                site: { url: https://api.acme.example/me, value: /id, pattern: '[0-9]+', ⟦sample⟧: { name: Acme } }

            connection: { lookups: { name: { url: https://api.acme.example/whoami, value: '', ⟦sample⟧: ada } } }

            connection:
              lookups:
                site: { url: https://api.acme.example/me, value: /id, capture: { ⟦name⟧: /label }, sample: { id: 7 } }

            connection:
              lookups:
                site: { url: https://api.acme.example/me, value: /id, ⟦label⟧: /nmae, sample: { id: 7, name: Acme } }

            connection:
              lookups:
                site:
                  url: https://api.acme.example/me
                  value: /id
                  capture: { ⟦owner⟧: { from: /owner, optional: true } }
                  sample: { id: 7, owner: { id: 8 } }

            connection:
              lookups:
                site:
                  url: https://api.acme.example/sites
                  value: /id
                  ⟦sample⟧: [{ id: 7 }, { id: 8 }]

            connection:
              lookups:
                site: { url: https://api.acme.example/sites, optional: true, value: /site_id, ⟦sample⟧: { siteId: 7 } }

            connection:
              lookups:
                site: { url: https://api.acme.example/sites, root: ⟦/sites⟧, value: '', sample: { siteIDs: [a] } }

            connection:
              lookups:
                site: { url: https://api.acme.example/sites, value: '', ⟦sample⟧: [{ id: a }] }

            connection:
              lookups:
                site: { url: https://api.acme.example/sites, ⟦where⟧: { kind: main }, value: /id, sample: [{ id: 7, kind: side }] }

            inputs: { site: { example: acme } }
            connection:
              lookups:
                cloud:
                  url: https://api.acme.example/sites
                  ⟦where⟧: { url: 'https://{site}.acme.exmaple' }
                  value: /id
                  sample: [{ id: 7, url: 'https://acme.acme.example' }]
            """,
        ],
        good: [
            """
            connection:
              lookups:
                site:
                  url: https://api.acme.example/sites
                  where: { /state/is: main, tags: eu }
                  value: /id
                  capture: { name: /name }
                  sample: [{ id: 7 }, { id: 8, name: Main, state: { is: main }, tags: [de, eu] }]

            connection:
              lookups:
                site: { url: https://api.acme.example/me, value: /id, label: /name, sample: { id: 7, name: null } }
                team: { url: https://api.acme.example/team, optional: true, value: /id, sample: [{ id: null }] }
                shop: { url: https://api.acme.example/shops, optional: true, root: /items, value: /id, sample: { items: [] } }
                hub: { url: https://api.acme.example/hub, optional: true, root: /hubs, value: /id, sample: { message: No hub } }
                desk: { url: https://api.acme.example/desk, optional: true, value: /id, sample: {} }

            inputs: { site: { example: acme } }
            connection:
              lookups:
                cloud:
                  url: https://api.acme.example/sites
                  where: { url: 'https://{site}.acme.example' }
                  value: /id
                  sample: [{ id: 6, url: 'https://bar.acme.example' }, { id: 7, url: 'https://acme.acme.example' }]
            """,
            "callback: { capture: { realm: realmId } }",
            "callback: { capture: { shop: { pattern: '[a-z-]+\\.acme\\.example', example: my-shop.acme.example } } }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        var found: [Diagnostic] = []
        func check(_ place: Place<String>, _ example: String?, _ pattern: ValuePattern?) {
            // A pattern that could not be read has no source; K004 has reported it.
            guard let example, let pattern, !pattern.source.isEmpty, !pattern.matches(example) else { return }
            let help = place.isWritten ? nil : "add an example"
            let message = "\"\(example)\" does not match the pattern \(pattern)"
            found.append(finding(message, in: context, at: place.span, help: help))
        }
        // A standard parameter has its own value in the sandbox, not the example.
        let standard = ["code", "state", "scope", "iss"].map { descriptor.callback.rename[$0] ?? $0 }
        for capture in descriptor.callback.capture.items where !standard.contains(capture.parameter) {
            let place = context.places.callback.capture[capture.name].example
            let isSampled = descriptor.samples.callback?.contains(capture.parameter) == true
            check(place, capture.value.example ?? (isSampled ? nil : capture.name), capture.value.pattern)
        }
        func check(_ captures: NamedList<ResponseCapture>, _ place: Place<NamedList<ResponseCapture>>) {
            for capture in captures.items {
                check(place[capture.name].example, capture.value.example, capture.value.pattern)
            }
        }
        check(descriptor.token.response.capture, context.places.token.response.capture)
        for step in descriptor.exchange.items { check(step.value.capture, context.places.exchange[step.name].capture) }
        for grant in [RequestKind.clientCredentials, .deviceToken, .tokenExchange, .jwtBearer] {
            guard let rules = descriptor.response(of: grant) else { continue }
            check(rules.capture, context.places.response(of: grant).capture)
        }
        let inputs = descriptor.statedInputs
        for lookup in descriptor.connection.lookups.items {
            let (rules, place) = (lookup.value, context.places.connection.lookups[lookup.name])
            // A text is the body itself.
            if let text = rules.sample.string, JSONValue(claimsOf: text) == nil,
                (try? JSONValue(parsing: Array(text.utf8))) == nil
            {
                found += findings(
                    "the sample is a text that is not JSON", in: context, at: place.sample.keySpan,
                    help: "a lookup reads JSON alone; a JSON string has its own quotes: '\"TEXT\"'")
                continue
            }
            let all = rules.sample.candidates(at: rules.root) ?? []
            // The sandbox adapts the sample to inputs that the descriptor does not state. Values of a sign-in are not known
            // here.
            let fixed = rules.conditions(with: inputs)
            let candidates = all.filter { $0.meets(fixed) }
            let usable = candidates.filter { $0.firstStated(of: rules.value.pointers)?.scalarText != nil }
            let values = usable.compactMap { $0.firstStated(of: rules.value.pointers)?.scalarText }
            // An optional lookup may find nothing, unless a member has nearly the name.
            let saysNone = candidates.contains { $0.isNull || $0.saysNone(at: rules.value.pointers) }
            let (read, names) =
                rules.sample[rules.root] == nil
                ? ([rules.sample], rules.root.tokens) : (candidates, rules.value.pointers.flatMap(\.tokens))
            let isNear = read.flatMap { $0.object?.members ?? [] }.contains {
                nearestName(to: $0.name, in: names, within: 2) != nil
            }
            if values.isEmpty, saysNone || !isNear, rules.call.isOptional { continue }
            if rules.sample[rules.root] == nil, place.root.isWritten {
                let list = rules.sample.object?.members.first { $0.value.array != nil }
                found += findings(
                    "\(rules.root) finds nothing in the sample", in: context, at: place.root.span,
                    help: list.map { "the sample's list is at \(JSONPointer(tokens: [$0.name]))" })
                continue
            }
            guard !candidates.isEmpty || all.isEmpty else {
                found += findings(
                    "no candidate of the sample meets the conditions", in: context, at: place.conditions.keySpan,
                    help: all.contains { $0.meets(rules.fixedConditions) }
                        ? "with the values that inputs have in the descriptor, it must: add a candidate, or correct 'where'"
                        : "add a candidate that meets them, or correct 'where'")
                continue
            }
            if rules.choice == .only, fixed.count == rules.conditions.items.count, usable.count > 1 {
                found += findings(
                    "the sample has \(usable.count) candidates for \"\(lookup.name)\", where one is expected",
                    in: context, at: place.sample.keySpan, help: "select one by where, or say what to do: choose: ask")
            }
            for capture in rules.capture.items {
                let place = place.capture[capture.name]
                check(place.example, capture.value.example, capture.value.pattern)
                let members = usable.map { $0.firstStated(of: capture.value.pointers.pointers) }
                let isRefused = members.contains { value in
                    guard let value else { return !capture.value.isOptional }
                    return value.scalarText.map { capture.value.pattern?.matches($0) == false } ?? true
                }
                guard isRefused else { continue }
                found += findings(
                    "the sample has no value for \"\(capture.name)\" that matches its own rules", in: context,
                    at: place.keySpan)
            }
            if let label = rules.label, !values.isEmpty,
                !usable.contains(where: { candidate in
                    candidate.saysNone(at: label.pointers)
                        || candidate.firstStated(of: label.pointers)?.scalarText != nil
                })
            {
                found += findings(
                    "no candidate of the sample has a label at \(label.pointers.listed())", in: context,
                    at: place.label.keySpan)
            }
            guard values.isEmpty || values.contains(where: { rules.pattern?.matches($0) == false }) else { continue }
            found += findings(
                values.isEmpty
                    ? "no candidate of the sample has a value at \(rules.value.pointers.listed())"
                    : "a value for \"\(lookup.name)\" in the sample does not match its pattern", in: context,
                at: place.sample.keySpan,
                help: values.isEmpty && rules.sample[rules.root]?.array != nil
                    ? "the candidates are the elements of the list: a pointer starts in one of them" : nil)
        }
        return found
    }
}
