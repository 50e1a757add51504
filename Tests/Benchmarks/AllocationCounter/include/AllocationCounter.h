#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// Starts to count, from zero and in every thread, the calls that allocate memory.
void allocation_counter_start(void);

/// Stops counting and returns the count; -1 where the C library gives no way to count.
long allocation_counter_stop(void);

/// The bytes of heap that are in use, the allocator's overhead included; -1 where the C library doesn't tell.
long allocation_counter_bytes_in_use(void);

/// Gives the heap's unused memory back to the system, where the C library can.
void allocation_counter_trim(void);

#endif
