/// A statement to the broker: this agent publishes no number of an epoch above the last one, until it says so.
///
/// It is on the disk before it is published, and it is published before the first number that it allows. So a later
/// announcement that the broker retains, or one with another name, shows that the numbers of the epoch were used by
/// somebody else: by this machine before an older disk was put back, or by a machine with a copy of the disk.
package struct NumberAnnouncement: Hashable, Sendable {
    /// The epoch of the numbers.
    package var epoch: Int64
    /// The last number that can be published; 0 if there is no announcement yet.
    package var through: Int64
    /// A random number, drawn each time `through` grows: two machines with one disk do not draw the same.
    package var id: UInt64

    /// Creates an announcement.
    package init(epoch: Int64, through: Int64, id: UInt64) {
        self.epoch = epoch
        self.through = through
        self.id = id
    }

    /// The meaning of an announcement on the topic of this device.
    package enum Finding: Hashable, Sendable {
        /// It is this agent's own, or says nothing about its numbers.
        case consistent
        /// Somebody else uses the numbers of this agent's epoch, up to this one.
        case sharedEpoch(through: Int64)
        /// This device has used a later epoch, which this disk does not know.
        case laterEpoch(Int64)
    }

    /// Returns what another announcement on the topic of this device shows about this one.
    ///
    /// - Parameters:
    ///   - ownEpochs: The earlier epochs of this disk.
    ///   - isFirst: Whether it is the first one of this run. Later an unknown epoch is that of a machine that has begun
    ///     an epoch of its own, and no reason to begin one more.
    func finding(
        about other: NumberAnnouncement, ownEpochs: some Collection<Int64>, isFirst: Bool
    ) -> Finding {
        if other.epoch == epoch {
            let isForeign = other.through > through || other.through == through && other.id != id
            return isForeign ? .sharedEpoch(through: other.through) : .consistent
        }
        let isUnknown = isFirst && other.epoch > epoch && EpochGenerator.credible(other.epoch) == other.epoch
        return isUnknown && !ownEpochs.contains(other.epoch) ? .laterEpoch(other.epoch) : .consistent
    }
}
