import CarnetDescriptors
import CarnetFoundation

extension ProviderDescriptor {
    /// How a person registers an application, one step a line.
    var registrationSteps: [String] {
        var steps = statusLines
        steps.append(
            "register a client at \(name)" + ((self.register.url ?? docs).map { ", see \($0)" } ?? ""))
        let (id, secret) = (self.register.id, self.register.secret)
        let names = [id.map { "the client id \"\($0)\"" }, secret.map { "the client secret \"\($0)\"" }].compactMap {
            $0
        }
        steps.append(
            names.isEmpty
                ? "which names the console of \(name) has for client id and secret is not known"
                : "\(name) calls \(names.joined(separator: " and "))")
        return steps + self.register.notes
    }

    /// What to know about a provider that is not open to everybody for ever.
    var statusLines: [String] {
        guard let remark = self.status.remark, let reason = self.status.reason else { return [] }
        let verb = self.status.word == "closed" ? "is " : ""
        return ["\(name) \(verb)\(remark): \(reason)" + (self.status.link.map { " (\($0))" } ?? "")]
    }
}
