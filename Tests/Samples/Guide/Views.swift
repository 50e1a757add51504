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

    struct RenameView: View {
        @State var editor: ProfileEditor

        var body: some View {
            VStack {
                Text(editor.profile.latestContent?.name ?? "")
                switch editor.renaming.state {
                case .idle, .succeeded: Button("Rename") { editor.rename("Ada Lovelace") }
                case .pending: ProgressView()
                case .failed(let error):
                    Text(error.userMessage)
                    Button("Try again") { editor.renaming.retry() }
                }
            }
        }
    }

    struct CommentsView: View {
        let comments: PagedResource<Comment>

        var body: some View {
            List {
                ForEach(comments.items) { comment in Text(comment.text) }
                if comments.isReloading || comments.isLoadingNextPage {
                    ProgressView()
                } else if let error = comments.latestError {
                    Text(error.userMessage)
                    Button("Try again") { comments.retry() }
                } else if comments.hasMore {
                    Button("More") { comments.loadNextPage() }
                }
            }
            .onAppear { comments.firstPage.loadIfNeeded() }
            .refreshable { _ = await comments.reload().result }
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
