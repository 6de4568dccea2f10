"""Make the study pictures of the first page of the studio: key frame of one run each.

python docs/study_pictures.py             # all, some minutes
python docs/study_pictures.py capture     # one
"""

import io
import sys
from pathlib import Path

from PIL import Image

import dovetail
from dovetail import testing
from dovetail.report.keyframe import key_frame
from dovetail.studies.registry import find_test
from dovetail.testing.modes import all_modes, run

OUT = Path(dovetail.__file__).parent / "studio" / "pictures"
SHOWN = {
    "capture": "capture/deploy",
    "docking": "docking/six-dof",
    "refuelling": "refuelling/full-scale",
    "shipboard": "shipboard/case-8",
    "substructuring": "substructuring/cs1",
}
WIDTH = 660  # [px] twice the displayed width


def draw(study: str) -> None:
    """Run the test of a study and save its picture."""
    test = testing.load(find_test(SHOWN[study]))
    still = key_frame(run(test, all_modes()[test.default_mode]()))
    image = Image.open(io.BytesIO(still.jpeg)).convert("RGB")
    size = (WIDTH, round(WIDTH * image.height / image.width))
    image = image.resize(size, Image.Resampling.LANCZOS)
    OUT.mkdir(exist_ok=True)
    image.save(OUT / f"{study}.jpg", quality=80)


for name in sys.argv[1:] or SHOWN:
    draw(name)
