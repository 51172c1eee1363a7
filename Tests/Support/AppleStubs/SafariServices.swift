// Written from Apple's public documentation, to type-check on Linux. Nothing here is run.

public import Foundation
public import UIKit

@MainActor open class SFSafariViewController: UIViewController {
    public init(url: URL) {}
}
