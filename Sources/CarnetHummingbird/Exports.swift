@_exported public import CarnetResourceServer
@_exported public import CarnetTool
@_exported public import CarnetWeb
