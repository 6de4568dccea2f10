/* A reference rig: the whole rig protocol in one file of C, written from the page docs/rig-protocol.md.

   The rig is a spring on an actuator with a first-order lag. Put your converters and your controller where it says
   YOUR RIG; the rest is the protocol.

     cc -O2 -o rig rig.c -lm && ./rig --port 7001 [--key FILE] [--stiffness 2250] [--lag 0.002] [--force-limit 500]
                                      [--link-timeout 0.2]

   It listens on loopback only. Every end of a session leads it to rest, also the end of the program by SIGTERM or
   SIGINT. It never waits for a client: a hello may come in pieces while the rig moves.                             */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { READY, ACTIVE, HOLD, SAFE };
enum { REQUESTED = 1, LINK_TIMEOUT = 2, DISPLACEMENT = 4, FORCE = 8, NOT_FINITE = 16, OPERATOR = 32, ENDED = 64, LATE = 128 };
enum { AXES = 1, COUNT = 2, COMMAND_BYTES = 64 + 8 * AXES, MEASUREMENT_BYTES = 64 + 8 * COUNT };
enum { MESSAGE = 8192, CALLERS = 16 }; /* bytes; clients without a complete hello */
#define REST_TIME 0.4       /* [s] path to rest; with its lag the rig is there within half a second */
#define REST_TOLERANCE 0.02 /* largest distance from rest, as a fraction of the largest distance in the session */
#define RETURN_TIME 1000000000LL /* [ns] from the end of a session until it is reported, at rest or not */
#define HELLO_TIME 2000000000LL  /* [ns] for a complete hello, and for the first datagram of a session */

/* ---- YOUR RIG ------------------------------------------------------------------------------------------------- */

static double stiffness = 2250.0, lag = 0.002, position; /* [N/m], [s], [m] */

static void rig_step(double command, double dt, double reading[COUNT]) {
  if (dt > 0) position += (command - position) * (lag > 0 ? 1 - exp(-dt / lag) : 1);
  reading[0] = position;              /* measured_displacement [m] */
  reading[1] = -stiffness * position; /* measured_force [N], as it acts on the numerical substructure */
}

/* ---- the protocol ----------------------------------------------------------------------------------------------- */

static uint8_t key[16];
static int keyed;

static uint64_t rotated(uint64_t x, int b) { return x << b | x >> (64 - b); }

static void sip_round(uint64_t v[4]) {
  v[0] += v[1]; v[1] = rotated(v[1], 13) ^ v[0]; v[0] = rotated(v[0], 32);
  v[2] += v[3]; v[3] = rotated(v[3], 16) ^ v[2];
  v[0] += v[3]; v[3] = rotated(v[3], 21) ^ v[0];
  v[2] += v[1]; v[1] = rotated(v[1], 17) ^ v[2]; v[2] = rotated(v[2], 32);
}

static void siphash(const uint8_t *message, size_t length, uint8_t tag[16]) {
  uint64_t k[2], word;
  memcpy(k, key, 16);
  uint64_t v[4] = {k[0] ^ 0x736f6d6570736575, k[1] ^ 0x646f72616e646f6d ^ 0xee, k[0] ^ 0x6c7967656e657261,
                   k[1] ^ 0x7465646279746573};
  for (size_t i = 0; i + 8 <= length; i += 8) {
    memcpy(&word, message + i, 8);
    v[3] ^= word; sip_round(v); sip_round(v); v[0] ^= word;
  }
  word = 0;
  memcpy(&word, message + length / 8 * 8, length % 8);
  word |= (uint64_t)(length & 0xff) << 56;
  v[3] ^= word; sip_round(v); sip_round(v); v[0] ^= word;
  v[2] ^= 0xee;
  for (int half = 0; half < 2; half++) {
    if (half) v[1] ^= 0xdd;
    for (int i = 0; i < 4; i++) sip_round(v);
    word = v[0] ^ v[1] ^ v[2] ^ v[3];
    memcpy(tag + 8 * half, &word, 8);
  }
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_BOOTTIME, &t); /* goes on while the machine is suspended */
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct {
  int open, state, silence, control;
  uint32_t flags;
  uint64_t number, newest;
  int64_t tick, epoch, done, begun, heard, ended, rest_from; /* [ns], [ns], ticks, [ns], [ns], [ns], ticks */
  double command, rest_command, reading[COUNT], first, largest, displacement_limit, force_limit;
} session = {.control = -1};

