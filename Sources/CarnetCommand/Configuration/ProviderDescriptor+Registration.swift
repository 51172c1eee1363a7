import CarnetDescriptors
import CarnetFoundation

extension ProviderDescriptor {
    /// How a person registers an application, one step a line.
    var registrationSteps: [String] {
        var steps = statusLines
        steps.append(
            "register a client at \(name)" + ((self.register.url ?? docs).map { ", see \($0)" } ?? ""))
        switch (self.register.id, self.register.secret) {
        case (let id?, let secret?):
            steps.append("\(name) calls the client id \"\(id)\" and the client secret \"\(secret)\"")
        case (let id?, nil): steps.append("\(name) calls the client id \"\(id)\"")
        case (nil, let secret?): steps.append("\(name) calls the client secret \"\(secret)\"")
        case (nil, nil): steps.append("which names the console of \(name) has for client id and secret is not known")
        }
        return steps + self.register.notes
    }

    /// What to know about a provider that is not open to everybody for ever.
    var statusLines: [String] {
        guard let remark = self.status.remark, let reason = self.status.reason else { return [] }
        let verb = self.status.word == "closed" ? "is " : ""
        return ["\(name) \(verb)\(remark): \(reason)" + (self.status.link.map { " (\($0))" } ?? "")]
    }
}
