#include "ir/text/parser.h"

#include <unordered_map>

#include "base/float_bits.h"
#include "ir/text/cursor.h"
#include "ir/text/form.h"

namespace pykc::ir {
namespace {

constexpr int kMaxNesting = 1000;

constexpr int kOpcodeCount = 0
#define OPCODE(name, text, operands, result, effect, meaning) +1
#include "ir/opcodes.def"
    ;

class ModuleParser : TextCursor {
 public:
  ModuleParser(std::string_view text, std::vector<std::string>& errors) : TextCursor(text, errors) {}
  std::unique_ptr<Module> parse();

 private:
  // The parts of a module.
  void parse_constant_array(bool is_host);
  void parse_fault_site();
  void parse_function(bool is_kernel);
  void parse_parameter();
  bool parse_declaration();
  void parse_argument();
  void parse_foreign_code(bool is_function, bool is_tied = false);
  void parse_tensor_box(bool is_written);
  void parse_tensor_map();
  void parse_local();

  // Instructions.
  void parse_block(Block& block);
  void parse_instruction(Block& block);
  void parse_blocks(Instruction& instruction);
  void parse_detail(Instruction& draft);
  Opcode parse_opcode();
  BuiltinId parse_builtin();
  AtomicOp parse_atomic();
  void parse_order(Instruction& draft);
  bool starts_operand() const;
  void parse_operands(Instruction& draft, Block& block);
  Instruction* parse_operand(Block& block);
  Instruction* parse_named_value(Block& block);
  Instruction* parse_constant(Block& block);
  std::uint64_t parse_float_bits(ScalarType type);
  std::uint64_t parse_integer_bits(ScalarType type);
  Type parse_result_type(const Instruction& draft);
  void resolve_calls();

