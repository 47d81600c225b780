import OdographHarness
import Testing

@testable import OdographSettings

@Suite("Small files")
struct FileReaderTests {
    @Test(
        "The first line ends at the end of the line or of the file",
        arguments: [("one", "one"), ("one\n", "one"), ("one\r\ntwo\n", "one"), ("\n", ""), ("", "")])
    func firstLine(content: String, line: String) throws {
        let folder = try TemporaryFolder()
        #expect(try FileReader.firstLine(of: folder.write(content, to: "x"), atMost: 16).get() == line)
    }

    @Test("A read error names its reason and its remedy")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("12345", to: "x")
        #expect(try FileReader.read(path, atMost: 5).get().count == 5)
        for (path, words) in [
            (folder.file("none"), "check the path"), (folder.path, "give a file in it"), (path, "larger than 4 bytes"),
        ] {
            let error = #expect(throws: FileReader.ReadError.self) { try FileReader.read(path, atMost: 4).get() }
            #expect(error?.description.contains(words) == true)
            #expect(error?.isTooLarge == (words == "larger than 4 bytes"))
        }
    }

    @Test("The names in a folder are listed, and a missing folder has none")
    func names() throws {
        let folder = try TemporaryFolder()
        for name in ["b", "a", ".hidden"] { try folder.write("", to: name) }
        #expect(FileReader.entryNames(in: folder.path).sorted() == [".hidden", "a", "b"])
        #expect(FileReader.entryNames(in: folder.file("a")) == [])
        #expect(FileReader.entryNames(in: folder.file("none")) == [])
    }
}
