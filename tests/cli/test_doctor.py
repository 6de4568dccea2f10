"""`dovetail doctor`."""

from importlib import metadata

import pytest

from dovetail.cli import doctor


def test_doctor_prints_versions_devices_compiler_and_permissions(dovetail):
    code, out, _ = dovetail("doctor")
    assert code == 0
    for word in (
        "python",
        "jax ",
        "devices",
        "C++ compiler",
        "real-time policy",
        "locked memory",
        "float64",
        "XLA loop flag",
        "native tick",
    ):
        assert word in out


def test_doctor_prints_how_to_install_missing_items(dovetail, monkeypatch):
    def version(name):
        if name == "optimistix":
            raise metadata.PackageNotFoundError
        return "1.0"

    monkeypatch.setattr(doctor.metadata, "version", version)
    code, out, _ = dovetail("doctor")
    assert code == 1
    assert "missing: pip install optimistix" in out


def test_a_missing_compiler_is_not_an_error(monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    assert doctor._compiler().startswith("missing: needed in real-time mode only")


@pytest.mark.parametrize(
    ("flag", "effect"), [("set by Dovetail", "one function"), ("not set: forbidden", "slower")]
)
def test_doctor_reports_whether_the_loop_flag_is_set_and_its_effect(monkeypatch, flag, effect):
    monkeypatch.setattr("dovetail.core.LOOP_FLAG", flag)
    assert doctor._loop_flag().startswith(flag)
    assert effect in doctor._loop_flag()


def test_doctor_lists_every_extra_with_its_purpose(dovetail, monkeypatch):
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8"))
    ours = {"dev", "docs", "release", "all"}
    assert set(doctor.EXTRAS) == set(project["project"]["optional-dependencies"]) - ours
    for extra, (package, _) in doctor.EXTRAS.items():
        assert any(need.startswith(package) for need in project["project"]["optional-dependencies"][extra])
    monkeypatch.setattr(doctor, "_opensees", lambda: "")
    known = doctor.metadata.version
    monkeypatch.setattr(
        doctor.metadata, "version", lambda name: known("jax") if name == "viser" else known(name + "-no")
    )
    assert doctor._extra("view").endswith(", for 3-D view of a run in the browser")
    assert doctor._extra("fmi").endswith("pip install 'dovetail-hybrid[fmi]'")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "ImportError: libquadmath.so.0: cannot open shared object file",
            r"libquadmath.so.0 is (bundled|missing)",
        ),
        ("ImportError: libblas.so.3: cannot open shared object file", r"libblas.so.3 is (bundled|missing)"),
        ("ImportError: libm.so.9: cannot open shared object file", "libm.so.9 is missing: install"),
        ("ImportError: GLIBC_2.99 not found", "it cannot be loaded: ImportError: GLIBC_2.99"),
    ],
)
def test_a_missing_shared_library_is_reported_with_the_remedy(monkeypatch, said, words):
    import re
    from types import SimpleNamespace

    done = SimpleNamespace(returncode=1, stderr=f"Traceback\n{said}\n")
    monkeypatch.setattr(doctor.subprocess, "run", lambda *_, **__: done)
    text = doctor._opensees()
    assert re.search(words, text)
    if "cannot open shared object" in said and "libm.so.9" not in said:
        assert "export LD_LIBRARY_PATH=" in text or re.search(r"install lib\w+", text)


def test_a_file_deleted_meanwhile_has_size_zero(tmp_path):
    (tmp_path / "a").write_bytes(bytes(7))
    assert [doctor._size(tmp_path / name) for name in ("a", "deleted.part")] == [7, 0]
