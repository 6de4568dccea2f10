// Session of a rig: follow the commands with its own clock, answer, enter the safe state.
//
// The rules are those of `dovetail.links.session`, which documents them; the tests run both. The compiled program of a
// served rig calls `DovetailSession` with the reading of its last tick and gets the command of the next one; in between
// the rig sleeps and answers. It does not allocate memory, take a lock or call the interpreter.

#include <cmath>
#include <cstdint>
#include <cstring>

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "wire.h"
#include "xla/ffi/api/ffi.h"

using namespace dovetail;

namespace {

enum Flag { kLinkTimeout = 2, kDisplacement = 4, kForce = 8, kNotFinite = 16, kRequested = 1, kLate = 128 };
constexpr double kRestTime = 0.4;           // [s] duration of the path to rest
constexpr int64_t kPollInterval = 50'000'000;  // [ns] interval of the check for the end of the session

}  // namespace

// Mirrored field by field in `dovetail.links.native.library`.
struct Session {
  // settings
  int64_t socket, axes, count, tick, link_timeout;
  int64_t position_at, force_at;            // positions of the measured displacements and forces in a reading
  Direction wire;
  double displacement_limit[kMaxValues], force_limit[kMaxValues];  // by axis
  Scheduling scheduling;
  volatile int64_t ending, requested;       // set from outside: end of the session; reasons to enter the safe state
  // state
  int64_t started, epoch, tick_count, due, last_command_time, state, flags, rest_tick;
  uint64_t newest;
  double command[kMaxValues], rest_command[kMaxValues], reading[kMaxValues], first_reading[kMaxValues];
  double largest_distance;                  // [m] from the first measured displacement
  int64_t rejected[kRejections];
  // command without answer
  int64_t pending, asked_at, stepping;
  uint64_t asked_sequence, asked_clock;
  sockaddr_storage asker;
  int64_t asker_size;
};

namespace {

// Enter a state at rest; the path begins at the command unless the rig is on it already.
void ReturnToRest(Session* s, int64_t state) {
  if (s->state == kActive || s->state == kHold) {
    s->rest_tick = s->tick_count;
    memcpy(s->rest_command, s->command, sizeof s->command);
  }
  s->state = state;
}

void GoSafe(Session* s, int64_t reason) {
  ReturnToRest(s, kSafe);
  s->flags |= reason;
}

bool AllFinite(const double* values, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (!std::isfinite(values[i])) return false;
  return true;
}

// As `dovetail.testing.limit_monitor.exceeds`; a test compares both.
bool Exceeds(const double* values, int64_t count, const double* limit) {
  for (int64_t i = 0; i < count; i++)
    if (std::abs(values[i]) > limit[i]) return true;
  return false;
}

void FollowRequest(Session* s, int state, const double* values, int64_t now) {
  if (s->state == kSafe) return;
  if (state == kSafe) return GoSafe(s, kRequested);
  if (state == kHold && s->state == kActive) s->state = kHold;
  if (state == kReady) ReturnToRest(s, kReady);  // end of the run
  if (state != kActive) return;
  if (!AllFinite(values, s->axes)) return GoSafe(s, kNotFinite);
  if (Exceeds(values, s->axes, s->displacement_limit)) return GoSafe(s, kDisplacement);
  s->state = kActive;
  memcpy(s->command, values, 8 * s->axes);
  if (!s->started) {
    s->started = 1;
    s->epoch = now - s->tick;  // the tick of this command ends now
  }
}

// Ticks that are due by the clock of the rig; a rig that is too late skips ticks.
void Advance(Session* s, int64_t now) {
  if (!s->started) return;
  int64_t passed = now - s->epoch + s->tick / 2;
  int64_t due = passed < 0 ? -((s->tick - 1 - passed) / s->tick) : passed / s->tick;
  if (due - s->tick_count > s->link_timeout) {
    GoSafe(s, kLate);
    s->epoch += (due - s->tick_count - s->link_timeout) * s->tick;
    due = s->tick_count + s->link_timeout;
  }
  s->due = due;
}

}  // namespace