static double own_force_limit = INFINITY, own_link_timeout = 0.2; /* [N], [s] */

/* The path to rest begins at the command, unless the rig is on it already. */
static void return_to_rest(int state) {
  if (session.state == ACTIVE || session.state == HOLD) {
    session.rest_from = session.done;
    session.rest_command = session.command;
  }
  session.state = state;
}

static void go_safe(uint32_t why) {
  if (session.state != SAFE) printf("safe: %u\n", why);
  return_to_rest(SAFE);
  session.flags |= why;
}

static int at_rest(void) {
  double tolerance = REST_TOLERANCE * session.largest;
  double path_time = (double)((session.done - session.rest_from) * session.tick) * 1e-9;
  if (!session.epoch) return 1;
  return (session.state == SAFE || session.state == READY) &&
         (path_time >= REST_TIME || fabs(session.rest_command) <= tolerance) &&
         fabs(session.reading[0] - session.first) <= tolerance;
}

/* Take the ticks that this rig's own clock says are due. */
static void advance(int64_t time) {
  if (!session.epoch) return;
  int64_t due = (time - session.epoch + session.tick / 2) / session.tick;
  if (due - session.done > session.silence) { /* this late it does not catch up: time is lost */
    go_safe(LATE);
    session.epoch += (due - session.done - session.silence) * session.tick;
    due = session.done + session.silence;
  }
  while (session.done < due) {
    double followed = session.command, dt = (double)session.tick * 1e-9;
    session.done++;
    if (session.state == SAFE || session.state == READY) { /* the least jerk to rest, and there it stays */
      double s = fmin((double)(session.done - session.rest_from) * dt / REST_TIME, 1.0);
      followed = session.rest_command * (1 - s * s * s * (10 - 15 * s + 6 * s * s));
    }
    rig_step(followed, dt, session.reading);
    session.largest = fmax(session.largest, fabs(session.reading[0] - session.first));
    if (!isfinite(session.reading[0]) || !isfinite(session.reading[1])) go_safe(NOT_FINITE);
    if (fabs(session.reading[0]) > session.displacement_limit) go_safe(DISPLACEMENT);
    if (fabs(session.reading[1]) > session.force_limit) go_safe(FORCE);
  }
}

static void obey(int state, double value, int64_t time) {
  if (session.state == SAFE) return;
  if (state == SAFE) go_safe(REQUESTED);
  if (state == HOLD && session.state == ACTIVE) session.state = HOLD;
  if (state == READY) return_to_rest(READY); /* the silence that follows is no alarm */
  if (state != ACTIVE) return;
  if (!isfinite(value)) { go_safe(NOT_FINITE); return; }
  if (fabs(value) > session.displacement_limit) { go_safe(DISPLACEMENT); return; }
  session.state = ACTIVE;
  session.command = value;
  if (!session.epoch) {
    session.epoch = time - session.tick; /* the tick that leads to this command ends now */
    printf("moving\n");
  }
}

