// Keys and inventories are part of the store's vocabulary.
@_exported public import CarnetStorage
