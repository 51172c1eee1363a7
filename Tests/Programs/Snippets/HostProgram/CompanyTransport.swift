import CarnetCurl

/// A transport that also reaches the company's own provider.
func companyTransport() -> CurlTransport {
    CurlTransport(localAccess: .hosts(["id.corp.example"]))
}
