/* FMU whose model is computed by a Python process (tool coupling): FMI 2.0, or 3.0 with -DFMI3.

   The same binary is used for all models: it starts `resources/fmu_worker.py`, receives the numbers of values from it,
   and sends each step over a pipe. Messages: one byte for the request (I initialise, S step, O output, Q quit), then
   doubles in the byte order of the machine. The answer is one byte: 0 and the outputs, or 1 with length and text of the
   error. Value references count parameters first, then inputs, then outputs. */

#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef FMI3
#include "fmi3Functions.h"
#else
#include "fmi2Functions.h"
#endif

typedef struct {
  char *name, *folder, *token;
  void (*log)(void *instance, const char *text);
  void *environment, *callback;
  int pipe;
  pid_t process;
  uint32_t parameters, inputs, outputs;
  double *values;    /* parameters, inputs, outputs: by value reference */
  double *start;     /* of parameters and inputs */
  double time;
  int initialised, stale; /* stale: an input was set since the outputs were computed */
} Model;

static int say(Model *m, const char *form, ...) {
  char text[1024];
  va_list words;
  va_start(words, form);
  vsnprintf(text, sizeof text, form, words);
  va_end(words);
  m->log(m, text);
  return 0;
}

static int put(Model *m, const void *data, size_t size) {
  for (const char *at = data; size;) {
    ssize_t sent = send(m->pipe, at, size, MSG_NOSIGNAL);
    if (sent <= 0) return say(m, "the Python process that computes this model has ended");
    at += sent;
    size -= (size_t)sent;
  }
  return 1;
}

static int get(Model *m, void *data, size_t size) {
  for (char *at = data; size;) {
    ssize_t got = recv(m->pipe, at, size, 0);
    if (got <= 0) return say(m, "the Python process that computes this model has ended; check that it can import jax");
    at += got;
    size -= (size_t)got;
  }
  return 1;
}

static int answer(Model *m, void *data, size_t size) {
  uint8_t bad;
  uint32_t length;
  if (!get(m, &bad, 1)) return 0;
  if (!bad) return get(m, data, size);
  char text[1001] = {0};
  if (!get(m, &length, 4) || length > 1000 || !get(m, text, length)) return 0;
  return say(m, "%s", text);
}

static int ask(Model *m, char what, double time, double step, int with_parameters) {
  double times[2] = {time, step};
  double *from = with_parameters ? m->values : m->values + m->parameters;
  size_t count = m->inputs + (with_parameters ? m->parameters : 0);
  if (!put(m, &what, 1) || !put(m, times, sizeof times) || !put(m, from, 8 * count)) return 0;
  m->stale = 0;
  return answer(m, m->values + m->parameters + m->inputs, 8 * (size_t)m->outputs);
}

/* The path in a URI or, as FMI 3.0 has it, a plain path. */
static char *path_of(const char *uri) {
  if (!uri) return strdup(".");
  if (!strncmp(uri, "file://", 7)) uri += 7;
  else if (!strncmp(uri, "file:", 5)) uri += 5;
  if (*uri != '/' && strchr(uri, '/') && strncmp(uri, "./", 2) && !strncmp(uri, "localhost", 9)) uri = strchr(uri, '/');
  char *path = strdup(uri), *to = path;
  for (const char *at = uri; *at; at++) {
    unsigned byte;
    if (*at == '%' && sscanf(at + 1, "%2x", &byte) == 1) { *to++ = (char)byte; at += 2; }
    else *to++ = *at;
  }
  while (to > path + 1 && to[-1] == '/') to--;
  *to = 0;
  return path;
}

static void interpreter(const char *folder, char *text, int size) {
  char file[4096];
  const char *wanted = getenv("DOVETAIL_PYTHON");
  snprintf(text, (size_t)size, "%s", wanted ? wanted : "python3");
  if (wanted) return;
  snprintf(file, sizeof file, "%s/python.txt", folder);
  FILE *stream = fopen(file, "r");
  if (stream) {
    char line[4096];
    if (fgets(line, sizeof line, stream)) {
      line[strcspn(line, "\n")] = 0;
      if (!access(line, X_OK)) snprintf(text, (size_t)size, "%s", line);
    }
    fclose(stream);
  }
}

