#include <spawn.h>

// spawn.h declares this only with _GNU_SOURCE, which Swift's module of the C library does not have. glibc 2.34 or later.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
