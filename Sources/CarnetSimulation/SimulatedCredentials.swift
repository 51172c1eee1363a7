import CarnetDescriptors
package import CarnetProtocol

/// The certificate of test clients. Its key protects nothing: only sandboxes know it.
package enum SimulatedCertificate {
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

/// The key with which a test client signs. It protects nothing, and a generated RSA key takes a tenth of a second.
enum SimulatedKey {
    private static let rsa = try? ClientKey(pem: Secret(rsaText), id: id)
    private static let id = "simulated-key"

    static func fitting(_ algorithm: SignatureAlgorithm) -> ClientKey? {
        switch algorithm {
        case .ES256, .ES384, .ES512, .EdDSA: try? ClientKey.generate(algorithm, id: id)
        default: rsa
        }
    }

    private static let rsaText = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDS6o7sQgpEcrT5
        AuheXyFS2nJ6MRnqwnDdzl38avEL7VcheN8AzzaBK6YLZIA3bWlYyzuPW9SUW+AI
        fl90JmjpqMwK4Ox2i6Cvm632Sct+UGo+IMa/izBwKmnMysB6TTMXc6nCtW1Vnpxl
        ZiU/ePgMo62zJZapX6hsOTsJbw5EpjsLWqHL9ZrToEeq6hQ/lJauqSk18IAcn3kz
        F0uuzJnVv9j+edEgUbr2pgmPxf6xZRqa7xObE/eUIPr93mLUQl0P1G9TYzYLumR7
        cIAOVIN8xjnkZBfNfviKnNYg6wgEuBaxJmgb9tDhiAv50wBhyq2UkngHe5JHpP3t
        araD3WPVAgMBAAECggEACAjh8XDxma/B96N199RevVyE1GVRnq5nZM0N/7CQ5q//
        q/mCC0fu2bGwkAoKfVy4Zjwgac1pK3lVhJVQgb5N1wA0Z6yvrV4T0g9s64SI++fz
        KCiQ/FkrJaFj/uZxZHyo4oQ9i7qOw/PNyD9sJ1RuefLJSkQMuX6N+LN0bYn9bJLT
        zdGuvHzJDmHzt18/TWBN+h+CylF6mTubcb2lX9K1dSyZzeA75hDRLYC5oHZtNs33
        jmxbF0qtEywgL9aSMiwOg+yotp0y3uw2OmzNEciwuCsb/oSIZvpSEwvHzO6ge934
        UEfBJEpdbPPew8VDQ2i49uNbIHUSyyRmJNgGCeHtgQKBgQD5vN59mFR53MEDeqkp
        rXtrHC3+asDMYeDvwG3U/HKE9NO4X803RZXoqtBRi7Ylj3wM5cJJKMyWNDKtNuFg
        FcoRV0pqf/9yjqXUwJzQUG3ou3YVwp5fcABGnalAu5RsRLCIti7IHBLslo+4CWuI
        5ThqInYl4zE64K44MmlXCF1lgQKBgQDYNHvcv3mPloJa156ybzTlj9D5/CoUVbIN
        M7FsokL7MhxvQN8oyCBLXQMArARllrgdCkijNa0FFklW94XutxhkmxnM2FIV5r1N
        KJ5mfmkNZHRzBgYfo544g8BsWXWraerpCTRwdYUoHcDxRcHphx4J5G1X1+UBi6Lx
        Lr9ZZBKwVQKBgQC8Bz7A8zMPOW09MFozHgHhaCsc9cVJXJxeBtTq2lNi1W6ez8qT
        xdmTfyAvdXBjoT91+nsoWAaJRK2vCrXvgRhNrBpESzDKUKp8n7SxhwzpgFLtGUXi
        d1JN2KC5M0IRrjn4BKr+UVzSMp3so3MKdALgriekaQUE3mtttk7nj026gQKBgD06
        n9lkYIjJlyEi706ZL+HTWNtzDnezzTjv6s9ZJJ7/Eg5v0MM76elt7evCy3v5syqG
        Pwv5p4ZJSXvXnZZ9Q+s6AZSBrr2FGxc+6Z0dL6MbT99DVXigXa6joVsN+sUQufZF
        JRS0M4Go63toxgHcwiULC+xUuAY4BW1IT+iA7soBAoGBAJPDRu+foeIMbJEaATu/
        az/YmQaDjOtpl2vOoNDIul9r4ZCMqpV1uEyycYRB21/YuVwkn2dS2UCiK7T36LrO
        wPJ30m8/T6gFm9kCip9YWStSmZDsM45FN9oRL6c+XEct4DLp0MHBiMPM8hDIo1oA
        apXW5NFMvjTpoVhuG3WUJThm
        -----END PRIVATE KEY-----
        """
}
