#ifndef DISK_H
#define DISK_H

#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

#include "simulated_disk.h"

#define SIM_SECTOR 512

/* Bytes that grow. */
typedef struct {
    unsigned char *bytes;
    int64_t size;
    int64_t capacity;
} sim_content;

struct sim_file;

/* A file, whatever its name. */
typedef struct {
    sim_content content;
    /* What the disk had of it before the first operation of the log. */
    sim_content base;
    int is_folder;
    /* SQLite's locks. */
    int shared_count;
    struct sim_file *reserved_by;
    int is_exclusive;
} sim_node;

typedef struct {
    char *path;
    int node;
} sim_name;

typedef struct {
    sim_name *items;
    int count;
    int capacity;
} sim_names;

typedef enum {
    SIM_ENTRY_WRITE,
    SIM_ENTRY_TRUNCATE,
    SIM_ENTRY_SYNC,
    SIM_ENTRY_SYNC_FAILED,
    SIM_ENTRY_CREATE,
    SIM_ENTRY_REMOVE,
    SIM_ENTRY_RENAME,
    SIM_ENTRY_SYNC_FOLDER,
    SIM_ENTRY_DAMAGE
} sim_entry_kind;

/* An operation of the log. */
typedef struct {
    sim_entry_kind kind;
    int node;
    /* Where bytes are written; the new size of a file. */
    int64_t offset;
    int64_t count;
    unsigned char *bytes;
    char *path;
    char *other;
} sim_entry;

struct sim_disk {
    pthread_mutex_t mutex;
    sqlite3_vfs vfs;
    char vfs_name[32];
    sim_node **nodes;
    int node_count;
    int node_capacity;
    sim_names names;
    /* The names before the first operation of the log. */
    sim_names base_names;
    sim_entry *log;
    int64_t log_count;
    int64_t log_capacity;
    sim_fault fault;
    int64_t counted;
    int last_error;
    int open_count;
    int is_released;
};

/* Memory; NULL only where the system has none left. */
int sim_content_reserve(sim_content *content, int64_t size);
int sim_content_write(sim_content *content, const void *bytes, int64_t count, int64_t offset);
int sim_content_resize(sim_content *content, int64_t size);
int sim_content_copy(sim_content *content, const sim_content *other);

int sim_names_find(const sim_names *names, const char *path);
int sim_names_set(sim_names *names, const char *path, int node);
void sim_names_unset(sim_names *names, const char *path);
void sim_names_free(sim_names *names);

/* The length of the folder's path that a path is in; 0 for the root. */
size_t sim_parent_length(const char *path);

sim_disk *sim_disk_allocate(void);
int sim_add_node(sim_disk *disk, int is_folder);
void sim_free_if_unused(sim_disk *disk);

/* The following expect that the disk is locked. */

/* The errno that an operation is to fail with; 0 for none. */
int sim_failure(sim_disk *disk, uint32_t kinds);
int sim_create(sim_disk *disk, const char *path, int is_folder, int *node);
int sim_write_node(sim_disk *disk, int node, const void *bytes, int64_t count, int64_t offset);
int sim_truncate_node(sim_disk *disk, int node, int64_t size);
int sim_sync_node(sim_disk *disk, int node);
int sim_sync_parent(sim_disk *disk, const char *path);
int sim_remove_name(sim_disk *disk, const char *path);

/* Fills in the VFS of a disk and registers it. */
int sim_register_vfs(sim_disk *disk);

#endif
