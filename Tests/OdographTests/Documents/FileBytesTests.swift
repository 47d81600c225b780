import Harness
import Testing

@testable import Odograph

@Suite("Small files")
struct FileBytesTests {
    @Test(
        "A first line ends where the file or the line does",
        arguments: [("one", "one"), ("one\n", "one"), ("one\r\ntwo\n", "one"), ("\n", ""), ("", "")])
    func firstLine(content: String, line: String) throws {
        let folder = try TemporaryFolder()
        #expect(try FileReader.firstLine(of: folder.write(content, to: "x"), atMost: 16).get() == line)
    }

    @Test("What cannot be read says why, and what would be right")
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

    @Test("A folder's names are told, and of what is none there are none")
    func names() throws {
        let folder = try TemporaryFolder()
        for name in ["b", "a", ".hidden"] { try folder.write("", to: name) }
        #expect(FileReader.entryNames(in: folder.path).sorted() == [".hidden", "a", "b"])
        #expect(FileReader.entryNames(in: folder.file("a")) == [])
        #expect(FileReader.entryNames(in: folder.file("none")) == [])
    }
}
