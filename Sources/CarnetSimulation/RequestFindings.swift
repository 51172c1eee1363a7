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
        for further in simulation.provider.profile.requests where simulation.steps.contains(.userinfo) {
            do throws(OAuthError) {
                try simulation.build(further)
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
        guard found.isEmpty, simulation.provider.resources.isEmpty else { return found }
        do throws(OAuthError) {
            try simulation.call()
        } catch {
            found.append(finding(error, of: "a request to an API"))
        }
        return found
    }

    private func finding(_ error: OAuthError, of request: String, at span: SourceSpan? = nil) -> Diagnostic {
        let key = error.descriptorKey?.split(separator: ".").map(String.init) ?? []
        return SimulationDiagnostics.requestNotMade.diagnostic(
            "the engine cannot build \(request): \(error.message)",
            file: context.path,
            span: span ?? context.document.span(of: key),
            help: error.hint
        )
    }
}
