// Keys and inventories are part of the store's interface.
@_exported public import CarnetStorage
