import CarnetDescriptors

extension DescriptorReference {
    /// A descriptor for each chapter of the page, by the path of the chapter's section, without the keys of every descriptor.
    static let examples: [String: String] = [
        "": """
        docs: https://acme.example/developers
        issuer: https://id.acme.example
        scopes: { default: [openid, profile, email] }

        """,
        "display": """
        issuer: https://id.acme.example
        display: { color: "#2457a6" }

        """,
        "status": """
        issuer: https://id.acme.example
        status:
          retiring: "2027-01-31"
          because: Acme ID replaces this service
          link: https://acme.example/news/acme-id

        """,
        "register": """
        issuer: https://id.acme.example
        register:
          url: https://console.acme.example/apps
          id: App key
          secret: App secret
          notes:
            - Add the product Login to the app; without it, the scope email is refused.
            - Until Acme has reviewed the app, only 25 test users can sign in.

        """,
        "verified": """
        issuer: https://id.acme.example
        verified:
          date: "2026-11-21"
          how: compared with the metadata and the reference page
          link: https://acme.example/developers/sign-in

        """,
        "notes[]": """
        issuer: https://id.acme.example
        authorization:
          offline_parameters: { access_type: offline }
        notes:
          - about: authorization.offline_parameters
            because: without it no refresh token is issued, whatever the scopes
            link: https://acme.example/developers/refresh

        """,
        "inputs.NAME": """
        inputs:
          domain:
            type: hostname
            title: Address of your account
            example: acme.id.example
          region: { enum: [eu, us], default: eu }
          api_key: { type: text, secret: true }
        issuer: https://{domain}/{region}
        api: { headers: { X-Api-Key: "{api_key}" } }

        """,
        "connection.lookups.NAME": """
        issuer: https://id.acme.example
        connection:
          lookups:
            account:
              url: https://api.acme.example/accounts
              root: /items
              where: { active: true }
              value: /id
              capture: { region: /region }
              sample: { items: [{ id: 7, region: eu, active: true }, { id: 8, region: us, active: false }] }

        """,
        "issuer_match": """
        issuer: https://id.acme.example/common
        issuer_match:
          template: https://id.acme.example/{tenantid}/v2.0
          claims: { tenantid: tid }
          pattern: "[0-9a-f-]{36}"

        """,
        "endpoints": """
        endpoints:
          authorization: https://acme.example/oauth/authorize
          token: https://acme.example/oauth/token
          userinfo: https://api.acme.example/me
          revocation: https://acme.example/oauth/revoke
        profile:
          claims: { subject: /id, name: /display_name }

        """,
        "endpoints.mtls_endpoint_aliases": """
        issuer: https://id.acme.example
        client: { authentication: [tls_client_auth] }
        endpoints:
          mtls_endpoint_aliases:
            token: https://mtls.acme.example/token
            userinfo: https://mtls.acme.example/userinfo

        """,
        "client": """
        issuer: https://id.acme.example
        client:
          authentication: [client_secret_basic, client_secret_post, none]
          basic_encoding: raw

        """,
        "scopes": """
        issuer: https://id.acme.example
        scopes:
          separator: ","
          default: [openid, photos]
          offline: [offline_access]
          catalog: [openid, offline_access, photos]

        """,
        "scopes.catalog[]": """
        issuer: https://id.acme.example
        scopes:
          default: [openid, photos.write]
          catalog:
            - openid
            - id: photos.write
              title: Add photos and remove them
              implies: [photos.read]
            - { id: photos.read, title: See your photos }

        """,
        "authorization": """
        issuer: https://id.acme.example
        authorization:
          parameters: { audience: https://api.acme.example }
          offline_parameters: { access_type: offline }
          reconsent_parameters: { prompt: consent }
          rename: { client_id: client_key }
          encode: { scope: plus }

        """,
        "callback": """
        issuer: https://id.acme.example
        callback:
          iss: required
          rename: { code: auth_code }
          errors: { codes: { user_cancelled: access_denied } }

        """,
        "token": """
        issuer: https://id.acme.example
        token:
          body: json
          headers: { X-Api-Version: "2" }
          rename: { client_id: client_key }
          omit: [redirect_uri]

        """,
        "token.response": """
        issuer: https://id.acme.example
        token:
          response:
            format: form
            default_token_type: Bearer
            default_expires_in: 3600
            default_refresh_token_expires_in: 2419200
            scope_separator: ","

        """,
        "token.response.fields": """
        issuer: https://id.acme.example
        token:
          response:
            root: /data
            fields:
              access_token: /token
              refresh_token: [/refresh_token, /refresh/token]

        """,
        "token.response.success": """
        issuer: https://id.acme.example
        token:
          response:
            success: { statuses: [200, 201], field: /ok, equals: [true] }

        """,
        "token.response.errors": """
        issuer: https://id.acme.example
        token:
          response:
            errors:
              error: /error/type
              error_description: /error/message
              codes: { CodeExpired: invalid_grant }

        """,
        "token.response.expires": """
        issuer: https://id.acme.example
        token:
          response:
            fields: { expires_in: /expires_at }
            expires: { kind: epoch, zero_means: never }

        """,
        "refresh": """
        issuer: https://id.acme.example
        refresh:
          margin: 300
          rename: { refresh_token: token }

        """,
        "id_token": """
        issuer: https://id.acme.example
        id_token:
          algorithms: [RS256, ES256]
          clock_skew: 120

        """,
        "profile": """
        endpoints:
          authorization: https://acme.example/oauth/authorize
          token: https://acme.example/oauth/token
          userinfo: https://api.acme.example/me
        profile:
          root: /data
          claims:
            subject: /id
            name: [/display_name, /login]
            picture: /avatar/large

        """,
        "profile.callback": """
        issuer: https://id.acme.example
        authorization: { response_mode: form_post }
        callback:
          capture:
            user: { pattern: "[{].*[}]", example: '{"name":{"firstName":"Jane"}}', optional: true }
        profile:
          callback: { from: user, given_name: /name/firstName }

        """,
        "revocation": """
        issuer: https://id.acme.example
        revocation: { body: json }
        logout: { rename: { post_logout_redirect_uri: return_to } }

        """,
        "api": """
        issuer: https://id.acme.example
        api:
          scheme: OAuth
          hosts: [api.acme.example]
          headers: { X-Api-Version: "2" }

        """,
        "resources[]": """
        issuer: https://id.acme.example
        scopes: { default: [openid, photos] }
        resources:
          - id: albums
            title: Your albums
            scope: photos
            url: https://api.acme.example/albums

        """,
        "samples": """
        issuer: https://id.acme.example
        samples:
          token: { access_token: "[redacted]", token_type: Bearer, expires_in: 3600 }
          userinfo: { sub: "[redacted]", name: Ann }
          error: { error: invalid_grant, error_description: the code has been used }

        """,
    ]

    /// The examples as whole descriptors.
    package static var wholeExamples: [(path: String, text: String)] {
        examples.sorted { $0.key < $1.key }.map { ($0.key, whole($0.value)) }
    }

    static func whole(_ example: String) -> String { "carnet: 1\nid: acme\nname: Acme\n" + example }
}
