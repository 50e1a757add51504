import Foundation
import Observation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import SwallowResources

@Suite("A resource's observers")
@MainActor
struct ResourceObserverTests {
    private final class Screen: ResourceObserver {
        var events: [ResourceEvent] = []
        var stops = 0
        var onChange: ((any AnyResource, ResourceEvent) -> Void)?

        func resourceChanged(_ resource: any AnyResource, event: ResourceEvent) {
            events.append(event)
            onChange?(resource, event)
        }

        func stoppedObserving(_ resource: any AnyResource) { stops += 1 }
    }

    private let bench = Bench()
    private var resource: Resource<[Int]> { bench.store.resource("/numbers", as: [Int].self) }

    @Test("observerAdded comes inside addObserver, to the new observer alone")
    func added() {
        let (first, second) = (Screen(), Screen())
        let resource = resource.addObserver(first)
        #expect(first.events == [.observerAdded])
        resource.addObserver(second)
        #expect(first.events == [.observerAdded] && second.events == [.observerAdded])
    }

    @Test("A closure gets its owner, and goes with it")
    func owners() {
        let resource = resource
        var owner: Screen? = Screen()
        weak let weakOwner = owner
        let events = Recorder<ResourceEvent>()
        if let owner {
            resource.addObserver(owner: owner) { screen, resource, event in
                screen.events.append(event)
                events.append(event)
            }
        }
        resource.override(content: [1])
        #expect(owner?.events == [.observerAdded, .newData(.localOverride)])
        owner = nil
        #expect(weakOwner == nil)
        resource.override(content: [2])
        #expect(events.values.count == 2)
        #expect(!resource.isObserved && resource.observers.all.isEmpty)
    }

