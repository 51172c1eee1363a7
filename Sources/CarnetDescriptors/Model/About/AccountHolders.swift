/// Who can have an account at a provider.
package enum AccountHolders: String, DescriptorChoice, Sendable {
    /// Everybody can register, or nobody has found out otherwise.
    case anyone
    /// Administrators choose the members, as in a company's directory.
    case members
}
