package import CarnetDescriptors

/// Runs a descriptor for a simulated client, in the engine's own code, and says what went wrong.
///
/// The linter itself knows no engine, so that the build plugin stays small; whoever has the engine brings one of these.
package protocol DescriptorSimulator: Sendable {
    /// - Returns: findings of `SimulationDiagnostics`, for each descriptor.
    func check(_ contexts: [LintContext]) -> [[Diagnostic]]
}
