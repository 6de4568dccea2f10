// Tick of the loop: sleep until the deadline, send the command, receive the measurement, record the times.
//
// Called once per tick from the compiled loop through the foreign function interface of XLA, or directly. It does not
// allocate memory, take a lock or call the interpreter. `dovetail.links.tick` is the same in Python and documents the
// rules; the tests run both. The layout of a datagram is on the page "The rig protocol".

#include <cmath>
#include <cstdint>
#include <cstring>

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include "wire.h"
#include "xla/ffi/api/ffi.h"

using namespace dovetail;

namespace {

constexpr int kNotes = 8;
constexpr int kMaxReleases = 5;  // largest number of messages about the end of the run, until the rig answers
constexpr int kUnansweredWindow = 10;  // link timeouts over which the fraction of unanswered commands is averaged

enum Overrun { kCount = 0, kHoldTime = 1, kStop = 2 };
enum Quantity { kNoQuantity, kTickLateness, kMeasurementAge, kUnansweredFraction, kVelocity, kAcceleration };

}  // namespace

// Mirrored field by field in `dovetail.links.native.library`.
struct Tick {
  // settings
  int64_t socket, axes, count;         // connected socket; values in a command and in a measurement
  int64_t tick, wait, spin, grace;     // [ns] duration; time limit of an answer; busy waiting; accepted lateness
  int64_t link_timeout, overrun;       // ticks without an answer; reaction to lateness
  Direction wire;
  double unanswered_limit;             // largest fraction of commands without an answer
  double velocity_limit[kMaxValues], acceleration_limit[kMaxValues];  // of the commands, by axis
  int64_t code_not_finite, code_deadline, code_link_lost, code_rig_stopped, code_interrupted, code_velocity,
      code_acceleration;
  Scheduling scheduling;
  int64_t (*now)();                    // clock of a test, or null
  void (*sleep)(int64_t until);
  void (*attend)(int64_t until);
  // set by the operator
  volatile int64_t stop, hold;
  // state
  int64_t started, epoch, tick_count, ended, code, safe;
  uint64_t sequence, newest;
  int64_t rig_state, rig_flags;
  double reading[kMaxValues];
  double unanswered;                   // running mean of the commands without an answer
  int64_t commands, anchor_time;       // checked commands; [ns]
  double last[kMaxValues], anchor[kMaxValues];  // last command; command at `anchor_time`, a tick ago
  int64_t quantity;                    // that ended the run
  double value, limit;
  // counts
  int64_t sent, received, lost, overruns, held, max_age, max_lateness;
  int64_t rejected[kRejections];
};

