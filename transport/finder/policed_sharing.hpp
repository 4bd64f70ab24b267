#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/finder/path_loss.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What ranks do that send through the same policer, none of which knows how many they are. `most` is what comes
/// through if one is alone there, which all have seen alike.
///
/// Who comes floods the policer, and all lose much. What each of them cuts then depends on who measures first, and
/// their shares stay unlike for minutes. So all begin anew instead: from the same part of the most, from which they
/// rise in the same steps once nothing is lost any more. The steps end with the first loss, or where two have all.
class PolicedSharing {
 public:
  /// So much beyond the path's own is a flood.
  static constexpr double flood = 0.15;
  /// A rate that is cut beside others is so much lower than what came through: it leaves them room.
  static constexpr double room = 0.06;

  /// Where to begin anew if `excess` is lost at `rate`; none: that is no flood, or the rate is as low.
  static std::optional<BytesPerSecond> begin(BytesPerSecond rate, double excess, BytesPerSecond most);
  /// After a step that lost nothing; none: the steps are over.
  static std::optional<BytesPerSecond> step(BytesPerSecond rate, BytesPerSecond most);
  /// After the steps, and after each cut; none until some epochs have been quiet. All add the same in the same time, as
  /// epochs of lower rates last longer.
  static std::optional<BytesPerSecond> grow(BytesPerSecond rate, std::size_t quiet_epochs,
                                            BytesPerSecond most);
};

/// The wait of who has begun anew, until the others have done so, too: each of them sees the flood at another time.
class FloodWait {
 public:
  enum class Verdict : std::uint8_t {
    open,
    over,    ///< nothing but the path's own is lost any more
    remains  ///< what is lost is about the same for long: so it is the path's own
  };

  /// After an epoch; `recent`: the last ones since this began.
  Verdict add(const RecentLoss& recent, const PathLoss& own);

 private:
  int epochs_ = 0;
};

}  // namespace lbsp::transport
