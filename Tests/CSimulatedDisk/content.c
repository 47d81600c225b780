#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disk.h"

int sim_content_reserve(sim_content *content, int64_t size) {
    if (size <= content->capacity) return 0;
    int64_t capacity = content->capacity * 2 > size ? content->capacity * 2 : size;
    unsigned char *bytes = realloc(content->bytes, (size_t)capacity);
    if (bytes == NULL) return ENOMEM;
    content->bytes = bytes;
    content->capacity = capacity;
    return 0;
}

int sim_content_resize(sim_content *content, int64_t size) {
    int error = sim_content_reserve(content, size);
    if (error != 0) return error;
    if (size > content->size) memset(content->bytes + content->size, 0, (size_t)(size - content->size));
    content->size = size;
    return 0;
}

int sim_content_write(sim_content *content, const void *bytes, int64_t count, int64_t offset) {
    if (count == 0) return 0;
    if (offset + count > content->size) {
        int error = sim_content_resize(content, offset + count);
        if (error != 0) return error;
    }
    memcpy(content->bytes + offset, bytes, (size_t)count);
    return 0;
}

int sim_content_copy(sim_content *content, const sim_content *other) {
    int error = sim_content_resize(content, 0);
    return error != 0 ? error : sim_content_write(content, other->bytes, other->size, 0);
}

int sim_names_find(const sim_names *names, const char *path) {
    for (int index = 0; index < names->count; index++) {
        if (strcmp(names->items[index].path, path) == 0) return names->items[index].node;
    }
    return -1;
}

int sim_names_set(sim_names *names, const char *path, int node) {
    for (int index = 0; index < names->count; index++) {
        if (strcmp(names->items[index].path, path) != 0) continue;
        names->items[index].node = node;
        return 0;
    }
    if (names->count == names->capacity) {
        int capacity = names->capacity * 2 + 8;
        sim_name *items = realloc(names->items, (size_t)capacity * sizeof(sim_name));
        if (items == NULL) return ENOMEM;
        names->items = items;
        names->capacity = capacity;
    }
    char *copy = strdup(path);
    if (copy == NULL) return ENOMEM;
    names->items[names->count++] = (sim_name){copy, node};
    return 0;
}

void sim_names_unset(sim_names *names, const char *path) {
    for (int index = 0; index < names->count; index++) {
        if (strcmp(names->items[index].path, path) != 0) continue;
        free(names->items[index].path);
        names->items[index] = names->items[--names->count];
        return;
    }
}

void sim_names_free(sim_names *names) {
    for (int index = 0; index < names->count; index++) free(names->items[index].path);
    free(names->items);
    *names = (sim_names){NULL, 0, 0};
}

size_t sim_parent_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path);
}
