# Builds the tests for another Swift or another machine, and runs them. Sourced by bash, after common.sh and cross.sh.

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
