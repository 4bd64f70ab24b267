"""Checks that no two sources that may be compiled as one give a name to two things: constants, variables, types, and
functions that take the same.

CMake compiles several sources of a library as one (cmake/compiler.cmake), and which those are changes with every file that
is added. What is a file's own must therefore have a name of its own in its whole namespace, which is a folder's, and the
same holds for the SOURCES of a test program. Those APART are ordered so that what is compiled as one differs.
"""
import pathlib
import re
import sys

from declarations import declarations

LAYERS = ("model", "transport", "lbsp", "algorithms", "tools")
SAMPLE = r"""
#define BEGIN {
namespace a::b { namespace {
// constexpr int in_comment = 1;
constexpr int one = 1, two{2}; const std::map<int, std::array<int, 2>> table{{1, {2, 3}}}; double rates[2] = {1, 2};
using Names = std::vector<std::string>; using c::d; enum Colour { red, green = 2 }; enum class Form : char { round };
template <class T> struct Box { int held; void open(int) {} }; struct Later; static_assert(sizeof(int) == 4, "{");
auto shown = [](int n) { return n < 2; };
template <typename T> T most(const std::map<int, T>& of, int n = 3) { int local = 1; return T{local}; }
std::function<void(int)> made(const int n, std::size_t, Box<int>* box);
bool operator<(const Box<int>& left, Later right) { return true; }
}
Box<int>::Box(int n) : held{n}, other_(n) {}
int Box<int>::count = 0;
bool operator==(const Box<int>& left, Later right) { return true; }
static int counted() { return 1; }
}
extern "C" { int everyones(unsigned n) { return n; } }
"""
OF_SAMPLE = ["one", "two", "table", "rates", "Names", "Colour", "red", "green", "Form", "Box", "shown",
             "most<class T>(const std::map<int, T>&, int)", "made(int, std::size_t, Box<int>*)",
             "operator<(const Box<int>&, Later)", "operator==(const Box<int>&, Later)",
             "counted()", "everyones(unsigned)"]
BESIDE_SAMPLE = """
namespace a { namespace { constexpr int two = 2; } }
namespace a::b { namespace { struct one {}; void red() {} int counted(int each); } static int made(int, std::size_t m, Box<int>* b); }
"""
CLASHING = ["one", "red", "made"]


def clashes(file, declared, known):
    """known: by namespace and name, (file, declaration) of those that were looked at before."""
    for here in declared:
        others = known.setdefault((here.namespace, here.name), [])
        for other_file, other in others:
            is_overload = None not in (here.parameters, other.parameters) and here.parameters != other.parameters
            if other_file != file and (here.own or other.own) and not is_overload:
                yield f"{file}:{here.line}: {here.name} is also in {other_file}:{other.line}: rename one"
        others.append((file, here))


def test_programs(root):
    """Of each: its SOURCES, and the headers beside them."""
    for page in sorted(root.rglob("CMakeLists.txt")):
        for words in re.findall(r"^ *lbsp_test\(([^()]*)\)", page.read_text(encoding="utf-8"), re.MULTILINE):
            sources = re.search(r"\bSOURCES\b(.*?)(\bAPART\b|$)", words, re.DOTALL)
            files = [page.parent / name for name in sources[1].split()]
            headers = sorted({header for file in files for header in file.parent.glob("*.hpp")})
            yield [*headers, *files]


def problems(root):
    layers = [file for layer in LAYERS for file in sorted((root / layer).rglob("*.?pp"))]
    for files in [layers, *test_programs(root / "tests")]:
        known = {}
        for file in files:
            yield from clashes(file.relative_to(root), declarations(file.read_text(encoding="utf-8")), known)


def sample_problems():
    here, beside = declarations(SAMPLE), declarations(BESIDE_SAMPLE)
    if [found.name + (found.parameters or "") for found in here] != OF_SAMPLE:
        yield "the sample's declarations are not found"
    known = {}
    found = [*clashes("sample", here, known), *clashes("beside", beside, known)]
    if [line.split()[1] for line in found] != CLASHING:
        yield "the sample's names that clash are not found"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = [*sample_problems(), *problems(root)]
    print("\n".join(found) or "no two sources of a namespace give one name to two things")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
