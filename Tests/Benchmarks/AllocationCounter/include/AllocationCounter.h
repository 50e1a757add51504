#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// Starts to count allocations in all threads, from zero.
void allocation_counter_start(void);

/// Stops counting and returns the count, or -1 if the C library isn't glibc.
long allocation_counter_stop(void);

/// Returns the bytes of heap in use, including the allocator's overhead, or -1 without glibc 2.33 or later.
long allocation_counter_bytes_in_use(void);

/// Returns the heap's unused memory to the system. Does nothing without glibc.
void allocation_counter_trim(void);

#endif
