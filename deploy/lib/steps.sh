# Runs the steps of deploy/test. Sourced by bash, after common.sh. $logs is the folder for the output of the steps.

# The format of bash's "time", in the file of a step's result: wall and processor seconds.
TIMEFORMAT='%0R %0U %0S'

# run WORDS COMMAND…: runs a command with its output in a file of $logs, and prints its name, its exit code if that is not
# 0, its wall time and its processor time, and the closing lines of its tests.
run() {
    local words=$1 log code=0 wall user system
    shift
    log=$logs/${words//[^a-zA-Z0-9]/-}
    echo "$words" >"$log.running"
    { time "$@" >"$log" 2>&1 </dev/null; } 2>"$log.time" || code=$?
    rm "$log.running"
    read -r wall user system < <(tail -n 1 "$log.time")
    case $code in
        0) say "== $words: $wall s, $((user + system)) s of the processors" ;;
        77)
            say "== $words: SKIPPED, this machine cannot run it"
            tail -n 2 "$log"
            echo "$words" >>"$logs/skipped"
            return
            ;;
        *) say "== $words: FAILED with code $code after $wall s" ;;
    esac
    grep --text --extended-regexp '^. Test run with |^[0-9]+ passed, ' "$log" || true
    ((code == 0)) && return
    unfinished "$log"
    # A failed test can be many lines before the end.
    grep --text --after-context=6 --extended-regexp '✘ Test .* recorded an issue|✖ |Fatal error|error: ' "$log" |
        tail -n 60
    say "   the end of its output:"
    tail -n 25 "$log"
    return 1
}

# unfinished LOG: prints the names of the tests that began and did not end.
unfinished() {
    local name='s/^. Test ("[^"]*"|[a-zA-Z0-9]+\(.*\)) '
    comm -23 <(sed -nE "${name}started\.\$/\1/p" "$1" | sort) <(sed -nE "$name(with .*)?(passed|failed|skipped).*/\1/p" "$1" | sort) |
        sed 's/^/   did not end: /'
}

# step WORDS COMMAND…: like run. After a failure the other steps go on, so that one run shows all failures.
step() { run "$@" || echo "$1" >>"$logs/failed"; }

# end_children PROCESS: ends what a process has started, and what that has started. Steps in the background ignore Ctrl-C.
end_children() {
    local child
    for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
        end_children "$child"
        kill "$child" 2>/dev/null || true
    done
}

# need WORDS COMMAND…: like run; a failure ends the checks, because the other steps need the result.
need() {
    step "$@" &
    watch_lanes $!
    [[ ! -e $logs/failed ]] || exit 1
}

# lanes FUNCTION…: runs functions beside each other, to the end of each.
lanes() {
    local lane pids=()
    for lane in "$@"; do
        "$lane" &
        pids+=($!)
    done
    watch_lanes "${pids[@]}"
    [[ ! -e $logs/failed ]]
}

# take PART…: runs each of the functions that no other lane has taken. Lanes that call it at their end share what is left.
take() {
    local part
    for part in "$@"; do
        # Only one lane can make the file.
        if (set -o noclobber && : >"$logs/$part.taken") 2>/dev/null; then "$part"; fi
    done
}

# watch_lanes PROCESS…: waits for the lanes, and prints each half minute what runs. This shell starts nothing meanwhile: when
# the system gives the process number of a lane that has ended to a later child, bash forgets how the lane ended.
watch_lanes() {
    local lane clock
    tell_time &
    clock=$!
    for lane in "$@"; do
        wait "$lane" || echo "a lane" >>"$logs/failed"
    done
    kill "$clock"
    wait "$clock" || true
}

# tell_time: prints each half minute what runs, until the checks have ended.
tell_time() {
    # The output is closed for "sleep": whoever reads the output of the checks would wait for its end.
    while sleep 30 >/dev/null 2>&1 && [[ -e $logs ]]; do
        say "   $SECONDS s: $(running)"
    done
}

# running: prints the names of the running steps, each with the number of its tests or the newest line of its build.
running() {
    local file words done line texts=()
    for file in "$logs"/*.running; do
        [[ -e $file ]] || continue
        words=$(<"$file")
        done=$(grep --text --count '^✔ Test ' "${file%.running}" || true)
        line=$(tail -n 1 "${file%.running}" 2>/dev/null | grep --text --only-matching '^\[[0-9]*/[0-9]*\]' || true)
        texts+=("$words${line:+ $line}$( ((done == 0)) || printf ', %d passed' "$done")")
    done
    paste -sd ';' <(printf '%s\n' "${texts[@]}") | sed 's/;/; /g'
}
