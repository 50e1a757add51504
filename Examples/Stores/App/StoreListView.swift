import Foundation
import StoresModels
import SwiftUI

struct StoreListView: View {
    @State var list: StoreSearch
    let session: Session
    let signOut: @MainActor () -> Void

    var body: some View {
        NavigationStack {
            List {
                if let date = list.offlineSince { Text("Offline. As of \(date.formatted()).") }
                if let message = list.message {
                    Text(message)
                    Button("Try again") { list.search() }
                }
                ForEach(list.stores) { store in
                    NavigationLink(store.name) {
                        StoreDetailView(detail: StoreDetail(id: store.id, in: session))
                    }
                }
                NavigationLink("The catalog") { CatalogView(download: catalog) }
                Button("Sign out", action: signOut)
            }
            .searchable(text: $list.text)
            .refreshable { await list.refresh() }
            .task { await list.refresh() }
        }
    }

    private var catalog: CatalogDownload {
        let file = URL.standard(.documentDirectory).appending(path: "catalog.txt")
        return CatalogDownload(service: session.service, to: file)
    }
}

struct StoreListView_Previews: PreviewProvider {
    static var previews: some View {
        let session = Session.preview
        return StoreListView(list: StoreSearch(service: session.service), session: session) {}
    }
}
