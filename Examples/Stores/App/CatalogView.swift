import Foundation
import StoresModels
import SwiftUI

struct CatalogView: View {
    @State var download: CatalogDownload

    var body: some View {
        VStack {
            switch download.state {
            case .idle: Button("Download the catalog") { download.start() }
            case .loading(let part):
                ProgressView(value: part)
                Button("Cancel") { download.cancel() }
            case .done: Text("The catalog is complete.")
            case .failed(let message):
                Text(message)
                Button("Resume") { download.start() }
            }
        }
    }
}

struct CatalogView_Previews: PreviewProvider {
    static var previews: some View {
        CatalogView(
            download: CatalogDownload(
                service: .preview, to: FileManager.default.temporaryDirectory.appending(path: "catalog")))
    }
}
