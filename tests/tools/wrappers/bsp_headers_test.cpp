// The bsp.h and mcbsp.h that lbspcc and lbspc++ bring, with what programs of other libraries look for there.
#include <gmock/gmock.h>
#include <string>
#include <utility>

#include "tests/tools/wrappers/lbspcc.hpp"

namespace lbsp::test {
namespace {

using testing::HasSubstr;

/// In the types of MulticoreBSP, which differ from BSPlib's where addresses are given.
constexpr const char* multicore = R"(#include <mcbsp.h>
#include <stdio.h>
int main() {
  bsp_pid_t me;
  bsp_nprocs_t count;
  bsp_size_t bytes = 2, status;
  char tag[2] = {'o', 'k'};
  size_t x = 0;
  void *tag_at, *payload_at;
  bsp_begin(bsp_nprocs());
  me = bsp_pid();
  bsp_set_tagsize(&bytes);
  bsp_push_reg(&x, sizeof x);
  bsp_sync();
  bytes = (size_t)me + 5;
  bsp_put((me + 1) % bsp_nprocs(), &bytes, &x, 0, sizeof x);
  bsp_send(0, tag, &me, sizeof me);
  bsp_sync();
  bsp_qsize(&count, &bytes);
  bsp_get_tag(&status, tag);
  if (me == 0) printf("%u messages of %zu bytes, %zu, %.2s, %zu\n", count, bytes, status, tag, x);
  while (bsp_hpmove(&tag_at, &payload_at) != (size_t)-1) {}
  bsp_end();
  return 0;
}
)";

TEST_F(Lbspcc, builds_the_face_of_multicorebsp_in_c_and_cxx) {
  folder_.write("m.c", multicore);
  folder_.write("m.cpp", multicore);
  expect_compiles("lbspcc", {"-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "mc", "m.c"}, directory());
  expect_runs("mc", "2 messages of 8 bytes, 4, ok, 6");
  expect_compiles("lbspc++", {"-Wall", "-Wextra", "-Werror", "-o", "mcpp", "m.cpp"}, directory());
  expect_runs("mcpp", "2 messages of 8 bytes, 4, ok, 6");
}

TEST_F(Lbspcc, brings_the_headers_that_other_bsp_h_bring) {
  folder_.write("p.c",
                "#include <bsp.h>\nint main(void) { uint32_t x = 7; char text[8] = \"\"; bsp_begin(1); "
                "strcpy(text, \"seven\"); printf(\"%s %d\\n\", text, (int)x); bsp_end(); return 0; }\n");
  expect_compiles("lbspcc", {"-std=c99", "-Wall", "-Werror", "p.c", "-o", "prog"}, directory());
  expect_runs("prog", "seven 7\n");
}

TEST_F(Lbspcc, builds_programs_that_tell_the_report_whether_their_answer_is_right) {
  folder_.write("p.c",
                "#include <bsp.h>\nint main(void) { bsp_begin(bsp_nprocs()); bsp_sync(); "
                "lbsp_verified(bsp_pid() != WRONG); bsp_end(); return 0; }\n");
  for (const auto& [wrong, verified] : {std::pair("-1", "yes"), std::pair("1", "NO: ")}) {
    expect_compiles("lbspcc", {"-DWRONG=" + std::string(wrong), "p.c", "-o", "prog"}, directory());
    const Outcome outcome = run({"-n", "2", "--", directory() + "/prog"});
    EXPECT_EQ(outcome.code, verified == std::string("yes") ? 0 : 1) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr("verified    " + std::string(verified)));
  }
}

TEST_F(Lbspcc, takes_the_functions_and_names_that_oxfords_programs_use) {
  folder_.write("p.c", R"(#include "bsp.h"
#include "bsp_level1.h"
static void add(double *sum, const double *a, const double *b, int *bytes) {
  if (*bytes == (int)sizeof(double)) *sum = *a + *b;
}
static void greater(res, x, y, bytes) int *res, *x, *y, *bytes; { (void)bytes; *res = *x > *y ? *x : *y; }
int main(void) {
  double x = 0.5, sum;
  int most, got = 0, messages, bytes, tag = 4;
  bsp_begin(bsp_nprocs());
  most = bsp_pid();
  bsp_pushregister(&got, sizeof got);
  bsp_set_tag_size(&tag);
  bsp_sync();
  bsp_fold(add, &x, &sum, sizeof x);
  bsp_fold(greater, &most, &most, sizeof most);
  bsp_bsmp_info(&messages, &bytes);
  bsp_popregister(&got);
  if (bsp_pid() == 0) printf("%g %d %d %d\n", sum, most, bsp_maxI(2), messages); else bsp_maxI(9);
  bsp_end();
  return 0;
}
)");
  for (const std::string standard : {"c89", "c99", "c17"}) {
    expect_compiles("lbspcc", {"-std=" + standard, "-Wall", "-Wextra", "-Werror", "-o", "prog", "p.c"},
                    directory());
    expect_runs("prog", "1 1 9 0\n");
  }
}

TEST_F(Lbspcc, refuses_a_header_of_another_library_beside_the_source) {
  folder_.write(
      "mcbsp.h",
      "#include <stddef.h>\nvoid bsp_begin(unsigned); void bsp_end(void); unsigned bsp_nprocs(void);\n"
      "void bsp_put(unsigned, const void *, const void *, size_t, size_t);\n");
  folder_.write("p.c",
                "#include \"mcbsp.h\"\nint main(void) { bsp_begin(bsp_nprocs()); bsp_end(); return 0; }\n");
  const Outcome outcome = compile("lbspcc", {"p.c", "-o", "prog"}, directory());
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("compiled_with_a_bsp_h_or_mcbsp_h_that_is_not_lbsp_s"));
}

TEST_F(Lbspcc, refuses_a_second_face_in_the_same_file) {
  folder_.write("p.c", "#include <bsp.h>\n#include <mcbsp.h>\nint main(void) { return 0; }\n");
  const Outcome outcome = compile("lbspcc", {"p.c", "-o", "prog"}, directory());
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("include <mcbsp.h> first"));
}

}  // namespace
}  // namespace lbsp::test