/* One datagram: dropped without a word unless it is exactly a newer command of this session. */
static int answer(const uint8_t *data, ssize_t length, uint8_t reply[MEASUREMENT_BYTES]) {
  uint64_t number, sequence;
  uint32_t count;
  uint8_t tag[16] = {0}, differ = 0;
  if (!session.open || length != COMMAND_BYTES || memcmp(data, "DVTL", 4) || data[4] != 2 || data[5] != 1 ||
      data[6] > SAFE || data[7] != 0)
    return 0;
  memcpy(&number, data + 8, 8);
  memcpy(&sequence, data + 16, 8);
  memcpy(&count, data + 44, 4);
  if (keyed) siphash(data, COMMAND_BYTES - 16, tag);
  for (int i = 0; i < 16; i++) differ |= tag[i] ^ data[COMMAND_BYTES - 16 + i];
  if (count != AXES || number != session.number || differ || sequence <= session.newest) return 0;

  int64_t time = now();
  double value;
  memcpy(&value, data + 48, 8);
  session.newest = sequence;
  session.heard = time;
  obey(data[6], value, time);
  advance(time);

  memset(reply, 0, MEASUREMENT_BYTES);
  memcpy(reply, "DVTL\2\2", 6);
  reply[6] = (uint8_t)session.state;
  memcpy(reply + 8, &session.number, 8);
  memcpy(reply + 16, &sequence, 8);
  memcpy(reply + 24, &time, 8);
  memcpy(reply + 32, data + 24, 8); /* the command's clock, back again */
  memcpy(reply + 40, &session.flags, 4);
  count = COUNT;
  memcpy(reply + 44, &count, 4);
  memcpy(reply + 48, session.reading, 8 * COUNT);
  if (keyed) siphash(reply, MEASUREMENT_BYTES - 16, reply + MEASUREMENT_BYTES - 16);
  return 1;
}

/* The value after `word ` in a message of lines; null if it is not there. */
static const char *line(const char *text, const char *word) {
  size_t n = strlen(word);
  for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
    if (!strncmp(at, word, n) && at[n] == ' ') return at + n + 1;
  return NULL;
}

/* The positive, finite number after `word `; `otherwise` if the word is not there, NaN if it is anything else. */
static double number_in(const char *text, const char *word, double otherwise) {
  const char *found = line(text, word);
  char *end;
  if (!found) return otherwise;
  double value = strtod(found, &end);
  return end > found && *end == '\n' && isfinite(value) && value > 0 ? value : NAN;
}

/* `before` is what the tag covers beside the text itself. Returns the length with the last line added. */
static size_t signed_text(char *text, size_t room, const char *before, size_t before_length) {
  static uint8_t all[2 * MESSAGE];
  uint8_t tag[16];
  size_t length = strlen(text);
  if (!keyed) return length + (size_t)snprintf(text + length, room - length, "mac -\n");
  memcpy(all, before, before_length);
  memcpy(all + before_length, text, length);
  siphash(all, before_length + length, tag);
  size_t at = length + (size_t)snprintf(text + length, room - length, "mac ");
  for (int i = 0; i < 16; i++) at += (size_t)snprintf(text + at, room - at, "%02x", tag[i]);
  return at + (size_t)snprintf(text + at, room - at, "\n");
}

/* ---- clients: each is heard piece by piece, while the rig goes on ---------------------------------------------- */

static struct caller {
  int connection; /* -1: none */
  int64_t since;  /* [ns] */
  size_t length;
  char challenge[128], hello[MESSAGE];
} callers[CALLERS];

static void drop(struct caller *c) {
  close(c->connection);
  c->connection = -1;
}

/* Send a challenge, which the hello must sign: whoever replays an old hello begins no session. */
static void welcome(int connection) {
  struct caller *c = callers;
  uint64_t number;
  for (int i = 1; i < CALLERS && c->connection >= 0; i++)
    if (callers[i].connection < 0 || callers[i].since < c->since) c = &callers[i];
  if (c->connection >= 0) drop(c); /* of too many the oldest */
  if (getrandom(&number, sizeof number, 0) != sizeof number) { close(connection); return; }
  *c = (struct caller){.connection = connection, .since = now()};
  snprintf(c->challenge, sizeof c->challenge, "DOVETAIL RIG 2\nchallenge %016llx\n", (unsigned long long)number);
  size_t size = signed_text(c->challenge, sizeof c->challenge, "", 0);
  if (send(connection, c->challenge, size, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)size) drop(c);
}

