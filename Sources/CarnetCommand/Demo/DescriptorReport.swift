import Carnet
import CarnetLint

/// What is to be said of a descriptor that somebody pasted: the linter's findings, and a sign-in at a sandbox.
struct DescriptorReport {
    let findings: String
    /// `nil` if the descriptor has errors.
    let trial: String?

    init(_ text: String, beside registry: ProviderRegistry) async {
        let named = SourceFile(path: "descriptor.yaml", text: text)
        let id = DescriptorDocument(named).id?.rawValue ?? "descriptor"
        let file = SourceFile(path: "\(id).yaml", text: text)
        findings = TextReporter().render(Linter().lint(files: [file]))
        var all = registry
        let origin = ProviderRegistry.Origin.file(file.path)
        all.add([file], origin: origin)
        guard let entry = all.entries.first(where: { $0.origin == origin }) else {
            trial = nil
            return
        }
        trial = await Self.trial(of: entry)
    }

    private static func trial(of entry: ProviderRegistry.Entry) async -> String {
        do {
            let setup = try TrialSetup(entry, inputs: [:], environment: nil, redirectURI: nil)
            var lines: [String] = []
            let trial = try Trial(setup) { step in
                var line = "\(lines.count + 1). \(step.title): " + step.outcome.name
                switch step.outcome {
                case .failed(let failure): line.append(", \(failure.summary)")
                case .skipped(let reason): line.append(", \(reason)")
                case .passed: break
                }
                lines.append(line)
            }
            let result = await trial.run()
            lines.append(result.hasFailed ? "The sign-in failed." : "All of it worked.")
            return lines.joined(separator: "\n")
        } catch {
            return "The sign-in could not begin: \(error)"
        }
    }
}
