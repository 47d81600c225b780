# Builds programs with Debian's own Swift in a root of its own, for this machine or for arm64. Sourced by bash, after
# common.sh and shipped.sh.
# shellcheck shell=bash disable=SC2016,SC2154
#
# The root is Debian sid for this machine with the package swiftlang. For arm64 a second folder has the headers and the
# libraries of Debian 12 for arm64, and from sid the Swift libraries for arm64. Both are made once and kept in $roots.

# The folder of the roots, outside the repository.
roots=$cache_folder

# The packages of the root beside the compiler: what builds and runs the tests of the sources.
root_packages=(swiftlang git ca-certificates pkg-config libmosquitto-dev libsqlite3-dev zlib1g-dev libexpat1-dev)
# The packages of arm64: headers and libraries to build, and the broker with its clients for the tarball.
target_packages=(libc6-dev libgcc-12-dev libstdc++-12-dev linux-libc-dev libmosquitto-dev libsqlite3-dev zlib1g-dev
    libexpat1-dev mosquitto mosquitto-clients)

# listed_cross KEY: a value of swift.cross in deploy/debian/parts.json.
listed_cross() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["swift"]["cross"][sys.argv[2]])' \
        "$(dirname "${BASH_SOURCE[0]}")/../debian/parts.json" "$1"
}

# lock_roots: two scripts beside each other must not make the same root. The lock ends with the script.
lock_roots() {
    mkdir -p "$roots"
    [[ -n ${roots_lock-} ]] || exec {roots_lock}>"$roots/lock"
    flock "$roots_lock"
}

# make_compiler_root: $compiler_root is the root with the compiler of the listed version. $mirror can be an archive of
# Debian that still has it.
make_compiler_root() {
    local wanted version
    ((EUID == 0)) || fail 77 "only root can make a separate root; run this as root"
    install_packages python3
    wanted=$(listed_cross package_version)
    compiler_root=$roots/swift-$wanted
    [[ ! -e $compiler_root ]] || return 0
    lock_roots
    [[ ! -e $compiler_root ]] || return 0
    say "Downloading Debian's Swift $wanted …"
    download_root "$compiler_root.new" sid --variant=minbase --include="$(IFS=, && echo "${root_packages[*]}")"
    version=$(dpkg-query --admindir="$compiler_root.new/var/lib/dpkg" -W -f '${Version}' swiftlang)
    # "+b1" is the same source, compiled once more by Debian.
    if [[ ${version%+b*} != "$wanted" ]]; then
        rm -rf --one-file-system "$compiler_root.new"
        fail 69 "Debian sid has swiftlang $version; deploy/debian/parts.json lists $wanted" \
            "give an archive that has it with --mirror, such as a snapshot of Debian," \
            "or list the newer version in parts.json"
    fi
    # An unfinished root has another name.
    mv "$compiler_root.new" "$compiler_root"
}

# add_test_library FOLDER: Debian's package has the module _Testing_Foundation without its library, and the compiler links it
# to each test that imports Foundation. No test uses it, so an empty one is enough: a name that is missing would still stop
# the link.
add_test_library() {
    local library=$1/linux/lib_Testing_Foundation
    [[ -e $library.so || -e $library.a ]] || printf '!<arch>\n' >"$library.a"
}

