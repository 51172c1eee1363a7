// An app imports this module alone.
@_exported public import Carnet
@_exported public import CarnetCatalog
@_exported public import CarnetURLSession
