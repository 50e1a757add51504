import Swallow
import SwallowTesting
import SwiftUI

struct StoreListView: View {
    @State var screen: StoreScreen

    var body: some View {
        List {
            if !screen.message.isEmpty { Text(screen.message) }
            ForEach(screen.stores) { store in Text(store.name) }
        }
        .task { await screen.refresh("15217") }
        .refreshable { await screen.refresh("15217") }
    }
}

struct StoreListView_Previews: PreviewProvider {
    static var previews: some View {
        let stub = StubDataSource()
            .stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        return StoreListView(screen: StoreScreen(.stores(dataSource: stub)))
    }
}
