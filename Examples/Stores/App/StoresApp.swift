import Foundation
import StoresModels
import Swallow
import SwiftUI

@main
struct StoresApp: App {
    private let service = WebService(baseURLString: "https://stores.example.com")
        .forStores(cache: DiskCache(folder: .standard(.cachesDirectory).appending(path: "stores")))

    var body: some Scene {
        WindowGroup { StoresView(signIn: SignIn(service: service)) }
    }
}

extension URL {
    /// Returns a standard folder of the user, such as the caches.
    static func standard(_ directory: FileManager.SearchPathDirectory) -> URL {
        FileManager.default.urls(for: directory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
    }
}

/// Shows the stores, or the sign-in form if nobody is signed in.
struct StoresView: View {
    @State var signIn: SignIn

    var body: some View {
        if let session = signIn.session {
            StoreListView(list: StoreSearch(service: session.service), session: session) {
                signIn.signOut()
            }
        } else {
            SignInView(screen: signIn)
        }
    }
}

struct SignInView: View {
    @State var screen: SignIn

    var body: some View {
        Form {
            TextField("Name", text: $screen.name)
            SecureField("Password", text: $screen.password)
            if let message = screen.message { Text(message) }
            Button("Sign in") { Task { await screen.signIn() } }
                .disabled(!screen.canSignIn)
        }
    }
}

struct StoresView_Previews: PreviewProvider {
    static var previews: some View { StoresView(signIn: SignIn(service: .preview)) }
}
