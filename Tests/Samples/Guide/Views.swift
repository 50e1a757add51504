import SwallowResources

#if canImport(SwiftUI)
    import Foundation
    import Swallow
    import SwiftUI

    struct FilmView: View {
        @State var download: FilmDownload

        var body: some View {
            VStack {
                ProgressView(value: download.fraction)
                Text(download.message)
            }
            .task { await download.run() }
        }
    }

    struct UploadView: View {
        @State var upload: FilmUpload
        let film: URL

        var body: some View {
            VStack {
                ProgressView(value: upload.fraction)
                Text(upload.message)
            }
            .task { await upload.run(film) }
        }
    }

    struct ProfileView: View {
        @State var screen: ProfileScreen

        var body: some View {
            VStack {
                Text(screen.title)
                if screen.profile.isLoading { ProgressView() }
                if let problem = screen.problem {
                    Text(problem)
                    Button("Try again") { screen.profile.load() }
                }
            }
            .onAppear { screen.appear() }
            .onDisappear { screen.disappear() }
        }
    }

    struct ShopApp: App {
        @State private var resources = ResourceStore(
            service: WebService(baseURLString: "https://api.example.com/v1"))

        var body: some Scene {
            WindowGroup { ProfileView(screen: ProfileScreen(resources)) }
        }
    }

    struct ProfileView_Previews: PreviewProvider {
        static var previews: some View {
            ProfileView(screen: ProfileScreen(ResourceStore(service: .preview)))
        }
    }
#endif
