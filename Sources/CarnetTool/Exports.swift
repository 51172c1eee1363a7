// A tool imports this module alone, and so does a site, through `CarnetHummingbird`.
@_exported public import Carnet
@_exported public import CarnetCatalog
@_exported public import CarnetStorage
@_exported public import CarnetUserAgent

#if os(Linux)
    @_exported public import CarnetCurl
#else
    @_exported public import CarnetURLSession
#endif