  int nesting_ = 0;
  std::unique_ptr<Module> module_ = std::make_unique<Module>();
  Function* function_ = nullptr;
  std::unordered_map<std::string, Instruction*> values_;
  std::unordered_map<std::string, Instruction*> labels_;
  std::unordered_map<std::string, Local*> locals_;
  std::unordered_map<std::string, int> parameters_;
  struct PendingCall {
    Instruction* call;
    std::string callee;
    int line;
  };
  std::vector<PendingCall> pending_calls_;
  std::string callee_;  // of the call being read
};

// ---- the parts of a module ----

std::unique_ptr<Module> ModuleParser::parse() {
  if (accept_name("module")) module_->name = expect_text(TextToken::Kind::String, "the module's name");
  while (token_.kind != TextToken::Kind::End) {
    const bool is_host = accept_name("host");
    if (accept_name("constant"))
      parse_constant_array(is_host);
    else if (is_host)
      fail("expected constant before '" + token_.text + "'");
    else if (accept_name("fault"))
      parse_fault_site();
    else if (accept_name("kernel"))
      parse_function(true);
    else if (accept_name("device"))
      parse_function(false);
    else
      fail("expected constant, host constant, fault, kernel or device before '" + token_.text + "'");
  }
  resolve_calls();
  return has_failed() ? nullptr : std::move(module_);
}

void ModuleParser::parse_constant_array(bool is_host) {
  ConstantArray array;
  array.name = expect_identifier();
  expect(":");
  array.element = parse_scalar();
  expect("=");
  array.bytes = parse_hex();
  const auto count = static_cast<std::int64_t>(array.bytes.size()) / size_in_bytes(array.element);
  if (is_host) array.host = {array.name, array.name, {array.element, Layout::RowMajor, {count}}};
  module_->constant_arrays.push_back(std::move(array));
}

void ModuleParser::parse_fault_site() {
  FaultSite site;
  site.message = expect_text(TextToken::Kind::String, "the fault's message");
  site.file = expect_text(TextToken::Kind::String, "the fault's file");
  site.line = expect_number<int>();
  site.column = expect_number<int>();
  module_->faults.push_back(std::move(site));
}

void ModuleParser::parse_function(bool is_kernel) {
  function_ = module_->functions.emplace_back(std::make_unique<Function>()).get();
  values_.clear();
  labels_.clear();
  locals_.clear();
  parameters_.clear();
  function_->is_kernel = is_kernel;
  expect("@");
  function_->symbol = function_->name = expect_identifier();
  expect("(");
  while (!has_failed() && !token_.is(")")) {
    if (!function_->parameters.empty()) expect(",");
    parse_parameter();
  }
  expect(")");
  for (bool more = accept("->"); more; more = accept(",")) function_->results.push_back(parse_type());
  expect("{");
  while (parse_declaration()) continue;
  parse_block(function_->body);
  expect("}");
  if (!is_kernel) return;
  function_->kernel.name = function_->name;
  function_->kernel.symbol = function_->symbol;
}

void ModuleParser::parse_parameter() {
  Parameter parameter;
  expect("%");
  parameter.name = expect_identifier();
  expect(":");
  parameter.type = parse_type();
  parameter.no_alias = accept_name("no_alias");
  parameter.read_only = accept_name("read_only");
  parameter.non_negative = accept_name("non_negative");
  if (accept_name("align")) parameter.alignment = expect_number<int>();
  if (accept_name("bytes")) parameter.bytes = expect_number<std::int64_t>();
  parameters_.emplace(parameter.name, static_cast<int>(function_->parameters.size()));
  function_->parameters.push_back(std::move(parameter));
}

/// One line of what stands before the instructions; false at the first instruction.
bool ModuleParser::parse_declaration() {
  KernelInfo& kernel = function_->kernel;
  if (accept_name("name"))
    function_->name = expect_identifier();
  else if (accept_name("argument"))
    parse_argument();
  else if (accept_name("max_threads_per_block"))
    kernel.max_threads_per_block = expect_number<int>();
  else if (accept_name("min_blocks_per_multiprocessor"))
    function_->min_blocks_per_multiprocessor = expect_number<int>();
  else if (accept_name("max_registers"))
    function_->max_registers = expect_number<int>();
  else if (accept_name("cluster"))
    for (std::int64_t* extent : {&function_->cluster.x, &function_->cluster.y, &function_->cluster.z})
      *extent = expect_number<std::int64_t>();
  else if (accept_name("part_of_thread"))
    function_->part = FunctionPart::OfThread;
  else if (accept_name("part_of_block"))
    function_->part = FunctionPart::OfBlock;
  else if (accept_name("warps_apart"))
    function_->runs_warps_apart = true;
  else if (accept_name("fast_math"))
    function_->fast_math = true;
  else if (accept_name("no_contract"))
    function_->contract = false;
  else if (accept_name("static_shared_bytes"))
    kernel.static_shared_bytes = expect_number<std::int64_t>();
  else if (accept_name("dynamic_shared_bytes"))
    kernel.dynamic_shared_bytes = parse_launch_expression();
  else if (accept_name("uses_launch_shared_bytes"))
    kernel.uses_launch_shared_bytes = true;
  else if (accept_name("scratch_bytes"))
    kernel.scratch_bytes = parse_launch_expression();
  else if (accept_name("local"))
    parse_local();
  else if (accept_name("local_array"))
    function_->local_arrays.push_back(parse_storage());
  else if (accept_name("shared_array"))
    function_->shared_arrays.push_back(parse_storage());
  else if (accept_name("format"))
    function_->print_formats.push_back({expect_text(TextToken::Kind::String, "a format")});
  else if (accept_name("ptx_text"))
    parse_foreign_code(false);
  else if (accept_name("tied_ptx_text"))
    parse_foreign_code(false, true);
  else if (accept_name("external"))
    parse_foreign_code(true);
  else if (accept_name("tensor_box"))
    parse_tensor_box(false);
  else if (accept_name("written_tensor_box"))
    parse_tensor_box(true);
  else if (accept_name("tensor_map"))
    parse_tensor_map();
  else if (accept_name("slot"))
    function_->slots.push_back(parse_type());
  else
    return false;
  return true;
}

void ModuleParser::parse_argument() {
  ParameterInfo& parameter = function_->kernel.parameters.emplace_back();
  parameter.name = expect_identifier();
  expect(":");
  ElementType element = parse_element_type();
  parameter.is_array = token_.is("[");
  if (!parameter.is_array) {
    parameter.value = std::move(element);
    return;
  }
  parameter.array.element = std::move(element);
  parameter.array.extents = parse_extents();
  parameter.array.layout = static_cast<Layout>(expect_one_of(kLayoutWords, "layout"));
}

void ModuleParser::parse_foreign_code(bool is_function, bool is_tied) {
  ForeignCode& code = function_->foreign_codes.emplace_back();
  code.is_function = is_function;
  code.is_tied = is_tied;
  code.text = expect_text(TextToken::Kind::String, "a text");
  for (bool more = accept(":"); more; more = accept(",")) code.results.push_back(parse_scalar());
}

void ModuleParser::parse_tensor_box(bool is_written) {
  TensorMapBox& box = function_->tensor_maps.emplace_back();
  box.is_written = is_written;
  box.swizzle = expect_number<int>();
  for (bool more = accept(":"); more; more = accept(",")) box.extents.push_back(expect_number<std::int64_t>());
}

void ModuleParser::parse_tensor_map() {
  TensorMapInfo& map = function_->kernel.tensor_maps.emplace_back();
  map.parameter = expect_number<int>();
  map.swizzle = expect_number<int>();
  for (bool more = accept(":"); more; more = accept(",")) map.box.push_back(expect_number<std::int64_t>());
}

void ModuleParser::parse_local() {
  expect("$");
  const std::string name = expect_identifier();
  expect(":");
  const Type type = parse_type();
  if (!locals_.emplace(name, nullptr).second) return fail_before("$" + name + " is declared twice");
  Local* local = locals_[name] = function_->create_local(name, type);
  if (accept_name("from")) local->minimum = expect_number<std::int64_t>();
  if (accept_name("to")) local->maximum = expect_number<std::int64_t>();
}

// ---- instructions ----

void ModuleParser::parse_block(Block& block) {
  if (++nesting_ > kMaxNesting) fail("blocks are nested too deeply");
  while (token_.kind != TextToken::Kind::End && !token_.is("}")) parse_instruction(block);
  --nesting_;
}

void ModuleParser::parse_instruction(Block& block) {
  std::string name;
  if (accept("%")) {
    name = expect_text(TextToken::Kind::Number, "a value's number");
    expect("=");
  }
  const int line = token_.line;
  Instruction draft{};
  draft.opcode = parse_opcode();
  draft.no_wrap = accept_name("no_wrap");
  draft.is_packed = accept_name("packed");
  parse_detail(draft);
  parse_operands(draft, block);
  draft.type = parse_result_type(draft);
  const bool has_value = !draft.type.is_none() || draft.opcode == Opcode::Call || draft.opcode == Opcode::Foreign;
  if (!has_failed() && !name.empty() && !has_value)
    fail_before(std::string(info(draft.opcode).text) + " gives no value");
  if (has_failed()) return;

  Instruction* instruction = function_->create(draft.opcode, draft.type, {});
  *instruction = std::move(draft);
  block.instructions.push_back(instruction);
  if (instruction->opcode == Opcode::Call) pending_calls_.push_back({instruction, std::move(callee_), line});
  if (detail_of(instruction->opcode) == Detail::Label) labels_[expect_identifier()] = instruction;
  if (!name.empty() && !values_.emplace(name, instruction).second) fail_before("%" + name + " is defined twice");
  parse_blocks(*instruction);
}

void ModuleParser::parse_blocks(Instruction& instruction) {
  const std::size_t count = block_count(instruction.opcode);
  if (count == 0) return;
  instruction.blocks.resize(count);
  expect("{");
  parse_block(instruction.blocks[0]);
  expect("}");
  if (count == 1 || token_.starts_line || !accept_name(second_block_word(instruction.opcode))) return;
  expect("{");
  parse_block(instruction.blocks[1]);
  expect("}");
}

Opcode ModuleParser::parse_opcode() {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (is_written_in_place(opcode) || !token_.is_name(info(opcode).text)) continue;
    advance();
    return opcode;
  }
  fail("'" + token_.text + "' is no instruction");
  return Opcode::Return;
}

void ModuleParser::parse_detail(Instruction& draft) {
  switch (detail_of(draft.opcode)) {
    case Detail::None:
    case Detail::Label:
      break;  // the label is read once the instruction stands in its place
    case Detail::Builtin:
      draft.builtin = parse_builtin();
      break;
    case Detail::Atomic:
      draft.atomic = parse_atomic();
      parse_order(draft);
      break;
    case Detail::Order:
      parse_order(draft);
      break;
    case Detail::Hint:
      draft.hint = static_cast<CacheHint>(expect_one_of(kHintWords, "cache hint"));
      break;
    case Detail::Index:
      draft.index = expect_number<std::int64_t>();
      break;
    case Detail::Callee:
      expect("@");
      callee_ = expect_identifier();
      break;
    case Detail::Local: {
      expect("$");
      const std::string name = expect_identifier();
      const auto found = locals_.find(name);
      if (found == locals_.end()) return fail_before("no local $" + name);
      draft.local = found->second;
      accept(",");
      break;
    }
    case Detail::Target: {
      const std::string name = expect_identifier();
      const auto found = labels_.find(name);
      if (found == labels_.end()) return fail_before("no loop or scope " + name);
      draft.target = found->second;
      break;
    }
    case Detail::Exchange:
      draft.builtin = parse_builtin();
      if (!accept_name("slots")) fail("expected slots before '" + token_.text + "'");
      while (token_.kind == TextToken::Kind::Number && !token_.starts_line)
        draft.slots.push_back(expect_number<std::int64_t>());
      if (accept_name("fault")) draft.index = expect_number<std::int64_t>();
      break;
  }
}

BuiltinId ModuleParser::parse_builtin() {
  const Builtin* builtin = find_builtin(token_.kind == TextToken::Kind::Name ? token_.text : "");
  if (builtin == nullptr) {
    fail("'" + token_.text + "' is no builtin");
    return {};
  }
  advance();
  return builtin->id;
}

void ModuleParser::parse_order(Instruction& draft) {
  for (std::size_t i = 0; i < std::size(kOrderWords); ++i)
    if (accept_name(kOrderWords[i])) draft.order = static_cast<MemoryOrder>(i);
  for (std::size_t i = 0; i < std::size(kScopeWords); ++i)
    if (accept_name(kScopeWords[i])) draft.scope = static_cast<MemoryScope>(i);
}

AtomicOp ModuleParser::parse_atomic() {
  std::vector<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(kLastAtomicOp); ++i) words.push_back(to_string(static_cast<AtomicOp>(i)));
  return static_cast<AtomicOp>(expect_one_of(words, "atomic operation"));
}

