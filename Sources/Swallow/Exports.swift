// Who imports Swallow has JSON and decodings too.
@_exported public import SwallowJSON
