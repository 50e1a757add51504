import Foundation

#if canImport(UIKit)
    import UIKit

    /// An image as the platform has it, which the standard transformer `.image` makes of a response's bytes.
    ///
    /// Handlers ask for it by its type, `content(as: PlatformImage.self)`, and show its ``image``.
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

    /// An image as the platform has it, which the standard transformer `.image` makes of a response's bytes.
    ///
    /// Handlers ask for it by its type, `content(as: PlatformImage.self)`, and show its ``image``.
    public struct PlatformImage: @unchecked Sendable {
        // Unchecked: the library makes an image, hands it on and never changes it; nor must handlers that share it.
        /// The image. All handlers of a response share it: copy it to change it.
        public let image: NSImage

        init?(data: Data) {
            guard let image = NSImage(data: data) else { return nil }
            self.image = image
        }
    }
#endif
