# Copyright 2026 the lbsp authors. SPDX-License-Identifier: MIT
from spack.package import *


class Lbsp(CMakePackage):
    """Bulk-synchronous programs across hosts whose network loses packets."""

    url = "SOURCE_URL"
    license("MIT")
    version("0.1.0", sha256="SOURCE_SHA256")

    variant("mpi", default=False, description="the backend over Open MPI")
    variant("shared", default=True, description="shared libraries beside the archives")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.74:")
    depends_on("cli11@2.1:")
    depends_on("fftw@3: precision=float,double")
    depends_on("fmt@9:")
    depends_on("isa-l")
    depends_on("libsodium")
    depends_on("libuv")
    depends_on("nlohmann-json@3.11:")
    depends_on("openblas")
    depends_on("openmpi", when="+mpi")
    conflicts("%gcc@:11", msg="lbsp is C++20: use g++ 12 or newer")

    def cmake_args(self):
        return [
            self.define_from_variant("LBSP_MPI", "mpi"),
            self.define_from_variant("LBSP_SHARED", "shared"),
            self.define("LBSP_TESTS", False),
            self.define("LBSP_BENCHMARKS", False),
        ]
