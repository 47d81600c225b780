# Shared functions of the scripts in this folder. Sourced by bash, after `set -euo pipefail`.

# The folders of mosquitto and gpsd in Debian, which a user's PATH may lack.
PATH="$PATH:/usr/sbin:/sbin"
# Numbers have a point, and messages that the scripts read are in English.
export LC_ALL=C.UTF-8

# The oldest supported Swift version: the one that deploy/debian/check-oldest-swift builds the tests with.
oldest_swift=6.2.3

# The packages to build the agent, and the broker.
build_packages=(libmosquitto-dev libsqlite3-dev libexpat1-dev zlib1g-dev)
broker_packages=(mosquitto mosquitto-clients)
# The packages to compile the broker's limits in "provision init".
limits_packages=(mosquitto-dev libmosquitto-dev gcc libc6-dev)
# The packages to build the dashboard.
page_packages=(libjs-leaflet node-mqtt node-buffer node-events node-url nodejs esbuild)
# The programs that the tests start besides the broker: gpsd and its log player, another broker, a database server, a
# tool for certificates, a mail server, a schema validator, a reader of metrics, and a tool that delays disk writes; and
# curl for its library for HTTP and mail, whose package has another name in each Debian.
test_packages=(dbus gpsd gpsd-clients curl libsystemd0 nats-server openssl postgresql python3-aiosmtpd
    python3-dbusmock python3-jsonschema python3-paho-mqtt python3-prometheus-client python3-yaml strace)

# The filter of the tests that compute or write much. The other ones wait in real time, for a broker or a receiver.
computing_tests='^(Batches|Beacons|CivilTime|Compression|Crontab|GeoJSON|Geodesy|JSON|Odograph|Settings|Store|Structure|Terminal|Tracking|VehicleBus|Wire)Tests'

# The folder of the separate Debians that the checks keep, outside the repository.
cache_folder=${ODOGRAPH_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/odograph}

say() { printf '%s\n' "$*"; }

# fail CODE SENTENCE…: prints one sentence per line to the standard error, and exits. Source of the codes: sysexits(3).
fail() {
    local code=$1
    shift
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    shift
    if (($# > 0)); then printf '    %s\n' "$@" >&2; fi
    exit "$code"
}

# built_package FOLDER PROGRAM: prints the path of the package of a program for this machine; fails unless the folder has one.
built_package() {
    local architecture files
    case $(uname -m) in
        x86_64) architecture=amd64 ;;
        aarch64) architecture=arm64 ;;
        *) fail 69 "there are no packages for $(uname -m)" ;;
    esac
    files=("$1/$2"_*_"$architecture".deb)
    [[ -e ${files[0]} ]] || fail 69 "$1 has no package of $2 for $architecture; run deploy/debian/build"
    ((${#files[@]} == 1)) || fail 64 "$1 has several packages of $2; leave one of them there"
    say "${files[0]}"
}

# require_swift: fails if there is no Swift toolchain of a supported version.
require_swift() {
    command -v swift >/dev/null || fail 69 "the Swift toolchain is missing in PATH" \
        "install Swift $oldest_swift or newer (https://www.swift.org/install/linux), then run this again"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | sed -n 1p)
    [[ $(printf '%s\n%s\n' "$oldest_swift" "${version:-0}" | sort -V | sed -n 1p) == "$oldest_swift" ]] ||
        fail 69 "Swift ${version:-of an unknown version} is too old" "install Swift $oldest_swift or newer"
}

# is_installed NAME: whether a Debian package is installed.
is_installed() {
    # A library can be there for two architectures.
    [[ $(dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null) =~ ^installed ]]
}

# install_packages NAME…: installs the missing packages. Prints nothing if none is missing.
install_packages() {
    local name missing=()
    command -v dpkg-query >/dev/null || {
        say "This is not Debian; assuming that these packages are installed: $*"
        return
    }
    for name in "$@"; do
        is_installed "$name" || missing+=("$name")
    done
    ((${#missing[@]} > 0)) || return 0

    local become=()
    if ((EUID != 0)); then
        become=(sudo)
        # Without a terminal, sudo cannot ask for a password.
        [[ -t 0 ]] || become=(sudo -n)
        command -v sudo >/dev/null && "${become[@]}" true ||
            fail 77 "packages are missing, and this user cannot install them" \
                "as root, run: apt-get install ${missing[*]}" "then run this again"
    fi

    say "Installing ${missing[*]} …"
    local log
    log=$(mktemp)
    if ! "${become[@]}" sh -eu -c "$apt_script" sh "${missing[@]}" >"$log" 2>&1 </dev/null; then
        tail -n 25 "$log" >&2
        rm -f "$log"
        fail 69 "the packages could not be installed: ${missing[*]}" "see the output of apt-get above"
    fi
    rm -f "$log"
}

# Run by root with the packages as arguments. It updates the package lists only if the installation fails without. It does
# not start the services of the packages, because these scripts start their own broker and gpsd. For this it creates a
# temporary policy-rc.d if the machine has none.
# shellcheck disable=SC2016 # The shell that runs it expands it.
apt_script='
    # Two scripts that run beside each other must not remove the policy of each other.
    exec 9</usr/sbin
    flock 9
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        trap "rm -f $policy" EXIT
        trap "exit 130" HUP INT TERM
        printf "#!/bin/sh\n# While packages are installed for odograph; may be removed.\nexit 101\n" >"$policy"
        chmod 755 "$policy"
    fi
    export DEBIAN_FRONTEND=noninteractive
    install() {
        apt-get -y -q -o DPkg::Lock::Timeout=120 --no-install-recommends install "$@"
    }
    install "$@" || { apt-get -q update && install "$@"; }
'

# download_root TARGET SUITE ARGUMENT…: makes the root of a separate Debian with mmdebstrap, as a folder or as FILE.tar. A
# mirror that is no longer updated has lists whose validity has ended. $mirror can be the address of another archive.
download_root() {
    local target=$1 suite=$2 said
    shift 2
    install_packages mmdebstrap >&2
    rm -rf --one-file-system "${target:?}"
    said=$(mmdebstrap --aptopt='Acquire::Check-Valid-Until "false"' "$@" "$suite" "$target" ${mirror:+"$mirror"} 2>&1) || {
        rm -rf --one-file-system "${target:?}"
        fail 69 "cannot download a Debian ($suite): $(tail -n 5 <<<"$said")"
    }
}
