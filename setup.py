"""Builds the optional compiled kernels; everything else is in pyproject.toml.

The kernels make the bootstrap faster, they change no result. So nothing may fail here: without
a C compiler, or with ``SKLEARN_BBC_BUILD_NATIVE=0`` in the environment, the package installs
without them and says so in one warning (shown by pip 26 and newer, by ``pip install -v`` before).
``sklearn_bbc.show_versions()`` tells at any time which kernels are active.
"""

import os
import sysconfig
import warnings
from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

NAME = "sklearn_bbc._native._kernels"
SOURCES = sorted(glob("sklearn_bbc/_native/**/*.c", recursive=True))
HEADERS = sorted(glob("sklearn_bbc/_native/**/*.h", recursive=True))
WANTED = os.environ.get("SKLEARN_BBC_BUILD_NATIVE", "1") != "0"
# One build per platform serves every Python from 3.11 on, except free-threaded ones, which have
# no limited API: they get a build of their own.
LIMITED_API = not sysconfig.get_config_var("Py_GIL_DISABLED")


class BuildOptionalExt(build_ext):
    """``build_ext`` that says in one line when there is nothing to show for it."""

    def run(self):
        super().run()
        built = [ext for ext in self.extensions if os.path.exists(self.get_ext_fullpath(ext.name))]
        if not built:
            warnings.warn(
                "sklearn-bbc: the compiled kernels were not built (no working C compiler?). "
                "The NumPy kernels are used instead: same results, slower bootstrap.",
                stacklevel=2,
            )


def native_extension():
    """The extension module; ``optional`` turns a failed build into a warning."""
    if os.name == "nt":
        flags = ["/O2"]
    else:
        # A fused multiply-add would round once where NumPy rounds twice.
        flags = ["-O3", "-fno-math-errno", "-ffp-contract=off"]
    if LIMITED_API:
        macros = [("Py_LIMITED_API", "0x030B0000")]
    else:
        # On Windows the headers serve both kinds of builds, and have to be told.
        macros = [("Py_GIL_DISABLED", "1")] if os.name == "nt" else []
    return Extension(
        NAME,
        SOURCES,
        depends=HEADERS,
        optional=True,
        py_limited_api=LIMITED_API,
        define_macros=macros,
        extra_compile_args=flags,
    )


if SOURCES and WANTED:
    setup(
        ext_modules=[native_extension()],
        cmdclass={"build_ext": BuildOptionalExt},
        options={"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED_API else {},
    )
else:
    if SOURCES:
        print("sklearn-bbc: SKLEARN_BBC_BUILD_NATIVE=0, the compiled kernels are left out.")
    setup()
