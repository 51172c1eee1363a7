// A host imports this module alone: clients and registrations are part of its vocabulary.
@_exported public import Carnet
