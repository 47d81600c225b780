# What the scripts of this folder share. Sourced by bash, after `set -euo pipefail`.

# Where Debian keeps mosquitto and gpsd; a user's PATH need not have it.
PATH="$PATH:/usr/sbin:/sbin"

# The oldest Swift that the package builds with, as in Package.swift.
oldest_swift=6.2

# What the agent is built from and what it talks to.
build_packages=(libmosquitto-dev libsqlite3-dev libexpat1-dev zlib1g-dev)
broker_packages=(mosquitto mosquitto-clients)
# What "provision init" compiles the broker's limits with.
limits_packages=(mosquitto-dev gcc libc6-dev)
# What the dashboard's page is put together from.
page_packages=(libjs-leaflet node-mqtt node-buffer node-events node-url nodejs esbuild)

say() { printf '%s\n' "$*"; }

# fail CODE SENTENCE…: one sentence a line, on standard error. The codes are those of sysexits(3).
fail() {
    local code=$1
    shift
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    shift
    if (($# > 0)); then printf '    %s\n' "$@" >&2; fi
    exit "$code"
}

# require_swift: a toolchain that is new enough.
require_swift() {
    command -v swift >/dev/null || fail 69 "there is no Swift toolchain in PATH" \
        "install Swift $oldest_swift or newer (https://www.swift.org/install/linux), then run this again"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
    [[ $(printf '%s\n%s\n' "$oldest_swift" "${version:-0}" | sort -V | head -n 1) == "$oldest_swift" ]] ||
        fail 69 "Swift ${version:-of an unknown version} is too old" "install Swift $oldest_swift or newer"
}

# is_installed NAME: whether a Debian package is installed.
is_installed() {
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# install_packages NAME…: installs those that are missing, and says nothing where none is.
install_packages() {
    local name missing=()
    command -v dpkg-query >/dev/null || {
        say "This is no Debian: taking it that these are installed: $*"
        return
    }
    for name in "$@"; do
        is_installed "$name" || missing+=("$name")
    done
    ((${#missing[@]} > 0)) || return 0

    local become=()
    if ((EUID != 0)); then
        become=(sudo)
        # Without a terminal nobody can be asked for a password.
        [[ -t 0 ]] || become=(sudo -n)
        command -v sudo >/dev/null && "${become[@]}" true ||
            fail 77 "packages are missing, and only root can install them" \
                "as root: apt-get install ${missing[*]}" "then run this again"
    fi

    say "Installing ${missing[*]} …"
    local log
    log=$(mktemp)
    if ! "${become[@]}" sh -eu -c "$apt_script" sh "${missing[@]}" >"$log" 2>&1 </dev/null; then
        tail -n 25 "$log" >&2
        rm -f "$log"
        fail 69 "the packages could not be installed: ${missing[*]}" "the end of what apt-get said is above"
    fi
    rm -f "$log"
}

# Run by root with the packages as arguments. The lists are fetched anew only where the installation fails without. The
# packages' services are not started: the broker and the gpsd that these scripts use are their own. Where the machine
# has no word on that yet (policy-rc.d), one is there as long as this runs.
# shellcheck disable=SC2016 # The shell that runs it expands it.
apt_script='
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
