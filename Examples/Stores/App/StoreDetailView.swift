import StoresModels
import SwallowResources
import SwiftUI

struct StoreDetailView: View {
    @State var detail: StoreDetail

    var body: some View {
        List {
            if let store = detail.store.latestContent {
                Text(store.name)
                Text(store.city)
                if let image = detail.image.flatMap(Picture.init) { Image(picture: image) }
                Button(store.isFavorite ? "A favorite" : "Make it a favorite") { detail.toggleFavorite() }
                    .disabled(detail.favorite.state.isPending)
            }
            if let error = detail.favorite.state.error {
                Text(error.userMessage)
                Button("Try again") { detail.favorite.retry() }
            }
            if let error = detail.store.latestError {
                Text(error.userMessage)
                Button("Load again") { detail.store.load() }
            }
            if detail.store.isLoading { ProgressView() }
            ReviewList(reviews: detail.reviews)
        }
        .task { await detail.appear() }
        .onDisappear { detail.disappear() }
    }
}

struct ReviewList: View {
    let reviews: PagedResource<Review>

    var body: some View {
        ForEach(reviews.items) { review in Text(review.text) }
        if reviews.isReloading || reviews.isLoadingNextPage {
            ProgressView()
        } else if let error = reviews.latestError {
            Text(error.userMessage)
            Button("Try again") { reviews.retry() }
        } else if reviews.hasMore {
            Button("More reviews") { reviews.loadNextPage() }
        }
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