static int launch(Model *m) {
  int ends[2];
  char python[4096], script[4096];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return say(m, "no socket pair could be had");
  interpreter(m->folder, python, sizeof python);
  snprintf(script, sizeof script, "%s/fmu_worker.py", m->folder);
  m->process = fork();
  if (m->process == 0) { /* the pipe is its standard input, both ways */
    dup2(ends[1], 0);
    execlp(python, python, script, m->token, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  m->pipe = ends[0];
  uint32_t counts[3];
  if (m->process < 0 || !answer(m, counts, sizeof counts)) return 0;
  m->parameters = counts[0], m->inputs = counts[1], m->outputs = counts[2];
  size_t first = m->parameters + m->inputs;
  m->values = calloc(first + m->outputs + 1, 8);
  m->start = calloc(first + 1, 8);
  if (!get(m, m->start, 8 * first)) return 0;
  memcpy(m->values, m->start, 8 * first);
  return 1;
}

static void discard(Model *m) {
  if (m->process > 0) {
    char quit[1] = {'Q'};
    double times[2] = {0, 0};
    if (m->pipe >= 0 && send(m->pipe, quit, 1, MSG_NOSIGNAL) == 1) send(m->pipe, times, sizeof times, MSG_NOSIGNAL);
    close(m->pipe);
    waitpid(m->process, NULL, 0);
  }
  free(m->name), free(m->folder), free(m->token), free(m->values), free(m->start), free(m);
}

static Model *create(const char *name, const char *token, const char *resources, void *environment, void *callback,
                     void (*log)(void *, const char *)) {
  Model *m = calloc(1, sizeof *m);
  m->name = strdup(name ? name : ""), m->token = strdup(token ? token : ""), m->folder = path_of(resources);
  m->environment = environment, m->callback = callback, m->log = log, m->pipe = -1;
  if (launch(m)) return m;
  discard(m);
  return NULL;
}

static int initialise(Model *m) { return m->initialised || (m->initialised = ask(m, 'I', m->time, 0, 1)); }

static int read_values(Model *m, const unsigned *references, size_t count, double *values) {
  size_t first = m->parameters + m->inputs;
  int shown = 0;
  for (size_t i = 0; i < count; i++) {
    if (references[i] >= first + m->outputs) return say(m, "there is no variable %u", references[i]);
    shown |= references[i] >= first;
  }
  if (shown && !m->initialised && !ask(m, 'I', m->time, 0, 1)) return 0;
  if (shown && m->initialised && m->stale && !ask(m, 'O', m->time, 0, 0)) return 0;
  for (size_t i = 0; i < count; i++) values[i] = m->values[references[i]];
  return 1;
}

static int write_values(Model *m, const unsigned *references, size_t count, const double *values) {
  for (size_t i = 0; i < count; i++) {
    if (references[i] >= m->parameters + m->inputs) return say(m, "variable %u cannot be set", references[i]);
    if (references[i] < m->parameters && m->initialised) return say(m, "a parameter is set before the start only");
    m->values[references[i]] = values[i];
  }
  m->stale = 1;
  return 1;
}

static int advance(Model *m, double time, double step) {
  if (!ask(m, 'S', time, step, 0)) return 0;
  m->time = time + step;
  return 1;
}

static int begin_again(Model *m) {
  m->initialised = m->stale = 0;
  m->time = 0;
  memcpy(m->values, m->start, 8 * (size_t)(m->parameters + m->inputs));
  return 1;
}

#ifndef FMI3

typedef fmi2ValueReference Ref;
#define STATUS(ok) ((ok) ? fmi2OK : fmi2Error)
#define NONE(count) ((count) ? fmi2Error : fmi2OK)

static void told2(void *instance, const char *text) {
  Model *m = instance;
  const fmi2CallbackFunctions *f = m->callback;
  if (f && f->logger) f->logger(f->componentEnvironment, m->name, fmi2Error, "logStatusError", "%s", text);
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String k[]) {
  (void)c, (void)on, (void)n, (void)k;
  return fmi2OK;
}
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *f, fmi2Boolean visible, fmi2Boolean logging) {
  (void)visible, (void)logging;
  if (type != fmi2CoSimulation) return NULL;
  return create(name, guid, resources, NULL, (void *)f, told2);
}
void fmi2FreeInstance(fmi2Component c) { if (c) discard(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean t, fmi2Real tol, fmi2Real start, fmi2Boolean s, fmi2Real e) {
  (void)t, (void)tol, (void)s, (void)e;
  ((Model *)c)->time = start;
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return STATUS(initialise(c)); }
fmi2Status fmi2Terminate(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { return STATUS(begin_again(c)); }
fmi2Status fmi2GetReal(fmi2Component c, const Ref r[], size_t n, fmi2Real v[]) { return STATUS(read_values(c, r, n, v)); }
fmi2Status fmi2SetReal(fmi2Component c, const Ref r[], size_t n, const fmi2Real v[]) { return STATUS(write_values(c, r, n, v)); }
#define NO_VALUES(Type) \
  fmi2Status fmi2Get##Type(fmi2Component c, const Ref r[], size_t n, fmi2##Type v[]) { (void)c, (void)r, (void)v; return NONE(n); } \
  fmi2Status fmi2Set##Type(fmi2Component c, const Ref r[], size_t n, const fmi2##Type v[]) { (void)c, (void)r, (void)v; return NONE(n); }
NO_VALUES(Integer) NO_VALUES(Boolean) NO_VALUES(String)
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *s) { (void)c, (void)s; return fmi2Error; }
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate s) { (void)c, (void)s; return fmi2Error; }
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *s) { (void)c, (void)s; return fmi2Error; }
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate s, size_t *n) { (void)c, (void)s, (void)n; return fmi2Error; }
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate s, fmi2Byte d[], size_t n) { (void)c, (void)s, (void)d, (void)n; return fmi2Error; }
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte d[], size_t n, fmi2FMUstate *s) { (void)c, (void)s, (void)d, (void)n; return fmi2Error; }
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const Ref a[], size_t n, const Ref b[], size_t k, const fmi2Real u[], fmi2Real v[]) {
  (void)c, (void)a, (void)n, (void)b, (void)k, (void)u, (void)v;
  return fmi2Error;
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const Ref r[], size_t n, const fmi2Integer o[], const fmi2Real v[]) { (void)c, (void)r, (void)o, (void)v; return NONE(n); }
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const Ref r[], size_t n, const fmi2Integer o[], fmi2Real v[]) { (void)c, (void)r, (void)o, (void)v; return NONE(n); }
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_return) { (void)no_return; return STATUS(advance(c, time, step)); }
fmi2Status fmi2CancelStep(fmi2Component c) { (void)c; return fmi2Error; }
#define NO_STATUS(Name, Type) \
  fmi2Status fmi2Get##Name##Status(fmi2Component c, const fmi2StatusKind k, Type *v) { (void)c, (void)k, (void)v; return fmi2Discard; }
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind k, fmi2Status *v) { (void)c, (void)k, (void)v; return fmi2Discard; }
NO_STATUS(Real, fmi2Real) NO_STATUS(Integer, fmi2Integer) NO_STATUS(Boolean, fmi2Boolean) NO_STATUS(String, fmi2String)

