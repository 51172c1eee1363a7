import ArgumentParser
import Carnet
import CarnetTransport

/// Which servers a command may reach, and whose certificates it trusts.
struct ReachOptions: ParsableArguments {
    @Option(
        "ca-file", value: "path",
        "A PEM file with certificate authorities to trust in addition to the system's.", completion: .file())
    var authorities: String?

    @Option(
        "allow-local", value: "host",
        "A host from the provider's metadata that may be on this machine or the local network. Repeatable.")
    var localHosts: [String] = []

    /// The network as the environment and these options say.
    ///
    /// - Parameter hosts: Those that may be local, such as all that a descriptor names.
    func transport(to hosts: Set<String>, _ environment: HostEnvironment) -> any Transport {
        var network = NetworkSettings(environment: environment.variables)
        if let authorities { network = network.trusting(authorities, named: "--ca-file") }
        return makeNetworkTransport(
            localAccess: .hosts(hosts).adding(Set(localHosts.map { $0.lowercased() })), network: network)
    }
}
