// Where a transport may go is the same choice for each transport.
@_exported public import struct CarnetTransport.LocalAccess
