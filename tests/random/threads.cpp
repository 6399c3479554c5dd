#include "tests/random/threads.h"

#include <algorithm>

#include "tests/random/expressions.h"
#include "tests/random/memory.h"
#include "tests/random/values.h"

namespace pykc::random_test {
namespace {

constexpr const char* kAllLanes = "0xffffffff";

/// Each thread writes its own elements of the array, in one of the ways that fit. `name`: of the array, or of what
/// another block has in its place.
void write_own_part(Writer& w, const SharedArray& array, const std::string& name, bool may_copy) {
  const int threads = w.launch.threads;
  w.place.hidden = array.name;
  const bool is_copyable = array.element.is_scalar() && size_in_bytes(array.element.scalar) >= 4;
  if (may_copy && w.is_enabled(Feature::AsyncCopies) && is_copyable && array.size <= threads && w.chance(60)) {
    const std::string source = view(w, array.element.scalar, 8);
    const std::string input = source.substr(0, source.find('['));
    w.line("if tid < " + std::to_string(array.size) + ": memcpy_async(" + name + ", tid, " + input + ", gid % 64)");
    w.line("memcpy_async_commit()");
    w.line("memcpy_async_wait()");
  } else if (array.size == threads) {
    w.line(name + "[tid] = " + value(w, array.element, 2));
  } else if (array.size < threads && w.chance(50)) {
    w.line("if tid < " + std::to_string(array.size) + ": " + name + "[tid] = " + value(w, array.element, 2));
  } else {
    w.line("for k in range(tid, " + std::to_string(array.size) + ", threads):");
    w.indented([&] {
      w.place.variables.push_back({"k", ScalarType::I64});
      w.line(name + "[k] = " + value(w, array.element, 1));
      w.place.variables.pop_back();
    });
  }
  w.place.hidden.clear();
}

/// The mask of some lanes, known while writing.
struct LaneSet {
  const char *mask, *condition;
};
constexpr LaneSet kLaneSets[] = {{"0x0000ffff", "tid % 32 < 16"}, {"0x55555555", "tid % 2 == 0"},
                                 {"0xff00ff00", "tid % 16 >= 8"}, {"0x00000001", "tid % 32 == 0"},
                                 {"0xfffffffe", "tid % 32 > 0"},  {"0x80000007", "tid % 32 < 3 or tid % 32 == 31"}};

/// Whether a mask of all lanes may name some that are not there: what a shuffle gets from these is undefined.
bool may_lack_lanes(const Writer& w) { return w.launch.threads % 32 != 0 || w.is_enabled(Feature::EarlyReturns); }

/// An operation of the lanes of `mask`, and the type of what it gives.
Expression warp_operation(Writer& w, const std::string& mask) {
  const ScalarType type = w.chance(30) ? w.any_type() : w.any_of(kWideTypes), integer = w.any_of(kIntegers);
  const std::string width = w.chance(30) ? ", " + std::to_string(1 << (1 + w.number(5))) : "";
  const std::string head = mask + ", ";
  const auto of = [&](ScalarType t) { return head + expression(w, t, 1).text; };
  const ScalarType number = type == ScalarType::Bool ? ScalarType::I32 : type;
  static constexpr const char* kSums[] = {"redux_sync_add(", "redux_sync_min(", "redux_sync_max("};
  static constexpr const char* kBits[] = {"redux_sync_and(", "redux_sync_or(", "redux_sync_xor("};
  const int shuffles = mask == kAllLanes && may_lack_lanes(w) ? 0 : 4;
  switch (4 - shuffles + w.number(6 + shuffles)) {
    case 9:  // who runs it together is not defined, but the thread itself is there
      return {"((activemask() >> (tid % 32)) & 1)", ScalarType::U32};
    case 0:
      return {"shfl_sync(" + of(type) + ", i32(" + any(w, 1).text + ") & 31" + width + ")", type};
    case 1:
      return {"shfl_up_sync(" + of(type) + ", " + std::to_string(w.number(20)) + width + ")", type};
    case 2:
      return {"shfl_down_sync(" + of(type) + ", " + std::to_string(w.number(20)) + width + ")", type};
    case 3:
      return {"shfl_xor_sync(" + of(type) + ", " + std::to_string(w.number(32)) + width + ")", type};
    case 4:
      return {"match_any_sync(" + of(integer) + " & 3)", ScalarType::U32};
    case 5:
      return {"match_all_sync(" + of(integer) + " & 1)[0]", ScalarType::U32};
    case 6:
      return {w.random.pick(kSums) + of(number) + ")", number};
    case 7:
      return {w.random.pick(kBits) + of(integer) + ")", integer};
    default:
      return {"elect_sync(" + mask + ")", ScalarType::Bool};
  }
}

void add_result(Writer& w, const Expression& result) {
  const std::string name = w.fresh("t");
  w.line(name + " = " + result.text);
  w.place.variables.push_back({name, result.type});
}

}  // namespace

void begin_shared_arrays(Writer& w) {
  w.line("sums = shared.array(8, i64)");
  w.line("for k in range(tid, 8, threads): sums[k] = 0");
  if (w.is_enabled(Feature::SharedArrays)) {
    bool is_dynamic = w.is_enabled(Feature::DynamicShared);
    for (int i = 1 + w.number(2); i-- > 0;) {
      const int threads = w.launch.threads;
      const int sizes[] = {threads, threads, 32, 64, std::min(512, 2 * threads + 3)};
      SharedArray array{w.fresh("tile"), storable_type(w), w.random.pick(sizes)};
      std::string shape = std::to_string(array.size);
      if (is_dynamic && array.element.is_scalar()) {
        w.shared_bytes = array.size * size_in_bytes(array.element.scalar);
        shape = "0";
        is_dynamic = false;
      } else if (array.size == threads && w.chance(50)) {
        shape = "blockDim.x * blockDim.y * blockDim.z";
      }
      w.line(array.name + " = shared.array(" + shape + ", " + spelling(array.element) + ")");
      write_own_part(w, array, array.name, false);
      w.shared.push_back(array);
    }
  }
  meet(w);
  for (const SharedArray& array : w.shared)
    w.place.arrays.push_back({array.name, array.element, {array.size}, Memory::Shared, false});
}

void begin_grid_exchange(Writer& w) {
  if (!w.is_enabled(Feature::GridSync)) return;
  const ScalarType type = w.any_type();
  const int total = w.launch.blocks * w.launch.threads;
  w.parameters.push_back(
      {"board", spelling(type) + "[:]", "random " + spelling(type) + "[" + std::to_string(total) + "]"});
}

std::string any_rank(Writer& w) { return "i64(" + any(w, 1).text + ") % cluster_nctarank()"; }

void meet(Writer& w) { w.line(w.is_enabled(Feature::Clusters) ? "cluster_sync()" : "syncthreads()"); }

/// A variable that keeps what others may write over. In Numba's dialect one that is given a record of an array is that
/// record; what an `if` expression chooses is a copy.
void add_copy(Writer& w, const std::string& text, const ValueType& type) {
  const std::string name = w.fresh("t");
  const bool is_reference = w.is_enabled(Feature::NumbaDialect) && !type.is_scalar();
  w.line(name + " = " + (is_reference ? text + " if tid >= 0 else " + text : text));
  w.place.variables.push_back({name, type});
}

/// Behind a barrier each may read what any has written before.
void exchange_through_shared_memory(Writer& w) {
  if (w.shared.empty()) return w.line("pass");
  const SharedArray array = w.random.pick(w.shared);
  w.line("syncthreads()");
  write_own_part(w, array, array.name, true);
  w.line("syncthreads()");
  const std::string turn = std::to_string(w.number(70));
  add_copy(w, array.name + "[(tid + " + turn + ") % " + std::to_string(array.size) + "]", array.element);
}

/// Each block writes the memory of another one, and each thread reads that of any.
void exchange_through_cluster(Writer& w) {
  if (w.shared.empty()) return w.line("pass");
  const SharedArray array = w.random.pick(w.shared);
  const std::string to = w.fresh("far"), from = w.fresh("far"), turn = std::to_string(w.number(9));
  w.line("cluster_sync()");
  w.line(to + " = map_shared_rank(" + array.name + ", (cluster_ctarank() + " + turn + ") % cluster_nctarank())");
  write_own_part(w, array, to, false);
  if (w.chance(50)) {
    w.line("cluster_arrive()");
    w.place.hidden = array.name;
    add_result(w, operation(w, 2));
    w.place.hidden.clear();
    w.line("cluster_wait()");
  } else {
    w.line("cluster_sync()");
  }
  w.line(from + " = map_shared_rank(" + array.name + ", " + any_rank(w) + ")");
  w.place.arrays.push_back({from, array.element, {array.size}, Memory::Shared, false});
  add_copy(
      w,
      w.chance(50) ? value(w, array.element, 2) : from + "[(tid + " + turn + ") % " + std::to_string(array.size) + "]",
      array.element);
  w.place.arrays.pop_back();
  w.line("cluster_sync()");
}

void vote_in_block(Writer& w) {
  static constexpr const char* kVotes[] = {"syncthreads_count", "syncthreads_and", "syncthreads_or"};
  const int vote = w.number(3);
  const std::string name = w.fresh("t");
  w.line(name + " = " + kVotes[vote] + "(" + condition(w, 1) + ")");
  w.place.variables.push_back({name, vote == 0 ? ScalarType::I32 : ScalarType::Bool, true});
}

void exchange_in_warp(Writer& w) { add_result(w, warp_operation(w, kAllLanes)); }

void vote_in_warp(Writer& w) {
  static constexpr const char* kVotes[] = {"ballot_sync", "all_sync", "any_sync", "eq_sync"};
  const int vote = w.number(4);
  const std::string text = std::string(kVotes[vote]) + "(" + kAllLanes + ", " + condition(w, 1) + ")";
  add_result(w, {text, vote == 0 ? ScalarType::U32 : ScalarType::Bool});
}

/// Some lanes exchange while the others go on: known ones, or those for which a condition held.
void exchange_in_part_of_warp(Writer& w) {
  std::string mask, test;
  if (w.chance(50)) {
    const LaneSet& set = w.random.pick(kLaneSets);
    mask = set.mask;
    test = set.condition;
  } else {
    test = w.fresh("here");
    mask = w.fresh("mask");
    w.line(test + " = " + condition(w, 1));
    w.line(mask + " = ballot_sync(" + kAllLanes + ", " + test + ")");
  }
  const Expression value = any(w, 1);
  const std::string name = w.fresh("t");
  w.line(name + " = " + converted(value, value.type).text);
  w.line("if " + test + ":");
  w.line("    " + name + " = " + converted(warp_operation(w, mask), value.type).text);
  if (w.chance(30)) {
    w.line("else:");
    w.line("    " + name + " = " + converted(any(w, 1), value.type).text);
  }
  w.place.variables.push_back({name, value.type});
}

/// The same by way of global memory: each block reads what another one wrote.
void exchange_through_grid(Writer& w) {
  const auto board = std::ranges::find(w.parameters, "board", &Parameter::name);
  const ScalarType type = *find_scalar_type(board->annotation.substr(0, board->annotation.find('[')));
  const std::string name = w.fresh("t");
  w.line("board[gid] = " + expression(w, type, 2).text);
  w.line("grid_sync()");
  w.line(name + " = board[(gid + " + std::to_string(w.number(300)) + ") % total]");
  w.line("grid_sync()");
  w.place.variables.push_back({name, type});
}

}  // namespace pykc::random_test
