#include "disk.h"

#include <stdlib.h>
#include <string.h>

/* Plays the log again, and keeps apart what the disk has and what only the system's memory has. */
typedef struct {
    const sim_disk *disk;
    sim_loss loss;
    uint64_t seed;
    /* Where the power goes, and the moment that SIM_LOSE_TAIL goes back to. */
    int64_t end;
    int64_t moment;
    sim_content *contents;
    /* For every file the first operation of the log that is not synchronized. */
    int64_t *synced_through;
    sim_names names;
    /* Operations on names that are not synchronized. */
    int64_t *pending_names;
    int64_t pending_name_count;
    int is_out_of_memory;
} sim_cut;

/* SplitMix64's finalizer. */
static uint64_t mixed(uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

static int64_t between(uint64_t random, int64_t first, int64_t last) {
    return last <= first ? first : first + (int64_t)(random % (uint64_t)(last - first + 1));
}

/* The operation of the log from which on nothing of a sector reached the disk. */
static int64_t fate(const sim_cut *cut, int64_t first, int64_t last, uint64_t file, int64_t sector) {
    uint64_t of_file = mixed(cut->seed ^ mixed(file));
    uint64_t random = mixed(of_file ^ mixed((uint64_t)sector));
    int64_t anywhere = between(mixed(random), first, last);
    switch (cut->loss) {
        case SIM_LOSE_NOTHING: return last;
        case SIM_LOSE_ALL: return first;
        case SIM_LOSE_TAIL: return cut->moment;
        case SIM_LOSE_TAILS: return between(of_file, first, last);
        case SIM_LOSE_SECTORS: return random % 3 == 0 ? first : random % 3 == 1 ? last : anywhere;
        case SIM_LOSE_FEW: return random % 16 != 0 ? last : anywhere;
        case SIM_LOSE_MOST: return random % 16 != 0 ? first : anywhere;
    }
    return last;
}

static void apply_write(sim_content *content, const sim_entry *entry, int64_t start, int64_t end) {
    if (entry->kind != SIM_ENTRY_TRUNCATE) {
        int64_t from = start > entry->offset ? start : entry->offset;
        int64_t to = end < entry->offset + entry->count ? end : entry->offset + entry->count;
        if (from < to) memcpy(content->bytes + from, entry->bytes + (from - entry->offset), (size_t)(to - from));
    } else {
        int64_t from = start > entry->offset ? start : entry->offset;
        if (from < end) memset(content->bytes + from, 0, (size_t)(end - from));
    }
}

static int changes_content(const sim_entry *entry, int node) {
    return entry->node == node
        && (entry->kind == SIM_ENTRY_WRITE || entry->kind == SIM_ENTRY_TRUNCATE || entry->kind == SIM_ENTRY_DAMAGE);
}

/* Brings a file's unsynchronized changes to the disk: all, or as its sectors' fates are. */
static void settle(sim_cut *cut, int node, int64_t last, int is_synced) {
    sim_content *content = &cut->contents[node];
    int64_t first = cut->synced_through[node];
    cut->synced_through[node] = last;
    int64_t size = content->size, highest = content->size;
    int is_changed = 0;
    int64_t size_fate = is_synced ? last : fate(cut, first, last, (uint64_t)node, -1);
    for (int64_t index = first; index < last; index++) {
        const sim_entry *entry = &cut->disk->log[index];
        if (!changes_content(entry, node)) continue;
        is_changed = 1;
        int64_t after = entry->offset + entry->count;
        if (index < size_fate) size = entry->kind != SIM_ENTRY_TRUNCATE && size > after ? size : after;
        if (after > highest) highest = after;
    }
    if (!is_changed) return;
    if (sim_content_resize(content, highest) != 0) {
        cut->is_out_of_memory = 1;
        return;
    }
    for (int64_t index = first; index < last; index++) {
        const sim_entry *entry = &cut->disk->log[index];
        if (!changes_content(entry, node)) continue;
        int64_t end = entry->kind != SIM_ENTRY_TRUNCATE ? entry->offset + entry->count : highest;
        if (is_synced) {
            apply_write(content, entry, entry->offset, end);
            continue;
        }
        for (int64_t sector = entry->offset / SIM_SECTOR; sector * SIM_SECTOR < end; sector++) {
            if (index >= fate(cut, first, last, (uint64_t)node, sector)) continue;
            int64_t stop = (sector + 1) * SIM_SECTOR;
            apply_write(content, entry, sector * SIM_SECTOR, stop < end ? stop : end);
        }
    }
    sim_content_resize(content, size);
}

static void apply_name(sim_cut *cut, const sim_entry *entry) {
    int error = 0;
    if (entry->kind == SIM_ENTRY_CREATE) {
        error = sim_names_set(&cut->names, entry->path, entry->node);
    } else {
        if (sim_names_find(&cut->names, entry->path) == entry->node) sim_names_unset(&cut->names, entry->path);
        if (entry->kind == SIM_ENTRY_RENAME) error = sim_names_set(&cut->names, entry->other, entry->node);
    }
    if (error != 0) cut->is_out_of_memory = 1;
}

static int is_in(const char *path, const char *folder) {
    size_t length = sim_parent_length(path);
    return strlen(folder) == length && strncmp(path, folder, length) == 0;
}

static void sync_names(sim_cut *cut, const char *folder) {
    int64_t kept = 0;
    for (int64_t index = 0; index < cut->pending_name_count; index++) {
        const sim_entry *entry = &cut->disk->log[cut->pending_names[index]];
        if (is_in(entry->path, folder)) {
            apply_name(cut, entry);
        } else {
            cut->pending_names[kept++] = cut->pending_names[index];
        }
    }
    cut->pending_name_count = kept;
}

static void play(sim_cut *cut) {
    const sim_disk *disk = cut->disk;
    for (int64_t index = 0; index < cut->end; index++) {
        const sim_entry *entry = &disk->log[index];
        switch (entry->kind) {
            case SIM_ENTRY_WRITE:
            case SIM_ENTRY_TRUNCATE: break;
            case SIM_ENTRY_SYNC: settle(cut, entry->node, index, 1); break;
            case SIM_ENTRY_SYNC_FAILED: settle(cut, entry->node, index, 0); break;
            case SIM_ENTRY_CREATE:
            case SIM_ENTRY_REMOVE:
            case SIM_ENTRY_RENAME: cut->pending_names[cut->pending_name_count++] = index; break;
            case SIM_ENTRY_SYNC_FOLDER: sync_names(cut, entry->path); break;
            case SIM_ENTRY_DAMAGE:
                if (entry->offset + entry->count <= cut->contents[entry->node].size) {
                    sim_content_write(&cut->contents[entry->node], entry->bytes, entry->count, entry->offset);
                }
                break;
        }
    }
}

/* The first operation of the log that is not synchronized, of any file and any name. */
static int64_t first_pending(const sim_cut *cut) {
    int64_t first = cut->pending_name_count > 0 ? cut->pending_names[0] : cut->end;
    for (int64_t index = first - 1; index >= 0; index--) {
        const sim_entry *entry = &cut->disk->log[index];
        int is_change = entry->kind == SIM_ENTRY_WRITE || entry->kind == SIM_ENTRY_TRUNCATE;
        if (is_change && index >= cut->synced_through[entry->node]) first = index;
    }
    return first;
}

static void lose(sim_cut *cut) {
    cut->moment = between(mixed(cut->seed), first_pending(cut), cut->end);
    for (int node = 0; node < cut->disk->node_count; node++) settle(cut, node, cut->end, 0);
    int64_t first = cut->pending_name_count > 0 ? cut->pending_names[0] : cut->end;
    for (int64_t position = 0; position < cut->pending_name_count; position++) {
        int64_t index = cut->pending_names[position];
        // Names have a fate of their own each, as if they were sectors of one file.
        if (index < fate(cut, first, cut->end, UINT64_MAX, index)) apply_name(cut, &cut->disk->log[index]);
    }
}

/* Whether all folders above a path have survived. */
static int is_reachable(const sim_names *names, const char *path) {
    char *folder = strdup(path);
    int is_whole = folder != NULL;
    for (size_t length = strlen(path); is_whole && length > 0;) {
        length = sim_parent_length(folder);
        folder[length] = 0;
        is_whole = sim_names_find(names, folder) >= 0;
    }
    free(folder);
    return is_whole;
}

static sim_disk *remains(sim_cut *cut) {
    sim_disk *disk = sim_disk_allocate();
    for (int index = 0; disk != NULL && index < cut->names.count; index++) {
        const sim_name *name = &cut->names.items[index];
        if (!is_reachable(&cut->names, name->path)) continue;
        int node = sim_add_node(disk, cut->disk->nodes[name->node]->is_folder);
        if (node < 0 || sim_content_copy(&disk->nodes[node]->base, &cut->contents[name->node]) != 0
            || sim_content_copy(&disk->nodes[node]->content, &cut->contents[name->node]) != 0
            || sim_names_set(&disk->names, name->path, node) != 0
            || sim_names_set(&disk->base_names, name->path, node) != 0) {
            sim_disk_release(disk);
            disk = NULL;
        }
    }
    return disk;
}

sim_disk *sim_disk_after_cut(sim_disk *disk, int64_t position, sim_loss loss, uint64_t seed) {
    pthread_mutex_lock(&disk->mutex);
    int64_t end = position < disk->log_count ? position : disk->log_count;
    size_t nodes = (size_t)disk->node_count + 1;
    sim_cut cut = {.disk = disk, .loss = loss, .seed = seed, .end = end};
    cut.contents = calloc(nodes, sizeof(sim_content));
    cut.synced_through = calloc(nodes, sizeof(int64_t));
    cut.pending_names = calloc((size_t)end + 1, sizeof(int64_t));
    sim_disk *result = NULL;
    if (cut.contents != NULL && cut.synced_through != NULL && cut.pending_names != NULL) {
        for (int node = 0; node < disk->node_count; node++) {
            if (sim_content_copy(&cut.contents[node], &disk->nodes[node]->base) != 0) cut.is_out_of_memory = 1;
        }
        for (int index = 0; index < disk->base_names.count; index++) {
            const sim_name *name = &disk->base_names.items[index];
            if (sim_names_set(&cut.names, name->path, name->node) != 0) cut.is_out_of_memory = 1;
        }
        play(&cut);
        lose(&cut);
        if (!cut.is_out_of_memory) result = remains(&cut);
    }
    pthread_mutex_unlock(&disk->mutex);
    for (size_t node = 0; cut.contents != NULL && node < nodes; node++) free(cut.contents[node].bytes);
    free(cut.contents);
    free(cut.synced_through);
    free(cut.pending_names);
    sim_names_free(&cut.names);
    return result;
}
