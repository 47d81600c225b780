#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "disk.h"

/* The VFS over a disk. It does what SQLite's Unix VFS does, as far as the store uses it: no shared memory, since the store takes the
   database for itself; no mapped memory; the folder of a new log is synchronized with the log. */
typedef struct sim_file {
    sqlite3_file base;
    sim_disk *disk;
    int node;
    int lock;
    int is_folder_unsynced;
    int is_log_persistent;
    int is_deleted_on_close;
    char *path;
} sim_file;

static void lock_disk(sim_file *file) { pthread_mutex_lock(&file->disk->mutex); }
static void unlock_disk(sim_file *file) { pthread_mutex_unlock(&file->disk->mutex); }
static sim_node *node_of(sim_file *file) { return file->disk->nodes[file->node]; }

static void release_lock(sim_file *file, int level) {
    sim_node *node = node_of(file);
    if (file->lock > SQLITE_LOCK_SHARED && node->reserved_by == file) {
        node->reserved_by = NULL;
        node->is_exclusive = 0;
    }
    if (file->lock >= SQLITE_LOCK_SHARED && level == SQLITE_LOCK_NONE) node->shared_count--;
    file->lock = level;
}

static int file_lock(sqlite3_file *base, int level) {
    sim_file *file = (sim_file *)base;
    sim_node *node = node_of(file);
    int code = SQLITE_OK;
    lock_disk(file);
    if (file->lock < SQLITE_LOCK_SHARED) {
        if (node->is_exclusive) {
            code = SQLITE_BUSY;
        } else {
            node->shared_count++;
            file->lock = SQLITE_LOCK_SHARED;
        }
    }
    if (code == SQLITE_OK && level > SQLITE_LOCK_SHARED && file->lock < level) {
        if (node->reserved_by != NULL && node->reserved_by != file) {
            code = SQLITE_BUSY;
        } else {
            node->reserved_by = file;
            file->lock = level == SQLITE_LOCK_RESERVED ? level : SQLITE_LOCK_PENDING;
            if (level == SQLITE_LOCK_EXCLUSIVE) {
                // Nobody new gets in; those that are in have to leave.
                node->is_exclusive = 1;
                if (node->shared_count > 1) code = SQLITE_BUSY;
                else file->lock = SQLITE_LOCK_EXCLUSIVE;
            }
        }
    }
    unlock_disk(file);
    return code;
}

static int file_unlock(sqlite3_file *base, int level) {
    sim_file *file = (sim_file *)base;
    lock_disk(file);
    if (level < file->lock) release_lock(file, level);
    unlock_disk(file);
    return SQLITE_OK;
}

static int file_check_reserved(sqlite3_file *base, int *result) {
    sim_file *file = (sim_file *)base;
    lock_disk(file);
    *result = node_of(file)->reserved_by != NULL;
    unlock_disk(file);
    return SQLITE_OK;
}

