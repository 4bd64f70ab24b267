#include "tools/trace_command/otf2_check.hpp"

#include <memory>
#include <otf2/otf2.h>

namespace lbsp::trace_command {
namespace {

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};

bool all_definitions(OTF2_Reader* reader, std::size_t ranks) {
  std::uint64_t read = 0;
  if (OTF2_Reader_OpenDefFiles(reader) != OTF2_SUCCESS) return false;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(reader, rank);
    if (definitions == nullptr ||
        OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read) != OTF2_SUCCESS ||
        OTF2_Reader_CloseDefReader(reader, definitions) != OTF2_SUCCESS)
      return false;
  }
  OTF2_GlobalDefReader* common = OTF2_Reader_GetGlobalDefReader(reader);
  return OTF2_Reader_CloseDefFiles(reader) == OTF2_SUCCESS && common != nullptr &&
         OTF2_Reader_ReadAllGlobalDefinitions(reader, common, &read) == OTF2_SUCCESS && read > 0;
}

bool all_events(OTF2_Reader* reader, const std::vector<std::uint64_t>& events) {
  if (OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS) return false;
  for (std::size_t rank = 0; rank < events.size(); ++rank) {
    OTF2_EvtReader* of_rank = OTF2_Reader_GetEvtReader(reader, rank);
    std::uint64_t read = 0;
    if (of_rank == nullptr || OTF2_Reader_ReadAllLocalEvents(reader, of_rank, &read) != OTF2_SUCCESS ||
        read != events[rank] || OTF2_Reader_CloseEvtReader(reader, of_rank) != OTF2_SUCCESS)
      return false;
  }
  return OTF2_Reader_CloseEvtFiles(reader) == OTF2_SUCCESS;
}

}  // namespace

bool is_whole_archive(const std::string& anchor, const std::vector<std::uint64_t>& events) {
  const std::unique_ptr<OTF2_Reader, CloseReader> reader(OTF2_Reader_Open(anchor.c_str()));
  if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()) != OTF2_SUCCESS) return false;
  for (std::size_t rank = 0; rank < events.size(); ++rank)
    if (OTF2_Reader_SelectLocation(reader.get(), rank) != OTF2_SUCCESS) return false;
  return all_definitions(reader.get(), events.size()) && all_events(reader.get(), events);
}

}  // namespace lbsp::trace_command
