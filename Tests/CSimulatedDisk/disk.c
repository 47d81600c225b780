#include "disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sim_disk *sim_disk_allocate(void) {
    sim_disk *disk = calloc(1, sizeof(sim_disk));
    if (disk == NULL) return NULL;
    pthread_mutex_init(&disk->mutex, NULL);
    if (sim_register_vfs(disk) != SQLITE_OK) {
        free(disk);
        return NULL;
    }
    return disk;
}

sim_disk *sim_disk_create(void) {
    sim_disk *disk = sim_disk_allocate();
    if (disk == NULL) return NULL;
    int root = sim_add_node(disk, 1);
    if (root < 0 || sim_names_set(&disk->names, "", root) != 0 || sim_names_set(&disk->base_names, "", root) != 0) {
        sim_disk_release(disk);
        return NULL;
    }
    return disk;
}

void sim_disk_release(sim_disk *disk) {
    sqlite3_vfs_unregister(&disk->vfs);
    pthread_mutex_lock(&disk->mutex);
    disk->is_released = 1;
    sim_free_if_unused(disk);
}

/* Unlocks the disk, or frees it. */
void sim_free_if_unused(sim_disk *disk) {
    int is_used = !disk->is_released || disk->open_count > 0;
    pthread_mutex_unlock(&disk->mutex);
    if (is_used) return;
    for (int index = 0; index < disk->node_count; index++) {
        free(disk->nodes[index]->content.bytes);
        free(disk->nodes[index]->base.bytes);
        free(disk->nodes[index]);
    }
    free(disk->nodes);
    for (int64_t index = 0; index < disk->log_count; index++) {
        free(disk->log[index].bytes);
        free(disk->log[index].path);
        free(disk->log[index].other);
    }
    free(disk->log);
    sim_names_free(&disk->names);
    sim_names_free(&disk->base_names);
    pthread_mutex_destroy(&disk->mutex);
    free(disk);
}

const char *sim_disk_vfs(const sim_disk *disk) { return disk->vfs_name; }

int sim_add_node(sim_disk *disk, int is_folder) {
    if (disk->node_count == disk->node_capacity) {
        int capacity = disk->node_capacity * 2 + 8;
        sim_node **nodes = realloc(disk->nodes, (size_t)capacity * sizeof(sim_node *));
        if (nodes == NULL) return -1;
        disk->nodes = nodes;
        disk->node_capacity = capacity;
    }
    sim_node *node = calloc(1, sizeof(sim_node));
    if (node == NULL) return -1;
    node->is_folder = is_folder;
    disk->nodes[disk->node_count] = node;
    return disk->node_count++;
}

int sim_failure(sim_disk *disk, uint32_t kinds) {
    if ((disk->fault.kinds & kinds) == 0) return 0;
    int64_t position = disk->counted++ - disk->fault.after;
    if (position < 0 || position >= disk->fault.count) return 0;
    disk->last_error = disk->fault.error;
    return disk->fault.error;
}

static int append(sim_disk *disk, sim_entry entry, const void *bytes, const char *path, const char *other) {
    if (disk->log_count == disk->log_capacity) {
        int64_t capacity = disk->log_capacity * 2 + 64;
        sim_entry *log = realloc(disk->log, (size_t)capacity * sizeof(sim_entry));
        if (log == NULL) return ENOMEM;
        disk->log = log;
        disk->log_capacity = capacity;
    }
    if (bytes != NULL && entry.count > 0) {
        entry.bytes = malloc((size_t)entry.count);
        if (entry.bytes == NULL) return ENOMEM;
        memcpy(entry.bytes, bytes, (size_t)entry.count);
    }
    entry.path = path == NULL ? NULL : strdup(path);
    entry.other = other == NULL ? NULL : strdup(other);
    disk->log[disk->log_count++] = entry;
    return 0;
}

int sim_create(sim_disk *disk, const char *path, int is_folder, int *node) {
    int error = sim_failure(disk, (is_folder ? SIM_MAKE_FOLDER : SIM_CREATE) | SIM_GROW);
    if (error != 0) return error;
    *node = sim_add_node(disk, is_folder);
    if (*node < 0) return ENOMEM;
    error = sim_names_set(&disk->names, path, *node);
    return error != 0 ? error : append(disk, (sim_entry){.kind = SIM_ENTRY_CREATE, .node = *node}, NULL, path, NULL);
}

int sim_write_node(sim_disk *disk, int node, const void *bytes, int64_t count, int64_t offset) {
    sim_content *content = &disk->nodes[node]->content;
    int failure = sim_failure(disk, SIM_WRITE | (offset + count > content->size ? SIM_GROW : 0));
    if (failure != 0) {
        if (!disk->fault.is_half_done || count < 2) return failure;
        count /= 2;
    }
    int error = sim_content_write(content, bytes, count, offset);
    if (error == 0) error = append(disk, (sim_entry){.kind = SIM_ENTRY_WRITE, .node = node, .offset = offset, .count = count}, bytes, NULL, NULL);
    return failure != 0 ? failure : error;
}

