import Testing

@testable import OdographStore

@Suite("Conflicts that recorders have stated")
struct KnownConflictsTests {
    @Test("A count that grows is noticed, also after the counts were saved; the first of a recorder is not")
    func grows() {
        var known = KnownConflicts()
        #expect(!known.note(3, of: "main"))
        #expect(!known.note(0, of: "spare"))
        #expect(!known.note(3, of: "main"))
        var read = KnownConflicts(document: known.document)
        #expect(read == known)
        #expect(read.note(4, of: "main"))
        #expect(!read.note(4, of: "main"))
        #expect(read.note(1, of: "spare"))
        #expect(!read.note(9, of: "third"))
    }

    @Test("Lines that cannot be read are unknown")
    func damaged() {
        var known = KnownConflicts(document: Array("main\nspare x\nmain 2 3\nthird 5\n".utf8))
        #expect(!known.note(9, of: "main"))
        #expect(!known.note(9, of: "spare"))
        #expect(known.note(6, of: "third"))
    }
}
