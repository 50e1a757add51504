import StoresModels
import Swallow
import SwiftUI

/// The app: who isn't signed in is asked for a name.
struct StoresView: View {
    @State var signIn: SignIn

    var body: some View {
        if let session = signIn.session {
            StoreListView(list: StoreSearch(service: session.service), session: session)
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
