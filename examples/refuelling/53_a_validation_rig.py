"""
A validation rig: suspended drogue, driven probe
================================================

Slow tests are validated by fast ones: a drogue hangs on a rope, held sideways by bungees, and a probe strikes
it at full speed, twelve times at each angle. Rig and drogue are surrogates. Their scatter is fitted; the other
results are not.
"""

import dataclasses

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

from dovetail.studies.refuelling import pictures, validation

# %%
# Repeatability at full speed: mean and standard deviation of twelve runs at 0, 15 and 35 degrees.

angles = ("0 deg", "15 deg", "35 deg")
cases = dict(zip(angles, validation.fast_cases(), strict=True))
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for (label, case), colour in zip(cases.items(), pictures.COLOURS, strict=False):
    pictures.band(left, case.time, 1e3 * case.position[:, :, 0], label, colour)
    pictures.band(right, case.time, np.degrees(case.drogue_attitude_change[:, :, 0]), label, colour)
left.set_ylabel("across [mm]")
right.set_ylabel("attitude change [deg]")
left.legend()
plt.show()

# %%
# Strain of the ribs: peaks around the basket, the struck rib at the top; bending out of the basket, and
# sideways.

peaks = {label: np.abs(validation.strains(case).mean(axis=0)).max(axis=0) for label, case in cases.items()}
figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained", subplot_kw={"projection": "polar"})
for i, (axis, title) in enumerate(zip(axes, ("radial [1e-6]", "lateral [1e-6]"), strict=True)):
    pictures.strain_pattern(axis, {label: values[i] for label, values in peaks.items()})
    axis.set_title(title)
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %%
# Slow against fast at 35 degrees, and the wrench of the slow test.

slow, fast = validation.nominal(False), validation.nominal(True)
figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
pictures.spectra(axes[0], slow, fast)
axes[0, 0].legend()
pictures.wrench(axes[1], {"slow": {"time": slow.time, "force": slow.wrench[0]}})
plt.show()

# %%
# Effect of ten millimetres and of one degree.

moved = {}
for label, radius, angle in (
    ("nominal", 0.0, 35.0),
    ("10 mm further out", 0.01, 35.0),
    ("36 deg", 0.0, 36.0),
):
    drawn = jnp.zeros((1, 6)).at[0, 0].set(radius)
    run = validation.strike_batch(
        jnp.radians(jnp.array([angle])), jnp.asarray(1.0), drawn, validation.SLOW, 1.28
    )
    moved[label] = np.asarray(run["drogue_position"])[0, :, 0]
figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
pictures.sensitivity(axis, validation.RECORD_STEP * np.arange(1, 1281), moved)
axis.legend()
plt.show()

# %%
# The parameters of the rig are identified from swings, in two stages: without bungees, then with them. Dots:
# noisy motion capture of the rig. Lines: identified rig. The two colours are the two horizontal directions.

found, truth = validation.identified()
rebuilt = dataclasses.replace(
    truth,
    side_pull=(0.0, 0.0),
    inertia=found.inertia,
    joint_damping=found.joint_damping,
    bungee_damping=found.bungee_damping,
    bungee_length=found.bungee_length,
)
starts = jnp.asarray(validation.CORNERS)
seen, simulated = (np.asarray(validation.swung(rig, starts, 4.0)) for rig in (truth, rebuilt))
seen = seen + 5e-4 * np.random.default_rng(0).standard_normal(seen.shape)
figure, axes = plt.subplots(2, 2, figsize=(9, 5), layout="constrained")
pictures.swings(axes.ravel(), validation.CAPTURE_STEP * np.arange(1, seen.shape[1] + 1), seen, simulated)
for panel, (one, other) in zip(axes.flat, np.degrees(validation.CORNERS), strict=True):
    panel.set_title(f"released at {one:+.0f} and {other:+.0f} deg")
plt.show()
print(
    f"inertia {found.inertia:.3f} of {float(truth.inertia):g} kg m^2, bungees {found.bungee_damping:.1f} of "
    f"{float(truth.bungee_damping):g} N s/m; misfit {100 * max(found.misfit):.1f} %"
)
