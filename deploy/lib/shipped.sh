# How the agent that ships is built. Sourced by bash, after `set -euo pipefail`.

# More than a tenth of the program is what the linker leaves in it unasked: relocations one by one, names of functions that
# nobody looks up, functions that are the same, and the table by which an exception of C++ would find its way up the
# stack: nothing throws one. (Debuggers go by .eh_frame, which is there.) Functions that are the same become one also where
# nothing says that their addresses are never compared, as nothing says of Swift's: none here are. What is relocated is
# found before the program begins, and read-only then. Optimised for size, 668 kB less, it analyzes 122,000 fixes
# a second where it were 145,000 for speed.
#
# The compiler gives the linker each function by itself, since it keeps or folds whole pieces only, and a source file's
# functions are one piece otherwise: another twentieth. It makes each anew, since a build after a change of these options
# would else keep what was made without them.
smaller=(-Xswiftc -Osize -Xswiftc -Xfrontend -Xswiftc -function-sections
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen -Xswiftc -use-ld=lld
    -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic
    -Xlinker --icf=all -Xlinker --no-eh-frame-hdr -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now)

# Swift's pool of threads has a clock that looks once a second whether one of its workers waits for a disk or a network,
# to put another beside it. Nothing in the agent waits there, and a parked vehicle need not be woken for it: a worker that
# would sign in for that signs out, which does nothing to one who is not there.
quiet=(-Xlinker --wrap=_dispatch_workq_worker_register
    -Xlinker --defsym=__wrap__dispatch_workq_worker_register=_dispatch_workq_worker_unregister)

# The same sources make the same program in every folder: what says the folder is left out before the linker counts what
# identifies the build.
reproducible=(-Xlinker --strip-debug -Xlinker -T -Xlinker "$(dirname "${BASH_SOURCE[0]}")/reproducible.ld")

# build_shipped ROOT: builds the agent as it ships, with Swift's libraries in it. $shipped is where it is, not stripped yet.
build_shipped() {
    swift build --package-path "$1" --scratch-path "$1/.build-package" -c release --static-swift-stdlib --disable-local-rpath \
        --product odograph "${smaller[@]}" "${quiet[@]}" "${reproducible[@]}"
    shipped=$1/.build-package/release/odograph
}