/* Why a hello is refused, or null. `text` is the hello without its last line. */
static const char *refusal(const struct caller *c, const char *text) {
  static char expected[MESSAGE + 64];
  strcpy(expected, text);
  signed_text(expected, sizeof expected, c->challenge, strlen(c->challenge));
  double rate = number_in(text, "rate", NAN), silence = number_in(text, "silence", NAN);
  if (strncmp(text, "DOVETAIL RIG 2\n", 15)) return "this rig speaks version 2";
  if (strcmp(expected, c->hello)) return "the signature is wrong: the keys differ";
  if (session.open) return "another session is active";
  if (number_in(text, "axes", NAN) != AXES) return "the rig has 1 axis";
  if (!(rate >= 1 && rate <= 20000)) return "the rig ticks at 1 to 20000 Hz";
  if (!(silence >= 1 && silence <= 1e9)) return "silence: expected 1 to 1000000000 ticks";
  if (isnan(number_in(text, "limit displacement", 1)) || isnan(number_in(text, "limit force", 1)))
    return "limit: expected a positive number";
  return NULL;
}

static void begin_session(struct caller *c, const char *text, char *reply, size_t room, int port) {
  double rate = number_in(text, "rate", 0);
  memset(&session, 0, sizeof session);
  session.control = c->connection;
  session.open = 1;
  session.begun = now();
  session.tick = llround(1e9 / rate);
  session.silence = (int)fmin(number_in(text, "silence", 0), fmax(floor(own_link_timeout * rate), 1));
  session.displacement_limit = number_in(text, "limit displacement", INFINITY);
  session.force_limit = fmin(number_in(text, "limit force", INFINITY), own_force_limit);
  rig_step(0, 0, session.reading);
  session.first = session.reading[0];
  if (getrandom(&session.number, sizeof session.number, 0) != sizeof session.number) session.open = 0;
  int on = 1, idle = 5, interval = 2, count = 3; /* a connection that is cut is noticed within ten seconds or so */
  setsockopt(c->connection, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(c->connection, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(c->connection, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(c->connection, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  snprintf(reply, room,
           "DOVETAIL RIG 2\nsession %016llx\nport %d\nname reference rig in C\nsilence %d\n"
           "signal measured_displacement 1\nsignal measured_force 1\n",
           (unsigned long long)session.number, port, session.silence);
  printf("session: %g Hz, link timeout %d ticks\n", rate, session.silence);
}

/* Receive what has come of a hello, and answer it when it is complete. */
static void hear(struct caller *c, int port) {
  static char text[MESSAGE], reply[MESSAGE];
  ssize_t got = recv(c->connection, c->hello + c->length, MESSAGE - 1 - c->length, MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) { drop(c); return; }
  c->length += (size_t)got;
  c->hello[c->length] = 0;
  if (c->hello[c->length - 1] != '\n' || !strstr(c->hello, "\nmac ")) return;
  strcpy(text, c->hello);
  *(strstr(text, "\nmac ") + 1) = 0;
  const char *why = refusal(c, text);
  if (why) snprintf(reply, sizeof reply, "DOVETAIL RIG 2\nrefused %s\n", why);
  else begin_session(c, text, reply, sizeof reply, port);
  size_t size = signed_text(reply, sizeof reply, c->hello, c->length);
  send(c->connection, reply, size, MSG_DONTWAIT | MSG_NOSIGNAL); /* a client that is gone ends its session */
  if (why) drop(c);
  else c->connection = -1;
}

static void end_session(uint32_t why) {
  if (!session.open || session.ended) return;
  go_safe(why);
  close(session.control);
  session.control = -1;
  session.ended = now();
}

static volatile sig_atomic_t ending;
static void end(int signal) { (void)signal; ending = 1; }

int main(int count, char **words) {
  int port = 7001;
  for (int i = 1; i + 1 < count; i += 2) {
    if (!strcmp(words[i], "--port")) port = atoi(words[i + 1]);
    else if (!strcmp(words[i], "--stiffness")) stiffness = atof(words[i + 1]);
    else if (!strcmp(words[i], "--lag")) lag = atof(words[i + 1]);
    else if (!strcmp(words[i], "--force-limit")) own_force_limit = atof(words[i + 1]);
    else if (!strcmp(words[i], "--link-timeout")) own_link_timeout = fmin(atof(words[i + 1]), 3600.0);
    else if (!strcmp(words[i], "--key")) {
      FILE *file = fopen(words[i + 1], "r");
      for (int j = 0; file && j < 16; j++) {
        unsigned byte;
        if (fscanf(file, "%2x", &byte) != 1) { fprintf(stderr, "%s: holds no key\n", words[i + 1]); return 2; }
        key[j] = (uint8_t)byte;
      }
      if (!file) { perror(words[i + 1]); return 2; }
      fclose(file);
      keyed = 1;
    } else { fprintf(stderr, "unknown option %s\n", words[i]); return 2; }
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);

  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  int listener = socket(AF_INET, SOCK_STREAM, 0), datagrams = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&here, size) || listen(listener, CALLERS) ||
      getsockname(listener, (struct sockaddr *)&here, &size) || bind(datagrams, (struct sockaddr *)&here, size)) {
    perror("cannot listen");
    return 1;
  }
  port = ntohs(here.sin_port);
  printf("port %d\n", port);

  for (int i = 0; i < CALLERS; i++) callers[i].connection = -1;

  while (!ending || session.open) {
    if (ending) end_session(OPERATOR);
    /* sleep until something comes, or half a tick after a command was due */
    int64_t wake = session.open && session.epoch ? session.epoch + (2 * session.done + 3) * session.tick / 2 : 0;
    int64_t left = wake ? wake - now() : session.ended ? 0 : 200000000LL;
    if (left < 0) left = 0;
    struct timespec patience = {left / 1000000000LL, left % 1000000000LL};
    struct pollfd ready[3 + CALLERS] = {{datagrams, POLLIN, 0}, {listener, POLLIN, 0}, {session.control, POLLIN, 0}};
    for (int i = 0; i < CALLERS; i++) /* answered when the rig is at rest */
      ready[3 + i] = (struct pollfd){session.ended ? -1 : callers[i].connection, POLLIN, 0};
    if (ppoll(ready, 3 + CALLERS, &patience, NULL) < 0) continue;

    if (ready[0].revents) {
      uint8_t data[2048], reply[MEASUREMENT_BYTES];
      struct sockaddr_in peer;
      socklen_t length = sizeof peer;
      ssize_t got;
      while ((got = recvfrom(datagrams, data, sizeof data, MSG_DONTWAIT, (struct sockaddr *)&peer, &length)) >= 0)
        if (answer(data, got, reply))
          sendto(datagrams, reply, sizeof reply, MSG_DONTWAIT, (struct sockaddr *)&peer, length);
    }
    int64_t time = now();
    if (session.open) {
      if ((session.state == ACTIVE || session.state == HOLD) && time - session.heard > session.silence * session.tick)
        go_safe(LINK_TIMEOUT);
      advance(time - session.tick);
      if (!session.heard && time - session.begun > HELLO_TIME) end_session(ENDED);
    }
    if (session.control >= 0 && ready[2].revents) {
      char word[256];
      ssize_t got = recv(session.control, word, sizeof word, MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno != EAGAIN)) end_session(ENDED);
    }
    if (session.ended && (at_rest() || time - session.ended > RETURN_TIME)) {
      printf("end: flags %u after %lld ticks, %s\n", session.flags, (long long)session.done,
             at_rest() ? "at rest" : "not at rest");
      session.open = 0;
      session.ended = 0;
    }
    if (ready[1].revents) {
      int connection = accept(listener, NULL, NULL);
      if (connection >= 0) welcome(connection);
    }
    for (int i = 0; i < CALLERS; i++) {
      if (callers[i].connection < 0) continue;
      if (ready[3 + i].revents && ready[3 + i].fd == callers[i].connection) hear(&callers[i], port);
      else if (!session.ended && time - callers[i].since > HELLO_TIME) drop(&callers[i]);
    }
  }
  return 0;
}
