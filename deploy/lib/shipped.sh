# How the agent that ships is built. Sourced by bash, after `set -euo pipefail`.

# Compiled for size, and linked by lld without what the program does not need: relative relocations take a fraction of the
# space when packed (glibc reads them since 2.36, which Debian 12 has), and no other program looks up its functions.
# Relocations are resolved at the start and are read-only then. All of these are documented options of the compiler and of
# the linker: the package is allowed to be as large as they make it (deploy/debian/build holds the limits).
smaller=(-Xswiftc -Osize -Xswiftc -use-ld=lld
    -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now)

# The same sources make the same program in every folder: what says the folder is left out before the linker counts what
# identifies the build.
reproducible=(-Xlinker --strip-debug -Xlinker -T -Xlinker "$(dirname "${BASH_SOURCE[0]}")/reproducible.ld")

# build_shipped ROOT: builds the agent as it ships, with Swift's libraries in it. $shipped is where it is, not stripped yet.
build_shipped() {
    swift build --package-path "$1" --scratch-path "$1/.build-package" -c release --static-swift-stdlib --disable-local-rpath \
        --product odograph "${smaller[@]}" "${reproducible[@]}"
    shipped=$1/.build-package/release/odograph
}