static int file_close(sqlite3_file *base) {
    sim_file *file = (sim_file *)base;
    sim_disk *disk = file->disk;
    lock_disk(file);
    release_lock(file, SQLITE_LOCK_NONE);
    if (file->is_deleted_on_close && sim_names_find(&disk->names, file->path) == file->node) {
        sim_remove_name(disk, file->path);
    }
    free(file->path);
    disk->open_count--;
    sim_free_if_unused(disk);
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    sim_file *file = (sim_file *)base;
    lock_disk(file);
    int error = sim_failure(file->disk, SIM_READ);
    sim_content *content = &node_of(file)->content;
    int is_short = error != 0 && file->disk->fault.is_half_done;
    int64_t available = (error != 0 && !is_short) || offset >= content->size ? 0 : content->size - offset;
    int64_t wanted = is_short ? count / 2 : count;
    int64_t done = available < wanted ? available : wanted;
    if (done > 0) memcpy(bytes, content->bytes + offset, (size_t)done);
    unlock_disk(file);
    if (error != 0 && !is_short) return SQLITE_IOERR_READ;
    memset((char *)bytes + done, 0, (size_t)(count - done));
    return done == count ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    sim_file *file = (sim_file *)base;
    lock_disk(file);
    int error = sim_write_node(file->disk, file->node, bytes, count, offset);
    unlock_disk(file);
    return error == 0 ? SQLITE_OK : error == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    sim_file *file = (sim_file *)base;
    lock_disk(file);
    int error = sim_truncate_node(file->disk, file->node, size);
    unlock_disk(file);
    return error == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static int file_sync(sqlite3_file *base, int flags) {
    (void)flags;
    sim_file *file = (sim_file *)base;
    lock_disk(file);
    int error = sim_sync_node(file->disk, file->node);
    // The Unix VFS does not mind when the folder cannot be synchronized.
    if (error == 0 && file->is_folder_unsynced && sim_sync_parent(file->disk, file->path) == 0) {
        file->is_folder_unsynced = 0;
    }
    unlock_disk(file);
    return error == 0 ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    sim_file *file = (sim_file *)base;
    lock_disk(file);
    *size = node_of(file)->content.size;
    unlock_disk(file);
    return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    sim_file *file = (sim_file *)base;
    switch (operation) {
        case SQLITE_FCNTL_PERSIST_WAL:
            if (*(int *)argument < 0) *(int *)argument = file->is_log_persistent;
            else file->is_log_persistent = *(int *)argument;
            return SQLITE_OK;
        case SQLITE_FCNTL_HAS_MOVED:
            lock_disk(file);
            *(int *)argument = sim_names_find(&file->disk->names, file->path) != file->node;
            unlock_disk(file);
            return SQLITE_OK;
        case SQLITE_FCNTL_LOCKSTATE: *(int *)argument = file->lock; return SQLITE_OK;
        default: return SQLITE_NOTFOUND;
    }
}

static int file_sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int file_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

static int open_node(sim_disk *disk, const char *path, int flags, int *node) {
    *node = sim_names_find(&disk->names, path);
    if (*node >= 0) return disk->nodes[*node]->is_folder ? EISDIR : sim_failure(disk, SIM_OPEN);
    char *folder = strndup(path, sim_parent_length(path));
    int parent = folder == NULL ? -1 : sim_names_find(&disk->names, folder);
    free(folder);
    if (parent < 0 || (flags & SQLITE_OPEN_CREATE) == 0) return ENOENT;
    int error = sim_failure(disk, SIM_OPEN);
    return error != 0 ? error : sim_create(disk, path, 0, node);
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *flags_out) {
    sim_disk *disk = vfs->pAppData;
    sim_file *file = (sim_file *)base;
    memset(file, 0, sizeof(*file));
    char own_name[32];
    pthread_mutex_lock(&disk->mutex);
    if (name == NULL) {
        snprintf(own_name, sizeof(own_name), "/temporary-%d", disk->node_count);
        name = own_name;
    }
    int node = -1;
    int error = open_node(disk, name, flags, &node);
    char *path = error == 0 ? strdup(name) : NULL;
    if (path == NULL) {
        disk->last_error = error;
        pthread_mutex_unlock(&disk->mutex);
        return error == 0 ? SQLITE_NOMEM : SQLITE_CANTOPEN;
    }
    int journal = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
    file->base.pMethods = &methods;
    file->disk = disk;
    file->node = node;
    file->path = path;
    file->is_folder_unsynced = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & journal) != 0;
    file->is_deleted_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    disk->open_count++;
    pthread_mutex_unlock(&disk->mutex);
    if (flags_out != NULL) *flags_out = flags;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int is_folder_synced) {
    sim_disk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    int error = sim_remove_name(disk, name);
    int sync_error = error == 0 && is_folder_synced ? sim_sync_parent(disk, name) : 0;
    pthread_mutex_unlock(&disk->mutex);
    if (error == ENOENT) return SQLITE_IOERR_DELETE_NOENT;
    return error != 0 ? SQLITE_IOERR_DELETE : sync_error != 0 ? SQLITE_IOERR_DIR_FSYNC : SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    sim_disk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    int node = sim_names_find(&disk->names, name);
    // To the Unix VFS an empty file does not exist.
    *result = node >= 0
        && (flags != SQLITE_ACCESS_EXISTS || disk->nodes[node]->is_folder || disk->nodes[node]->content.size > 0);
    pthread_mutex_unlock(&disk->mutex);
    return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int capacity, char *path) {
    (void)vfs;
    return snprintf(path, (size_t)capacity, "%s", name) < capacity ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    memset(bytes, 0, (size_t)count);
    return count;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    usleep((useconds_t)microseconds);
    return microseconds;
}

static int vfs_time(sqlite3_vfs *vfs, double *days) {
    (void)vfs;
    *days = 2440587.5 + (double)time(NULL) / 86400;
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *text) {
    (void)count, (void)text;
    sim_disk *disk = vfs->pAppData;
    pthread_mutex_lock(&disk->mutex);
    int error = disk->last_error;
    pthread_mutex_unlock(&disk->mutex);
    return error;
}

int sim_register_vfs(sim_disk *disk) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static long long number = 0;
    pthread_mutex_lock(&mutex);
    long long own_number = ++number;
    pthread_mutex_unlock(&mutex);
    snprintf(disk->vfs_name, sizeof(disk->vfs_name), "disk-%lld", own_number);
    disk->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = sizeof(sim_file),
        .mxPathname = 512,
        .zName = disk->vfs_name,
        .pAppData = disk,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
    };
    return sqlite3_vfs_register(&disk->vfs, 0);
}