#else

typedef fmi3ValueReference Ref;
#define STATUS(ok) ((ok) ? fmi3OK : fmi3Error)
#define UNKNOWN { return fmi3Error; }

static void told3(void *instance, const char *text) {
  Model *m = instance;
  fmi3LogMessageCallback f;
  memcpy(&f, &m->callback, sizeof f);
  if (f) f(m->environment, fmi3Error, "logStatusError", text);
}

const char *fmi3GetVersion(void) { return fmi3Version; }
fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String k[]) { (void)c, (void)on, (void)n, (void)k; return fmi3OK; }
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference required[], size_t n,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  (void)visible, (void)logging, (void)events, (void)early, (void)required, (void)n, (void)update;
  void *callback;
  memcpy(&callback, &log, sizeof callback);
  return create(name, token, resources, environment, callback, told3);
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String a, fmi3String b, fmi3String c, fmi3Boolean d, fmi3Boolean e, fmi3InstanceEnvironment f, fmi3LogMessageCallback g) { (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g; return NULL; }
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String a, fmi3String b, fmi3String c, fmi3Boolean d, fmi3Boolean e, fmi3InstanceEnvironment f, fmi3LogMessageCallback g, fmi3ClockUpdateCallback h, fmi3LockPreemptionCallback i, fmi3UnlockPreemptionCallback j) { (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i, (void)j; return NULL; }
void fmi3FreeInstance(fmi3Instance c) { if (c) discard(c); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean t, fmi3Float64 tol, fmi3Float64 start, fmi3Boolean s, fmi3Float64 e) {
  (void)t, (void)tol, (void)s, (void)e;
  ((Model *)c)->time = start;
  return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return STATUS(initialise(c)); }
fmi3Status fmi3Terminate(fmi3Instance c) { (void)c; return fmi3OK; }
fmi3Status fmi3Reset(fmi3Instance c) { return STATUS(begin_again(c)); }
fmi3Status fmi3GetFloat64(fmi3Instance c, const Ref r[], size_t n, fmi3Float64 v[], size_t k) { return STATUS(n == k && read_values(c, r, n, v)); }
fmi3Status fmi3SetFloat64(fmi3Instance c, const Ref r[], size_t n, const fmi3Float64 v[], size_t k) { return STATUS(n == k && write_values(c, r, n, v)); }
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last) {
  (void)no_return;
  *event = *end = *early = fmi3False;
  int done = advance(c, time, step);
  *last = ((Model *)c)->time;
  return STATUS(done);
}
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define NO_VALUES(Type) \
  fmi3Status fmi3Get##Type(fmi3Instance c, const Ref r[], size_t n, fmi3##Type v[], size_t k) { return n ? fmi3Error : fmi3OK; } \
  fmi3Status fmi3Set##Type(fmi3Instance c, const Ref r[], size_t n, const fmi3##Type v[], size_t k) { return n ? fmi3Error : fmi3OK; }