bool ModuleParser::starts_operand() const {
  if (token_.starts_line) return false;
  return token_.is("%") || (token_.kind == TextToken::Kind::Name && find_scalar_type(token_.text));
}

void ModuleParser::parse_operands(Instruction& draft, Block& block) {
  if (!starts_operand()) return;
  do draft.operands.push_back(parse_operand(block));
  while (accept(","));
}

Instruction* ModuleParser::parse_operand(Block& block) {
  return accept("%") ? parse_named_value(block) : parse_constant(block);
}

Instruction* ModuleParser::parse_named_value(Block& block) {
  if (token_.kind == TextToken::Kind::Number) {
    const auto found = values_.find(token_.text);
    if (found == values_.end()) {
      fail("no value %" + token_.text + " stands before this");
      return nullptr;
    }
    advance();
    return found->second;
  }
  const std::string name = expect_identifier();
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) {
    fail_before("no parameter %" + name);
    return nullptr;
  }
  const Type type = function_->parameters[static_cast<std::size_t>(found->second)].type;
  Instruction* parameter = function_->create(Opcode::Parameter, type, {});
  parameter->index = found->second;
  block.instructions.push_back(parameter);
  return parameter;
}

Instruction* ModuleParser::parse_constant(Block& block) {
  const ScalarType type = parse_scalar();
  Instruction* constant = function_->create(Opcode::Constant, Type::of(type), {});
  block.instructions.push_back(constant);
  if (type == ScalarType::Bool) {
    constexpr std::string_view kTruthValues[] = {"false", "true"};
    constant->constant = static_cast<std::uint64_t>(expect_one_of(kTruthValues, "truth value"));
  } else {
    constant->constant = is_float(type) ? parse_float_bits(type) : parse_integer_bits(type);
  }
  return constant;
}

