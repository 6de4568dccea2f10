"""The doctor tells what there is."""

from importlib import metadata

from dovetail.cli import doctor


def test_versions_devices_compiler_and_permissions_are_told(dovetail):
    code, out, _ = dovetail("doctor")
    assert code == 0
    for word in (
        "python",
        "jax ",
        "devices",
        "C++ compiler",
        "real-time policy",
        "locked memory",
        "compiled loop",
        "native tick",
    ):
        assert word in out


def test_what_is_missing_is_told_with_how_to_get_it(dovetail, monkeypatch):
    def version(name):
        if name == "diffrax":
            raise metadata.PackageNotFoundError
        return "1.0"

    monkeypatch.setattr(doctor.metadata, "version", version)
    code, out, _ = dovetail("doctor")
    assert code == 1
    assert "missing: pip install diffrax" in out


def test_a_missing_compiler_is_no_fault(monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    assert doctor._compiler().startswith("missing: only the real-time mode wants one")


def test_flags_set_by_the_user_are_noticed(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_backend_extra_options=something")
    assert "slower" in doctor._compiled_loop()
