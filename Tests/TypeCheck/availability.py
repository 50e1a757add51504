#!/usr/bin/env python3
"""Checks that the oldest systems of the manifest have each symbol that the code for Apple platforms uses.

    availability.py INDEX GRAPHS SOURCES TABLE MANIFEST [--table]

The compiler's index lists the uses. Annotations of the standard library and of swift-foundation name a symbol's first
systems. All other symbols must be in the table. Newer symbols must be behind `@available` or `#available`. With --table,
prints the symbols that the table lacks.
"""
import bisect, ctypes, glob, json, os, pickle, re, sys
from collections import defaultdict

SYSTEMS = ["macOS", "iOS", "tvOS", "watchOS", "visionOS"]
# In these modules, a symbol without an annotation exists in all systems that the package supports.
ANNOTATED = {"Swift", "_Concurrency", "_StringProcessing", "Observation", "SwiftMacros"}
DEFINITION, REFERENCE, IMPLICIT, OVERRIDES = 2, 4, 256, 2048


def versions(text):
    """Returns the systems of a clause, for example 'macOS 15, iOS 18.1, *'."""
    found = re.findall(r"\b(macOS|iOS|tvOS|watchOS|visionOS)\s+([0-9.]+)", text)
    return {system: tuple(int(part) for part in version.split(".")) for system, version in found}


def newer(symbol, oldest):
    """Returns the systems that have a symbol only in a version newer than `oldest`, or never."""
    return [
        f"{system} " + (".".join(map(str, symbol[system])) if symbol[system] else "never")
        for system in SYSTEMS
        if system in symbol and (symbol[system] is None or trimmed(symbol[system]) > trimmed(oldest[system]))
    ]


def trimmed(version):
    version = list(version)
    while version and version[-1] == 0:
        version.pop()
    return version


class Source:
    """The regions of a file that run only on newer systems: the first and last line, and the systems."""

    def __init__(self, path):
        text = open(path, encoding="utf-8").read()
        text = re.sub(r'//[^\n]*|"(\\.|[^"\\\n])*"', lambda match: " " * len(match[0]), text)
        starts = [0] + [match.end() for match in re.finditer("\n", text)]
        line = lambda offset: bisect.bisect_right(starts, offset)
        self.regions = []
        for match in re.finditer(r"[@#]available\(([^)]*)\)", text):
            systems = versions(match[1])
            if not systems:
                continue
            before = text[starts[line(match.start()) - 1] : match.start()]
            if match[0][0] == "@":
                end = self.declaration_end(text, match.end())
            elif re.search(r"\bguard\b", before):
                # A guard applies to the rest of the block around it.
                end = self.block_end(text, self.block_end(text, text.index("{", match.end()) + 1), 1)
            else:
                end = self.block_end(text, text.index("{", match.end()) + 1)
            self.regions.append((line(match.start()), line(end), systems))

    @staticmethod
    def block_end(text, start, depth=1):
        for match in re.finditer(r"[{}]", text[start:]):
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                return start + match.end()
        return len(text)

    @classmethod
    def declaration_end(cls, text, start):
        """Returns the end of the next block, or of the line if no block follows."""
        head = re.compile(r"\s*(@\w+(\([^)]*\))?\s*)*[^\n]*").match(text, start)
        brace = text.find("{", start, head.end() + 400)
        rest = text[head.end() : brace] if brace >= head.end() else ""
        if brace < 0 or "\n\n" in rest or (brace >= head.end() and text[head.end() - 1] not in "(,"):
            return head.end()
        return cls.block_end(text, brace + 1)

    def oldest(self, line, manifest):
        oldest = dict(manifest)
        for first, last, systems in self.regions:
            if first <= line <= last:
                for system, version in systems.items():
                    oldest[system] = max(oldest[system], version)
        return oldest


