/* The delivery of records with receipts: an agent, a broker, and a recorder with its database. Design.md beside this
   file has the reasons of the rules. The command "check" runs the model, and says what each property means. The
   properties are at the end.

   A number is a bit, so a set of records is a byte. A number is a position (names[n] is 0), or a given-up record, which
   names the numbers in names[n]. An epoch is a part of the range of numbers; only Clone depends on where it begins.

   Time is not modelled. A step is possible as soon as the rules permit it, so each order of messages and timers occurs.
   Fairness is weak (pan -f): a process that can always do a step does one at some time. There are at most FAULTS
   faults, at any time. So "at last" means: some time after the last fault, when network and programs are back. */

#ifndef U
#define U 6             /* quantity of numbers, at most 8 */
#endif
#ifndef DATA
#define DATA 2          /* positions that the agent commits */
#endif
#ifndef CAP
#define CAP 8           /* rows of the outbox at which the quota is reached */
#endif
#ifndef RECORDERS
#define RECORDERS 1        /* databases that must have each record: 1 or 2 */
#endif
#ifndef FAULTS
#define FAULTS 0
#endif
#ifndef KINDS
#define KINDS 0         /* the kinds of faults and of conditions that occur, a sum: */
#endif
#define KILL (KINDS & 1)        /* the agent ends and starts again */
#define CUT (KINDS & 2)         /* the agent loses power, and with it the newest commits ("synchronous": "normal") */
#define LOSE (KINDS & 4)        /* the agent loses its database, but not the reservation file: a new epoch */
#define FORGET (KINDS & 8)      /* the broker comes back with an earlier state */
#define AGAIN (KINDS & 16)      /* a message arrives again */
#define LATE (KINDS & 32)       /* an earlier receipt arrives, or is what the broker has after FORGET */
#define CRASH (KINDS & 64)      /* the recorder ends and starts again */
#define RESTORE (KINDS & 128)   /* the newest backup of the database is put back */
#define ROLLBACK (KINDS & 256)  /* the database loses any of its records: an old backup, damage, a new database */
#define NO_RECORDER (KINDS & 512)
#define CLONE (KINDS & 1024)    /* another machine starts with a copy of the agent's disk */
#ifndef BAD
#define BAD 0           /* a deliberate error, which must violate a property: */
#endif
#define DELETES_ON_PUBACK 1     /* the agent deletes what the broker has acknowledged */
#define OWN_TIMER 2             /* the agent deletes what a receipt covers, some time later */
#define KEEPS_COVERAGE 3        /* the agent ignores a new database_id: what a receipt covered stays covered */
#define REUSES_NUMBERS 4        /* the agent ignores the reservation of numbers */
#define FORGETS_NAMES 5         /* a given-up record that is given up is named without the numbers that it names */
#define FORGETS_EPOCH 6         /* the agent ignores an earlier epoch of its own */
#define NO_REVISION 7           /* the agent accepts a receipt that is older than one by which it deleted */
#define NAMES_UNSTATED 8        /* the agent takes what did not fit in the receipt for missing */
#define WAITS_FOR_LIST 9        /* the agent does not send a given-up record that did not fit in the receipt */
#define ONLY_LISTED 10          /* the agent sends again only what is below a covered number */
#define ANY_RECORDER 11            /* the agent deletes what one of two databases has */
#define BEFORE_COMMIT 12        /* the recorder publishes a receipt before the commit */
#define STORED_ONLY 13          /* a receipt does not cover numbers that are named */
#define HIDES_RANGES 14         /* a receipt covers the missing ranges that do not fit in it */
#define MOVING_START 15         /* a receipt covers what is below the oldest number that the agent has */
#define PUBLISHES_ONCE 16       /* the recorder does not look at its retained receipts after a reconnect */
#define KNOWN_DEVICES 17        /* the recorder publishes no receipt for a device without a record */
#define DROPS_CONFLICT 18       /* the recorder keeps only the first record of a number; the clone has no new epoch */
#define NO_NEW_EPOCH 19         /* the clone goes on in the epoch of the copy, as until it sees a conflict */
#define SENDS_EARLY 20          /* the agent sends a given-up record before a power cut cannot undo what it says */
#define TRUSTS_COVERAGE 21      /* as NO_NEW_EPOCH, and a receipt permits the clone to delete what it has not sent */
#define RANGES 1        /* missing ranges that fit in a receipt */

