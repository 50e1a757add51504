// Makes a process's clocks run faster and its waits end sooner, as if the machine were that many times slower.
// `.ci/slow-machine` preloads this library. FAST_CLOCK is the factor, 4 by default.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { CLOCKS = 8, DESCRIPTORS = 65536 };
static int64_t rate = 4;
/// The real time of each clock at the start of the process in nanoseconds, or 0 for an unchanged clock.
static int64_t start[CLOCKS];
/// The clock of each timer descriptor plus 1, or 0 for other descriptors.
static int8_t timers[DESCRIPTORS];

static int64_t nanoseconds(struct timespec time) { return time.tv_sec * 1000000000LL + time.tv_nsec; }
static struct timespec timespec(int64_t ns) { return (struct timespec){ns / 1000000000LL, ns % 1000000000LL}; }
static int64_t slow_down(int64_t ns) { return ns > 0 ? ns / rate + 1 : ns; }
static int milliseconds(int ms) { return ms > 0 ? (ms + rate - 1) / rate : ms; }

/// Converts a time of the fast clock to real time.
static struct timespec real_moment(clockid_t clock, struct timespec moment) {
    int64_t passed = nanoseconds(moment) - start[clock];
    return timespec(start[clock] + (passed > 0 ? slow_down(passed) : passed));
}

__attribute__((constructor(101))) static void begin(void) {
    const clockid_t fast[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW};
    if (getenv("FAST_CLOCK")) rate = atoll(getenv("FAST_CLOCK"));
    for (int i = 0; i < 4; i++) {
        struct timespec now;
        syscall(SYS_clock_gettime, fast[i], &now);
        start[fast[i]] = nanoseconds(now);
    }
    start[CLOCK_REALTIME_COARSE] = start[CLOCK_REALTIME];
    start[CLOCK_MONOTONIC_COARSE] = start[CLOCK_MONOTONIC];
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock >= 0 && clock < CLOCKS && start[clock])
        *time = timespec(start[clock] + (nanoseconds(*time) - start[clock]) * rate);
    return result;
}

int gettimeofday(struct timeval *time, void *zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *seconds) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds) *seconds = now.tv_sec;
    return now.tv_sec;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int timerfd_create(int clock, int flags) {
    int descriptor = NEXT(timerfd_create)(clock, flags);
    if (descriptor >= 0 && descriptor < DESCRIPTORS) timers[descriptor] = clock + 1;
    return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *new, struct itimerspec *old) {
    struct itimerspec slower = *new;
    clockid_t clock = descriptor >= 0 && descriptor < DESCRIPTORS ? timers[descriptor] - 1 : -1;
    if (clock >= 0 && nanoseconds(new->it_value) > 0)
        slower.it_value = flags & TFD_TIMER_ABSTIME ? real_moment(clock, new->it_value)
                                                   : timespec(slow_down(nanoseconds(new->it_value)));
    slower.it_interval = timespec(slow_down(nanoseconds(new->it_interval)));
    return NEXT(timerfd_settime)(descriptor, flags, &slower, old);
}

int poll(struct pollfd *descriptors, nfds_t count, int ms) {
    return NEXT(poll)(descriptors, count, milliseconds(ms));
}

int epoll_wait(int descriptor, struct epoll_event *events, int count, int ms) {
    return NEXT(epoll_wait)(descriptor, events, count, milliseconds(ms));
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    struct timespec slower = timespec(slow_down(nanoseconds(*time)));
    return NEXT(nanosleep)(&slower, left);
}

int usleep(useconds_t us) { return NEXT(usleep)(us / rate); }

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) {
    struct timespec moment = real_moment(CLOCK_REALTIME, *end);
    return NEXT(pthread_cond_timedwait)(condition, mutex, &moment);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *end) {
    struct timespec moment = real_moment(CLOCK_REALTIME, *end);
    return NEXT(sem_timedwait)(semaphore, &moment);
}
