#include "transport/thrown.hpp"

#include <new>

#include "transport/printable.hpp"

namespace lbsp {

std::string describe_thrown(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return program_out_of_memory;
  } catch (const std::exception& exception) {
    const std::string said = printable(exception.what());
    return said.empty() ? "the program threw an exception without a message: say in it what is wrong" : said;
  } catch (...) {
    return "the program threw what is not a std::exception: throw lbsp::Error, which can say what is wrong";
  }
}

}  // namespace lbsp
