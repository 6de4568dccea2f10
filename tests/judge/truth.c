/* Independent loop of a hybrid test in plain C: nothing of Dovetail, nothing of JAX.

   One interface; numerical substructure x' = A x + B F + E r, z = C x; actuator: pure delay by cubic interpolation, then
   a first-order lag; specimen of one of the families below with one internal state; force held over a tick. */
#include <math.h>
#include <string.h>

#define N 6        /* states of the numerical substructure */
#define P 10       /* parameters of the specimen */
#define TABLE 9    /* points of the force table */
#define SINES 3
#define TAPS 4096
#define WINDOW 16

typedef struct {
  double A[N][N], B[N], C[N], E[N];
  double amplitude[SINES], omega[SINES], phase[SINES];
  double p[P], table_x[TABLE], table_f[TABLE];
  double dt, delay, tau, gap;          /* tau 0: no lag; gap is not used by the loop */
  double weights[WINDOW];              /* of the predictor, newest first */
  int family, window;                  /* window 0: no compensator */
} Case;

static double sign(double v) { return (v > 0) - (v < 0); }

/* force of the specimen, and rate of its internal state s */
static double specimen(const Case *c, double z, double v, double s, double *rate) {
  const double *p = c->p;
  double k = p[0], d = p[1];
  *rate = 0.0;
  switch (c->family) {
    case 0: return -k * z - d * v;                                                    /* linear */
    case 1: return -k * z * (1 + (z / p[2]) * (z / p[2])) - d * v;                    /* hardening */
    case 2: return -k * z / sqrt(1 + (z / p[2]) * (z / p[2])) - d * v;                /* softening */
    case 3: {                                                                         /* Bouc-Wen */
      double size = pow(fabs(s) / p[2], p[4]);
      *rate = v * (1 - size * (0.5 + 0.5 * sign(v * s)));
      return -k * (p[3] * z + (1 - p[3]) * s) - d * v;
    }
    case 4: return -k * z - p[2] * v / sqrt(v * v + p[3] * p[3]) - d * v;             /* Coulomb */
    case 5: {                                                                         /* LuGre */
      double g = p[2] + p[3] * exp(-(v / p[4]) * (v / p[4]));
      *rate = v - p[5] * fabs(v) / g * s;
      return -k * z - p[5] * s - p[6] * *rate - d * v;
    }
    case 6: return -k * z - d * v - p[3] * (fmax(z - p[2], 0) + fmin(z + p[2], 0));   /* gap, both sides */
    case 7: return -k * z - p[2] * v * fabs(v) - d * v;                               /* quadratic damper */
    case 8: return -(z > 0 ? k : p[2]) * z - (v > 0 ? d : p[3]) * v;                  /* asymmetric */
    case 9: return -k * z - p[2] * sign(v) * pow(fabs(v), p[3]);                      /* fractional damper */
    case 10: {                                                                        /* force table */
      int i = 0;
      while (i < TABLE - 2 && z >= c->table_x[i + 1]) i++;
      double slope = (c->table_f[i + 1] - c->table_f[i]) / (c->table_x[i + 1] - c->table_x[i]);
      return -(c->table_f[i] + slope * (z - c->table_x[i])) - d * v;
    }
    case 11: {                                                                        /* stop on one side */
      double depth = fmax(z - p[2], 0);
      return -k * z - d * v - p[3] * depth * sqrt(depth) * (1 + p[4] * fmax(v, 0));
    }
    case 12: return -k * z * ((z / p[2]) * (z / p[2]) - p[3]) - d * v;                /* snap-through */
    case 13: return -k * z - p[2] * tanh(d * v / p[2]);                               /* relief valve */
    default: return -k * z - d * v * (1 + (z / p[2]) * (z / p[2]));                   /* position-dependent damper */
  }
}

static double excitation(const Case *c, double t, double release) {
  double r = 0;
  if (t < release)
    for (int i = 0; i < SINES; i++) r += c->amplitude[i] * sin(c->omega[i] * t + c->phase[i]);
  return r;
}

static void rates(const Case *c, const double *x, double force, double r, double *dx) {
  for (int i = 0; i < N; i++) {
    dx[i] = c->B[i] * force + c->E[i] * r;
    for (int j = 0; j < N; j++) dx[i] += c->A[i][j] * x[j];
  }
}

static double position(const Case *c, const double *x) {
  double z = 0;
  for (int i = 0; i < N; i++) z += c->C[i] * x[i];
  return z;
}

