import ArgumentParser

/// A part of the evaluation that can be measured alone.
enum EvaluationPart: String, CaseIterable, ExpressibleByArgument {
    case invariants, outliers, noise, straight, queues, halts, driving, copies, thinned, phones, days, sparse, rounds
    case faults, captures, scenes, speed, heldout, confidence

    /// The subject, for people.
    var words: String {
        switch self {
        case .invariants: "what no drive may change"
        case .outliers: "single wrong positions"
        case .noise: "noise of positions"
        case .straight: "straight roads"
        case .queues: "queues and walks"
        case .halts: "jams, yards and short stops"
        case .driving: "harsh manoeuvres"
        case .copies: "moved and mirrored drives"
        case .thinned: "drives with fewer fixes"
        case .phones: "phones with true trips"
        case .days: "labelled days"
        case .sparse: "a fix a minute in a town"
        case .rounds: "labelled rounds of deliveries"
        case .faults: "receivers with one fault; takes --days, --row and --seed"
        case .captures: "faults of timelines that need no truth; takes --captures"
        case .scenes: "drives of a folder with a truth; takes --captures"
        case .speed: "how many fixes a second the tracker takes"
        case .heldout: "parameters that were chosen on the other drives"
        case .confidence: "the confidence on drives that were held out"
        }
    }

    /// Measures the part. Only then are its recordings read.
    func report(_ command: Evaluation) throws {
        let (drives, isVerbose) = (command.drives, command.isVerbose)
        switch self {
        case .invariants: try Invariants(folder: drives, isVerbose: isVerbose).report()
        case .outliers: OutlierFixes(isVerbose: isVerbose).report()
        case .noise: WhiteNoise().report()
        case .straight: try StraightRoads(folder: drives).report()
        case .queues: CreepingQueues().report()
        case .halts: Halts(isVerbose: isVerbose, seed: command.seed).report()
        case .driving: try DrivingStyle(folder: drives, isVerbose: isVerbose).report()
        case .copies:
            let all = try AllDrives(folder: command.folder)
            Copies(drives: all.recorded + all.simulated, isVerbose: isVerbose).report()
        case .thinned: try Thinning(drives: AllDrives(folder: command.folder), isVerbose: isVerbose).report()
        case .phones: try PhoneDrives(folder: drives, isVerbose: isVerbose).report()
        case .days: try LabelledDays(folder: drives, isVerbose: isVerbose).report()
        case .sparse: SparseFixes(phones: try PhoneDrives(folder: drives, isVerbose: isVerbose)).report()
        case .rounds: try DeliveryRounds(folder: drives, isVerbose: isVerbose).report()
        case .faults: FaultyReceivers(days: command.days, after: command.seed).report(only: command.fault)
        case .captures:
            try RecordedTimelines(folder: command.folder, captures: command.captures, isVerbose: isVerbose).report()
        case .scenes: try TrueScenes(folder: command.captures ?? "", isVerbose: isVerbose).report()
        case .speed: try Speed(folder: drives).report()
        case .heldout: try HeldOut(folder: drives).report()
        case .confidence: try ConfidenceValidation(folder: drives).report()
        }
    }
}
