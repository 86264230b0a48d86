"""Builds the optional compiled kernels; everything else is in pyproject.toml.

The kernels make the bootstrap faster, they change no result. So nothing may fail here: without
a C compiler, or with ``SKLEARN_BBC_BUILD_NATIVE=0`` in the environment, the package installs
without them and says so in one warning (shown by pip 26 and newer, by ``pip install -v`` before).
``sklearn_bbc.show_versions()`` tells at any time which kernels are active.

They are a plain library that ctypes loads, so one wheel per platform serves every Python.
"""

import os
import warnings
from glob import glob

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

SOURCES = sorted(glob("sklearn_bbc/_native/*.c"))
WINDOWS = os.name == "nt"


class BuildLibrary(build_ext):
    """Build a library without Python in it, and say in one line when it was not built."""

    def get_ext_filename(self, fullname):
        return os.path.join(*fullname.split(".")) + (".dll" if WINDOWS else ".so")

    def get_export_symbols(self, ext):
        return []

    def run(self):
        super().run()
        built = [ext for ext in self.extensions if os.path.exists(self.get_ext_fullpath(ext.name))]
        if not built:
            warnings.warn(
                "sklearn-bbc: the compiled kernels were not built (no working C compiler?). "
                "The NumPy kernels are used instead: same results, slower bootstrap.",
                stacklevel=2,
            )


class PlatformWheel(bdist_wheel):
    """Name the wheel after its platform, but after no Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


# A fused multiply-add would round once where NumPy rounds twice.
FLAGS = (
    ["/O2"] if WINDOWS else ["-O3", "-fno-math-errno", "-ffp-contract=off", "-fvisibility=hidden"]
)

if SOURCES and os.environ.get("SKLEARN_BBC_BUILD_NATIVE", "1") != "0":
    library = Extension(
        "sklearn_bbc._native._kernels",
        SOURCES,
        depends=glob("sklearn_bbc/_native/*.h"),
        optional=True,
        extra_compile_args=FLAGS,
    )
    commands = {"build_ext": BuildLibrary, "bdist_wheel": PlatformWheel}
    setup(ext_modules=[library], cmdclass=commands)
else:
    if SOURCES:
        print("sklearn-bbc: SKLEARN_BBC_BUILD_NATIVE=0, the compiled kernels are left out.")
    setup()