/* advance the numerical substructure by RK4 under a held force */
static void numerical(const Case *c, double t, double *x, double force, double release) {
  double k1[N], k2[N], k3[N], k4[N], y[N], h = c->dt;
  double r1 = excitation(c, t, release), r2 = excitation(c, t + h / 2, release), r4 = excitation(c, t + h, release);
  rates(c, x, force, r1, k1);
  for (int i = 0; i < N; i++) y[i] = x[i] + h / 2 * k1[i];
  rates(c, y, force, r2, k2);
  for (int i = 0; i < N; i++) y[i] = x[i] + h / 2 * k2[i];
  rates(c, y, force, r2, k3);
  for (int i = 0; i < N; i++) y[i] = x[i] + h * k3[i];
  rates(c, y, force, r4, k4);
  for (int i = 0; i < N; i++) x[i] += h * (k1[i] / 6 + k2[i] / 3 + k3[i] / 3 + k4[i] / 6);
}

/* hybrid loop with a delay [s]: demand z and measured force of every tick, the first one at t = 0 */
int loop(const Case *c, double delay, double release, int ticks, double *out_z, double *out_f) {
  double x[N] = {0}, buffer[TAPS] = {0}, history[WINDOW] = {0};
  double h = c->dt, s = 0, rate, p1 = 0, p2 = 0, lag = 0, last = 0, samples = delay / h, ignored;
  int newest = 0;
  if (fabs(samples - round(samples)) < 1e-9) samples = round(samples);
  int k = (int)floor(samples), first = k > 0 ? k - 1 : 0;
  if (first + 4 > TAPS || delay < 0) return -1;
  double f = samples - first, weights[4];
  for (int i = 0; i < 4; i++) {
    weights[i] = 1;
    for (int j = 0; j < 4; j++) if (j != i) weights[i] *= (f - j) / (i - j);
  }
  double force = specimen(c, 0, 0, 0, &ignored);
  out_z[0] = 0; out_f[0] = force;
  for (int n = 0; n < ticks; n++) {
    double t = n * h;
    numerical(c, t, x, force, release);
    double z = position(c, x), command = z;
    if (c->window) {
      memmove(history + 1, history, (WINDOW - 1) * sizeof(double));
      history[0] = z;
      if (n + 1 >= c->window) {
        command = 0;
        for (int i = 0; i < c->window; i++) command += c->weights[i] * history[i];
      }
    }
    newest = newest ? newest - 1 : TAPS - 1;
    buffer[newest] = command;
    double p0 = 0;
    for (int i = 0; i < 4; i++) p0 += weights[i] * buffer[(newest + first + i) % TAPS];
    if (c->tau > 0) {
      double behind = c->tau * (p0 - last) / h;
      lag = p0 - behind + exp(-h / c->tau) * (lag - (last - behind));
      last = p0;
      p0 = lag;
    }
    double slope = (p0 - p2) / 2, bend = p0 - 2 * p1 + p2, stage[4];
    double zs[3], vs[3];
    for (int i = 0; i < 3; i++) {
      double u = i * 0.5;
      zs[i] = p1 + u * slope + u * u * bend / 2;
      vs[i] = (slope + u * bend) / h;
    }
    specimen(c, zs[0], vs[0], s, &stage[0]);
    specimen(c, zs[1], vs[1], s + h / 2 * stage[0], &stage[1]);
    specimen(c, zs[1], vs[1], s + h / 2 * stage[1], &stage[2]);
    specimen(c, zs[2], vs[2], s + h * stage[2], &stage[3]);
    s += h * (stage[0] / 6 + stage[1] / 3 + stage[2] / 3 + stage[3] / 6);
    force = specimen(c, zs[2], vs[2], s, &rate);
    p2 = p1; p1 = p0;
    out_z[n + 1] = z; out_f[n + 1] = force;
    if (!(fabs(z) < 1e6) || !(fabs(force) < 1e15)) {
      for (n++; n < ticks; n++) out_z[n + 1] = out_f[n + 1] = INFINITY;
      return 1;
    }
  }
  return 0;
}

/* reference: specimen coupled directly, RK4 with `parts` steps in a tick */
int reference(const Case *c, double release, int ticks, int parts, double *out_z) {
  double y[N + 1] = {0}, h = c->dt / parts;
  out_z[0] = 0;
  for (int n = 0; n < ticks * parts; n++) {
    double t = n * h, k[4][N + 1], at[N + 1];
    const double share[4] = {0, 0.5, 0.5, 1};
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i <= N; i++) at[i] = y[i] + (stage ? share[stage] * h * k[stage - 1][i] : 0);
      double z = position(c, at), v = 0;
      for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) v += c->C[i] * c->A[i][j] * at[j];
      double force = specimen(c, z, v, at[N], &k[stage][N]);
      rates(c, at, force, excitation(c, t + share[stage] * h, release), k[stage]);
    }
    for (int i = 0; i <= N; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    if ((n + 1) % parts == 0) out_z[(n + 1) / parts] = position(c, y);
    if (!(fabs(y[0]) < 1e6)) return 1;
  }
  return 0;
}