int sim_truncate_node(sim_disk *disk, int node, int64_t size) {
    int error = sim_failure(disk, SIM_TRUNCATE);
    if (error == 0) error = sim_content_resize(&disk->nodes[node]->content, size);
    return error != 0 ? error : append(disk, (sim_entry){.kind = SIM_ENTRY_TRUNCATE, .node = node, .offset = size}, NULL, NULL, NULL);
}

int sim_sync_node(sim_disk *disk, int node) {
    int failure = sim_failure(disk, SIM_SYNC);
    if (failure != 0 && disk->fault.is_hidden) return 0;
    sim_entry_kind kind = failure == 0 ? SIM_ENTRY_SYNC : SIM_ENTRY_SYNC_FAILED;
    int error = append(disk, (sim_entry){.kind = kind, .node = node}, NULL, NULL, NULL);
    return failure != 0 ? failure : error;
}

static int sync_folder(sim_disk *disk, const char *folder) {
    int error = sim_failure(disk, SIM_SYNC_FOLDER);
    if (error != 0 && disk->fault.is_hidden) return 0;
    return error != 0 ? error : append(disk, (sim_entry){.kind = SIM_ENTRY_SYNC_FOLDER, .node = -1}, NULL, folder, NULL);
}

int sim_sync_parent(sim_disk *disk, const char *path) {
    char *folder = strndup(path, sim_parent_length(path));
    if (folder == NULL) return ENOMEM;
    int error = sync_folder(disk, folder);
    free(folder);
    return error;
}

int sim_remove_name(sim_disk *disk, const char *path) {
    int node = sim_names_find(&disk->names, path);
    if (node < 0) return ENOENT;
    int error = sim_failure(disk, SIM_REMOVE);
    if (error != 0) return error;
    error = append(disk, (sim_entry){.kind = SIM_ENTRY_REMOVE, .node = node}, NULL, path, NULL);
    sim_names_unset(&disk->names, path);
    return error;
}

/* A path without the slash at its end, or NULL. */
static char *copy_path(const char *path) {
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/') length--;
    return strndup(path, length);
}

/* A file that is being changed, which is there and no folder; -1 with an errno. */
static int find_file(sim_disk *disk, const char *path, int *error) {
    int node = sim_names_find(&disk->names, path);
    *error = node < 0 ? ENOENT : disk->nodes[node]->is_folder ? EISDIR : sim_failure(disk, SIM_OPEN);
    return *error == 0 ? node : -1;
}

int sim_disk_status(sim_disk *disk, const char *path, int64_t *size, uint64_t *node) {
    char *name = copy_path(path);
    if (name == NULL) return ENOMEM;
    pthread_mutex_lock(&disk->mutex);
    int found = sim_names_find(&disk->names, name);
    if (found >= 0) {
        *size = disk->nodes[found]->content.size;
        *node = (uint64_t)found + 1;
    }
    pthread_mutex_unlock(&disk->mutex);
    free(name);
    return found >= 0 ? 0 : ENOENT;
}

int sim_disk_entry(sim_disk *disk, const char *folder, int position, char *name, int64_t capacity) {
    char *parent = copy_path(folder);
    if (parent == NULL) return ENOMEM;
    size_t length = strlen(parent);
    int error = ENOENT;
    pthread_mutex_lock(&disk->mutex);
    for (int index = 0; index < disk->names.count && error != 0; index++) {
        const char *path = disk->names.items[index].path;
        if (path[0] == 0 || sim_parent_length(path) != length || strncmp(path, parent, length) != 0) continue;
        if (position-- > 0) continue;
        error = snprintf(name, (size_t)capacity, "%s", path + length + 1) < capacity ? 0 : ENAMETOOLONG;
    }
    pthread_mutex_unlock(&disk->mutex);
    free(parent);
    return error;
}

static int create_at(sim_disk *disk, const char *path, int is_folder) {
    char *folder = strndup(path, sim_parent_length(path));
    if (folder == NULL) return ENOMEM;
    pthread_mutex_lock(&disk->mutex);
    int parent = sim_names_find(&disk->names, folder);
    int error = parent < 0 ? ENOENT : disk->nodes[parent]->is_folder ? 0 : ENOTDIR;
    int node = sim_names_find(&disk->names, path);
    if (error == 0 && node >= 0) {
        error = is_folder ? EEXIST : disk->nodes[node]->is_folder ? EISDIR : 0;
    } else if (error == 0) {
        error = sim_create(disk, path, is_folder, &node);
    }
    pthread_mutex_unlock(&disk->mutex);
    free(folder);
    return error;
}

int sim_disk_make_folder(sim_disk *disk, const char *path) { return create_at(disk, path, 1); }

int sim_disk_make_file(sim_disk *disk, const char *path) { return create_at(disk, path, 0); }

