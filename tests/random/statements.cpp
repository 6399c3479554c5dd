#include "tests/random/program.h"

namespace pykc::random_test {

void ProgramWriter::block(int statements) {
  const std::size_t outer = variables_.size();
  line("pass");
  for (int i = 0; i < statements; ++i) statement();
  variables_.resize(outer);  // what is assigned first in a block may not be assigned on other paths
}

void ProgramWriter::nested(const std::string& header, bool uniform) {
  const bool outer = uniform_;
  uniform_ = uniform_ && uniform;
  line(header);
  ++indentation_;
  block(1 + number(3));
  --indentation_;
  uniform_ = outer;
}

void ProgramWriter::statement() {
  if (budget_-- <= 0) return;
  struct Row {
    int weight;
    bool allowed;
    void (ProgramWriter::*write)();
  };
  const bool may_meet = in_kernel_ && uniform_;
  const bool warps_are_whole = may_meet && !has_returns_;
  const Row rows[] = {
      {30, true, &ProgramWriter::assign},
      {6, true, &ProgramWriter::assign_tuple},
      {12, indentation_ < 5, &ProgramWriter::branch},
      {12, indentation_ < 4, &ProgramWriter::loop},
      {8, !loops_.empty(), &ProgramWriter::leave_loop},
      {5, in_kernel_, &ProgramWriter::record},
      {8, in_kernel_ && !local_.empty(), &ProgramWriter::use_local_array},
      {10, may_meet && !shared_.empty(), &ProgramWriter::exchange_through_shared_memory},
      {4, may_meet, &ProgramWriter::vote_in_block},
      {8, warps_are_whole, &ProgramWriter::exchange_in_warp},
      {4, warps_are_whole, &ProgramWriter::vote_in_warp},
      {8, in_kernel_, &ProgramWriter::change_atomically},
      {3, in_kernel_ && has_returns_, &ProgramWriter::return_early},
  };
  int total = 0;
  for (const Row& row : rows) total += row.allowed ? row.weight : 0;
  int choice = number(total);
  for (const Row& row : rows) {
    if (!row.allowed) continue;
    choice -= row.weight;
    if (choice < 0) return (this->*row.write)();
  }
}

/// To a variable that is there, plainly or in place; or to a new one, whose type is inferred.
void ProgramWriter::assign() {
  if (chance(25)) {
    const Expression value = operation(2);
    const std::string name = fresh("t");
    line(name + " = " + value.text);
    variables_.push_back({name, value.type});
    return;
  }
  const Variable variable = pick(variables_);
  if (variable.name == "tid" || variable.name == "gid" || !(variable.name[0] == 'v' || variable.name[0] == 'a')) {
    line("pass");
  } else if (variable.uniform) {
    if (uniform_) line(variable.name + " = " + uniform_integer());
  } else if (chance(30) && variable.type != ScalarType::Bool) {
    constexpr const char* kOperators[] = {" += ", " -= ", " *= "};
    line(variable.name + kOperators[number(3)] + expression(variable.type, 2).text);
  } else if (chance(50)) {
    line(variable.name + " = " + operation(3).text);  // converts
  } else {
    line(variable.name + " = " + expression(variable.type, 3).text);
  }
}

/// `a, b = b, a` of one type, or a tuple bound to a name and taken apart.
void ProgramWriter::assign_tuple() {
  const Variable a = pick(variables_), b = pick(variables_);
  if (a.name[0] == 'v' && b.name[0] == 'v' && a.type == b.type && a.name != b.name) {
    line(a.name + ", " + b.name + " = " + b.name + ", " + a.name);
    return;
  }
  const Expression first = any(1), second = any(1);
  const std::string pair = fresh("pair"), x = fresh("t"), y = fresh("t");
  line(pair + " = (" + first.text + ", " + second.text + ")");
  if (chance(50)) {
    line(x + ", " + y + " = " + pair);
  } else {
    line(x + " = " + pair + "[0]");
    line(y + " = " + pair + "[-1]");
  }
  variables_.push_back({x, first.type});
  variables_.push_back({y, second.type});
}

void ProgramWriter::use_local_array() {
  const int i = number(static_cast<int>(local_.size()));
  line("mine" + std::to_string(i) + "[" + index(4, 1) +
       "] = " + expression(local_[static_cast<std::size_t>(i)], 2).text);
}

/// Adds to the thread's own column, so that what happened on the way can be seen.
void ProgramWriter::record() {
  if (rows_ >= 12) return;
  const Expression value = any(2);
  const bool is_real = is_float(value.type);
  line((is_real ? "out_f[" : "out_i[") + std::to_string(++rows_) + ", gid] = " + (is_real ? "f64(" : "i64(") +
       value.text + ")");
}

void ProgramWriter::branch() {
  const bool uniform = uniform_ && chance(60);
  const auto test = [&] { return uniform ? uniform_condition() : condition(2); };
  nested("if " + test() + ":", uniform);
  while (chance(20)) nested("elif " + test() + ":", uniform);
  if (chance(50)) nested("else:", uniform);
}

/// Every loop counts, so that it ends whatever its condition says.
void ProgramWriter::loop() {
  const bool uniform = uniform_ && chance(60);
  const std::size_t outer = variables_.size();
  loops_.push_back({uniform});
  if (in_kernel_ && chance(20))
    begin_for_elements(uniform);
  else if (chance(60))
    begin_for(uniform);
  else
    begin_while(uniform);
  loops_.pop_back();
  variables_.resize(outer);
  if (chance(25)) nested("else:", uniform);
}

void ProgramWriter::begin_for(bool uniform) {
  const std::string name = fresh("r");
  std::string stop = std::to_string(number(5));
  if (chance(40)) stop = uniform ? "(" + uniform_integer() + ") & 3" : "i64(" + any(1).text + ") & 3";
  std::string range = stop;
  if (chance(30)) range = std::to_string(number(4) - 2) + ", " + stop;
  if (chance(20)) range = std::to_string(number(6)) + ", -2, -" + std::to_string(1 + number(3));
  variables_.push_back({name, ScalarType::I64, uniform});
  nested("for " + name + " in range(" + range + "):", uniform);
}

/// `for x in …`, over a view of an input, or two side by side, or numbered.
void ProgramWriter::begin_for_elements(bool uniform) {
  const ScalarType type = pick(all_), other = pick(all_);
  const std::string x = fresh("t"), y = fresh("t"), items = view(type, 4);
  variables_.push_back({x, type});
  switch (number(4)) {
    case 0:
      variables_.push_back({y, other});
      return nested("for " + x + ", " + y + " in zip(" + items + ", " + view(other, 8) + "):", uniform);
    case 1:
      variables_.push_back({y, ScalarType::I64, uniform});
      return nested("for " + y + ", " + x + " in enumerate(" + items + "):", uniform);
    case 2:
      return nested("for " + x + " in reversed(" + items + "):", uniform);
    default:
      return nested("for " + x + " in " + items + ":", uniform);
  }
}

void ProgramWriter::begin_while(bool uniform) {
  const std::string name = fresh("w");
  line(name + " = " + std::to_string(number(4)));
  const std::string test = chance(50) ? "" : " and " + (uniform ? uniform_condition() : condition(1));
  const bool outer = uniform_;
  uniform_ = uniform_ && uniform;
  line("while " + name + " > 0" + test + ":");
  ++indentation_;
  line(name + " -= 1");
  block(1 + number(3));
  --indentation_;
  uniform_ = outer;
}

void ProgramWriter::leave_loop() {
  if (loops_.back().uniform && !uniform_) return;  // nobody leaves alone a loop that all run alike
  line("if " + (loops_.back().uniform ? uniform_condition() : condition(1)) + ": " +
       (chance(50) ? "break" : "continue"));
}

void ProgramWriter::return_early() { line("if " + condition(1) + " and tid % 4 == 3: return"); }

/// Each thread writes its own element; behind a barrier each may read any.
void ProgramWriter::exchange_through_shared_memory() {
  const int i = number(static_cast<int>(shared_.size()));
  const std::string tile = "tile" + std::to_string(i), name = fresh("t");
  const ScalarType type = shared_[static_cast<std::size_t>(i)];
  line("syncthreads()");
  line(tile + "[tid] = " + expression(type, 2).text);
  line("syncthreads()");
  line(name + " = " + tile + "[(tid + " + std::to_string(number(70)) + ") % threads]");
  variables_.push_back({name, type});
}

void ProgramWriter::vote_in_block() {
  constexpr const char* kVotes[] = {"syncthreads_count", "syncthreads_and", "syncthreads_or"};
  const int vote = number(3);
  const std::string name = fresh("t");
  line(name + " = " + kVotes[vote] + "(" + condition(1) + ")");
  variables_.push_back({name, vote == 0 ? ScalarType::I32 : ScalarType::Bool, true});
}

void ProgramWriter::exchange_in_warp() {
  const ScalarType type = pick(movable_);
  const std::string value = expression(type, 2).text, name = fresh("t");
  const std::string width = chance(30) ? ", " + std::to_string(1 << (1 + number(5))) : "";
  struct Row {
    const char* function;
    std::string operand;
  };
  const Row rows[] = {{"shfl_sync", "i32(" + any(1).text + ") & 31"},
                      {"shfl_up_sync", std::to_string(number(20))},
                      {"shfl_down_sync", std::to_string(number(20))},
                      {"shfl_xor_sync", std::to_string(number(32))}};
  const Row& row = rows[number(4)];
  line(name + " = " + row.function + "(0xffffffff, " + value + ", " + row.operand + width + ")");
  variables_.push_back({name, type});
}

void ProgramWriter::vote_in_warp() {
  constexpr const char* kVotes[] = {"ballot_sync", "all_sync", "any_sync", "eq_sync"};
  const int vote = number(4);
  const std::string name = fresh("t");
  line(name + " = " + kVotes[vote] + "(0xffffffff, " + condition(1) + ")");
  variables_.push_back({name, vote == 0 ? ScalarType::U32 : ScalarType::Bool});
}

/// Each row of an array of totals belongs to one operation, and nobody looks at what an atomic returns: order does not
/// show.
void ProgramWriter::change_atomically() {
  constexpr const char* kOperations[] = {"add", "max", "min", "and_", "or_", "xor"};
  if (chance(30)) {
    line("atomic.add(sums, " + index(8, 1) + ", " + expression(ScalarType::I64, 2).text + ")");
    return;
  }
  const ScalarType type = pick(wide_integers_);
  const int row = number(6);
  line(std::string("atomic.") + (row == 0 && chance(30) ? "sub" : kOperations[row]) + "(total_" +
       std::string(to_string(type)) + ", (" + std::to_string(row) + ", " + index(4, 1) + "), " +
       expression(type, 2).text + ")");
}

}  // namespace pykc::random_test
