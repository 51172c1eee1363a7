import Carnet
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

extension Quirk {
    static let afterwards: [Quirk] = []
}
