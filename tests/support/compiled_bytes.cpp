#include "transport/bytes.hpp"

template class std::vector<std::byte, lbsp::UninitializedAllocator<std::byte>>;
template bool std::operator==(const lbsp::Bytes&, const lbsp::Bytes&);
