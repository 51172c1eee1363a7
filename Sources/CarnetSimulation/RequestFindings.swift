import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// Why the requests of a test client cannot be built.
struct RequestFindings {
    let simulation: Simulation
    let context: LintContext

    /// One cause affects several requests, and is reported once.
    var all: [Diagnostic] {
        let provider = simulation.provider
        var failed: [Failure] = []
        for step in simulation.steps {
            failed += failures(of: "the \(step.rawValue) request", try simulation.request(step))
        }
        for index in provider.profile.requests.indices where simulation.steps.contains(.userinfo) {
            failed += failures(of: "a further request for the profile", try simulation.build(further: index))
        }
        var causes = Set<String>()
        var found = failed.filter { causes.insert($0.cause).inserted }.map(\.finding)
        for (index, resource) in provider.resources.enumerated() {
            found += failures(
                of: "the request for a resource", at: context.places.resources[index].span,
                try simulation.request(resource)
            ).map(\.finding)
        }
        if found.isEmpty { found = ofLateURLs }
        if found.isEmpty { found = ofConnection }
        guard found.isEmpty, provider.resources.isEmpty else { return found }
        return failures(of: "a request to an API", try simulation.call()).map(\.finding)
    }

    private static let needed =
        "add samples.token or examples with the values, in the form that they must have; a host is one of trusted_hosts"

    private func help(of error: OAuthError) -> String? {
        let isOfValues = [.valueMissing, .valueRefused, .undeclaredHost].contains(error.kind)
        return error.next(.ofDescriptor) ?? (isOfValues ? Self.needed : error.descriptorKey.map { "see \($0)" })
    }

    private typealias Failure = (cause: String, finding: Diagnostic)

    /// Why a request cannot be built; empty if it can.
    private func failures<Request>(
        of request: String, at span: @autoclosure () -> SourceSpan? = nil,
        _ build: @autoclosure () throws(OAuthError) -> Request
    ) -> [Failure] {
        do throws(OAuthError) {
            _ = try build()
            return []
        } catch {
            let key = error.descriptorKey?.split(separator: ".").map(String.init) ?? []
            let finding = context.finding(
                .requestNotMade, "the engine cannot build \(request): \(error.message)",
                at: span() ?? context.document.span(of: key), help: help(of: error))
            return [(error.description, finding)]
        }
    }

    /// The exchange steps, and the requests and values of the section `connection`.
    private var ofConnection: [Diagnostic] {
        let (provider, places) = (simulation.provider, context.places)
        guard !provider.exchange.isEmpty || !provider.connection.isEmpty else { return [] }
        let requests = simulation.connectionRequests
        var found: [Failure] = []
        for step in provider.exchange where !step.value.isOptional {
            found += failures(
                of: "the request of the step \(step.name)", at: places.exchange[step.name].url.span,
                try requests.exchange(step))
        }
        func check(_ call: CallRules, _ key: String, _ span: @autoclosure () -> SourceSpan) {
            found += failures(of: "the request of \(key)", at: span(), try requests.call(call, key: key))
        }
        for lookup in provider.connection.lookups.items {
            let place = places.connection.lookups[lookup.name]
            check(lookup.value.call, "connection.lookups.\(lookup.name)", place.call.url.span)
            guard !lookup.value.call.isOptional, requests.conditions(lookup.value) == nil else { continue }
            let message = "the engine cannot build a condition of \(lookup.name): the samples have no value for it"
            let finding = context.finding(.requestNotMade, message, at: place.conditions.keySpan, help: Self.needed)
            found.append((cause: message, finding: finding))
        }
        for (calls, list, key) in [
            (provider.connection.onConnect, places.connection.onConnect, "on_connect"),
            (provider.connection.onDisconnect, places.connection.onDisconnect, "on_disconnect"),
        ] {
            for (index, call) in calls.enumerated() { check(call, "connection.\(key).\(index)", list[index].span) }
        }
        for rule in provider.connection.derive.items {
            // Of a token that no sample shows, the values are made up.
            let tokens = rule.value.template.references.filter { $0.origin == .token && $0.isAlwaysSecret }
            guard tokens.allSatisfy({ simulation.hasSampledClaims(of: $0) }) else { continue }
            found += failures(
                of: "a value of the connection", at: places.connection.derive[rule.name].span,
                try requests.derived(rule.name))
        }
        return found.map(\.finding)
    }

    /// Resources, endpoints and the base URL that no sign-in makes known.
    private var ofLateURLs: [Diagnostic] {
        let (provider, places, requests) = (simulation.provider, context.places, simulation.connectionRequests)
        var urls: [(name: String, url: Template, span: SourceSpan)] = provider.lateResources.map { late in
            let title = late.resource.title
            let index = context.descriptor.resources.firstIndex { $0.title == title } ?? 0
            return ("the resource \(title)", late.resource.url, places.resources[index].url.span)
        }
        if let base = provider.api.baseURL, base.isLate {
            urls.insert(("api.base_url", base, places.api.baseURL.span), at: 0)
        }
        // Without an optional value, the engine leaves its resources out.
        let optional = provider.shared.sections.optionalValues
        let known = Simulation.collected(
            at: provider.discovered, as: simulation.registration, simulation.tokens
        ).values
        urls.removeAll { $0.url.requiredReferences.contains { optional.contains($0) && known["\($0)"] == nil } }
        var obstacles = urls.compactMap { name, url, span in requests.obstacle(to: url).map { (name, $0, span) } }
        for name in EndpointName.allCases where provider.endpoints[name] == nil {
            guard let reason = provider.endpoints.unfilled[name] else { continue }
            obstacles.append(("the \(name.rawValue) endpoint", reason, places.endpoints[name].span))
        }
        var causes = Set<String>()
        return obstacles.filter { causes.insert($0.1).inserted }.map { name, reason, span in
            context.finding(
                .requestNotMade, "the engine cannot build a request to \(name): \(reason)",
                at: span, help: Self.needed)
        }
    }
}

extension LintContext {
    /// A finding of a rule of simulation.
    ///
    /// - Parameter sample: The sample that it is about, if that is at another place.
    func finding(
        _ rule: DiagnosticExplanation, _ message: String, at span: SourceSpan, help: String? = nil,
        sample: Place<JSONValue>? = nil
    ) -> Diagnostic {
        let related = sample.map { [self.related("the sample", at: $0.keySpan)] } ?? []
        return rule.diagnostic(message, file: path, span: span, help: help, related: related)
    }

    /// The same as a list, for a check that finds nothing else.
    func findings(
        _ rule: DiagnosticExplanation, _ message: String, at span: SourceSpan, help: String? = nil,
        sample: Place<JSONValue>? = nil
    ) -> [Diagnostic] {
        [finding(rule, message, at: span, help: help, sample: sample)]
    }
}
