// The types of a report that another module of the package defines, by name.
@_exported public import struct CarnetDescriptors.Diagnostic
@_exported public import struct CarnetDescriptors.ProviderRegistry
@_exported public import struct CarnetDescriptors.SourceFile
@_exported public import struct CarnetDescriptors.SourceFileError
