import StoresModels
import SwiftUI

struct StoreDetailView: View {
    @State var detail: StoreDetail

    var body: some View {
        VStack {
            if let store = detail.store.latestContent {
                Text(store.name)
                Text(store.city)
                if let image = detail.image.flatMap(Picture.init) { Image(picture: image) }
                Button(store.isFavorite ? "A favorite" : "Make it a favorite") { detail.toggleFavorite() }
                    .disabled(detail.isChanging)
            }
            if let message = detail.message ?? detail.store.latestError?.userMessage {
                Text(message)
                Button("Try again") { detail.retry() }
            }
            if detail.store.isLoading { ProgressView() }
        }
        .task { await detail.load() }
    }
}

#if canImport(UIKit)
    import UIKit

    typealias Picture = UIImage

    extension Image {
        init(picture: Picture) { self.init(uiImage: picture) }
    }
#elseif canImport(AppKit)
    import AppKit

    typealias Picture = NSImage

    extension Image {
        init(picture: Picture) { self.init(nsImage: picture) }
    }
#endif

struct StoreDetailView_Previews: PreviewProvider {
    static var previews: some View { StoreDetailView(detail: StoreDetail(id: 41, in: .preview)) }
}
