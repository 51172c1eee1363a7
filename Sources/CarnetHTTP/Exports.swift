// Where a transport may go, and how, is the same choice for each transport.
@_exported public import struct CarnetTransport.LocalAccess
@_exported public import struct CarnetTransport.NetworkSettings
