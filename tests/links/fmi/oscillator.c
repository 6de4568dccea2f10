/* A small FMU that owes nothing to Dovetail: m a + c v + k x = F by many tiny steps. FMI 2.0, or 3.0 with -DFMI3.
   References: 0 m, 1 c, 2 k, 3 F, 4 x, 5 v, 6 a.                                                                */
#include <stdlib.h>
#include <string.h>
#ifdef FMI3
#include "fmi3Functions.h"
#else
#include "fmi2Functions.h"
#endif

typedef struct { double v[7]; } One;
static void *fresh(void) {
  One *one = calloc(1, sizeof *one);
  one->v[0] = 1;
  return one;
}
static void derive(One *o) { o->v[6] = (o->v[3] - o->v[1] * o->v[5] - o->v[2] * o->v[4]) / o->v[0]; }
static void advance(One *o, double h) {
  int n = 2000;
  for (int i = 0; i < n; i++) { /* Heun */
    double x = o->v[4], v = o->v[5], d = h / n;
    derive(o);
    double a = o->v[6];
    o->v[4] = x + d * v, o->v[5] = v + d * a;
    derive(o);
    o->v[4] = x + d / 2 * (v + o->v[5]), o->v[5] = v + d / 2 * (a + o->v[6]);
  }
  derive(o);
}
#ifdef FMI3
fmi3Instance fmi3InstantiateCoSimulation(fmi3String a, fmi3String b, fmi3String c, fmi3Boolean d, fmi3Boolean e, fmi3Boolean f, fmi3Boolean g,
    const fmi3ValueReference h[], size_t i, fmi3InstanceEnvironment j, fmi3LogMessageCallback k, fmi3IntermediateUpdateCallback l) { return fresh(); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean a, fmi3Float64 b, fmi3Float64 d, fmi3Boolean e, fmi3Float64 f) { return fmi3OK; }
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { derive(c); return fmi3OK; }
fmi3Status fmi3Terminate(fmi3Instance c) { return fmi3OK; }
fmi3Status fmi3Reset(fmi3Instance c) { memset(c, 0, sizeof(One)); ((One *)c)->v[0] = 1; return fmi3OK; }
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 v[], size_t k) { for (size_t i = 0; i < n; i++) v[i] = ((One *)c)->v[r[i]]; return fmi3OK; }
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Float64 v[], size_t k) { for (size_t i = 0; i < n; i++) ((One *)c)->v[r[i]] = v[i]; return fmi3OK; }
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean a, fmi3Boolean *b, fmi3Boolean *d, fmi3Boolean *e, fmi3Float64 *f) {
  *b = *d = *e = fmi3False;
  advance(c, h);
  *f = t + h;
  return fmi3OK;
}
#else
fmi2Component fmi2Instantiate(fmi2String a, fmi2Type b, fmi2String c, fmi2String d, const fmi2CallbackFunctions *e, fmi2Boolean f, fmi2Boolean g) { return fresh(); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real d, fmi2Boolean e, fmi2Real f) { return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { derive(c); return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { memset(c, 0, sizeof(One)); ((One *)c)->v[0] = 1; return fmi2OK; }
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real v[]) { for (size_t i = 0; i < n; i++) v[i] = ((One *)c)->v[r[i]]; return fmi2OK; }
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real v[]) { for (size_t i = 0; i < n; i++) ((One *)c)->v[r[i]] = v[i]; return fmi2OK; }
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean a) { advance(c, h); return fmi2OK; }
#endif
