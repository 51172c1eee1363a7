// A host imports this module alone: clients, registrations and keys are part of its vocabulary.
@_exported public import Carnet
@_exported public import CarnetStorage
