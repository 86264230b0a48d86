#!/usr/bin/env bash
# pandas 3.1.1: read_sas of a SAS transport file (XPORT) makes every 0 into 5.4e-79.
#
# Expected: 0 is 0; pyreadstat, which wrote the file here, reads it so.
# Seen: the eight bytes of a zero, all of them 0, are taken as the smallest number that an IBM mainframe has.
#     column of the event: 5.397605346934028e-79 and 1.0, so (event == 0).sum() is 0
#     log loss of a risk of 0 for a patient who died: 180 in place of infinite (scikit-learn: 36)
# No fault of ours: nothing here is ours, and the file is read rightly by another package.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q --no-compile --disable-pip-version-check \
    pandas==3.1.1 numpy==2.4.6 pyreadstat==1.3.7

cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PROGRAM'
import numpy as np
import pandas as pd
import pyreadstat

written = pd.DataFrame({"event": [0.0, 1.0, 0.0, 1.0], "risk": [0.25, 0.0, 0.0, 0.5]})
pyreadstat.write_xport(written, "x.xpt", file_format_version=5)
other = pyreadstat.read_xport("x.xpt")[0]
assert other.equals(written)

found = pd.read_sas("x.xpt")
print(found)
print("zeros written:", int((written == 0).sum().sum()), " zeros read:", int((found == 0).sum().sum()))
print("loss of a risk of 0:", -np.log(found["risk"][1]))
assert not (found == 0).any().any() and 0 < found["event"].min() < 1e-78, "It is mended."
PROGRAM
