import Foundation
import Swallow
import SwallowResources

/// What each command shows.
@MainActor
struct Browser {
    let service: WebService
    let maximumPages: Int

    func show(_ command: Arguments.Command) async throws {
        switch command {
        case .user(let login): try await showUser(login)
        case .repository(let owner, let name): try await showProject(owner: owner, name: name)
        case .search(let words): try await search(words)
        }
    }

    /// With repositories: the account, and then its projects page by page.
    private func showUser(_ login: String) async throws {
        let account = try await Accounts(service: service).read(id: login).value
        print("\(account.name ?? account.login) (\(account.login))")
        if let bio = account.bio { print(bio) }
        let facts = [
            account.location, "repositories: \(account.publicRepos)", "followers: \(account.followers)",
        ]
        print(facts.compactMap { $0 }.joined(separator: " · "), terminator: "\n\n")
        let projects = account.projects(in: service).pages(size: 3, parameters: ["sort": "full_name"])
        print(ProjectTable(projects: try await load(projects)))
    }

    /// With chains: the project and its issues at the same time.
    private func showProject(owner: String, name: String) async throws {
        let issues = service.issues(owner: owner, name: name)
        let project = service.project(owner: owner, name: name)
            .responseAsProject { project in
                print(project.fullName)
                if let description = project.description { print(description) }
                print("★ \(project.stars) · \(project.language ?? "no language")")
            }
        do {
            _ = try await project.result.get()
        } catch {
            issues.cancel()
            throw error
        }
        let titles = try await issues.json.elements.map { issue in
            "#\(issue["number"].int ?? 0)  \(issue["title"].string ?? "?")"
        }
        print("\n\(titles.isEmpty ? "No open issues." : titles.joined(separator: "\n"))")
    }

    private func search(_ words: String) async throws {
        let pages = ProjectSearch(service: service)
            .pages(size: 2, parameters: ["q": words, "sort": "stars"], prefetching: true)
        let projects = try await load(pages)
        print(projects.isEmpty ? "Nothing is found for \(words)." : "\(ProjectTable(projects: projects))")
    }

    /// Loads pages, with a line on standard error that says how far it is.
    private func load(_ pages: PageSequence<Project>) async throws -> [Project] {
        let progress = Progress()
        defer { progress.end() }
        var projects: [Project] = []
        var last: String?
        for try await page in pages {
            projects += page.items
            let number = page.number ?? 1
            last = page.links["last"].flatMap(Self.pageNumber) ?? last
            progress.show("page \(number)\(last.map { " of \($0)" } ?? ""), \(projects.count) loaded")
            if number >= maximumPages { break }
        }
        return projects
    }

    private static func pageNumber(of url: URL) -> String? {
        URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems?.first { $0.name == "page" }?.value
    }
}
