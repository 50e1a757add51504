import Foundation
import StoresModels
import SwiftUI

struct CatalogueView: View {
    @State var download: CatalogueDownload

    var body: some View {
        VStack {
            switch download.state {
            case .idle: Button("Download the catalogue") { download.start() }
            case .loading(let part):
                ProgressView(value: part)
                Button("Cancel") { download.cancel() }
            case .done: Text("The catalogue is here.")
            case .failed(let message):
                Text(message)
                Button("Go on") { download.start() }
            }
        }
    }
}

struct CatalogueView_Previews: PreviewProvider {
    static var previews: some View {
        CatalogueView(
            download: CatalogueDownload(
                service: .preview, to: FileManager.default.temporaryDirectory.appending(path: "catalogue")))
    }
}
