import CarnetFoundation

/// The headers of a client that no generated configuration lets through: a program that follows one would serve another path,
/// host, scheme, address, method or client certificate than the gateway decided about. `Docs/gateway/headers.md` is made from it.
package enum RemovedHeaders {
    package struct Group: Sendable {
        /// What a program takes from the headers.
        package let subject: String
        package let names: [String]
        fileprivate let isSender: Bool

        init(_ subject: String, isSender: Bool = false, _ names: String) {
            (self.subject, self.isSender) = (subject, isSender)
            self.names = names.split(whereSeparator: \.isWhitespace).map(String.init)
        }
    }

    /// Every header with one of these beginnings, in configurations of proxies that can remove by a pattern.
    package static let beginnings = [
        "X-Forwarded-", "X-Original-", "X-Rewrite-", "X-Script-", "X-Envoy-", "X-Proxy", "X-Proxied", "X-Vhm-",
        "X-Base-", "X-Ingress-", "X-Client-Cert", "X-SSL-", "SSL-", "X-ARR-", "X-Amzn-Mtls-", "X-Appengine-",
        "X-Middleware-", "X-Invoke-", "WL-", "L5d-", "MS-ASPNETCORE-", "CF-Connecting-", "Proxy-",
    ]

    package static let groups = [
        Group(
            "the path",
            """
            X-Servlet-Path X-Rewritten-Path X-Http-Path X-Http-Uri X-Http-Url X-Internal-Path X-Nginx-Uri
            X-Upstream-Uri X-Backend-Uri X-Target-Uri X-Replaced-Uri X-Wsgi-Script-Name X-Relative-Url-Root X-Baseurl
            X-Mountpoint X-Stripped-Prefix X-Pathinfo X-Nextjs-Rewritten-Path X-WebObjects-Adaptor-Url X-Proxied-Path
            X-Invoke-Output X-Invoke-Status X-Middleware-Override-Headers X-Original-Querystring
            X-Original-URL X-Original-URI X-Original-Path X-Original-Request-URI X-Original-Prefix X-Orig-URL X-Orig-URI
            X-Orig-Path Original-URL X-Rewrite-URL X-Rewrite-URI X-Rewrite-Path X-Rewritten-URL X-Script-Name X-Script-URL
            X-Script-Path X-Scriptname Script-Name X-Path-Info Path-Info X-Path X-Path-Prefix X-Path-Override X-Traversal-Path
            X-Forwarded-Path X-Forwarded-Path-Base X-Forwarded-PathBase X-Forwarded-Prefix X-Forwarded-Base
            X-Forwarded-Base-Path X-Forwarded-Base-URL X-Forwarded-BasePath X-Forwarded-Context X-Forwarded-Context-Path
            X-Forwarded-Root X-Forwarded-Root-Path X-Forwarded-Script-Name X-Forwarded-URL X-Forwarded-Request-URI
            X-Forwarded-Request-Path X-Forwarded-Query X-Forwarded-Subpath X-Forwarded-Location X-Envoy-Original-Path
            X-Envoy-Decorator-Operation X-Replaced-Path X-ProxyContextPath X-Proxy-Context-Path X-Proxy-Path X-Proxy-Prefix
            X-Proxy-URL X-Proxy-URI X-Proxy-Base X-Proxy-Base-Path X-Proxy-Base-URL X-Proxy-Root Proxy-Path Proxy-URL
            Proxy-URI X-Ingress-Path X-Ingress-Prefix X-Hass-Ingress-Path X-Base-Path X-BasePath X-Base-URL X-Base-URI
            X-Base-Href Base-URL Base-Path X-Context-Path X-ContextPath X-Root-Path X-Root-URL X-App-Path X-App-Prefix
            X-App-Root X-App-Base X-Application-Path X-Application-Root X-Application-Prefix X-Mount-Path X-Mount-Point
            X-Sub-Path X-Subpath X-Sub-URI X-Subfolder X-Prefix X-URL-Prefix X-URI-Prefix X-URL-Scheme-Path X-Location-Path
            X-External-Path X-External-URL X-Public-Path X-Public-URL X-Real-Path X-Real-URL X-Real-URI X-Request-URI
            X-Request-URL X-Request-Path X-Requested-Path X-Requested-URI X-Requested-URL Request-URI Request-Base
            X-Request-Base X-URI X-URL URI URL HTTP-URL X-URL-Path X-URI-Path X-URL-Override X-URI-Override X-Unencoded-URL
            Unencoded-URL X-WAWS-Unencoded-URL X-HTTP-DestinationURL X-HTTP-Path-Override X-HTTP-URL-Override
            X-HTTP-URI-Override X-Redirect-URL X-Upstream-Path X-Backend-Path X-Route-Path X-Router-Path X-Gateway-Path
            X-Gateway-Prefix X-Service-Path X-Target-Path X-Target-URL X-Vhm-Root X-VHM-Path X-CouchDB-Requested-Path
            X-CouchDB-Vhost-Path X-Matched-Path X-Invoke-Path X-Invoke-Query X-Now-Route-Matches X-Middleware-Rewrite
            X-Middleware-Subrequest X-Middleware-Next X-Nextjs-Rewrite X-Nextjs-Matched-Path X-Astro-Path
            X-RStudio-Request X-RStudio-Root-Path X-RStudio-Virtual-Path X-RSC-Request RStudio-Connect-App-Base-URL
            WL-Path-Trim WL-Path-Prepend X-Sendfile-Type X-Accel-Mapping
            """),
        Group(
            "the host",
            """
            Forwarded X-Forwarded X-Forwarded-Server X-Forwarded-Server-Name X-Forwarded-Hostname X-Forwarded-HTTP-Host
            X-Forwarded-Host-Override X-Forwarded-Origin X-Forwarded-Authority X-Forwarded-Port X-Host X-Host-Override
            X-HTTP-Host X-HTTP-Host-Override X-Original-Host X-Original-Port X-Orig-Host Original-Host X-Real-Host
            X-Rewrite-Host X-Server-Name X-Server-Port X-Proxy-Host X-ProxyHost X-Proxy-Port X-ProxyPort Proxy-Host
            X-Backend-Host X-Upstream-Host X-Target-Host X-External-Host X-Public-Host X-Canonical-Host X-Vhost
            X-Virtual-Host X-Vhm-Host X-Odoo-Dbfilter Disguised-Host WAS-Default-Hostname X-Envoy-Original-Host
            L5d-Dst-Override L5d-Dtab Forwarded-Host
            """),
        Group(
            "the scheme",
            """
            X-Forwarded-SSL X-Forwarded-Scheme X-Forwarded-Protocol X-Forwarded-HTTPS X-Original-Proto X-Original-Scheme
            X-Scheme X-URL-Scheme X-Client-Scheme X-Request-Scheme X-Protocol-Scheme X-ProxyScheme X-Proxy-Scheme
            X-Proxied-HTTPS X-HTTPS HTTPS X-SSL X-Secure X-ARR-SSL X-AppService-Proto X-Sp-Edge-Scheme X-Forward-Proto
            Front-End-Https X-Front-End-Https CloudFront-Forwarded-Proto CF-Visitor Fastly-SSL WL-Proxy-SSL Forwarded-Proto
            """),
        Group(
            "the address",
            """
            X-Forwarded-By X-Forwarded-Client-IP X-Forwarded-For-IP X-Forwarded-For-Original X-Forwarded-IP
            X-Forwarded-Remote-Addr X-Forwarded-AWS-ELB X-Original-For X-Original-IP X-Original-Remote-Addr
            X-Original-Forwarded-For X-Forward-For X-Forwarder-For Forwarded-For Forwarded-For-IP Client-IP X-Client-IP
            X-Client-Address X-Client X-Cluster-Client-IP Cluster-Client-IP X-Real-IP X-RealIP Real-IP X-Remote-IP
            X-Remote-Addr X-Remote-Address Remote-Addr X-Originating-IP X-True-Client-IP X-True-IP True-Client-IP
            X-Custom-IP-Authorization X-Source-IP X-User-IP X-Host-IP X-IP X-ProxyUser-IP Proxy-Client-IP WL-Proxy-Client-IP
            X-CDN-Src-IP CDN-Src-IP CDN-Real-IP Ali-CDN-Real-IP CF-Connecting-IP CF-Connecting-IPv6 CF-Pseudo-IPv4
            Fastly-Client-IP Fly-Client-IP Akamai-Client-IP Incap-Client-IP X-Sucuri-ClientIP DO-Connecting-IP
            X-NF-Client-Connection-IP X-Vercel-Forwarded-For X-Vercel-Proxied-For X-Azure-ClientIP X-Azure-SocketIP
            CloudFront-Viewer-Address X-Appengine-User-IP X-Appengine-Remote-Addr X-Envoy-External-Address
            X-Envoy-Internal
            """),
        Group(
            "the method",
            """
            X-HTTP-Method-Override X-HTTP-Method X-Method-Override X-Original-Method X-Forwarded-Method-Override
            X-Rewrite-Method X-Request-Method X-Override-Method X-Tunnel-Method X-Method HTTP-Method-Override
            HTTP-Method Method-Override X-HTTP-Verb X-HTTP-Verb-Override X-HTTP-Override
            """),
        Group(
            "the client certificate",
            """
            Client-Cert Client-Cert-Chain X-Client-Cert X-Client-Cert-Chain X-Client-Certificate X-Client-Cert-Present
            X-Client-Cert-Verified X-Client-Cert-Verify X-Client-Cert-DN X-Client-Cert-Subject X-Client-Cert-Subject-DN
            X-Client-Cert-Hash X-Client-Cert-SPIFFE X-Client-Cert-URI-SANs X-Client-Verify X-Client-DN X-Client-S-DN
            X-Forwarded-Client-Cert X-Forwarded-Client-Certificate X-Forwarded-Client-Cert-Chain
            X-Forwarded-TLS-Client-Cert X-Forwarded-TLS-Client-Cert-Info X-Forwarded-SSL-Client-Cert X-Original-Client-Cert
            X-SSL-Cert X-SSL-Client-Cert X-SSL-Client-Certificate X-SSL-Client-Cert-Chain X-SSL-Client-Escaped-Cert
            X-SSL-Client-Verify X-SSL-Client-DN X-SSL-Client-S-DN X-SSL-Client-S-DN-CN X-SSL-Client-CN X-SSL-Client-I-DN
            X-SSL-Client-Serial X-SSL-Client-SHA1 X-SSL-Client-Fingerprint X-SSL-Client-Has-Cert X-SSL-Verify
            X-SSL-Subject X-SSL-Issuer X-SSL-User-DN X-TLS-Client-Cert X-TLS-Client-Verify X-Cert X-Certificate
            SSL-Cert SSL-Client-Cert SSL-Client-Certificate SSL-Client-Verify SSL-Client-DN SSL-Client-S-DN
            SSL-Client-S-DN-CN SSL-Client-Subject-DN SSL-Client-Issuer-DN SSL-Client-I-DN SSL-Client-Serial
            SSL-Client-Fingerprint Proxy-Auth-Cert Proxy-SSL-ID WL-Proxy-Client-Cert WL-Proxy-Client-Keysize
            MS-ASPNETCORE-ClientCert MS-ASPNETCORE-WinAuthToken MS-ASPNETCORE-Token X-ARR-ClientCert
            X-Amzn-Mtls-Clientcert X-Amzn-Mtls-Clientcert-Leaf X-Amzn-Mtls-Clientcert-Subject
            X-Amzn-Mtls-Clientcert-Issuer X-Amzn-Mtls-Clientcert-Serial-Number X-Amzn-Mtls-Clientcert-Validity
            CF-Client-Cert-DER-Base64 L5d-Client-Id
            """),
        Group(
            "the sender, as other gateways write it", isSender: true,
            """
            X-Proxy-User X-Appengine-User-Email X-WebAuth-User X-Auth-Request-User X-Auth-Request-Email
            X-Auth-Request-Groups X-Auth-Request-Preferred-Username X-Auth-Request-Access-Token Tailscale-User-Login
            Tailscale-User-Name X-Authentik-Username X-Authentik-Groups X-Authentik-Email X-Authentik-Name X-Authentik-Uid
            X-Forwarded-User X-Forwarded-Email X-Forwarded-Groups X-Forwarded-Preferred-Username X-Forwarded-Access-Token
            X-Original-User X-ProxiedEntitiesChain X-ProxiedEntityGroups X-Forwarded-Login
            Remote-User Remote-Groups Remote-Email Remote-Name X-Remote-User X-Remote-Group X-Remote-Email
            X-WebAuth-Name X-WebAuth-Email X-WebAuth-Groups X-WebAuth-Role X-Authenticated-User X-Authenticated-Email
            X-Authenticated-Groups X-SSO-User X-Vouch-User X-Vouch-Success X-Pomerium-Claim-Email X-Pomerium-Claim-User
            X-Pomerium-Claim-Groups X-Pomerium-Jwt-Assertion Cf-Access-Authenticated-User-Email Cf-Access-Jwt-Assertion
            X-Goog-Authenticated-User-Email X-Goog-Authenticated-User-ID X-Goog-Iap-Jwt-Assertion X-Amzn-Oidc-Identity
            X-Amzn-Oidc-Data X-Amzn-Oidc-Accesstoken X-Ms-Client-Principal X-Ms-Client-Principal-Id
            X-Ms-Client-Principal-Name X-Ms-Client-Principal-Idp Impersonate-User Impersonate-Group Impersonate-Uid
            """),
        // RFC 3875 makes it the variable HTTP_PROXY, from which libraries take a proxy (httpoxy, CVE-2016-5385).
        Group("the proxy of its own requests", "Proxy"),
    ]

    package static let names = groups.flatMap(\.names)
    private static let keys = Set(names.map(\.asciiLowercased))

    /// Those that a gateway file may use for the sender: the client's is replaced, as that of any header of the file.
    private static let ofSenders = Set(groups.filter(\.isSender).flatMap(\.names).map(\.asciiLowercased))

    /// Headers that proxies, clients of HTTP or the decision itself use.
    private static let taken: Set = [
        "accept", "cache-control", "date", "dpop", "server", "user-agent", "www-authenticate",
    ]

    /// - Returns: Whether no generated configuration can give a program the header: it needs it for something else, or removes it,
    ///   by its name or its beginning.
    static func reserves(_ name: String) -> Bool {
        let name = name.asciiLowercased
        return !identifiesSender(name)
            && (taken.contains(name) || keys.contains(name)
                || beginnings.contains { name.hasPrefix($0.asciiLowercased) })
    }

    /// Whether programs read the sender, and nothing of the request, from a header. Proxies set none of these themselves.
    static func identifiesSender(_ name: String) -> Bool { ofSenders.contains(name.asciiLowercased) }
}
