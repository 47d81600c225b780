# Runs the tests, and builds them for another Swift or another machine. Sourced by bash, after common.sh; for another Swift
# or machine also after cross.sh.

# width_option: reads the help of "swift test", and prints the option for how many tests run at a time, if it has one.
width_option() {
    local option=--experimental-maximum-parallelization-width options
    # To its end: a program that cannot write all of its help fails.
    options=$(cat)
    [[ $options != *$option* ]] || say "$option"
}

# at_most WIDTH ARGUMENT…: runs the tests of the suites that the arguments select (--filter, --skip), each once, and not more
# than WIDTH at a time. The command's function "test_program" runs the program of the tests with arguments; $width is what
# width_option has printed. Tests with a broker wait in threads that a small machine has few of. All at once they would keep
# each other from running for minutes. Without the option each suite has a process, and half as many run at a time.
at_most() {
    local most=$1 suites folder lane lanes=() code=0 sign='✔' word=passed begin=$SECONDS
    shift
    # shellcheck disable=SC2154 # The command has set it.
    if [[ -n $width ]]; then
        test_program "$width" "$most" "$@"
        return
    fi
    suites=$(test_program --list-tests | suites_of "$@") || return
    folder=$(mktemp -d) || return
    most=$(((most + 1) / 2))
    for ((lane = 1; lane <= most; lane++)); do
        run_suites "$folder" < <(sed -n "$lane~${most}p" <<<"$suites") &
        lanes+=($!)
    done
    for lane in "${lanes[@]}"; do wait "$lane" || code=1; done
    ((code == 0)) || sign='✘' word=failed
    cat "$folder"/* | sed -nE 's/^. Test run with ([0-9]+) tests? in ([0-9]+) suites? .*/\1 \2/p' |
        awk -v sign="$sign" -v end="$word after $((SECONDS - begin)) seconds." \
            '{ tests += $1; suites += $2 } END { print sign, "Test run with", tests, "tests in", suites, "suites", end }'
    rm -r "$folder"
    return "$code"
}

# suites_of ARGUMENT…: prints the suites of the listed tests that the arguments select.
suites_of() {
    local filter='' skip='^$'
    while (($# > 0)); do
        case $1 in
            --filter) filter+=${filter:+|}$2 ;;
            --skip) skip+="|$2" ;;
        esac
        shift 2
    done
    sed 's|/.*||' | sort -u | grep --extended-regexp "$filter" | grep --extended-regexp --invert-match "$skip"
}

# run_suites FOLDER: runs the suites that are listed on the standard input, and prints the output of each as a whole.
run_suites() {
    local suite code=0
    while read -r suite; do
        test_program --filter "^$suite/" >"$1/$suite" 2>&1 </dev/null || code=1
        flock "$1" grep --text --invert-match '^. Test run with ' "$1/$suite"
    done
    return "$code"
}

# read_test_options ARGUMENT…: sets $filters, $mirror, $builds_only and, where the command has set it before, $is_all. Calls
# the function "usage" of the command.
read_test_options() {
    filters=() mirror='' builds_only=''
    while (($# > 0)); do
        case $1 in
            --all)
                [[ -v is_all ]] || fail 64 "unknown option \"$1\"; see --help"
                is_all=true
                ;;
            --build-only) builds_only=true ;;
            --filter)
                [[ -n ${2-} ]] || fail 64 "--filter needs a value; see --help"
                filters+=(--filter "$2")
                shift
                ;;
            --mirror)
                [[ -n ${2-} ]] || fail 64 "--mirror needs a value; see --help"
                # shellcheck disable=SC2034 # cross.sh uses it.
                mirror=$2
                shift
                ;;
            -h | --help)
                usage
                exit 0
                ;;
            *) fail 64 "unknown option \"$1\"; see --help" ;;
        esac
        shift
    done
}

# build_and_run WHERE: calls the functions "build_tests" and, unless $builds_only, "run_tests" of the command. WHERE
# completes the sentences after a failure.
build_and_run() {
    local begin=$SECONDS
    # As in deploy/test: a warning is an error, and the modules whose tests compute for long are optimized.
    export ODOGRAPH_BUILD=tests
    [[ -e $root/Package.resolved ]] || "$root/deploy/debian/parts" pins >"$root/Package.resolved"
    build_tests || fail 1 "the tests cannot be built $1; see the output above"
    say "== built in $((SECONDS - begin)) s"
    [[ -z $builds_only ]] || return 0
    begin=$SECONDS
    run_tests || fail 1 "tests fail $1; see the output above"
    say "== passed in $((SECONDS - begin)) s"
}