namespace {

int64_t Now(const Tick* tick) { return tick->now ? tick->now() : SystemTime(); }

// Sleep until shortly before, then wait busily: a sleeping thread wakes late by tens of microseconds.
void SleepUntil(const Tick* tick, int64_t until) {
  if (tick->sleep) return tick->sleep(until);
  int64_t early = until - tick->spin;
  if (SystemTime() < early) {
    timespec t = {early / 1000000000LL, early % 1000000000LL};
    while (clock_nanosleep(kClock, TIMER_ABSTIME, &t, nullptr) == EINTR && !tick->stop) {}
  }
  while (SystemTime() < until) {}
}

// Wait for a datagram, at most until this time.
void Attend(const Tick* tick, int64_t until) {
  if (tick->attend) return tick->attend(until);
  int64_t left = until - SystemTime();
  if (left <= 0) return;
  timespec t = {left / 1000000000LL, left % 1000000000LL};
  pollfd one = {static_cast<int>(tick->socket), POLLIN, 0};
  ppoll(&one, 1, &t, nullptr);
}

void Send(Tick* tick, int state, const double* values) {
  uint8_t data[kMaxBytes];
  int length = tick->wire.Pack(data, kCommand, state, ++tick->sequence, static_cast<uint64_t>(Now(tick)), 0, 0, values,
                               tick->axes);
  // an error (no receiver, full queue) is a lost datagram, which is noticed by the missing answer
  if (send(static_cast<int>(tick->socket), data, length, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) tick->sent++;
}

int Parse(Tick* tick, const uint8_t* data, int64_t length) {
  int reason = tick->wire.Reject(data, length, kMeasurement, tick->count, tick->newest, tick->sequence);
  if (reason) return reason;
  tick->newest = Get<uint64_t>(data, 16);
  tick->rig_state = data[6];
  tick->rig_flags = Get<uint32_t>(data, 40);
  memcpy(tick->reading, data + kHeader, 8 * tick->count);
  return kNone;
}

int64_t Age(const Tick* tick) { return static_cast<int64_t>(tick->sequence - tick->newest); }

// Store the first reason with the value that exceeded its limit, and send the rig to its safe state.
void Trip(Tick* tick, int64_t code, int64_t quantity = kNoQuantity, double value = 0.0, double limit = 0.0,
          bool notify = true) {
  static const double rest[kMaxValues] = {};
  if (tick->safe) return;
  if (!tick->code) {
    tick->code = code;
    tick->quantity = quantity;
    tick->value = value;
    tick->limit = limit;
  }
  tick->safe = 1;
  if (notify) Send(tick, kSafe, rest);
}

// Send, and receive datagrams until this command is answered or the waiting time has passed. Later answers are received
// in the next exchange, if no newer one has arrived.
void Exchange(Tick* tick, int state, const double* values) {
  Send(tick, state, values);
  int64_t until = Now(tick) + tick->wait;
  bool fresh = false;
  while (tick->newest < tick->sequence) {
    uint8_t data[kMaxBytes + 1];
    int64_t length = recv(static_cast<int>(tick->socket), data, sizeof data, MSG_DONTWAIT);
    if (length >= 0) {
      int reason = Parse(tick, data, length);
      tick->rejected[reason]++;
      if (reason == kNone) { fresh = true; tick->received++; }
    } else if (Now(tick) >= until) {
      break;
    } else {
      Attend(tick, until);
    }
  }
  tick->lost += !fresh;
  if (Age(tick) > tick->max_age) tick->max_age = Age(tick);
  tick->unanswered += (!fresh - tick->unanswered) / (kUnansweredWindow * tick->link_timeout);
  if (Age(tick) >= tick->link_timeout)
    Trip(tick, tick->code_link_lost, kMeasurementAge, Age(tick), tick->link_timeout);
  else if (tick->unanswered > tick->unanswered_limit)
    Trip(tick, tick->code_link_lost, kUnansweredFraction, tick->unanswered, tick->unanswered_limit);
  if (tick->rig_state == kSafe) Trip(tick, tick->code_rig_stopped);
}

void CheckLateness(Tick* tick, int64_t late) {
  if (late > tick->max_lateness) tick->max_lateness = late;
  if (late <= tick->grace) return;
  tick->overruns++;
  if (tick->overrun == kStop)
    Trip(tick, tick->code_deadline, kTickLateness, late * 1e-9, tick->grace * 1e-9, false);
  if (tick->overrun == kHoldTime) {
    int64_t ticks = (late + tick->tick / 2) / tick->tick;
    tick->held += ticks;
    tick->epoch += ticks * tick->tick;
  }
}

// Trip on the axis with the largest fraction of its limit, if it is above 1.
void TripOnMotion(Tick* tick, const double* values, const double* limits, int64_t code, int64_t quantity) {
  int64_t worst = 0;
  for (int64_t i = 0; i < tick->axes; i++)
    if (std::abs(values[i]) / limits[i] > std::abs(values[worst]) / limits[worst]) worst = i;
  if (std::abs(values[worst]) > limits[worst])
    Trip(tick, code, quantity, std::abs(values[worst]), limits[worst], false);
}

// Compare the motion of the commands sent until `now` with the limits of velocity and acceleration.
void CheckMotion(Tick* tick, const double* command, int64_t now, bool stalled) {
  for (int64_t i = 0; i < tick->axes; i++)
    if (!std::isfinite(command[i])) return Trip(tick, tick->code_not_finite, kNoQuantity, 0.0, 0.0, false);
  const double* last = tick->commands ? tick->last : command;
  if (!tick->commands || now - tick->anchor_time >= tick->tick) {
    memcpy(tick->anchor, last, 8 * tick->axes);
    tick->anchor_time = now;
  }
  double velocity[kMaxValues], acceleration[kMaxValues], dt = tick->tick * 1e-9;
  for (int64_t i = 0; i < tick->axes; i++) {
    velocity[i] = (command[i] - tick->anchor[i]) / ((now - tick->anchor_time) * 1e-9 + 1.5 * dt);
    acceleration[i] = stalled ? (command[i] - last[i]) / (dt * dt) : 0.0;
  }
  TripOnMotion(tick, velocity, tick->velocity_limit, tick->code_velocity, kVelocity);
  TripOnMotion(tick, acceleration, tick->acceleration_limit, tick->code_acceleration, kAcceleration);
  memcpy(tick->last, command, 8 * tick->axes);
  tick->commands++;
}

}  // namespace

extern "C" {

int64_t dovetail_size() { return sizeof(Tick); }

void dovetail_siphash(const uint8_t* key, const uint8_t* message, int64_t length, uint8_t* tag) {
  SipHash(key, message, static_cast<size_t>(length), tag);
}

void dovetail_step(Tick* tick, int64_t state, const double* command, double* reading, double* notes) {
  tick->scheduling.Prepare();
  int64_t entered = Now(tick);
  if (!tick->started) {
    tick->started = 1;
    tick->epoch = tick->ended = entered;
    tick->tick_count = 0;
  }
  int64_t due = tick->epoch + tick->tick_count * tick->tick;
  SleepUntil(tick, due);
  while (tick->hold && !tick->stop && !tick->safe) {  // the test time stops
    Exchange(tick, kHold, command);
    tick->held++;
    tick->epoch += tick->tick;
    due += tick->tick;
    SleepUntil(tick, due);
  }
  int64_t start = Now(tick), late = start - due;
  if (tick->stop && !tick->code) tick->code = tick->code_interrupted;
  if (!tick->safe) {
    CheckLateness(tick, late);
    CheckMotion(tick, command, start, late > tick->grace);
  }
  Exchange(tick, tick->safe ? kSafe : static_cast<int>(state), command);
  tick->tick_count++;
  int64_t before = tick->ended;
  tick->ended = Now(tick);
  memcpy(reading, tick->reading, 8 * tick->count);
  double all[kNotes] = {late * 1e-9,
                        (tick->ended - start) * 1e-9,
                        (entered - before) * 1e-9,
                        static_cast<double>(Age(tick)),
                        static_cast<double>(tick->rig_state),
                        static_cast<double>(tick->code),
                        static_cast<double>(tick->rig_flags),
                        static_cast<double>(tick->held)};
  memcpy(notes, all, sizeof all);
}

void dovetail_settle(Tick* tick, int64_t code) {
  if (code > 0) Trip(tick, code);
  if (code >= 0) return;
  static const double rest[kMaxValues] = {};
  bool answered = false;
  for (int i = 0; i < kMaxReleases && !tick->safe && !answered; i++) {  // end of the run: the rig is set to ready
    Exchange(tick, kReady, rest);
    answered = Age(tick) == 0;
  }
  if (!answered) Trip(tick, tick->code_link_lost, kMeasurementAge, Age(tick), kMaxReleases);
  tick->scheduling.Release();
}

}  // extern "C"

namespace ffi = xla::ffi;

static Tick* At(ffi::Buffer<ffi::S64>& handle) { return reinterpret_cast<Tick*>(handle.typed_data()[0]); }

// `after` is not used: as an argument it fixes the order of the calls, which the compiler could otherwise change.
static ffi::Error Step(ffi::Buffer<ffi::S64> handle, ffi::Buffer<ffi::S64> /* after */, ffi::Buffer<ffi::S64> state,
                       ffi::Buffer<ffi::F64> command, ffi::Result<ffi::Buffer<ffi::F64>> reading, ffi::Result<ffi::Buffer<ffi::F64>> notes) {
  Tick* tick = At(handle);
  if (static_cast<int64_t>(command.element_count()) != tick->axes ||
      static_cast<int64_t>(reading->element_count()) != tick->count || notes->element_count() != kNotes)
    return ffi::Error::InvalidArgument("the tick was opened for other signals");
  dovetail_step(tick, state.typed_data()[0], command.typed_data(), reading->typed_data(), notes->typed_data());
  return ffi::Error::Success();
}

static ffi::Error Settle(ffi::Buffer<ffi::S64> handle, ffi::Buffer<ffi::S64> /* after */, ffi::Buffer<ffi::S64> code,
                         ffi::Result<ffi::Buffer<ffi::S64>> same) {
  dovetail_settle(At(handle), code.typed_data()[0]);
  same->typed_data()[0] = code.typed_data()[0];
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(DovetailStep, Step,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Arg<ffi::Buffer<ffi::F64>>()
                                  .Ret<ffi::Buffer<ffi::F64>>()
                                  .Ret<ffi::Buffer<ffi::F64>>());

XLA_FFI_DEFINE_HANDLER_SYMBOL(DovetailSettle, Settle,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Ret<ffi::Buffer<ffi::S64>>());