NO_VALUES(Float32) NO_VALUES(Int8) NO_VALUES(UInt8) NO_VALUES(Int16) NO_VALUES(UInt16) NO_VALUES(Int32) NO_VALUES(UInt32)
NO_VALUES(Int64) NO_VALUES(UInt64) NO_VALUES(Boolean) NO_VALUES(String)
fmi3Status fmi3GetBinary(fmi3Instance c, const Ref r[], size_t n, size_t s[], fmi3Binary v[], size_t k) { return n ? fmi3Error : fmi3OK; }
fmi3Status fmi3SetBinary(fmi3Instance c, const Ref r[], size_t n, const size_t s[], const fmi3Binary v[], size_t k) { return n ? fmi3Error : fmi3OK; }
fmi3Status fmi3GetClock(fmi3Instance c, const Ref r[], size_t n, fmi3Clock v[]) { return n ? fmi3Error : fmi3OK; }
fmi3Status fmi3SetClock(fmi3Instance c, const Ref r[], size_t n, const fmi3Clock v[]) { return n ? fmi3Error : fmi3OK; }
fmi3Status fmi3EnterEventMode(fmi3Instance c) UNKNOWN
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, Ref r, size_t *n) UNKNOWN
fmi3Status fmi3GetVariableDependencies(fmi3Instance c, Ref r, size_t a[], Ref b[], size_t d[], fmi3DependencyKind k[], size_t n) UNKNOWN
fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *s) UNKNOWN
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState s) UNKNOWN
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *s) UNKNOWN
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState s, size_t *n) UNKNOWN
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState s, fmi3Byte d[], size_t n) UNKNOWN
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte d[], size_t n, fmi3FMUState *s) UNKNOWN
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const Ref a[], size_t i, const Ref b[], size_t j, const fmi3Float64 u[], size_t k, fmi3Float64 v[], size_t n) UNKNOWN
fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const Ref a[], size_t i, const Ref b[], size_t j, const fmi3Float64 u[], size_t k, fmi3Float64 v[], size_t n) UNKNOWN
fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) UNKNOWN
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) UNKNOWN
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const Ref r[], size_t n, fmi3Float64 v[], fmi3IntervalQualifier q[]) UNKNOWN
fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const Ref r[], size_t n, fmi3UInt64 v[], fmi3UInt64 w[], fmi3IntervalQualifier q[]) UNKNOWN
fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const Ref r[], size_t n, fmi3Float64 v[]) UNKNOWN
fmi3Status fmi3GetShiftFraction(fmi3Instance c, const Ref r[], size_t n, fmi3UInt64 v[], fmi3UInt64 w[]) UNKNOWN
fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const Ref r[], size_t n, const fmi3Float64 v[]) UNKNOWN
fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const Ref r[], size_t n, const fmi3UInt64 v[], const fmi3UInt64 w[]) UNKNOWN
fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const Ref r[], size_t n, const fmi3Float64 v[]) UNKNOWN
fmi3Status fmi3SetShiftFraction(fmi3Instance c, const Ref r[], size_t n, const fmi3UInt64 v[], const fmi3UInt64 w[]) UNKNOWN
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) UNKNOWN
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *a, fmi3Boolean *b, fmi3Boolean *d, fmi3Boolean *e, fmi3Boolean *f, fmi3Float64 *g) UNKNOWN
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) UNKNOWN
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean a, fmi3Boolean *b, fmi3Boolean *d) UNKNOWN
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t) UNKNOWN
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n) UNKNOWN
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 x[], size_t n) UNKNOWN
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 x[], size_t n) UNKNOWN
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) UNKNOWN
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) UNKNOWN
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) UNKNOWN
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) UNKNOWN
fmi3Status fmi3EnterStepMode(fmi3Instance c) UNKNOWN
fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const Ref r[], size_t n, const fmi3Int32 o[], fmi3Float64 v[], size_t k) UNKNOWN
fmi3Status fmi3ActivateModelPartition(fmi3Instance c, Ref r, fmi3Float64 t) UNKNOWN

#endif
