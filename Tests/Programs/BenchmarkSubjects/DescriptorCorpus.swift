package import Foundation

/// Descriptors of 60 lines, each another provider, in which the linter finds nothing.
package enum DescriptorCorpus {
    /// Writes the descriptors into a folder of their own.
    package static func write(count: Int, in parent: URL) throws -> URL {
        let folder = parent.appending(path: "corpus-\(count)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 1...count {
            try Data(descriptor(number).utf8).write(to: folder.appending(path: "acme\(number).yaml"))
        }
        return folder
    }

    /// An OpenID provider with a tenant for odd numbers, an OAuth API for even ones.
    package static func descriptor(_ number: Int) -> String {
        number.isMultiple(of: 2) ? api(number) : openIDProvider(number)
    }

    private static func openIDProvider(_ number: Int) -> String {
        """
        # Acme \(number): one tenant a customer, on hosts of its own.
        carnet: 1
        id: acme\(number)
        name: Acme \(number)
        docs: https://developer.acme\(number).example/identity
        verified:
          date: "2026-11-21"
          how: the reference of the identity service, against its metadata document
        notes:
          - about: authorization.offline_parameters
            because: A refresh token comes with the first consent only.
            link: https://developer.acme\(number).example/identity/offline

        inputs:
          tenant: { type: hostname, title: "The host of your tenant", example: customer.acme\(number).example }
          project:
            title: "The number of your project"
            pattern: "[a-z]{2}-[0-9]{4,8}(-[a-z0-9]+)*"
            example: eu-\(1000 + number)-beta

        issuer: https://{tenant}/oauth2/v\(number)
        endpoints:
          userinfo: https://{tenant}/oauth2/v\(number)/userinfo
          revocation: https://{tenant}/oauth2/v\(number)/revoke
          end_session: https://{tenant}/oauth2/v\(number)/logout

        client:
          authentication: [client_secret_basic, client_secret_post, none]
        redirects:
          - "{bundle_id}:/callback" # the bundle id of the app
          - http://127.0.0.1:{port}/callback
          - https://{host}/callback

        scopes:
          default: [openid, profile, email]
          offline: [offline_access]
          catalog:
            - openid
            - id: profile
              title: Your name and picture
            - id: email
              title: Your e-mail address
            - id: offline_access
              title: Access while you are away
            - id: address
              title: Your postal address
            - id: acme\(number).photos.read
              title: See your photos
            - id: acme\(number).photos
              title: See and change your photos
              implies: [acme\(number).photos.read]

        authorization:
          offline_parameters: { access_type: offline }
          reconsent_parameters: { prompt: consent }

        resources:
          - title: Photos
            scope: acme\(number).photos.read
            url: https://{tenant}/api/{project}/photos
            id: photos
          - title: Albums
            scope: acme\(number).photos
            url: https://{tenant}/api/albums

        """
    }

    private static func api(_ number: Int) -> String {
        """
        # Acme \(number) speaks OAuth 2.0 with a few words of its own.
        carnet: 1
        id: acme\(number)
        name: Acme \(number)
        docs: https://developer.acme\(number).example/oauth
        verified:
          date: "2026-11-20"
          how: the published guide, and a token response from a trial account
          link: https://developer.acme\(number).example/oauth

        endpoints:
          authorization: https://acme\(number).example/login/oauth/authorize
          token: https://acme\(number).example/login/oauth/access_token
          userinfo: https://api.acme\(number).example/user

        client:
          authentication: [client_secret_post, none]
        redirects:
          - http://127.0.0.1:{port}/{path}

        scopes:
          separator: ","
          default: [read_user]
          catalog:
            - id: read_user
              title: Read your profile
            - id: repo
              title: Read and write your projects
              implies: [read_repo]
            - id: read_repo
              title: Read your projects

        token:
          headers: { Accept: application/json }
          response:
            default_expires_in: 28800
            errors: { error: /error, error_description: /error_description }
        profile:
          headers: { Accept: application/vnd.acme+json }
          claims:
            subject: /id
            username: /login
            name: /full_name
            picture: /avatar_url

        api:
          hosts: [api.acme\(number).example]
          headers: { Accept: application/vnd.acme+json }
        resources:
          - { title: Projects, scope: read_repo, url: "https://api.acme\(number).example/projects", id: projects }
          - { title: People, scope: read_user, url: "https://api.acme\(number).example/people", id: people }

        # Taken from the trial account; the secrets are left out.
        samples:
          token: { access_token: "[redacted]", token_type: bearer, scope: read_user }
          userinfo:
            id: \(1000 + number)
            login: jane\(number)
            full_name: Jane Doe
            avatar_url: https://img.acme\(number).example/\(number).png

        """
    }
}
