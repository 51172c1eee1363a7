package import CarnetProtocol

/// The steps of a sign-in as a sequence diagram: in a page, as a file, and as text for a terminal.
package struct SequenceDiagram {
    package enum Party: Int, CaseIterable, Sendable {
        case browser, app, server, resource

        /// The server that gets the app's requests of a step.
        package init(askedAt step: OAuthError.Step) {
            self = [.resource, .profile].contains(step) ? .resource : .server
        }

        /// In one or two lines.
        var name: [String] {
            switch self {
            case .browser: ["Browser"]
            case .app: ["App"]
            case .server: ["Authorization", "server"]
            case .resource: ["Resource", "server"]
            }
        }
    }

    package struct Step: Sendable {
        let title: String
        let from: Party
        let to: Party
        /// The response in one line, of which the picture has the beginning; `nil` if there is none.
        let response: String?
        /// How many of the steps behind it came before the response.
        let nested: Int

        package init(title: String, from: Party, to: Party, response: String? = nil, nested: Int = 0) {
            (self.title, self.from, self.to) = (title, from, to)
            (self.response, self.nested) = (response, nested)
        }
    }

    let steps: [Step]

    package init(steps: [Step]) { self.steps = steps }

    package static func title(of step: OAuthError.Step) -> String {
        step.rawValue.prefix(1).uppercased() + step.rawValue.dropFirst()
    }

    struct Arrow {
        let text: String
        let from: Party
        let to: Party
        /// The number of the request's step, from 1; `nil` for a response.
        let number: Int?
    }

    private static let longestResponse = 40

    /// Requests and responses in the order of time.
    var arrows: [Arrow] {
        steps.indices.flatMap { index in
            let step = steps[index]
            let request = Arrow(
                text: "\(index + 1). \(step.title)", from: step.from, to: step.to, number: index + 1)
            // Those of earlier steps had to wait for this one.
            let responses = steps[...index].enumerated().reversed().compactMap { place, asked in
                place + asked.nested == index
                    ? asked.response.map {
                        Arrow(
                            text: String($0.prefix(Self.longestResponse)), from: asked.to, to: asked.from, number: nil)
                    } : nil
            }
            return [request] + responses
        }
    }
}