class Index:
    """The uses of symbols in the compiler's index: file name, line, roles, the symbol's identifier and its name."""

    class Text(ctypes.Structure):
        _fields_ = [("start", ctypes.c_void_p), ("count", ctypes.c_size_t)]

    def __init__(self, folder):
        library = glob.glob(os.path.dirname(os.path.realpath(swiftc())) + "/../lib/libIndexStore.*")[0]
        self.folder, self.library = folder, ctypes.CDLL(library)
        pointer = ctypes.c_void_p
        for name, result, arguments in [
            ("store_create", pointer, [ctypes.c_char_p, pointer]),
            ("record_reader_create", pointer, [pointer, ctypes.c_char_p, pointer]),
            ("record_reader_occurrences_apply_f", ctypes.c_bool, [pointer, pointer, pointer]),
            ("occurrence_get_symbol", pointer, [pointer]),
            ("occurrence_get_roles", ctypes.c_uint64, [pointer]),
            ("occurrence_get_line_col", None, [pointer, pointer, pointer]),
            ("occurrence_relations_apply_f", ctypes.c_bool, [pointer, pointer, pointer]),
            ("symbol_relation_get_roles", ctypes.c_uint64, [pointer]),
            ("symbol_get_usr", self.Text, [pointer]),
            ("symbol_get_name", self.Text, [pointer]),
        ]:
            function = getattr(self.library, "indexstore_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    @staticmethod
    def string(text):
        return ctypes.string_at(text.start, text.count).decode() if text.count else ""

    def occurrences(self):
        store = self.store_create(self.folder.encode(), None)
        callback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
        for record in sorted(glob.glob(self.folder + "/v5/records/*/*.swift-*")):
            name = os.path.basename(record)
            reader, found, line, related = self.record_reader_create(store, name.encode(), None), [], ctypes.c_uint(), []

            @callback
            def relate(_, relation):
                related.append(self.symbol_relation_get_roles(relation))
                return True

            @callback
            def take(_, occurrence):
                symbol = self.occurrence_get_symbol(occurrence)
                self.occurrence_get_line_col(occurrence, ctypes.byref(line), None)
                usr, title = self.string(self.symbol_get_usr(symbol)), self.string(self.symbol_get_name(symbol))
                roles = self.occurrence_get_roles(occurrence)
                if roles & DEFINITION and title.startswith("urlSession("):
                    related.clear()
                    self.occurrence_relations_apply_f(occurrence, None, relate)
                    roles |= OVERRIDES if any(role & OVERRIDES for role in related) else 0
                found.append((line.value, roles, usr, title))
                return True

            self.record_reader_occurrences_apply_f(reader, None, take)
            for occurrence in found:
                yield (name.rsplit("-", 1)[0], *occurrence)


def swiftc():
    return next(p for p in (os.path.join(d, "swiftc") for d in os.environ["PATH"].split(":")) if os.path.exists(p))


def graphs(folder):
    """Returns each symbol's module, path and first systems. Stores the result in the folder for the next call."""
    kept = folder + "/symbols.pickle"
    if os.path.exists(kept):
        with open(kept, "rb") as file:
            return pickle.load(file)
    symbols = {}
    for path in glob.glob(folder + "/*.json"):
        with open(path, encoding="utf-8") as file:
            graph = json.load(file)
        module = graph["module"]["name"]
        for symbol in graph["symbols"]:
            systems = {}
            for clause in symbol.get("availability", []):
                if clause.get("domain") in SYSTEMS:
                    introduced = clause.get("introduced", {})
                    if clause.get("isUnconditionallyUnavailable"):
                        systems[clause["domain"]] = None
                    elif introduced:
                        systems[clause["domain"]] = (introduced["major"], introduced.get("minor", 0))
            symbols[symbol["identifier"]["precise"]] = (module, ".".join(symbol["pathComponents"]), systems)
    with open(kept, "wb") as file:
        pickle.dump(symbols, file)
    return symbols


def table(path):
    """Reads the table. A line `[macOS iOS tvOS watchOS visionOS]` stands before the symbols that these systems have first.
    `-` means never. `*` means that the code isn't for this system."""
    symbols, systems = {}, None
    for line in open(path, encoding="utf-8"):
        line = line.split("  #")[0].strip()
        if line.startswith("["):
            parts = line.strip("[]").split()
            systems = {
                system: None if part == "-" else tuple(int(number) for number in part.split("."))
                for system, part in zip(SYSTEMS, parts, strict=True)
                if part != "*"
            }
        elif line and not line.startswith("#"):
            symbols[line] = systems
    return symbols


def c_name(usr, name):
    """Returns the name of a Glibc symbol in the table, or None for other symbols."""
    match = re.match(r"c:@S@(\w+)@FI@(\w+)$", usr)
    if match:
        return f"Glibc.{match[1]}.{match[2]}"
    match = re.match(r"s:So\d+(\w+?)V[A-Z]", usr)
    if match:
        return f"Glibc.{match[1]}.{name}"
    match = re.match(r"s:5Glibc(\d+)", usr)
    if match:
        type_end = match.end() + int(match[1])
        if usr[type_end : type_end + 1] in "OVC" and usr[type_end + 1 :]:
            return f"Glibc.{usr[match.end() : type_end]}.{name}"
    if usr.startswith(("c:@F@", "c:@S@", "c:@T@", "c:@macro@", "s:5Glibc", "s:SC")):
        return "Glibc." + name
    return None


def main(index, graph_folder, sources, table_path, manifest, *options):
    text = open(manifest, encoding="utf-8").read()
    oldest = {system: (int(v),) for system, v in re.findall(r"\.(macOS|iOS|tvOS|watchOS|visionOS)\(\.v(\d+)\)", text)}
    symbols, known = graphs(graph_folder), table(table_path)
    files = {os.path.basename(path): path for path in glob.glob(sources + "/**/*.swift", recursive=True)}
    regions = {name: Source(path) for name, path in files.items()}
    own, used, problems = {}, defaultdict(set), []
    for file, line, roles, usr, name in Index(index).occurrences():
        if roles & DEFINITION:
            if name.startswith("urlSession(") and not roles & OVERRIDES:
                place = files[file].removeprefix(sources + "/")
                problems.append(f"Sources/{place}:{line}: {name} is no function of a session's delegate: it isn't called")
            own[usr] = {s: v for s, v in regions[file].oldest(line, oldest).items() if v != oldest[s]}
        elif roles & REFERENCE and not roles & IMPLICIT:
            used[usr, name].add((file, line))

    unknown, asked = defaultdict(set), set()
    modules = re.compile(r"s:\d+(Swallow|SwallowResources|SwallowLock|SwallowJSON|DecodePipeline|SwallowTesting)|c:@M@|c:ByteScan.h@")
    for (usr, name), places in used.items():
        module, path, systems = symbols.get(usr, (None, None, {}))
        if usr in own:
            systems, path = own[usr], name
        elif path in known:
            systems = known[path]
            asked.add(path)
        elif modules.match(usr) or usr.endswith("mfp") or (module or "") in ANNOTATED or (module and systems):
            pass
        else:
            path = path or c_name(usr, name) or (None if re.match(r"s:(s|S[a-zA-Z])", usr) else f"{name}")
            if path is None:
                continue
            asked.add(path)
            if path not in known:
                unknown[path] |= places
            systems = known.get(path, {})
        for file, line in places:
            wrong = newer(systems, regions[file].oldest(line, oldest))
            if wrong:
                place = files[file].removeprefix(sources + "/")
                problems.append(f"Sources/{place}:{line}: {path or name} is newer than the package: {', '.join(wrong)}")

    if "--table" in options:
        print("\n".join(sorted(unknown)))
        return
    for path, places in unknown.items():
        file, line = min(places)
        place = files[file].removeprefix(sources + "/")
        problems.append(f"Sources/{place}:{line}: {path} is not in {os.path.basename(table_path)}: look up its versions")
    if problems:
        sys.exit("\n".join(sorted(problems)))
    print(f"{len(asked)} symbols of the table and {len(used) - len(asked)} others are old enough")


main(*sys.argv[1:])