    @Test("An object observes once, weakly, and several resources if it likes")
    func objects() {
        let resource = resource
        let other = bench.store.resource("/others", as: [Int].self)
        var screen: Screen? = Screen()
        weak let weakScreen = screen
        if let screen {
            resource.addObserver(screen).addObserver(screen)
            other.addObserver(screen)
        }
        resource.override(content: [1])
        other.override(content: [1])
        #expect(
            screen?.events
                == [.observerAdded, .observerAdded, .newData(.localOverride), .newData(.localOverride)])
        screen = nil
        #expect(weakScreen == nil && !resource.isObserved)
    }

    @Test("Removing takes out an object's closures and itself, and tells it")
    func removing() {
        let resource = resource
        let (screen, other) = (Screen(), Screen())
        let events = Recorder<ResourceEvent>()
        resource.addObserver(screen).addObserver(other)
            .addObserver(owner: screen) { _, _, event in events.append(event) }
        resource.removeObservers(ownedBy: screen)
        resource.override(content: [1])
        #expect(screen.events == [.observerAdded] && events.values == [.observerAdded])
        #expect(screen.stops == 1 && other.stops == 0 && other.events.count == 2)
        resource.removeObservers(ownedBy: screen)
        #expect(screen.stops == 1)
    }

    @Test("Events that observers raise wait until the current one has reached all")
    func nesting() {
        let resource = resource
        var log: [String] = []
        let (first, second) = (Screen(), Screen())
        resource.addObserver(owner: first) { _, resource, event in
            log.append("first \(resource.latestContent ?? [])")
            if resource.latestContent == [1] { resource.override(content: [2]) }
            log.append("returns")
        }
        resource.addObserver(owner: second) { _, resource, event in
            log.append("second \(event == .observerAdded ? "added" : "told")")
        }
        log = []
        resource.override(content: [1])
        #expect(
            log == ["first [1]", "returns", "second told", "first [2]", "returns", "second told"])
    }

    @Test("An observer that another removes while an event goes round gets none")
    func removedMeanwhile() {
        let resource = resource
        let (first, second) = (Screen(), Screen())
        resource.addObserver(first).addObserver(second)
        first.onChange = { [weak second] changed, event in
            guard changed.timestamp != nil, let second, second.stops == 0, event != .observerAdded else {
                return
            }
            (changed as? Resource<[Int]>)?.removeObservers(ownedBy: second)
            (changed as? Resource<[Int]>)?.override(content: [2])
        }
        resource.override(content: [1])
        #expect(second.events == [.observerAdded] && second.stops == 1)
    }

    @Test("An observer that another adds while an event goes round gets what comes after")
    func addedMeanwhile() {
        let resource = resource
        let (first, late) = (Screen(), Screen())
        resource.addObserver(first)
        first.onChange = { changed, event in
            if event == .newData(.localOverride), late.events.isEmpty {
                (changed as? Resource<[Int]>)?.addObserver(late)
                (changed as? Resource<[Int]>)?.invalidate()
                changed.wipe()
            }
        }
        resource.override(content: [1])
        #expect(late.events == [.observerAdded, .newData(.wipe)])
    }

    @Test("An observer may load, cancel and wipe within an event")
    func loading() async {
        let resource = resource
        let screen = Screen()
        resource.addObserver(screen)
        screen.onChange = { changed, event in
            if event == .error { (changed as? Resource<[Int]>)?.load() }
        }
        let load = resource.load()
        await bench.answer(1, "", status: 500)
        _ = await load.result
        #expect(resource.isLoading)
        await bench.answer(2, "[2]")
        await until { !resource.isLoading }
        #expect(
            screen.events == [.observerAdded, .requested, .error, .requested, .newData(.network)])
        screen.onChange = { changed, event in if event == .requested { changed.wipe() } }
        #expect(await resource.load().result.reason == .cancelled)
        #expect(resource.state == .empty)
    }

    @Test("A handler of a load's end may load again, and remove observers")
    func handlers() async {
        let resource = resource
        let screen = Screen()
        resource.addObserver(screen)
        let again = Event()
        resource.load().onEnd { _ in
            resource.removeObservers(ownedBy: screen)
            resource.load()
            again.happen()
        }
        await bench.answer(1, "[1]")
        await again.wait()
        #expect(screen.events == [.observerAdded, .requested, .newData(.network)] && resource.isLoading)
    }

    @Test("Ten thousand owners come and go without a trace")
    func manyOwners() {
        let resource = resource
        let events = Recorder<ResourceEvent>()
        for number in 0..<10_000 {
            let owner = Screen()
            resource.addObserver(owner: owner) { _, _, event in
                if event != .observerAdded { events.append(event) }
            }
            if number % 1000 == 0 { resource.override(content: [number]) }
        }
        resource.override(content: [])
        #expect(events.values.count == 10)
        #expect(resource.observers.all.isEmpty)
    }

    @Test(
        "A hundred thousand observers are added and removed, each at the cost of one",
        .timeLimit(.minutes(10))
    )
    func manyObservers() {
        let resource = resource
        let screens = (0..<100_000).map { _ in Screen() }
        for screen in screens { resource.addObserver(screen).addObserver(screen) }
        #expect(resource.observers.all.count == 100_000)
        for screen in screens {
            resource.removeObservers(ownedBy: screen)
            resource.cancelLoadIfUnobserved()
        }
        #expect(screens.allSatisfy { $0.stops == 1 } && resource.observers.all.isEmpty)
    }

    @Test("Observers stay in their order while others are removed")
    func order() {
        let resource = resource
        var log: [Int] = []
        let screens = (0..<100).map { _ in Screen() }
        for (number, screen) in screens.enumerated() {
            resource.addObserver(owner: screen) { _, _, event in
                if event != .observerAdded { log.append(number) }
            }
        }
        for number in stride(from: 0, to: 100, by: 3) { resource.removeObservers(ownedBy: screens[number]) }
        resource.override(content: [1])
        #expect(log == (0..<100).filter { $0 % 3 != 0 })
    }

    @Test("A 304 redraws those who read the data, and nobody who reads only its content")
    func confirmed() async {
        let resource = resource
        let changes = Recorder<String>()
        func track(_ name: String, _ read: @escaping @MainActor (Resource<[Int]>) -> Void) {
            withObservationTracking {
                read(resource)
            } onChange: {
                changes.append(name)
            }
        }
        let first = resource.load()
        await bench.answer(1, "[1]", headers: ["ETag": "\"1\""])
        _ = await first.result
        track("content") { _ = ($0.latestContent, $0.hasContent, $0.typedContent(as: [Int].self)) }
        track("data") { _ = $0.latestEntity }
        let second = resource.load()
        await bench.answer(2, "", status: 304, headers: ["ETag": "\"1\""])
        _ = await second.result
        #expect(changes.values == ["data"])
        resource.override(content: [2])
        #expect(changes.values == ["data", "content"])
    }

    @Test("Those who know a resource as any can load it, and ask whether it has content")
    func anyResource() async {
        let resource = resource
        let any: any AnyResource = resource
        #expect(!any.hasContent)
        any.loadIfNeeded()
        any.loadIfNeeded()
        await bench.answer(1, "[1]")
        await until { !any.isLoading }
        any.loadIfNeeded()
        #expect(any.hasContent && bench.requestCount == 1)
        any.wipe()
        #expect(!any.hasContent)
    }

    @Test("events begins with observerAdded; its iterator counts as an observer")
    func sequence() async {
        var resource: Resource<[Int]>? = resource
        weak let weakResource = resource
        do {
            var iterator = resource?.events.makeAsyncIterator()
            #expect(resource?.isObserved == false)
            #expect(await iterator?.next() == .observerAdded)
            #expect(resource?.isObserved == true)
            resource?.override(content: [1])
            resource?.wipe()
            #expect(await iterator?.next() == .newData(.localOverride))
            #expect(await iterator?.next() == .newData(.wipe))
            resource?.load()
            resource?.cancelLoadIfUnobserved()
            #expect(resource?.isLoading == true)
        }
        await until { resource?.observers.all.isEmpty == true }
        resource?.cancelLoadIfUnobserved()
        #expect(resource?.isLoading == false)
        resource = nil
        await until { weakResource == nil }
    }

    @Test("events ends with its Swift task")
    func sequenceEnds() async {
        let resource = resource
        let started = Event()
        let loop = Task {
            var count = 0
            for await _ in resource.events {
                count += 1
                started.happen()
            }
            return count
        }
        await started.wait()
        loop.cancel()
        #expect(await loop.value == 1)
        await until { resource.observers.all.isEmpty }
    }

    @Test("Observation tracks data, error, load and what is made of them; it doesn't count as an observer")
    func observation() async {
        let resource = resource
        let changes = Recorder<String>()
        func track(_ name: String, _ read: @escaping @MainActor (Resource<[Int]>) -> Void) {
            withObservationTracking {
                read(resource)
            } onChange: {
                changes.append(name)
            }
        }
        track("content") { _ = $0.latestContent }
        track("state") { _ = $0.state }
        track("isLoading") { _ = $0.isLoading }
        track("isUpToDate") { _ = $0.isUpToDate }
        #expect(!resource.isObserved && changes.values.isEmpty)
        let load = resource.load()
        #expect(Set(changes.values) == ["isLoading", "state", "isUpToDate"])
        await bench.answer(1, "[1]")
        _ = await load.result
        #expect(changes.values.contains("content"))
        track("error") { _ = $0.latestError }
        let failing = resource.load()
        await bench.answer(2, "", status: 500)
        _ = await failing.result
        #expect(changes.values.contains("error"))
    }

    @Test("Observation sees requests made through the resource")
    func requesting() async {
        let resource = resource
        let changed = Event()
        let task = resource.request(.POST)
        #expect(resource.isRequesting && !resource.isLoading)
        withObservationTracking {
            _ = resource.isRequesting
        } onChange: {
            changed.happen()
        }
        await bench.answer(1, "{}")
        _ = await task.result
        await changed.wait()
        #expect(!resource.isRequesting)
    }
}
