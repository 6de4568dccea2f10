// The rig's side of a session: follow the commands, keep its own time, answer, go to its safe state.
//
// The rules are those of `dovetail.links.session`, which says what each is for; the tests run both. The compiled
// program of a served rig calls `DovetailSession` with the reading of the tick it took last and gets the command of
// the next one; in between the rig sleeps and answers. Nothing is allocated, no lock taken, no interpreter called.

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

enum Flag { kSilent = 2, kDisplacement = 4, kForce = 8, kNotFinite = 16, kTold = 1, kLate = 128 };
constexpr double kRestTime = 0.5;           // [s] in which a rig moves to rest in its safe state
constexpr int64_t kLook = 50'000'000;       // [ns] between two looks at whether the session has ended

}  // namespace

// Mirrored field by field in `dovetail.links.native.library`.
struct Session {
  // settings
  int64_t socket, axes, count, tick, silence;
  int64_t position_at, force_at;            // where the measured displacements and forces begin in a reading
  Direction wire;
  double displacement_limit[kMostValues], force_limit[kMostValues];  // by axis
  Scheduling scheduling;
  volatile int64_t ending;                  // set from outside when the session is over
  // state
  int64_t started, epoch, done, due, heard, state, flags, safe_tick;
  uint64_t newest;
  double command[kMostValues], safe_command[kMostValues], reading[kMostValues];
  int64_t rejected[kRejections];
  // the command that is not answered yet
  int64_t pending, asked_at, stepping;
  uint64_t asked_sequence, asked_clock;
  sockaddr_storage asker;
  int64_t asker_size;
};

namespace {

void GoSafe(Session* s, int64_t why) {
  if (s->state != kSafe) {
    s->state = kSafe;
    s->safe_tick = s->done;
    memcpy(s->safe_command, s->command, sizeof s->command);
  }
  s->flags |= why;
}

bool AllFinite(const double* values, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (!std::isfinite(values[i])) return false;
  return true;
}

// As `dovetail.testing.limit_monitor.beyond`; the tests hold one against the other.
bool Beyond(const double* values, int64_t count, const double* limit) {
  for (int64_t i = 0; i < count; i++)
    if (std::abs(values[i]) > limit[i]) return true;
  return false;
}

void Obey(Session* s, int state, const double* values, int64_t now) {
  if (s->state == kSafe) return;
  if (state == kSafe) return GoSafe(s, kTold);
  if (state == kHold && s->state == kActive) s->state = kHold;
  if (state == kReady) s->state = kReady;  // the loop has led the rig to rest and takes its leave
  if (state != kActive) return;
  if (!AllFinite(values, s->axes)) return GoSafe(s, kNotFinite);
  if (Beyond(values, s->axes, s->displacement_limit)) return GoSafe(s, kDisplacement);
  s->state = kActive;
  memcpy(s->command, values, 8 * s->axes);
  if (!s->started) {
    s->started = 1;
    s->epoch = now - s->tick;  // the tick that leads to this command ends now
  }
}

// Ticks that the rig's own clock says are due; one that is far behind does not catch up.
void Advance(Session* s, int64_t now) {
  if (!s->started) return;
  int64_t passed = now - s->epoch + s->tick / 2;
  int64_t due = passed < 0 ? -((s->tick - 1 - passed) / s->tick) : passed / s->tick;
  if (due - s->done > s->silence) {
    GoSafe(s, kLate);
    s->epoch += (due - s->done - s->silence) * s->tick;
    due = s->done + s->silence;
  }
  s->due = due;
}

}  // namespace

extern "C" {

int64_t dovetail_session_size() { return sizeof(Session); }

void dovetail_session_safe(Session* s, int64_t why) { GoSafe(s, why); }

// Take a datagram that came at `now` [ns]; why it was dropped, or 0.
int64_t dovetail_session_receive(Session* s, const uint8_t* data, int64_t length, int64_t now) {
  int reason = s->wire.Judge(data, length, kCommand, s->axes, s->newest, UINT64_MAX);
  if (reason) {
    s->rejected[reason]++;
    return reason;
  }
  double values[kMostValues];
  memcpy(values, data + kHeader, 8 * s->axes);
  s->newest = s->asked_sequence = Get<uint64_t>(data, 16);
  s->asked_clock = Get<uint64_t>(data, 24);
  s->asked_at = s->heard = now;
  s->pending = 1;
  Obey(s, data[6], values, now);
  Advance(s, now);
  return kNone;
}

// Time has passed until `now` [ns] with no word from the loop.
void dovetail_session_wait(Session* s, int64_t now) {
  if ((s->state == kActive || s->state == kHold) && now - s->heard > s->silence * s->tick) GoSafe(s, kSilent);
  Advance(s, now - s->tick);  // a command is on time until half a tick after its tick
}

// The command of the next tick that is due; 0 if there is none.
int64_t dovetail_session_next(Session* s, double* command) {
  if (s->done >= s->due) return 0;
  s->done++;
  double share = 1.0;
  if (s->state == kSafe) {  // the least jerk from there to rest
    double r = std::fmin((s->done - s->safe_tick) * s->tick * 1e-9 / kRestTime, 1.0);
    share = 1 - r * r * r * (10 - 15 * r + 6 * r * r);
  }
  const double* from = s->state == kSafe ? s->safe_command : s->command;
  for (int64_t i = 0; i < s->axes; i++) command[i] = share * from[i];
  return 1;
}

// The reading at the end of that tick, and the rig's own limits on it.
void dovetail_session_took(Session* s, const double* reading) {
  memcpy(s->reading, reading, 8 * s->count);
  if (!AllFinite(reading, s->count)) GoSafe(s, kNotFinite);
  if (Beyond(reading + s->position_at, s->axes, s->displacement_limit)) GoSafe(s, kDisplacement);
  if (Beyond(reading + s->force_at, s->axes, s->force_limit)) GoSafe(s, kForce);
}

// The answer to the command that waits for one; its length.
int64_t dovetail_session_answer(Session* s, uint8_t* data) {
  s->pending = 0;
  return s->wire.Pack(data, kMeasurement, static_cast<int>(s->state), s->asked_sequence, s->asked_at, s->asked_clock,
                      static_cast<uint32_t>(s->flags), s->reading, s->count);
}

}  // extern "C"

namespace ffi = xla::ffi;

// `reading` is that of the command given last (unread in the first call); `go` is 0 once the session is over.
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
    uint8_t data[kMostBytes + 1];
    if (s->pending) {  // a full or vanished receiver: its silence is noticed elsewhere
      int64_t length = dovetail_session_answer(s, data);
      sendto(static_cast<int>(s->socket), data, length, MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<sockaddr*>(&s->asker), static_cast<socklen_t>(s->asker_size));
    }
    sockaddr_storage peer;
    socklen_t size = sizeof peer;
    int64_t length = recvfrom(static_cast<int>(s->socket), data, sizeof data, MSG_DONTWAIT,
                              reinterpret_cast<sockaddr*>(&peer), &size);
    int64_t now = Monotonic();
    if (length >= 0) {
      if (dovetail_session_receive(s, data, length, now) == kNone) {
        s->asker = peer;
        s->asker_size = size;
      }
      continue;
    }
    dovetail_session_wait(s, now);
    if (s->done < s->due) continue;
    int64_t left = kLook;
    if (s->started) {  // until the tick after this one is given up; see `wait`
      int64_t wake = s->epoch + (2 * s->done + 3) * s->tick / 2 - now;
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