#define B(n) (1 << (n))
#define BELOW(n) (B(n) - 1)
#define LOWEST(m) ((m) & -(m))
#define T(m, n) (((m) >> (n)) & 1)
#define N(m, n) (T(m, n) * names[n])
#define COUNT(m) (T(m,0) + T(m,1) + T(m,2) + T(m,3) + T(m,4) + T(m,5) + T(m,6) + T(m,7))
/* What the given-up records of a set name. What a set settles: its own numbers, and those that it names. */
#define NAMED(m) (N(m,0) | N(m,1) | N(m,2) | N(m,3) | N(m,4) | N(m,5) | N(m,6) | N(m,7))
#define SETTLED(m) ((m) | NAMED(m))
#define G(n) ((names[n] != 0) << n)
#define GIVEN_UP (G(0) | G(1) | G(2) | G(3) | G(4) | G(5) | G(6) | G(7))
/* r becomes any element of the set m, a variable that is not 0. */
inline pick(m, r) { r = 0; do :: m & B(r) -> break :: m >> (r + 1) -> r++ od }
/* For "at last": after the last fault, the agent sends in rounds, and the broker's queue lets no message wait for ever.
   done: what had its turn in this round. Only given-up records need this: a receipt soon covers a position that is
   sent again and again, but it may be silent about a given-up record. */
#ifdef EVENTUALLY
#define IN_ROUNDS (faults == 0)
#else
#define IN_ROUNDS 0
#endif
inline pickInTurn(m, done, r) {
    if :: IN_ROUNDS && (m | done) == done -> done = 0 :: else fi;
    m = m - (m & done); pick(m, r); done = (IN_ROUNDS -> done | (B(r) & GIVEN_UP) : 0)
}

/* A receipt. covered: stored, or named by a stored record. unstated: the list of ranges is full, so the receipt
   says nothing. All other numbers are missing. safe: covered, and also in each backup that can still be put back. */
typedef Receipt { bool valid; byte covered, unstated, safe };
inline copy(a, b) { b.valid = a.valid; b.covered = a.covered; b.unstated = a.unstated; b.safe = a.safe }
inline erase(a) { a.valid = false; a.covered = 0; a.unstated = 0; a.safe = 0 }
#define DIFFER(a, b) (a.valid != b.valid || a.covered != b.covered || a.unstated != b.unstated || a.safe != b.safe)

/* Agent. A power cut takes kept back to durable, but not next: the reservation file has it. */
byte next, data, kept, names[8], durable, durableNext;
byte gap;                   /* numbers that a fault took from the database, until a record names them */
Receipt accepted[RECORDERS];   /* in memory: the newest receipt. It replaces the one before completely. */
byte newer;                 /* set of recorders: accepted is newer than former */
byte seen, durableSeen;     /* on the disk, set of recorders: rows were deleted by a receipt newer than former */
byte epoch, sent;           /* only for FORGETS_EPOCH and ONLY_LISTED */
/* Broker. A queue is a set, because the order of the messages does not count. former: any earlier receipt. */
byte queue[RECORDERS];
Receipt retained[RECORDERS], former[RECORDERS];
bool reverted[RECORDERS];      /* retained is former */
/* Recorder. buffer: received and acknowledged to the broker, but not committed. due: a receipt must be published. */
byte buffer[RECORDERS], db[RECORDERS], backup[RECORDERS];
bool due[RECORDERS];
/* Second records with a number that is in use. dbIsSecond: which one is stored. conflict: numbers with a conflict
   entry. arrived: what the recorder has had to commit. clone: the clone's row. cloned: its number, plus 1. */
byte version, queue2, buffer2, dbIsSecond, conflict, arrived, arrived2, clone, cloned;
byte faults = FAULTS;
byte freed;                 /* with ROLLBACK: what was deleted by a true receipt, and what it named */
bool lied, misnamed, wasted, overflowed;

