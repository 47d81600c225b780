import Testing

@testable import Odograph

/// Checks with a receiver whose silence is reported after 10 s. The detector runs once a minute.
@Suite("The stall detection behind the watchdog")
struct PipelineStallDetectorTests {
    private typealias Stage = PipelineStallDetector.Stage

    /// Returns the stalled stages of each minute.
    private func stuck(minutes: Int, _ reading: (Int) -> PipelineStallDetector.Reading) -> [[PipelineStallDetector
        .Stage]]
    {
        var watch = PipelineStallDetector(silenceSeconds: 10, intervalSeconds: 60)
        return (0..<minutes).map { watch.detectStalls(in: reading($0)) }
    }

    /// Returns a reading in which every stage works.
    private func sound(_ minute: Int) -> PipelineStallDetector.Reading {
        let now = Int64(minute) * 60_000 + 5_000_000
        return PipelineStallDetector.Reading(
            uptimeMilliseconds: now, sourceTurns: minute * 60, lastSourceEventMilliseconds: now - 400,
            commitDueMilliseconds: now + 200, probeResponses: minute)
    }

    @Test("Nothing is stalled while positions are processed")
    func moving() {
        #expect(stuck(minutes: 100) { sound($0) }.allSatisfy { $0.isEmpty })
    }

    @Test("An unreachable gpsd, an unreachable broker and a failing disk are no stalls")
    func trouble() {
        let readings = stuck(minutes: 1000) { minute in
            var reading = sound(minute)
            // The source tries to connect now and then, and the commit is retried some seconds later.
            reading.sourceTurns = minute
            reading.lastSourceEventMilliseconds = nil
            reading.commitDueMilliseconds = reading.uptimeMilliseconds + 4000
            return reading
        }
        #expect(readings.allSatisfy { $0.isEmpty })
    }

    @Test("A capture or a simulator without events is no stall")
    func replay() {
        let readings = stuck(minutes: 1000) { minute in
            var reading = sound(minute)
            reading.sourceTurns = nil
            reading.lastSourceEventMilliseconds = nil
            reading.commitDueMilliseconds = nil
            return reading
        }
        #expect(readings.allSatisfy { $0.isEmpty })
    }

    @Test("A stalled stage is found within three minutes, and no other", arguments: Stage.allCases)
    private func standing(stage: PipelineStallDetector.Stage) {
        let stop = 10
        let readings = stuck(minutes: 20) { minute in
            var reading = sound(minute)
            guard minute >= stop else { return reading }
            let then = sound(stop)
            switch stage {
            case .source: reading.sourceTurns = then.sourceTurns
            case .pipeline: reading.lastSourceEventMilliseconds = then.lastSourceEventMilliseconds
            case .commit: reading.commitDueMilliseconds = then.commitDueMilliseconds
            case .link: reading.probeResponses = then.probeResponses
            }
            return reading
        }
        #expect(readings[..<(stop + 1)].allSatisfy { $0.isEmpty })
        #expect(readings[(stop + 4)...].allSatisfy { $0 == [stage] }, "\(readings)")
    }

    @Test("A receiver loop that has ended is found at once")
    func ended() {
        let readings = stuck(minutes: 3) { minute in
            var reading = sound(minute)
            reading.hasLiveSourceEnded = minute == 2
            return reading
        }
        #expect(readings == [[], [], [.source]])
    }

    @Test("A stage that works again is no longer stalled")
    func recovered() {
        let readings = stuck(minutes: 12) { minute in
            var reading = sound(minute)
            if (2..<8).contains(minute) { reading.probeResponses = 2 }
            return reading
        }
        #expect(readings[7] == [.link])
        #expect(readings[8...].allSatisfy { $0.isEmpty })
    }
}
