"""An installed and moved lbsp serves projects of others: by find_package, by pkg-config and by its wrappers.

    installed_test.py CMAKE BUILD SOURCE
    installed_test.py CMAKE --prefix PREFIX SOURCE     of what is installed there already
"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

C_PROGRAM = r"""
#include <bsp.h>
#include <stdio.h>
int main(void) {
  bsp_begin(bsp_nprocs());
  int all = 0, mine = bsp_pid() + 1;
  bsp_push_reg(&all, sizeof all);
  bsp_sync();
  if (bsp_pid() > 0) bsp_put(0, &mine, &all, 0, sizeof mine);
  bsp_sync();
  if (bsp_pid() == 0) printf("C: %d\n", all);
  bsp_end();
  return 0;
}
"""
MODEL_PROGRAM = r"""
#include <cstdio>
#include "model/paper/rounds.hpp"
int main() {
  using namespace lbsp::model::paper;
  std::printf("rounds %.3f\n", expected_rounds(Scheme::rounds, 0.1, 1, 100).value());
}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES C CXX)
{installed}
{product}
add_executable(words words.c)
target_link_libraries(words PRIVATE lbsp::bsplib)
add_executable(rounds rounds.cpp)
target_link_libraries(rounds PRIVATE lbsp::model)
"""


def called(*words, wrong=None, **options):
    """What the command prints; it must succeed, or fail and say `wrong`."""
    words = [str(word) for word in words]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if wrong is None and done.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}: {done.stdout}")
    if wrong is not None and (done.returncode == 0 or wrong not in done.stdout):
        sys.exit(f"{' '.join(words)} did not fail with '{wrong}': {done.stdout}")
    return done.stdout


def expect(said, text):
    if said not in text:
        sys.exit(f"'{said}' is not in: {text}")


def snippets(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def written(folder, readme):
    """The sources of a project that knows nothing of lbsp but its README."""
    ring, product = snippets(readme, "cpp")[:2]
    cmake = snippets(readme, "cmake")
    installed = next(each for each in cmake if "find_package(lbsp" in each)
    uses_product = next(each for each in cmake if "lbsp::algorithms" in each)
    folder.mkdir()
    for name, text in (("ring.cpp", ring), ("product.cpp", product), ("words.c", C_PROGRAM),
                       ("rounds.cpp", MODEL_PROGRAM),
                       ("CMakeLists.txt", PROJECT.format(installed=installed, product=uses_product))):
        (folder / name).write_text(text, encoding="utf-8")


def run_all(prefix, programs):
    lbsp = prefix / "bin" / "lbsp"
    expect("rank 0 of 4 was told 3\n", called(lbsp, "run", "-n", "4", "--", programs / "ring"))
    expect("C: 2\n", called(lbsp, "run", "-n", "2", "--", programs / "words"))


def links_to(program):
    """The names of lbsp's own among the shared libraries that the program needs."""
    return set(re.findall(r"NEEDED.*(liblbsp\w*)\.so", called("readelf", "--dynamic", program)))


def by_find_package(cmake, prefix, folder, shared):
    build = folder / ("shared" if shared else "static")
    project = [cmake, "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"]
    called(*project, "-DCMAKE_BUILD_TYPE=Debug", f"-Dlbsp_SHARED_LIBS={shared}")
    called(cmake, "--build", build, "--parallel", "2")
    run_all(prefix, build)
    expect("rank 3 has 500 x 1000", called(prefix / "bin" / "lbsp", "run", "-n", "4", "--", build / "product"))
    expect("rounds ", called(build / "rounds"))
    for program, needs in (("ring", {"liblbsp"}), ("rounds", {"liblbsp_model"})):
        if links_to(build / program) != (needs if shared else set()):
            sys.exit(f"{program} is linked with {links_to(build / program)}")


