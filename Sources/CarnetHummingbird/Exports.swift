@_exported public import CarnetWeb