#if RECORDERS == 2
#define ALL(f, operator) (f(0) operator f(1))
#else
#define ALL(f, operator) f(0)
#endif
#define USED BELOW(next)
#define QUEUE(s) ((queue[s] & ~version) | (queue2 & version))
#define DELETABLE(s) (BAD == OWN_TIMER -> accepted[s].covered : accepted[s].safe)
#define MAY_DELETE (kept & (BAD == ANY_RECORDER -> ALL(DELETABLE, |) : ALL(DELETABLE, &)))
#define MISSING(s) (accepted[s].valid -> 255 & ~(accepted[s].covered | accepted[s].unstated) : 0)
#define UNSTATED(s) accepted[s].unstated
#define NEW(s) (accepted[s].valid -> 0 : 255)
#define UNLISTED(s) (BAD == NAMES_UNSTATED -> accepted[s].unstated : 0)
/* What the agent does not have, and no kept record names. What it must name. */
#define GONE (USED & ~kept & ~NAMED(kept) & ~BELOW(epoch))
#define TO_NAME ((gap & ~NAMED(kept)) | (GONE & (ALL(MISSING, |) | ALL(UNLISTED, |))))
/* A given-up record that is unstated is sent too: it can be the one that names the ranges which fill the list. */
#define ANSWERS (BAD == WAITS_FOR_LIST -> 0 : ALL(UNSTATED, |) & GIVEN_UP)
#define BEHIND (accepted[0].covered >> 1 | accepted[0].covered >> 2 | accepted[0].covered >> 3 | ~sent)
#define EARLY (CUT && BAD != SENDS_EARLY -> GIVEN_UP & ~durable : 0)
#define ASKED (ALL(NEW, |) | ALL(MISSING, |) | ANSWERS)
#define TO_SEND (kept & ~EARLY & ~ALL(QUEUE, &) & ASKED & (BAD == ONLY_LISTED -> BEHIND : 255))

inline assign(mask) { names[next] = mask; kept = kept | B(next); next++ }
/* Deletes the two oldest rows. lost: their numbers, and what they named. */
inline makeRoom(rows, lost) {
    rows = LOWEST(kept); rows = rows | LOWEST(kept & ~rows);
    lost = (BAD == FORGETS_NAMES -> rows : SETTLED(rows)); kept = kept & ~rows
}

proctype Agent() {
    byte x, y, n;
    do
    :: d_step { data < DATA && next < U && gap == 0 && COUNT(kept) < CAP -> assign(0); data++ }
    /* The quota: a given-up record takes the place of two rows, in one transaction. */
    :: d_step { data < DATA && next < U && gap == 0 && COUNT(kept) >= CAP && MAY_DELETE == 0 ->
            makeRoom(x, y); assign(y); x = 0; y = 0
        }
    /* Names what a receipt lists as missing, or a fault took, and the agent does not have. */
    :: d_step { TO_NAME && next == U -> overflowed = true }
    :: d_step { TO_NAME && next < U && (COUNT(kept) < CAP || MAY_DELETE == 0) ->
            n = TO_NAME; misnamed = misnamed | (!RESTORE && !ROLLBACK && (n & ~gap & SETTLED(db[0]))); gap = 0;
            if :: COUNT(kept) >= CAP -> makeRoom(x, y) :: else fi;
            y = y | n; assign(y); x = 0; y = 0; n = 0
        }
    :: d_step { BAD == DELETES_ON_PUBACK && (kept & queue[0]) -> kept = kept & ~LOWEST(kept & queue[0]) }
    :: d_step { MAY_DELETE ->
            x = LOWEST(MAY_DELETE); kept = kept & ~x;
            wasted = wasted | (!ROLLBACK && (x & ~db[0])); freed = freed | (ROLLBACK -> SETTLED(x) : 0);
            seen = seen | (BAD == NO_REVISION -> 0 : newer); x = 0
        }
    :: d_step { CUT && gap == 0 && (durable != kept || durableNext != next || durableSeen != seen) ->
            durable = kept; durableNext = next; durableSeen = seen }
    od
}

proctype Send() {
    byte r, m, done;
    do
    :: atomic { TO_SEND -> m = TO_SEND; pickInTurn(m, done, r);
            d_step {
                if :: version & B(r) -> queue2 = queue2 | B(r) :: else -> queue[0] = queue[0] | B(r) fi;
                if :: RECORDERS == 2 -> queue[RECORDERS - 1] = queue[RECORDERS - 1] | B(r) :: else fi;
                sent = (BAD == ONLY_LISTED -> sent | B(r) : 0); r = 0; m = 0
            } }
    od
}