std::uint64_t ModuleParser::parse_float_bits(ScalarType type) {
  if (accept_name("bits")) {
    const std::uint64_t bits = expect_number<std::uint64_t>();
    if (bits >> 1 >> (size_in_bits(type) - 1) != 0) fail_before("bits do not fit the type");
    return bits;
  }
  // Not by way of double, which would round twice.
  return type == ScalarType::F32 ? float_to_bits(type, expect_number<float>())
                                 : float_to_bits(type, expect_number<double>());
}

std::uint64_t ModuleParser::parse_integer_bits(ScalarType type) {
  const int unused = 64 - size_in_bits(type);
  if (is_unsigned_integer(type)) {
    const std::uint64_t value = expect_number<std::uint64_t>();
    if (value << unused >> unused != value) fail_before("the constant does not fit its type");
    return value;
  }
  const std::int64_t value = expect_number<std::int64_t>();
  const std::uint64_t bits = static_cast<std::uint64_t>(value) << unused;
  if (static_cast<std::int64_t>(bits) >> unused != value) fail_before("the constant does not fit its type");
  return bits >> unused;
}

Type ModuleParser::parse_result_type(const Instruction& draft) {
  if (has_failed()) return Type::none();
  const OpcodeInfo& opcode = info(draft.opcode);
  switch (opcode.result) {
    case ResultKind::None:
      return Type::none();
    case ResultKind::Bool:
      return Type::of(ScalarType::Bool);
    case ResultKind::Own:
      return !token_.starts_line && accept(":") ? parse_type() : Type::none();
    case ResultKind::Operand:
      if (!draft.operands.empty()) return draft.operands.front()->type;
      fail_before(std::string(opcode.text) + " needs an operand");
  }
  return Type::none();
}

void ModuleParser::resolve_calls() {
  for (const PendingCall& pending : pending_calls_) {
    pending.call->callee = module_->find(pending.callee);
    if (pending.call->callee != nullptr || has_failed()) continue;
    fail_at(pending.line, "no function @" + pending.callee);
  }
}

}  // namespace

std::unique_ptr<Module> parse_module(std::string_view text, std::vector<std::string>& errors) {
  return ModuleParser(text, errors).parse();
}

}  // namespace pykc::ir
