#pragma once

/* Blocks that this thread has asked the allocator for so far: malloc, calloc, realloc, and aligned ones. */
long odograph_allocations(void);
