package import CarnetProtocol

/// The certificate of test clients. Its key protects nothing: only sandboxes know it.
package enum PretendCertificate {
    package static var certificate: ClientCertificate? {
        try? ClientCertificate(pem: Secret(certificateText), privateKeyPEM: Secret(keyText))
    }

    package static let certificateText = """
        -----BEGIN CERTIFICATE-----
        MIIBlzCCAT2gAwIBAgIUaqTAmKFqTvsSKH3dhGrVSXY5QyAwCgYIKoZIzj0EAwIw
        IDEeMBwGA1UEAwwVY2FybmV0IHByZXRlbmQgY2xpZW50MCAXDTI2MTEyMjA0MTU0
        NFoYDzIxMjYxMDI5MDQxNTQ0WjAgMR4wHAYDVQQDDBVjYXJuZXQgcHJldGVuZCBj
        bGllbnQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQ9cI26qoXPlIoypNlJpW4m
        vIv7eD7pmJTGpMLpIc1lZTmXEV/dB9ifxzGVA6F57Ba0jpKhjPT5AzPUIptpJm+q
        o1MwUTAdBgNVHQ4EFgQUbDaKS1BM78cRODSDOGtIE1ArKoowHwYDVR0jBBgwFoAU
        bDaKS1BM78cRODSDOGtIE1ArKoowDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQD
        AgNIADBFAiEAs+z+kMUIkc0Oy0o4B22A+UK0yRkV6l5FBvTH3MFilZgCIFeSDOB+
        L6Ea3YaTSaJQZ+WxhHfC41uB9uc18A4Qln6P
        -----END CERTIFICATE-----
        """

    package static let keyText = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4KTNXppWVm/nRbEy
        HY6fRQVB089APvQfanGOJ1jQHYqhRANCAAQ9cI26qoXPlIoypNlJpW4mvIv7eD7p
        mJTGpMLpIc1lZTmXEV/dB9ifxzGVA6F57Ba0jpKhjPT5AzPUIptpJm+q
        -----END PRIVATE KEY-----
        """
}