extern "C" {

int64_t dovetail_session_size() { return sizeof(Session); }

// Process a datagram received at `now` [ns]; return the reason if it is dropped, or 0.
int64_t dovetail_session_receive(Session* s, const uint8_t* data, int64_t length, int64_t now) {
  int reason = s->wire.Reject(data, length, kCommand, s->axes, s->newest, UINT64_MAX);
  if (reason) {
    s->rejected[reason]++;
    return reason;
  }
  double values[kMaxValues];
  memcpy(values, data + kHeader, 8 * s->axes);
  s->newest = s->asked_sequence = Get<uint64_t>(data, 16);
  s->asked_clock = Get<uint64_t>(data, 24);
  s->asked_at = s->last_command_time = now;
  s->pending = 1;
  if (s->requested) GoSafe(s, s->requested);
  FollowRequest(s, data[6], values, now);
  Advance(s, now);
  return kNone;
}

// Process the time until `now` [ns] without a datagram.
void dovetail_session_wait(Session* s, int64_t now) {
  if (s->requested) GoSafe(s, s->requested);
  if ((s->state == kActive || s->state == kHold) && now - s->last_command_time > s->link_timeout * s->tick) GoSafe(s, kLinkTimeout);
  Advance(s, now - s->tick);  // a command is on time until half a tick after its tick
}

// The command of the next tick that is due; 0 if there is none.
int64_t dovetail_session_next(Session* s, double* command) {
  if (s->tick_count >= s->due) return 0;
  s->tick_count++;
  bool follows = s->state == kActive || s->state == kHold;
  double share = 1.0;
  if (!follows) {  // minimum-jerk path to rest
    double r = std::fmin((s->tick_count - s->rest_tick) * s->tick * 1e-9 / kRestTime, 1.0);
    share = 1 - r * r * r * (10 - 15 * r + 6 * r * r);
  }
  const double* from = follows ? s->command : s->rest_command;
  for (int64_t i = 0; i < s->axes; i++) command[i] = share * from[i];
  return 1;
}

// Store the reading at the end of this tick, and check the limits of the rig.
void dovetail_session_took(Session* s, const double* reading) {
  memcpy(s->reading, reading, 8 * s->count);
  for (int64_t i = s->position_at; i < s->position_at + s->axes; i++)
    s->largest_distance = std::fmax(s->largest_distance, std::abs(reading[i] - s->first_reading[i]));
  if (!AllFinite(reading, s->count)) GoSafe(s, kNotFinite);
  if (Exceeds(reading + s->position_at, s->axes, s->displacement_limit)) GoSafe(s, kDisplacement);
  if (Exceeds(reading + s->force_at, s->axes, s->force_limit)) GoSafe(s, kForce);
}

// Write the answer to the last command; return its length.
int64_t dovetail_session_answer(Session* s, uint8_t* data) {
  s->pending = 0;
  return s->wire.Pack(data, kMeasurement, static_cast<int>(s->state), s->asked_sequence, s->asked_at, s->asked_clock,
                      static_cast<uint32_t>(s->flags), s->reading, s->count);
}

}  // extern "C"

namespace ffi = xla::ffi;

// `reading` belongs to the last command (not used in the first call); `go` is 0 at the end of the session.
static ffi::Error Serve(ffi::Buffer<ffi::S64> handle, ffi::Buffer<ffi::F64> reading,
                        ffi::Result<ffi::Buffer<ffi::F64>> command, ffi::Result<ffi::Buffer<ffi::S64>> go) {
  Session* s = reinterpret_cast<Session*>(handle.typed_data()[0]);
  if (static_cast<int64_t>(reading.element_count()) != s->count ||
      static_cast<int64_t>(command->element_count()) != s->axes)
    return ffi::Error::InvalidArgument("the session was opened for other signals");
  s->scheduling.Prepare();
  if (s->stepping) dovetail_session_took(s, reading.typed_data());
  s->stepping = 0;
  while (!s->ending) {
    if (dovetail_session_next(s, command->typed_data())) {
      s->stepping = 1;
      go->typed_data()[0] = 1;
      return ffi::Error::Success();
    }
    uint8_t data[kMaxBytes + 1];
    if (s->pending) {  // receiver full or lost: detected by the link timeout
      int64_t length = dovetail_session_answer(s, data);
      sendto(static_cast<int>(s->socket), data, length, MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<sockaddr*>(&s->asker), static_cast<socklen_t>(s->asker_size));
    }
    sockaddr_storage peer;
    socklen_t size = sizeof peer;
    int64_t length = recvfrom(static_cast<int>(s->socket), data, sizeof data, MSG_DONTWAIT,
                              reinterpret_cast<sockaddr*>(&peer), &size);
    int64_t now = SystemTime();
    if (length >= 0) {
      if (dovetail_session_receive(s, data, length, now) == kNone) {
        s->asker = peer;
        s->asker_size = size;
      }
      continue;
    }
    dovetail_session_wait(s, now);
    if (s->tick_count < s->due) continue;
    int64_t left = kPollInterval;
    if (s->started) {  // until the time limit of the next command; see `wait`
      int64_t wake = s->epoch + (2 * s->tick_count + 3) * s->tick / 2 - now;
      left = wake < left ? (wake > 0 ? wake : 0) : left;
    }
    timespec t = {left / 1000000000LL, left % 1000000000LL};
    pollfd one = {static_cast<int>(s->socket), POLLIN, 0};
    ppoll(&one, 1, &t, nullptr);
  }
  s->scheduling.Release();
  memset(command->typed_data(), 0, 8 * s->axes);
  go->typed_data()[0] = 0;
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(DovetailSession, Serve,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Arg<ffi::Buffer<ffi::F64>>()
                                  .Ret<ffi::Buffer<ffi::F64>>()
                                  .Ret<ffi::Buffer<ffi::S64>>());
