#pragma once

#include <cstdint>
#include <memory>

#include "lbsp/checkpoint/folder_lock.hpp"
#include "lbsp/checkpoint/interval_plan.hpp"
#include "lbsp/checkpoint/saving_meter.hpp"
#include "lbsp/checkpoint/store.hpp"

namespace lbsp {

/// What a rank carries from one world to the next of the states that other hosts or disks keep.
struct Keeping {
  checkpoint::Store store;        ///< the states
  checkpoint::SavingMeter meter;  ///< what saving them has cost this rank, in all worlds
  /// The steps from one state to the next that all were told last, where they are planned.
  std::uint64_t interval = checkpoint::first_interval;
  /// Of the states on disk: the job's first generation, which new processes are told. Each world has the next one.
  std::uint64_t first_generation = 0;
  /// Of the folder on disk: until the job's end no other one may keep states in it.
  std::shared_ptr<const checkpoint::FolderLock> claim;
};

}  // namespace lbsp
