// Stands in for libpmix in a job of one process: no starter is asked. A fence ends at once, which PMIx_Fence_nb may say
// by what it returns, without a call back, where all processes are on one host (PMIx Standard, version 4).
#include <cstdlib>
#include <cstring>
#include <map>
#include <pmix.h>
#include <string>

namespace {

std::map<std::string, std::string>& texts() {
  static std::map<std::string, std::string> texts;
  return texts;
}

/// Whoever gets it frees it.
pmix_value_t* new_value(pmix_data_type_t type) {
  auto* const value = static_cast<pmix_value_t*>(std::calloc(1, sizeof(pmix_value_t)));
  value->type = type;
  return value;
}

}  // namespace

extern "C" {

pmix_status_t PMIx_Init(pmix_proc_t* self, pmix_info_t* /*info*/, size_t /*infos*/) {
  std::strncpy(self->nspace, "local", PMIX_MAX_NSLEN);
  self->rank = 0;
  return PMIX_SUCCESS;
}

pmix_status_t PMIx_Put(pmix_scope_t /*scope*/, const char* key, pmix_value_t* value) {
  texts()[key] = value->data.string;
  return PMIX_SUCCESS;
}

pmix_status_t PMIx_Commit() {
  return PMIX_SUCCESS;
}

pmix_status_t PMIx_Fence(const pmix_proc_t* /*processes*/, size_t /*size*/, const pmix_info_t* /*info*/,
                         size_t /*infos*/) {
  return PMIX_SUCCESS;
}

pmix_status_t PMIx_Fence_nb(const pmix_proc_t* /*processes*/, size_t /*size*/, const pmix_info_t* /*info*/,
                            size_t /*infos*/, pmix_op_cbfunc_t /*call_back*/, void* /*data*/) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t PMIx_Get(const pmix_proc_t* /*of*/, const char* key, const pmix_info_t* /*info*/,
                       size_t /*infos*/, pmix_value_t** value) {
  const std::string asked = key;
  if (asked == PMIX_JOB_SIZE || asked == PMIX_LOCAL_SIZE) {
    *value = new_value(PMIX_UINT32);
    (*value)->data.uint32 = 1;
    return PMIX_SUCCESS;
  }
  if (asked == PMIX_LOCAL_RANK) {
    *value = new_value(PMIX_UINT16);
    return PMIX_SUCCESS;
  }
  const auto found = texts().find(asked);
  if (found == texts().end()) return PMIX_ERR_NOT_FOUND;
  *value = new_value(PMIX_STRING);
  (*value)->data.string = ::strdup(found->second.c_str());
  return PMIX_SUCCESS;
}

pmix_status_t PMIx_Finalize(const pmix_info_t* /*info*/, size_t /*infos*/) {
  return PMIX_SUCCESS;
}

const char* PMIx_Error_string(pmix_status_t status) {
  static std::string text;
  text = std::to_string(status);
  return text.c_str();
}
}