/* The agent takes the receipt of a recorder: after a connection the retained one, later each one that is published. */
proctype Accept(byte s) {
    byte c, f;
    do
    :: d_step { retained[s].valid && DIFFER(retained[s], accepted[s]) && !(reverted[s] && (seen & B(s))) ->
            if :: BAD == KEEPS_COVERAGE -> c = accepted[s].covered; f = accepted[s].safe :: else fi;
            copy(retained[s], accepted[s]);
            accepted[s].covered = accepted[s].covered | c; accepted[s].safe = accepted[s].safe | f; c = 0; f = 0;
            newer = (newer & ~B(s)) | (reverted[s] -> 0 : B(s))
        }
    od
}

/* The client library of the recorder acknowledges a message before the recorder has it. */
proctype Receive(byte s) {
    byte r, m, done;
    do
    :: atomic { queue[s] -> m = queue[s]; pickInTurn(m, done, r);
            d_step { queue[s] = queue[s] & ~B(r); buffer[s] = buffer[s] | B(r); r = 0; m = 0 } }
    :: d_step { s == 0 && queue2 -> r = LOWEST(queue2); queue2 = queue2 & ~r; buffer2 = buffer2 | r; r = 0 }
    od
}

proctype Commit(byte s) {
    byte b;
    do
    :: d_step { buffer[s] || (s == 0 && buffer2) ->
            b = (s == 0 -> buffer2 : 0); due[s] = due[s] | (((buffer[s] | b) & ~db[s]) != 0);
            conflict = conflict | (buffer[0] & buffer2);
            conflict = conflict | (db[0] & ((buffer[0] & dbIsSecond) | (buffer2 & ~dbIsSecond)));
            if :: BAD == DROPS_CONFLICT -> conflict = 0 :: else fi;
            dbIsSecond = dbIsSecond | (b & ~db[0] & ~buffer[0]); arrived2 = arrived2 | b;
            if :: CLONE || BAD == REUSES_NUMBERS -> arrived = arrived | buffer[0] :: else fi;
            db[s] = db[s] | buffer[s] | b; buffer[s] = 0; buffer2 = (s == 0 -> 0 : buffer2); b = 0
        }
    :: d_step { RESTORE && backup[s] != db[s] -> backup[s] = db[s]; due[s] = true }
    od
}

/* Publishes what the database has now. Its revision is greater than that of each receipt before. */
proctype Publish(byte s) {
    byte known, n, ranges;
    bool open;
    do
    :: atomic { due[s] && (BAD != KNOWN_DEVICES || db[s]) ->
        if
        :: LATE && retained[s].valid && !reverted[s] ->
            d_step { copy(retained[s], former[s]); newer = newer & ~B(s); seen = seen & ~B(s);
                durableSeen = durableSeen & ~B(s) }
        :: true
        fi;
        d_step {
            n = db[s] | (BAD == BEFORE_COMMIT -> buffer[s] : 0);
            known = (BAD == STORED_ONLY -> n : SETTLED(n)); n = 0;
            if :: BAD == MOVING_START -> known = known | (kept -> LOWEST(kept) - 1 : USED) :: else fi;
            do      /* n becomes the first number that does not fit. */
            :: known & B(n) -> open = false; n++
            :: (known >> n) && !(known & B(n)) && (open || ranges < RANGES) -> ranges = ranges + !open; open = true; n++
            :: else -> break
            od;
            retained[s].valid = true; retained[s].covered = known & BELOW(n);
            retained[s].unstated = ((known >> n) -> 255 & ~BELOW(n) : 0);
            if
            :: BAD == HIDES_RANGES ->
                retained[s].covered = retained[s].covered | retained[s].unstated; retained[s].unstated = 0
            :: else
            fi;
            retained[s].safe = retained[s].covered & (RESTORE -> SETTLED(backup[s]) : 255);
            lied = lied | ((retained[s].covered & ~SETTLED(db[s])) != 0);
            due[s] = false; reverted[s] = false; known = 0; n = 0; ranges = 0; open = false
        } }
    od
}

inline restartAgent() {
    for (s : 0 .. RECORDERS - 1) { erase(accepted[s]) }
    newer = 0; s = 0
}
inline anyRecorder() { faults--; if :: s = 0 :: RECORDERS == 2 -> s = 1 fi }