def in_projects_of_c_alone(cmake, prefix, folder):
    c_alone = folder / "c alone"
    c_alone.mkdir()
    shutil.copy(folder / "words.c", c_alone)
    (c_alone / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(mine C)\nfind_package(lbsp REQUIRED)\n"
        "add_executable(words words.c)\ntarget_link_libraries(words PRIVATE lbsp::bsplib)\n", encoding="utf-8")
    for shared in (False, True):
        build = c_alone / f"build {shared}"
        called(cmake, "-S", c_alone, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-Dlbsp_SHARED_LIBS={shared}")
        called(cmake, "--build", build)
        expect("C: 2\n", called(prefix / "bin" / "lbsp", "run", "-n", "2", "--", build / "words"))


def a_part_of_a_project_of_c_alone_is_refused(cmake, source, folder):
    (folder / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nproject(mine C)\nadd_subdirectory({source} lbsp)\n", encoding="utf-8")
    called(cmake, "-S", folder, "-B", folder / "build", wrong="project(mine C CXX)")


def wrong_requests_are_refused(cmake, prefix, folder):
    wrong = folder / "wrong"
    wrong.mkdir()
    for line, said in (("find_package(lbsp 9.0 REQUIRED)", "version"),
                       ("find_package(lbsp REQUIRED COMPONENTS nonsense)", "lbsp has no nonsense here")):
        (wrong / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(wrong)\n{line}\n",
                                              encoding="utf-8")
        shutil.rmtree(wrong / "build", ignore_errors=True)
        called(cmake, "-S", wrong, "-B", wrong / "build", f"-DCMAKE_PREFIX_PATH={prefix}", wrong=said)


def by_pkg_config(prefix, folder):
    found = {**os.environ, "PKG_CONFIG_PATH": str(next(prefix.rglob("lbsp.pc")).parent)}

    def flags(name):
        return called("pkg-config", "--cflags", "--libs", name, env=found).split()

    where = "-Wl,-rpath=" + called("pkg-config", "--variable=libdir", "lbsp", env=found).strip()
    called("c++", "-std=c++20", "-o", folder / "ring", folder / "ring.cpp", *flags("lbsp"), where)
    called("cc", "-o", folder / "words", folder / "words.c", *flags("lbsp-bsplib"), where)
    run_all(prefix, folder)
    for name, program in (("lbsp-model", "rounds"), ("lbsp-algorithms", "product")):
        called("c++", "-std=c++20", "-o", folder / program, folder / f"{program}.cpp", *flags(name), where)
    expect("rounds ", called(folder / "rounds"))
    expect("rank 3 has 500 x 1000", called(prefix / "bin" / "lbsp", "run", "-n", "4", "--", folder / "product"))
    expect("-lopenblas", called("pkg-config", "--static", "--libs", "lbsp-algorithms", env=found))


def only_public_symbols_are_shown(prefix):
    for library in prefix.rglob("liblbsp*.so.1"):
        shown = called("nm", "--dynamic", "--demangle", "--defined-only", "--without-symbol-versions", library)
        for line in shown.splitlines():
            name = re.sub(r"^\w* \w (typeinfo |name |for |vtable )*(?:[a-z ]+ )?", "", line)
            if not re.match(r"LBSP_1$|lbsp_(1998|bsp|multicore)_|lbsp::(?!job|plan|bsplib|transport::shared_memory)", name):
                sys.exit(f"{library.name} shows {line}")


def by_wrappers(prefix, folder):
    called(prefix / "bin" / "lbspc++", "-o", folder / "ring", folder / "ring.cpp")
    called(prefix / "bin" / "lbspcc", "-o", folder / "words", folder / "words.c")
    run_all(prefix, folder)


def public_headers_stand_alone(prefix, folder):
    headers = prefix / "include" / "lbsp"
    names = sorted(str(header.relative_to(headers)) for header in headers.rglob("*.hpp"))
    internal = [name for name in names if re.match(r"transport/.*/|lbsp/(bsplib|plan)/", name)]
    if internal:
        sys.exit(f"internal headers are installed: {' '.join(internal)}")
    (folder / "all.cpp").write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
    called("c++", "-std=c++20", "-fsyntax-only", f"-I{headers}", folder / "all.cpp")


def pages_that_headers_name_are_there(prefix):
    pages = prefix / "share" / "doc" / "lbsp"
    named = {name for header in (prefix / "include").rglob("*.h*")
             for name in re.findall(r"\bdocs/[\w/]+\.md\b", header.read_text(encoding="utf-8"))}
    missing = sorted(name for name in named if not (pages / name).exists())
    if missing or "docs/survival.md" not in named:
        sys.exit(f"headers name pages that are not installed: {' '.join(missing)}")


def man_pages_are_whole(prefix):
    """Where help2man was found when lbsp was built."""
    for page in [page for name in ("lbsp", "bsp_") for page in (prefix / "share" / "man").rglob(f"{name}*.gz")]:
        text = gzip.decompress(page.read_bytes()).decode()
        if text.startswith(".so man3/"):
            if not (page.parent / f"{text[9:].strip()}.gz").exists():
                sys.exit(f"{page.name} leads to {text}")
        elif not re.search(r"^\.SH NAME\n[^\n]+ \\- \w[^\n]+\n\.SH SYNOPSIS\n", text, re.MULTILINE):
            sys.exit(f"{page.name} has no name and synopsis: {text[:400]}")
    if (prefix / "share" / "man" / "man1" / "lbsp.1.gz").exists():
        for name in ("man1/lbsp-run", "man1/lbsp-hosts-check", "man1/lbsp-trace-convert", "man1/lbspcc", "man3/bsp_sync",
                     "man3/bsp_hpput"):
            if not list((prefix / "share" / "man").glob(f"{name}.*.gz")):
                sys.exit(f"there is no man page {name}")


def nothing_names_its_place(prefix, places):
    for file in sorted(prefix.rglob("*")):
        if file.is_file() and file.suffix in (".cmake", ".pc", ".hpp", ".h", ""):
            content = file.read_bytes()
            for place in places:
                if not content.startswith(b"\x7fELF") and str(place).encode() in content:
                    sys.exit(f"{file.relative_to(prefix)} names {place}")


def serves(cmake, prefix, source, folder):
    written(folder / "outside", (source / "README.md").read_text(encoding="utf-8"))
    only_public_symbols_are_shown(prefix)
    man_pages_are_whole(prefix)
    pages_that_headers_name_are_there(prefix)
    by_find_package(cmake, prefix, folder / "outside", shared=False)
    by_find_package(cmake, prefix, folder / "outside", shared=True)
    in_projects_of_c_alone(cmake, prefix, folder / "outside")
    wrong_requests_are_refused(cmake, prefix, folder / "outside")
    by_wrappers(prefix, folder / "outside")
    public_headers_stand_alone(prefix, folder / "outside")


def installed_and_moved(cmake, build, source, folder):
    first, prefix = folder / "first", folder / "moved tree"
    called(cmake, "--install", build, "--prefix", first)
    first.rename(prefix)
    nothing_names_its_place(prefix, (first, build, source))
    serves(cmake, prefix, source, folder)
    # pkg-config's answer is words without quotes: no spaces here.
    return prefix.rename(folder / "tree")


def main():
    cmake, build, *place, source = (pathlib.Path(word) for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if place:
            prefix = place[0]
            serves(cmake, prefix, source, folder)
        else:
            prefix = installed_and_moved(cmake, build, source, folder)
            a_part_of_a_project_of_c_alone_is_refused(cmake, source, folder)
        by_pkg_config(prefix, folder / "outside")


main()
