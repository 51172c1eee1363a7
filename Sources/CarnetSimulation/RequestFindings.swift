import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// Why the requests of a test client cannot be built.
struct RequestFindings {
    private let simulation: Simulation
    private let context: LintContext

    init(_ simulation: Simulation, _ context: LintContext) {
        self.simulation = simulation
        self.context = context
    }

    /// One cause affects several requests, and is reported once.
    var all: [Diagnostic] {
        var causes = Set<String>()
        var found: [Diagnostic] = []
        for step in simulation.steps {
            do throws(OAuthError) {
                _ = try simulation.request(step)
            } catch  where causes.insert(error.description).inserted {
                found.append(finding(error, of: "the \(step.rawValue) request"))
            } catch {
            }
        }
        for index in simulation.provider.profile.requests.indices where simulation.steps.contains(.userinfo) {
            do throws(OAuthError) {
                try simulation.filled(index).map { further throws(OAuthError) in try simulation.build(further) }
            } catch  where causes.insert(error.description).inserted {
                found.append(finding(error, of: "a further request for the profile"))
            } catch {
            }
        }
        for (index, resource) in simulation.provider.resources.enumerated() {
            do throws(OAuthError) {
                _ = try simulation.request(resource)
            } catch {
                let span = context.places.resources[index].span
                found.append(finding(error, of: "the request for a resource", at: span))
            }
        }
        if found.isEmpty { found = ofLateURLs }
        if found.isEmpty { found = ofConnection }
        guard found.isEmpty, simulation.provider.resources.isEmpty else { return found }
        do throws(OAuthError) {
            try simulation.call()
        } catch {
            found.append(finding(error, of: "a request to an API"))
        }
        return found
    }

    /// The exchange steps, and the requests of the section `connection`.
    private var ofConnection: [Diagnostic] {
        let (provider, places) = (simulation.provider, context.places)
        guard !provider.exchange.isEmpty || !provider.connection.isEmpty else { return [] }
        let requests = simulation.connectionRequests
        var found: [Diagnostic] = []
        func check(_ name: String, _ span: SourceSpan, _ make: () throws(OAuthError) -> PreparedRequest) {
            do throws(OAuthError) {
                _ = try make()
            } catch {
                found.append(finding(error, of: name, at: span))
            }
        }
        for step in provider.exchange where !step.value.isOptional {
            check("the request of the step \(step.name)", places.exchange[step.name].url.span) {
                () throws(OAuthError) in
                try requests.exchange(step)
            }
        }
        for lookup in provider.connection.lookups.items {
            let key = "connection.lookups.\(lookup.name)"
            check("the request of \(key)", places.connection.lookups[lookup.name].call.url.span) {
                () throws(OAuthError) in
                try requests.call(lookup.value.call, key: key)
            }
        }
        for (calls, list, key) in [
            (provider.connection.onConnect, places.connection.onConnect, "on_connect"),
            (provider.connection.onDisconnect, places.connection.onDisconnect, "on_disconnect"),
        ] {
            for (index, call) in calls.enumerated() {
                let key = "connection.\(key).\(index)"
                check("the request of \(key)", list[index].span) { () throws(OAuthError) in
                    try requests.call(call, key: key)
                }
            }
        }
        return found
    }

    /// Resources, and the base URL, that no sign-in makes known.
    private var ofLateURLs: [Diagnostic] {
        let (provider, places) = (simulation.provider, context.places)
        var urls: [(name: String, url: Template, span: SourceSpan)] = provider.lateResources.map { late in
            let title = late.resource.title
            let index = context.descriptor.resources.firstIndex { $0.title == title } ?? 0
            return ("the resource \(title)", late.resource.url, places.resources[index].url.span)
        }
        if let base = provider.api.baseURL, base.isLate {
            urls.insert(("api.base_url", base, places.api.baseURL.span), at: 0)
        }
        // Without an optional value, the engine leaves its resources out.
        let unknown = provider.token.response.capture.items.filter {
            $0.value.isOptional && $0.value.example == nil
                && provider.samples.token?.hasMember(at: $0.value.pointers.pointers) != true
        }.map { TemplateReference(.token, $0.name) }
        urls.removeAll { $0.url.references.contains(where: unknown.contains) }
        guard !urls.isEmpty else { return [] }
        let requests = simulation.connectionRequests
        var causes = Set<String>()
        return urls.compactMap { name, url, span in
            guard let reason = requests.obstacle(to: url), causes.insert(reason).inserted else { return nil }
            return context.finding(
                .requestNotMade, "the engine cannot build a request to \(name): \(reason)",
                at: span, help: "the samples and examples must have the values of the URL, and trusted_hosts its host")
        }
    }

    private func finding(_ error: OAuthError, of request: String, at span: SourceSpan? = nil) -> Diagnostic {
        let key = error.descriptorKey?.split(separator: ".").map(String.init) ?? []
        return context.finding(
            .requestNotMade, "the engine cannot build \(request): \(error.message)",
            at: span ?? context.document.span(of: key), help: error.hint)
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