proctype Faults() {
    byte s, r, m;
    do
    :: d_step { KILL && faults -> faults--; restartAgent() }
    :: d_step { CUT && faults -> faults--; restartAgent(); seen = durableSeen; kept = durable;
            if
            :: BAD == REUSES_NUMBERS -> version = USED & ~BELOW(durableNext); next = durableNext
            :: else -> gap = USED & ~BELOW(durableNext)
            fi
        }
    :: d_step { LOSE && faults -> faults--; restartAgent(); seen = 0; kept = 0; gap = USED;
            durable = 0; durableNext = 0; durableSeen = 0; epoch = (BAD == FORGETS_EPOCH -> next : 0) }
    :: atomic { FORGET && faults -> anyRecorder();
            if :: queue[s] = 0 :: true fi;
            if
            :: d_step { erase(retained[s]); reverted[s] = false }
            :: former[s].valid -> d_step { copy(former[s], retained[s]); reverted[s] = true }
            :: true
            fi;
            due[s] = due[s] | (BAD != PUBLISHES_ONCE); s = 0
        }
    :: atomic { AGAIN && faults && (db[0] & ~dbIsSecond) -> faults--;
            m = db[0] & ~dbIsSecond; pick(m, r); queue[0] = queue[0] | B(r); r = 0; m = 0 }
    :: d_step { LATE && faults && former[0].valid && !(seen & 1) -> faults--;
            copy(former[0], accepted[0]); newer = newer & ~1 }
    :: atomic { CRASH && faults -> anyRecorder(); d_step { buffer[s] = 0; due[s] = true; s = 0 } }
    :: atomic { RESTORE && faults -> anyRecorder(); d_step { buffer[s] = 0; db[s] = backup[s]; due[s] = true; s = 0 } }
    :: atomic { ROLLBACK && faults && db[0] -> faults--;
            do
            :: r < U -> if :: db[0] & B(r) -> db[0] = db[0] & ~B(r) :: true fi; r++
            :: else -> break
            od;
            d_step { buffer[0] = 0; backup[0] = db[0]; due[0] = true; r = 0 }
        }
    :: !faults -> break
    od
}

/* Commits a record on a copy of the agent's disk, and delivers it. Number 1 of its new epoch is U - 1. */
proctype Clone() {
    byte x;
    bool isSent;    /* the broker has acknowledged it */
    d_step {
        x = (BAD == NO_NEW_EPOCH || BAD == TRUSTS_COVERAGE || BAD == DROPS_CONFLICT -> next : U - 1);
        clone = B(x); cloned = x + 1; isSent = (BAD == TRUSTS_COVERAGE)
    }
    do
    :: d_step { clone && !(queue2 & clone) && !(isSent && (retained[0].covered & clone)) ->
            queue2 = queue2 | clone; isSent = true }
    :: d_step { isSent && (clone & retained[0].safe) -> clone = 0 }
    od
}

/* Without it a run could end, and fairness is about runs without end. */
proctype Time() { do :: faults >= 0 od }

init {
    byte s;
    atomic {
        run Agent(); run Send(); run Faults();
        if :: CLONE -> run Clone() :: else fi;
        for (s : 0 .. RECORDERS - 1) {
            run Accept(s); run Commit(s); run Publish(s); if :: NO_RECORDER :: else -> run Receive(s) fi
        }
#ifdef EVENTUALLY
        run Time()
#endif
    }
}

#define WITHIN(a, b) (((a) & ~(b)) == 0)
#define HAS(s) SETTLED(db[s])
#define COVERED(s) accepted[s].covered
#define S1 WITHIN(USED, SETTLED(kept) | gap | freed | ALL(HAS, &))
#define S2 ((arrived & arrived2) == 0)
#define S3 (!lied)
#define S4 (!misnamed)
#define S5 WITHIN(arrived & arrived2, conflict)
#define S6 (!wasted)
#define B1 (!overflowed && COUNT(kept) <= CAP)
#define S1_S3_B1 (S1 && S3 && B1)
#define L1 (gap == 0 && WITHIN(USED, ALL(HAS, &) & ALL(COVERED, &)) && WITHIN(kept, ALL(DELETABLE, &)))
#define L2 (cloned && (arrived2 & B(cloned - 1)))
#define L3 (data == DATA)

#ifdef EVENTUALLY   /* true from some time on */
never { do :: !(EVENTUALLY) -> accept: true :: true od }
#else
never { do :: (ALWAYS) :: !(ALWAYS) -> break od }
#endif
