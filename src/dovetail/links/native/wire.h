// Common parts of both ends of a link: SipHash, clock, layout of a datagram, real-time scheduling.
#pragma once

#include <cstdint>
#include <cstring>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "datagrams are written in memory order");

namespace dovetail {

constexpr int kMaxValues = 128, kHeader = 48, kTag = 16;
constexpr int kMaxBytes = kHeader + 8 * kMaxValues + kTag;
constexpr uint8_t kVersion = 2, kCommand = 1, kMeasurement = 2;

enum State { kReady = 0, kActive = 1, kHold = 2, kSafe = 3 };
enum Rejection { kNone, kLength, kMagic, kOtherVersion, kKind, kSession, kWrongTag, kSequence, kRejections };

// SipHash-2-4 with 128-bit output.
inline uint64_t Rotated(uint64_t x, int b) { return x << b | x >> (64 - b); }

inline void Round(uint64_t v[4]) {
  v[0] += v[1]; v[1] = Rotated(v[1], 13) ^ v[0]; v[0] = Rotated(v[0], 32);
  v[2] += v[3]; v[3] = Rotated(v[3], 16) ^ v[2];
  v[0] += v[3]; v[3] = Rotated(v[3], 21) ^ v[0];
  v[2] += v[1]; v[1] = Rotated(v[1], 17) ^ v[2]; v[2] = Rotated(v[2], 32);
}

inline void SipHash(const uint8_t key[16], const uint8_t* message, size_t length, uint8_t tag[16]) {
  uint64_t k[2], word;
  memcpy(k, key, 16);
  uint64_t v[4] = {k[0] ^ 0x736f6d6570736575, k[1] ^ 0x646f72616e646f6d ^ 0xee, k[0] ^ 0x6c7967656e657261,
                   k[1] ^ 0x7465646279746573};
  for (size_t i = 0; i + 8 <= length; i += 8) {
    memcpy(&word, message + i, 8);
    v[3] ^= word; Round(v); Round(v); v[0] ^= word;
  }
  word = 0;
  memcpy(&word, message + length / 8 * 8, length % 8);
  word |= static_cast<uint64_t>(length & 0xff) << 56;
  v[3] ^= word; Round(v); Round(v); v[0] ^= word;
  v[2] ^= 0xee;
  for (int i = 0; i < 4; i++) Round(v);
  word = v[0] ^ v[1] ^ v[2] ^ v[3];
  memcpy(tag, &word, 8);
  v[1] ^= 0xdd;
  for (int i = 0; i < 4; i++) Round(v);
  word = v[0] ^ v[1] ^ v[2] ^ v[3];
  memcpy(tag + 8, &word, 8);
}

constexpr clockid_t kClock = CLOCK_BOOTTIME;  // does not stand still while the machine is suspended

inline int64_t SystemTime() {
  timespec t;
  clock_gettime(kClock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

template <typename T>
void Put(uint8_t* data, int offset, T value) { memcpy(data + offset, &value, sizeof value); }

template <typename T>
T Get(const uint8_t* data, int offset) {
  T value;
  memcpy(&value, data + offset, sizeof value);
  return value;
}

// One direction of one session; mirrored in `dovetail.links.native.library`.
struct Direction {
  uint64_t session;
  int64_t keyed;
  uint8_t key[16];

  // Write header, values and tag of a datagram; return its length.
  int Pack(uint8_t* data, uint8_t kind, int state, uint64_t sequence, uint64_t clock, uint64_t echo, uint32_t flags,
           const double* values, int64_t count) const {
    const uint8_t start[8] = {'D', 'V', 'T', 'L', kVersion, kind, static_cast<uint8_t>(state), 0};
    int body = kHeader + 8 * static_cast<int>(count);
    memcpy(data, start, sizeof start);
    Put<uint64_t>(data, 8, session);
    Put<uint64_t>(data, 16, sequence);
    Put<uint64_t>(data, 24, clock);
    Put<uint64_t>(data, 32, echo);
    Put<uint32_t>(data, 40, flags);
    Put<uint32_t>(data, 44, static_cast<uint32_t>(count));
    memcpy(data + kHeader, values, 8 * count);
    memset(data + body, 0, kTag);
    if (keyed) SipHash(key, data, body, data + body);
    return body + kTag;
  }

  // Return the reason to drop a datagram; its sequence number must be above `newest` and at most `last`.
  int Reject(const uint8_t* data, int64_t length, uint8_t kind, int64_t count, uint64_t newest, uint64_t last) const {
    int body = kHeader + 8 * static_cast<int>(count);
    if (length != body + kTag) return kLength;
    if (memcmp(data, "DVTL", 4)) return kMagic;
    if (data[4] != kVersion) return kOtherVersion;
    if (Get<uint32_t>(data, 44) != count) return kLength;
    if (data[5] != kind || data[6] > kSafe || data[7] != 0) return kKind;
    if (Get<uint64_t>(data, 8) != session) return kSession;
    uint8_t tag[kTag] = {}, differ = 0;
    if (keyed) SipHash(key, data, body, tag);
    for (int i = 0; i < kTag; i++) differ |= tag[i] ^ data[body + i];
    if (differ) return kWrongTag;
    uint64_t sequence = Get<uint64_t>(data, 16);
    return sequence <= newest || sequence > last ? kSequence : kNone;
  }
};

// Real-time scheduling for the threads that execute ticks, if permitted; refusals are recorded. It is one thread if the
// work of the program is in one function; a larger program may distribute its calls over several threads of its pool.
// Mirrored in `dovetail.links.native.library`.
struct Scheduling {
  static constexpr int kMaxThreads = 16;
  int64_t fifo, lock, core;                    // requested: priority (0 no), locked memory, core (-1 any)
  int64_t fifo_error, lock_error, core_error;  // errno; 0 granted; -1 not requested
  int64_t count, threads[kMaxThreads];        // prepared threads

  void Prepare() {
    int64_t self = static_cast<int64_t>(pthread_self());
    for (int64_t i = 0; i < count; i++)
      if (threads[i] == self) return;
    if (count == kMaxThreads) return;
    threads[count++] = self;
    if (fifo > 0) fifo_error = Policy(self, SCHED_FIFO, static_cast<int>(fifo));
    // for the complete process, and slow: once
    if (lock && count == 1) lock_error = mlockall(MCL_CURRENT) ? errno : 0;
    if (core >= 0) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(static_cast<int>(core), &set);
      core_error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    }
  }

  void Release() {
    for (int64_t i = 0; i < count && fifo_error == 0; i++) Policy(threads[i], SCHED_OTHER, 0);
    if (lock_error == 0) munlockall();
    count = 0;
  }

  static int Policy(int64_t thread, int policy, int priority) {
    sched_param p = {};
    p.sched_priority = priority;
    return pthread_setschedparam(static_cast<pthread_t>(thread), policy, &p);
  }
};

}  // namespace dovetail
