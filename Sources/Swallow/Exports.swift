// Importing Swallow imports JSON and decodings, too.
@_exported public import SwallowJSON
