# Fresh machines for the checks of the packages: minimal Debians in folders. Sourced by bash, after common.sh. The caller
# sets $cache (the folder of the downloads), $work (the folder of the machines) and $suite, and runs in namespaces of
# mounts and processes, so that all of it ends with the caller.
# shellcheck shell=bash disable=SC2154

# The systemctl of these machines, in which no systemd runs.
substitute=$(dirname "${BASH_SOURCE[0]}")/../debian/systemctl

# machine NAME: the folder of a machine.
machine() { echo "$work/$suite-$1"; }

# inside NAME COMMAND…: runs a command as root in a machine.
inside() {
    chroot "$(machine "$1")" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "${@:2}"
}

# make_base: downloads the Debian from which the machines are made. This part needs the network.
make_base() {
    local base=$cache/$suite.tar
    [[ ! -s $base ]] || return 0
    say "Downloading a minimal Debian ($suite) …"
    mkdir -p "$cache"
    download_root "$cache/new.tar" "$suite" --variant=minbase --include=sudo,systemd-sysv,procps
    mv "$cache/new.tar" "$base"
}

# make_machine NAME: makes a new machine with a user that may use sudo, and with a substitute for systemctl.
make_machine() {
    local folder
    folder=$(machine "$1")
    mkdir -p "$folder"
    tar -C "$folder" -xf "$cache/$suite.tar"
    share_archives "$cache/archives-$suite" "$folder/var/cache/apt/archives"
    mount -t proc proc "$folder/proc"
    mount --rbind /dev "$folder/dev"
    mount -t tmpfs tmpfs "$folder/run"
    inside "$1" useradd --create-home --home-dir /srv/you --shell /bin/bash --groups sudo you
    echo 'you ALL=(ALL) NOPASSWD: ALL' >"$folder/etc/sudoers.d/you"
    printf 'APT::Get::Assume-Yes "true";\nAPT::Keep-Downloaded-Packages "true";\n' >"$folder/etc/apt/apt.conf.d/90answers"
    printf '127.0.0.1 localhost broker.example packages.example\n127.0.1.1 %s\n' "$(hostname)" >"$folder/etc/hosts"
    inside "$1" dpkg-divert --quiet --local --rename --add /usr/bin/systemctl
    install -m 755 "$substitute" "$folder/usr/bin/systemctl"
    # The scripts of packages and provision ask for this folder: it says that systemd runs.
    mkdir -p "$folder/run/systemd/system"
}

# share_archives SOURCE TARGET: gives a folder the packages of another one. Each machine has its own folder, because apt locks
# it, and two checks can run beside each other.
share_archives() {
    mkdir -p "$1" "$2"
    find "$1" -maxdepth 1 -name '*.deb' -exec cp --no-clobber --link -t "$2" {} + 2>/dev/null ||
        find "$1" -maxdepth 1 -name '*.deb' -exec cp --no-clobber -t "$2" {} +
}

# download NAME PACKAGE…: fills the cache with packages and their dependencies, because the commands run without a network.
# ./FILE.deb is in the user's folder.
download() {
    local name=$1
    shift
    fetch_packages "$name" "$@"
    share_archives "$(machine "$name")/var/cache/apt/archives" "$cache/archives-$suite"
}

fetch_packages() {
    local name=$1
    shift
    fetch() { inside "$name" sh -c 'cd /srv/you && apt-get install --download-only -qq "$@" >/tmp/said 2>&1' sh "$@"; }
    cp /etc/resolv.conf "$(machine "$name")/etc/resolv.conf" 2>/dev/null || true
    fetch "$@" && return
    inside "$name" apt-get update -qq >/dev/null 2>&1 || fail 69 "the package lists of Debian are not available"
    fetch "$@" || fail 1 "apt-get cannot install $*: $(tail -n 3 "$(machine "$name")/tmp/said")"
}

# within SECONDS COMMAND…: tries a command until it succeeds.
within() {
    local end=$((SECONDS + $1))
    until "${@:2}" >/dev/null 2>&1; do
        ((SECONDS < end)) || return 1
        sleep 0.2
    done
}

# must WHAT COMMAND…: fails if a command fails.
must() {
    "${@:2}" || fail 1 "$suite: $1: no"
    say "  $1: yes"
}

served() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