# make_test_root: $compiler_root is a copy of the root with the compiler, with the programs that the tests start.
#
make_test_root() {
    local wanted=("${broker_packages[@]}" "${limits_packages[@]}" "${test_packages[@]}" python3 tzdata-legacy) recipe plain
    make_compiler_root
    plain=$compiler_root
    recipe=$(printf '%s ' "${wanted[@]}" | cksum)
    compiler_root=$plain-tests-${recipe%% *}
    [[ ! -e $compiler_root ]] || return 0
    lock_roots
    [[ ! -e $compiler_root ]] || return 0
    say "Installing what the tests start beside Debian's Swift …"
    rm -rf --one-file-system "$compiler_root.new"
    cp -a "$plain" "$compiler_root.new"
    # No service starts in a root.
    printf '#!/bin/sh\nexit 101\n' >"$compiler_root.new/usr/sbin/policy-rc.d"
    chmod 755 "$compiler_root.new/usr/sbin/policy-rc.d"
    (compiler_root=$compiler_root.new && in_compiler_root sh -ec '
        apt-get -q -o Acquire::Check-Valid-Until=false update
        apt-get -y -q --no-install-recommends install "$@"' sh "${wanted[@]}") >"$roots/log" 2>&1 ||
        fail 69 "cannot install the programs of the tests: $(tail -n 5 "$roots/log")"
    add_test_library "$compiler_root.new/usr/libexec/swift/lib/swift"
    mv "$compiler_root.new" "$compiler_root"
}

# make_target [tests]: $target is the folder with what programs for arm64 are compiled and linked with. The library of
# Swift's tests is none for Debian 12, so for tests the folder has the libraries of sid. They also run there.
make_target() {
    local recipe link archive suite=bookworm wanted=("${target_packages[@]}") swift=(swiftlang) gcc
    if [[ ${1-} == tests ]]; then
        suite=sid
        for gcc in "$compiler_root"/usr/lib/gcc/*/*/; do gcc=$(basename "$gcc"); done
        wanted=("${target_packages[@]//-12-dev/-$gcc-dev}" libpq5 libcurl4 libssl3 libc-bin python3 tzdata tzdata-legacy)
        # The programs of the packages contain Swift's libraries; tests need the shared ones.
        swift+=(libswiftlang)
    fi
    recipe=$(printf '%s ' "${wanted[@]}" "${swift[@]}" "$(listed_cross package_version)" | cksum)
    target=$roots/arm64-${recipe%% *}
    [[ ! -e $target ]] || return 0
    lock_roots
    [[ ! -e $target ]] || return 0
    say "Downloading the libraries of Debian ($suite) for arm64 …"
    download_root "$target.new" "$suite" --variant=extract --architectures=arm64 --skip=cleanup/apt/cache \
        --include="$(IFS=, && echo "${wanted[*]}")"
    # The package of each file and its version: here nothing is installed, so dpkg does not know them.
    for archive in "$target.new"/var/cache/apt/archives/*.deb; do
        dpkg-deb --show --showformat '${Package} ${Version}\n' "$archive" >>"$target.new/packages"
        dpkg-deb --fsys-tarfile "$archive" | tar -t | sed -n "s|^\./\(.*[^/]\)\$|$(dpkg-deb --field "$archive" Package) /\1|p" \
            >>"$target.new/files"
    done
    rm -rf "$target.new/var/cache/apt"
    # In sid this link is made by a program, and nothing runs here.
    [[ -e $target.new/lib ]] || ln -s usr/lib "$target.new/lib"
    # Absolute links would lead to the libraries of this machine.
    find "$target.new" -type l -lname '/*' -printf '%P %l\n' | while read -r link archive; do
        ln -sfn --relative "$target.new$archive" "$target.new/$link"
    done
    in_compiler_root sh -ec '
        dpkg --add-architecture arm64
        apt-get -q update
        folder=$1 listed=$2
        shift 2
        cd "$folder"
        for package in "$@"; do
            apt-get -q download "$package:arm64"
            version=$(dpkg-deb --field "$package"_*.deb Version)
            [ "${version%+b*}" = "$listed" ] || { echo "$package for arm64 is $version, listed is $listed"; exit 1; }
            echo "$package $version" >>packages
            dpkg-deb --fsys-tarfile "$package"_*.deb | tar -x --exclude "./usr/libexec/swift/lib/lib*" ./usr/libexec/swift/lib
            rm "$package"_*.deb
        done
        cp -a usr/libexec/swift/lib/* usr/lib/
        rm -rf usr/libexec' sh "$target.new" "$(listed_cross package_version)" "${swift[@]}" >"$roots/log" 2>&1 ||
        fail 69 "cannot download Swift for arm64: $(tail -n 5 "$roots/log")"
    add_test_library "$target.new/usr/lib/swift"
    mv "$target.new" "$target"
}

# in_compiler_root COMMAND…: runs a command in the root of the compiler. It sees the project's folder as /source, $roots at
# its own place, and what git of this machine reads instead of the network.
in_compiler_root() {
    ODOGRAPH_ROOT=$compiler_root ODOGRAPH_SOURCE=$root ODOGRAPH_ROOTS=$roots unshare --mount --pid --fork --kill-child \
        bash -euc '
        place=$ODOGRAPH_ROOT
        mount -t proc proc "$place/proc"
        mount --rbind /dev "$place/dev"
        mount -t tmpfs tmp "$place/tmp"
        bind() { mkdir -p "$place$2"; mount --bind "$1" "$place$2"; }
        bind "$ODOGRAPH_SOURCE" /source
        bind "$ODOGRAPH_ROOTS" "$ODOGRAPH_ROOTS"
        for folder in $(git config --system --get-regexp "^url\..*\.insteadof$" | sed -n "s|^url\.\(/.*\)\.insteadof .*|\1|p" | sort -u); do
            bind "$folder" "$folder"
        done
        for file in /etc/gitconfig /etc/resolv.conf /etc/hosts; do
            [[ ! -e $file ]] || cp "$file" "$place$file"
        done
        exec chroot "$place" /usr/bin/env -i HOME=/root PATH=/usr/libexec/swift/bin:/usr/bin:/bin:/usr/sbin:/sbin \
            LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory "GIT_CONFIG_VALUE_0=*" ${ODOGRAPH_BUILD:+ODOGRAPH_BUILD="$ODOGRAPH_BUILD"} "$@"' bash "$@"
}

# prepare_cross: writes the description of $target for SwiftPM, and compiles the functions that Debian 12's C library lacks.
prepare_cross() {
    cross=$roots/cross-${target##*/}
    local tools=/usr/libexec/swift/bin bundle=$cross/sdks/odograph-arm64.artifactbundle name
    mkdir -p "$bundle/arm64" "$cross/pkgconfig"
    cat >"$bundle/info.json" <<JSON
{ "schemaVersion": "1.0", "artifacts": { "odograph-arm64": {
  "type": "swiftSDK", "version": "1", "variants": [ { "path": "arm64" } ] } } }
JSON
    cat >"$bundle/arm64/swift-sdk.json" <<JSON
{ "schemaVersion": "4.0", "targetTriples": { "aarch64-unknown-linux-gnu": {
  "sdkRootPath": "$target", "swiftResourcesPath": "$target/usr/lib/swift",
  "swiftStaticResourcesPath": "$target/usr/lib/swift_static", "toolsetPaths": [ "toolset.json" ] } } }
JSON
    cat >"$bundle/arm64/toolset.json" <<JSON
{ "schemaVersion": "1.0", "rootPath": "$tools", "swiftCompiler": { "extraCLIOptions": [
  "-use-ld=lld", "-tools-directory", "$tools", "-Xclang-linker", "--sysroot=$target" ] } }
JSON
    # Without these the linker gets the folder of this machine's libraries.
    for name in sqlite3 zlib expat; do
        sed "s|/usr|$target/usr|g" "$target/usr/lib/aarch64-linux-gnu/pkgconfig/$name.pc" >"$cross/pkgconfig/$name.pc"
    done
    in_compiler_root "$tools/clang" --target=aarch64-unknown-linux-gnu --sysroot="$target" -O2 -fPIC \
        -c /source/deploy/lib/older-glibc.c -o "$cross/older-glibc.o"
}

# swift_cross FOLDER ARGUMENT…: runs "swift build" for arm64, after prepare_cross. The folder is that of what is built.
swift_cross() {
    in_compiler_root swift build --package-path /source --scratch-path "$1" --pkg-config-path "$cross/pkgconfig" \
        --swift-sdks-path "$cross/sdks" --swift-sdk odograph-arm64 "${@:2}"
}

# build_cross PROGRAM: builds a program for arm64, for its package. $shipped is its path; it is not stripped yet.
build_cross() {
    make_compiler_root
    make_target
    prepare_cross
    swift_cross /source/.build-package-arm64 -c release --static-swift-stdlib --disable-local-rpath --product "$1" \
        "${smaller[@]}" -Xlinker "$cross/older-glibc.o" -Xlinker --strip-debug -Xlinker -T -Xlinker /source/deploy/lib/reproducible.ld
    # shellcheck disable=SC2034 # The caller uses it.
    shipped=$root/.build-package-arm64/aarch64-unknown-linux-gnu/release/$1
}
