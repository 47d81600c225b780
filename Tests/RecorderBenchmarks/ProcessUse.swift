import Glibc
import OdographHarness

/// The processor time of processes.
enum ProcessUse {
    /// Returns the processor time of a running process with its threads, seconds.
    static func seconds(of identifier: pid_t) -> Double {
        guard let text = try? FileContents.text("/proc/\(identifier)/stat") else { return 0 }
        // The name of the program can contain spaces.
        let fields = text.drop { $0 != ")" }.split(separator: " ")
        guard fields.count > 12, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Returns the processor time of the children of a process, running ones and ended ones, seconds.
    static func childSeconds(of parent: pid_t) -> Double {
        guard let text = try? FileContents.text("/proc/\(parent)/stat"),
            let children = try? FileContents.text("/proc/\(parent)/task/\(parent)/children")
        else { return 0 }
        let fields = text.drop { $0 != ")" }.split(separator: " ")
        guard fields.count > 14, let user = Double(fields[14]), let system = Double(fields[15]) else { return 0 }
        let ended = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        return children.split(separator: " ").compactMap { pid_t($0) }.reduce(ended) { $0 + seconds(of: $1) }
    }
}
