// A host imports Carnet alone: the descriptors and the protocol's values are part of its vocabulary.
@_exported public import CarnetDescriptors
@_exported public import CarnetProtocol