int sim_disk_read(sim_disk *disk, const char *path, void *bytes, int64_t capacity, int64_t *count) {
    int error = 0;
    pthread_mutex_lock(&disk->mutex);
    int node = find_file(disk, path, &error);
    int failure = node >= 0 ? sim_failure(disk, SIM_READ) : 0;
    if (failure != 0 && !disk->fault.is_half_done) error = failure;
    if (error == 0) {
        sim_content *content = &disk->nodes[node]->content;
        *count = content->size < capacity ? content->size : capacity;
        if (failure != 0) *count /= 2;
        if (*count > 0) memcpy(bytes, content->bytes, (size_t)*count);
    }
    pthread_mutex_unlock(&disk->mutex);
    return error;
}

int sim_disk_write(sim_disk *disk, const char *path, const void *bytes, int64_t count, int64_t offset) {
    int error = 0;
    pthread_mutex_lock(&disk->mutex);
    int node = find_file(disk, path, &error);
    if (node >= 0) error = sim_write_node(disk, node, bytes, count, offset);
    pthread_mutex_unlock(&disk->mutex);
    return error;
}

int sim_disk_truncate(sim_disk *disk, const char *path, int64_t size) {
    int error = 0;
    pthread_mutex_lock(&disk->mutex);
    int node = find_file(disk, path, &error);
    if (node >= 0) error = sim_truncate_node(disk, node, size);
    pthread_mutex_unlock(&disk->mutex);
    return error;
}

int sim_disk_sync(sim_disk *disk, const char *path) {
    char *name = copy_path(path);
    if (name == NULL) return ENOMEM;
    pthread_mutex_lock(&disk->mutex);
    int node = sim_names_find(&disk->names, name);
    int error = node < 0 ? ENOENT : disk->nodes[node]->is_folder ? sync_folder(disk, name) : sim_sync_node(disk, node);
    pthread_mutex_unlock(&disk->mutex);
    free(name);
    return error;
}

int sim_disk_rename(sim_disk *disk, const char *path, const char *other) {
    pthread_mutex_lock(&disk->mutex);
    int node = sim_names_find(&disk->names, path);
    int error = node < 0 ? ENOENT : sim_failure(disk, SIM_RENAME);
    if (error == 0) error = append(disk, (sim_entry){.kind = SIM_ENTRY_RENAME, .node = node}, NULL, path, other);
    if (error == 0) error = sim_names_set(&disk->names, other, node);
    if (error == 0) sim_names_unset(&disk->names, path);
    pthread_mutex_unlock(&disk->mutex);
    return error;
}

int sim_disk_remove(sim_disk *disk, const char *path) {
    pthread_mutex_lock(&disk->mutex);
    int error = sim_remove_name(disk, path);
    pthread_mutex_unlock(&disk->mutex);
    return error;
}

int sim_disk_damage(sim_disk *disk, const char *path, const void *bytes, int64_t count, int64_t offset) {
    pthread_mutex_lock(&disk->mutex);
    int node = sim_names_find(&disk->names, path);
    int error = node < 0 ? ENOENT : 0;
    if (error == 0) {
        sim_content *content = &disk->nodes[node]->content;
        if (offset + count > content->size) count = content->size - offset;
        if (count > 0) {
            error = sim_content_write(content, bytes, count, offset);
            if (error == 0) {
                error = append(disk, (sim_entry){.kind = SIM_ENTRY_DAMAGE, .node = node, .offset = offset, .count = count}, bytes, NULL, NULL);
            }
        }
    }
    pthread_mutex_unlock(&disk->mutex);
    return error;
}

void sim_disk_set_fault(sim_disk *disk, sim_fault fault) {
    pthread_mutex_lock(&disk->mutex);
    disk->fault = fault;
    disk->counted = 0;
    pthread_mutex_unlock(&disk->mutex);
}

int64_t sim_disk_counted(sim_disk *disk) {
    pthread_mutex_lock(&disk->mutex);
    int64_t count = disk->counted;
    pthread_mutex_unlock(&disk->mutex);
    return count;
}

int64_t sim_disk_log_count(sim_disk *disk) {
    pthread_mutex_lock(&disk->mutex);
    int64_t count = disk->log_count;
    pthread_mutex_unlock(&disk->mutex);
    return count;
}

void sim_disk_describe(sim_disk *disk, int64_t position, char *line, int64_t capacity) {
    static const char *const names[] = {"write", "resize", "sync", "failed sync", "create", "remove", "rename",
                                        "sync folder", "damage"};
    pthread_mutex_lock(&disk->mutex);
    if (position < 0 || position >= disk->log_count) {
        snprintf(line, (size_t)capacity, "-");
    } else {
        const sim_entry *entry = &disk->log[position];
        snprintf(
            line, (size_t)capacity, "%s file %d %lld+%lld %s %s", names[entry->kind], entry->node,
            (long long)entry->offset, (long long)entry->count, entry->path == NULL ? "" : entry->path,
            entry->other == NULL ? "" : entry->other);
    }
    pthread_mutex_unlock(&disk->mutex);
}
