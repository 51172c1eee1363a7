"""The servers, each a class with

    issuer, command, environment     what it calls itself, and how it is started
    register(client, metadata)       makes the client known and returns its id and secret
    sign_in(browser, url)            the user signs in and consents; returns the status of the last answer
    sign_out(browser, url)           the user ends the session at the server's page for that
    tokens_per_second                how many it can issue; None if that does not matter
    programs                         which environment it is in, if not one of its own
    device_client_id                 a client without a secret, if none but that may sign in with a device

made from the folder of its Python environment, a folder for its files, and its port.
"""

USER = {"sub": "alice", "name": "Alice Liddell", "email": "alice@example.org"}
PASSWORD = "correct horse battery"
# Holds the characters that must be percent-encoded before Basic authentication (RFC 6749 section 2.3.1).
SECRET = "s3cr+t/for%41&=:swift"
