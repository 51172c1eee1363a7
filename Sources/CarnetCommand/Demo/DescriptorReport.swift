import Carnet
import CarnetDescriptors
import CarnetLint

/// What is to be said of a descriptor that somebody pasted: the linter's findings, and a sign-in at a sandbox.
enum DescriptorReport {
    static let sample = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid, profile, email] }

        """

    static func lint(_ text: String) -> String {
        // The name of a file is to be that of its id, and nobody has named this one.
        let id = DescriptorDocument(SourceFile(path: "descriptor.yaml", text: text)).id?.rawValue ?? "descriptor"
        return TextReporter().render(Linter().lint(files: [SourceFile(path: "\(id).yaml", text: text)]))
    }

    static func trial(of text: String, beside registry: ProviderRegistry) async -> String {
        var all = registry
        let file = SourceFile(path: "descriptor.yaml", text: text)
        let origin = ProviderRegistry.Origin.file(file.path)
        all.add([file], origin: origin)
        guard let entry = all.entries.first(where: { $0.origin == origin }) else {
            return "Not tried: there are errors."
        }
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
