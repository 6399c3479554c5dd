#include "tests/random/atomics.h"

#include "tests/random/expressions.h"
#include "tests/random/threads.h"

namespace pykc::random_test {
namespace {

/// An array of the launch that starts at 0, with one parameter of that name.
std::string zeros(Writer& w, const std::string& name, const std::string& annotation, const std::string& shape) {
  for (const Parameter& parameter : w.parameters)
    if (parameter.name == name) return name;
  w.parameters.push_back({name, annotation, "zeros " + annotation.substr(0, annotation.find('[')) + shape});
  return name;
}

constexpr ScalarType kAtomicTypes[] = {ScalarType::I32, ScalarType::I64, ScalarType::U32,
                                       ScalarType::U64, ScalarType::I8,  ScalarType::U16};

std::string order(Writer& w) {
  static constexpr const char* kOrders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  if (w.chance(75)) return {};
  return std::string(", order=\"") + w.random.pick(kOrders) + "\"" + (w.chance(30) ? ", scope=\"system\"" : "");
}

/// Each row of the totals belongs to one operation, so that they may come in any order.
void change_total(Writer& w) {
  static constexpr const char* kOperations[] = {"add", "max", "min", "and_", "or_", "xor", "inc", "dec"};
  const ScalarType type = w.random.pick(kAtomicTypes);
  const bool counts = type == ScalarType::U32 || type == ScalarType::U64;
  const int row = w.number(counts ? 8 : 6);
  const std::string name = spelling(type), total = zeros(w, "total_" + name, name + "[:, :]", "[8, 4]");
  // inc and dec with one bound a cell: how often they ran says what is left.
  const std::string value = row >= 6 ? name + "(" + std::to_string(5 + row) + ")" : expression(w, type, 2).text;
  w.line(std::string("atomic.") + (row == 0 && w.chance(30) ? "sub" : kOperations[row]) + "(" + total + ", (" +
         std::to_string(row) + ", " + index(w, 4, 1) + "), " + value + order(w) + ")");
}

/// Whole numbers, of which a float holds every sum; no order rounds. Sums and extremes have cells of their own.
void change_float_total(Writer& w) {
  const ScalarType type = w.any_of(kFloats);
  const std::string name = spelling(type), total = zeros(w, "total_" + name, name + "[:]", "[8]");
  const std::string whole = name + "((i32(" + expression(w, w.any_of(kIntegers), 1).text + ") & 7) - 4)";
  if (size_in_bytes(type) >= 4 && w.chance(60))
    return w.line("atomic.add(" + total + "[:4], " + index(w, 4, 0) + ", " + whole + ")");
  w.line(w.chance(50) ? "atomic.max(" + total + ", 4, " + whole + ")" : "atomic.min(" + total + ", 5, " + whole + ")");
}

/// Or in another block of the cluster.
void count_in_block(Writer& w) {
  const bool is_far = w.is_enabled(Feature::Clusters) && w.chance(60);
  const std::string sums = is_far ? "map_shared_rank(sums, " + any_rank(w) + ")" : "sums";
  w.line("atomic.add(" + sums + ", " + index(w, 8, 1) + ", " + expression(w, ScalarType::I64, 2).text + ")");
}

/// Who comes when is nobody's business, but the numbers that are given out are known together.
void sum_of_tickets(Writer& w) {
  const std::string tickets = zeros(w, "tickets", "u64[:]", "[4]"), ticket = w.fresh("ticket");
  w.line(ticket + " = atomic.add(" + tickets + ", 0, u64(1))");
  w.line("atomic.add(" + tickets + ", 1, " + ticket + ")");
}

/// A cell that only this thread changes: what comes back is what was there.
void own_cell(Writer& w) {
  const ScalarType type = w.random.pick(kWideIntegers);
  const std::string name = spelling(type), total = std::to_string(w.launch.blocks * w.launch.threads);
  const std::string cells = zeros(w, "cells_" + name, name + "[:]", "[" + total + "]"), result = w.fresh("t");
  const auto operand = [&] { return expression(w, type, 1).text; };
  static constexpr const char* kOperations[] = {"add", "sub", "max", "min", "and_", "or_", "xor", "exch"};
  const std::string place = "(" + cells + ", gid, ";
  if (w.chance(15)) w.line("atomic.store" + place + operand() + ")");
  if (w.chance(15))
    w.line(result + " = atomic.load(" + cells + ", gid)");
  else if (w.chance(25))
    w.line(result + " = atomic.cas" + place + (w.chance(50) ? cells + "[gid]" : operand()) + ", " + operand() + ")");
  else if (w.chance(25) && is_unsigned_integer(type))
    w.line(result + " = atomic." + (w.chance(50) ? "inc" : "dec") + place + operand() + ")");
  else
    w.line(result + " = atomic." + w.random.pick(kOperations) + place + operand() + ")");
  w.place.variables.push_back({result, type});
}

}  // namespace

void change_atomically(Writer& w) {
  if (w.chance(30)) return count_in_block(w);
  if (w.chance(30)) return change_float_total(w);
  change_total(w);
}

void use_atomic_result(Writer& w) { w.chance(30) ? sum_of_tickets(w) : own_cell(w); }

}  // namespace pykc::random_test
