/* Smallest lateness and exchange time that this machine can reach: sleep, send, receive, record, nothing else. Deadlines,
   datagrams and rig are those of the compiled loop.

     timer_floor PORT SESSION TICK_NS SPIN_NS COUNT VALUES
   Writes two doubles per tick to stdout: lateness and exchange time [s].                                             */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int n, char **arguments) {
  if (n != 7) return 2;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  uint64_t session = strtoull(arguments[2], NULL, 16);
  int64_t tick = atoll(arguments[3]), spin = atoll(arguments[4]), count = atoll(arguments[5]);
  uint32_t values = 1;
  size_t length = 64 + 8 * (size_t)atoi(arguments[6]);
  double *records = calloc((size_t)count, 2 * sizeof *records);
  int one = socket(AF_INET, SOCK_DGRAM, 0);
  if (connect(one, (struct sockaddr *)&to, sizeof to)) return 1;
  int64_t epoch = now();
  for (int64_t k = 0; k < count; k++) {
    int64_t due = epoch + k * tick, early = due - spin;
    struct timespec t = {early / 1000000000LL, early % 1000000000LL};
    if (now() < early) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    while (now() < due) {}
    int64_t start = now();
    uint8_t data[2048] = {'D', 'V', 'T', 'L', 2, 1, 0, 0};
    uint64_t sequence = (uint64_t)k + 1;
    memcpy(data + 8, &session, 8);
    memcpy(data + 16, &sequence, 8);
    memcpy(data + 24, &start, 8);
    memcpy(data + 44, &values, 4);
    send(one, data, 72, 0);
    struct pollfd wait = {one, POLLIN, 0};
    struct timespec most = {0, tick * 7 / 10};
    if (ppoll(&wait, 1, &most, NULL) > 0 && recv(one, data, sizeof data, 0) != (ssize_t)length) return 3;
    records[2 * k] = (start - due) * 1e-9;
    records[2 * k + 1] = (now() - start) * 1e-9;
  }
  fwrite(records, sizeof *records, 2 * (size_t)count, stdout);
  return 0;
}
