#ifndef SIMULATED_DISK_H
#define SIMULATED_DISK_H

#include <stdint.h>

/* A disk in memory, with a VFS of SQLite over it. It keeps a log of everything that changes a file or a name. From the log it makes the
   disks that a power cut could have left. It can also fail any operation.

   The model, stricter than any one file system:
   - What was written, and the size of a file, survive from the moment that the file is synchronized.
   - Before that, each sector of 512 bytes is as it was after any of the writes since then: none, some, all; so is the size.
     Bytes outside of what is written never change ("powersafe overwrite" in SQLite's words, which its Unix VFS assumes, too).
   - Names that are made, changed and removed survive from the moment that their folder is synchronized. Before that, any of them may be lost.
   - After a failed synchronization, the system forgets that there is something to write: a later one does not repeat it.

   Every disk has a VFS of its own, so that several do not see each other. Every function may be called from any thread. */
typedef struct sim_disk sim_disk;

/* Operations, as bits. */
enum {
    SIM_OPEN = 1 << 0,
    SIM_READ = 1 << 1,
    SIM_WRITE = 1 << 2,
    SIM_TRUNCATE = 1 << 3,
    SIM_SYNC = 1 << 4,
    SIM_CREATE = 1 << 5,
    SIM_REMOVE = 1 << 6,
    SIM_RENAME = 1 << 7,
    SIM_MAKE_FOLDER = 1 << 8,
    SIM_SYNC_FOLDER = 1 << 9,
    /* A write that makes a file larger, or a new name: what a full disk refuses. Beside the bit of the operation itself. */
    SIM_GROW = 1 << 10
};

/* What a power cut does to what was not synchronized. */
typedef enum {
    /* Nothing is lost: a killed process. */
    SIM_LOSE_NOTHING,
    /* Everything is lost. */
    SIM_LOSE_ALL,
    /* Everything after one moment is lost. */
    SIM_LOSE_TAIL,
    /* Of every file everything after a moment of its own is lost. */
    SIM_LOSE_TAILS,
    /* Every sector and every name has its own fate. */
    SIM_LOSE_SECTORS,
    /* A sixteenth of the sectors and names is lost. */
    SIM_LOSE_FEW,
    /* All but a sixteenth of the sectors and names is lost. */
    SIM_LOSE_MOST
} sim_loss;

/* Operations that fail. */
typedef struct {
    /* The operations that are counted; 0 for no fault. */
    uint32_t kinds;
    /* How many of them are done before one fails. */
    int64_t after;
    /* How many fail then. */
    int64_t count;
    /* What they fail with, an errno. */
    int32_t error;
    /* Whether a write is done by half before it fails. */
    int32_t is_half_done;
    /* Whether a synchronization does nothing and says that it is done, in place of failing: a disk that lies. */
    int32_t is_hidden;
} sim_fault;

/* An empty disk with the folder "/". NULL where there is no memory. */
sim_disk *sim_disk_create(void);
/* Gives a disk back. It stays until its last file is closed. */
void sim_disk_release(sim_disk *disk);
/* The name of its VFS. */
const char *sim_disk_vfs(const sim_disk *disk);

/* Everything here returns 0, or an errno. */
int sim_disk_status(sim_disk *disk, const char *path, int64_t *size, uint64_t *node);
/* The name of an entry of a folder, by its position; ENOENT behind the last one. */
int sim_disk_entry(sim_disk *disk, const char *folder, int position, char *name, int64_t capacity);
int sim_disk_make_folder(sim_disk *disk, const char *path);
int sim_disk_make_file(sim_disk *disk, const char *path);
int sim_disk_read(sim_disk *disk, const char *path, void *bytes, int64_t capacity, int64_t *count);
int sim_disk_write(sim_disk *disk, const char *path, const void *bytes, int64_t count, int64_t offset);
int sim_disk_truncate(sim_disk *disk, const char *path, int64_t size);
int sim_disk_sync(sim_disk *disk, const char *path);
int sim_disk_rename(sim_disk *disk, const char *path, const char *other);
int sim_disk_remove(sim_disk *disk, const char *path);
/* Changes what the disk itself has, at once: a fault of the medium. Bytes behind the end are ignored. */
int sim_disk_damage(sim_disk *disk, const char *path, const void *bytes, int64_t count, int64_t offset);

/* Sets which operations fail from now on, in place of those that did. */
void sim_disk_set_fault(sim_disk *disk, sim_fault fault);
/* How many operations were done, or failed, since the fault was set, of those that it counts. */
int64_t sim_disk_counted(sim_disk *disk);

/* How many operations the log has: where a power cut may come, with 0. */
int64_t sim_disk_log_count(sim_disk *disk);
/* A line about an operation of the log. */
void sim_disk_describe(sim_disk *disk, int64_t position, char *line, int64_t capacity);
/* A new disk, as a power cut leaves this one after so many operations of its log. NULL where there is no memory. */
sim_disk *sim_disk_after_cut(sim_disk *disk, int64_t position, sim_loss loss, uint64_t seed);

#endif
