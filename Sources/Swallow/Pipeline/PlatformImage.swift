import Foundation

#if canImport(UIKit)
    import UIKit

    /// An image that the standard transformer `.image` made. Read it with `content(as: PlatformImage.self)`.
    public struct PlatformImage: Sendable {
        /// The image. All handlers of a response share it.
        public let image: UIImage

        init?(data: Data) {
            guard let image = UIImage(data: data) else { return nil }
            self.image = image
        }
    }
#elseif canImport(AppKit)
    import AppKit

    /// An image that the standard transformer `.image` made. Read it with `content(as: PlatformImage.self)`.
    public struct PlatformImage: @unchecked Sendable {
        // Unchecked, because Swallow doesn't change the image. Handlers share it, so they mustn't change it either.
        /// The image. All handlers of a response share it. To change it, make a copy.
        public let image: NSImage

        init?(data: Data) {
            guard let image = NSImage(data: data) else { return nil }
            self.image = image
        }
    }
#endif
