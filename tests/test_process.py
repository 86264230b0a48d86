"""The number of this process, also in a forked child."""

import os
import subprocess
import sys

import pytest

from sklearn_bbc import _process


def test_it_is_what_the_system_says():
    assert _process.number == os.getpid()
    code = "import os; from sklearn_bbc import _process; print(_process.number == os.getpid())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_its_own():
    # In another interpreter: this one may have threads.
    code = (
        "import os; from sklearn_bbc import _process; before = _process.number; pid = os.fork()\n"
        "if pid == 0:\n"
        "    os._exit(0 if before != _process.number == os.getpid() else 1)\n"
        "_, status = os.waitpid(pid, 0)\n"
        "assert _process.number == before == os.getpid() and status == 0\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
