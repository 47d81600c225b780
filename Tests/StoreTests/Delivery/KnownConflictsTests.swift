import Testing

@testable import OdographStore

@Suite("Conflicts that recorders have stated")
struct KnownConflictsTests {
    private func notes(
        _ known: inout KnownConflicts, _ count: Int, of recorder: String, as isGrown: Bool,
        at place: SourceLocation = #_sourceLocation
    ) {
        let told = known.note(count, of: recorder)
        #expect(told == isGrown, sourceLocation: place)
    }

    @Test("A count that grows is noticed, also after the counts were saved; the first of a recorder is not")
    func grows() {
        var known = KnownConflicts()
        notes(&known, 3, of: "main", as: false)
        notes(&known, 0, of: "spare", as: false)
        notes(&known, 3, of: "main", as: false)
        var read = KnownConflicts(document: known.document)
        #expect(read == known)
        notes(&read, 4, of: "main", as: true)
        notes(&read, 4, of: "main", as: false)
        notes(&read, 1, of: "spare", as: true)
        notes(&read, 9, of: "third", as: false)
    }

    @Test("Lines that cannot be read are unknown")
    func damaged() {
        var known = KnownConflicts(document: Array("main\nspare x\nmain 2 3\nthird 5\n".utf8))
        notes(&known, 9, of: "main", as: false)
        notes(&known, 9, of: "spare", as: false)
        notes(&known, 6, of: "third", as: true)
    }
}
