# Builds a program for its package. Sourced by bash, after `set -euo pipefail`.

# Compiled for size, without debug information, which no package has, and linked by lld. Packed relative relocations need
# less space (glibc supports them since 2.36, the version of Debian 12). The program exports no symbols, because no other
# program needs them. Relocations are resolved at the start and are then read-only. All are documented options of the
# compiler and the linker. deploy/debian/build contains the limits of the package size.
smaller=(-Xswiftc -Osize -debug-info-format none -Xswiftc -use-ld=lld
    -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now)

# The same sources give the same program in every folder: the paths of the folder are removed before the linker computes
# the build identifier.
reproducible=(-Xlinker --strip-debug -Xlinker -T -Xlinker "$(dirname "${BASH_SOURCE[0]}")/reproducible.ld")

# build_shipped ROOT PROGRAM: builds a program for its package, with Swift's libraries linked in. $shipped is its path; it
# is not stripped yet.
build_shipped() {
    swift build --package-path "$1" --scratch-path "$1/.build-package" -c release --static-swift-stdlib --disable-local-rpath \
        --product "$2" "${smaller[@]}" "${reproducible[@]}" || return
    shipped=$1/.build-package/release/$2
}
