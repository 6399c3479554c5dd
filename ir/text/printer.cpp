// The text form. Prints broken modules as well ("%?" for what cannot be named), so that they can be looked at.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/float_bits.h"
#include "base/text.h"
#include "ir/module.h"
#include "ir/text/form.h"
#include "ir/walk.h"

namespace pykc::ir {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string hex_byte(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return {kHexDigits[value >> 4], kHexDigits[value & 15]};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += "\\x" + hex_byte(c);
    else
      out += c;
  }
  return out + '"';
}

/// A name as it stands, or in quotes where that would not read back.
std::string name_text(std::string_view name) {
  const bool is_plain = !name.empty() && starts_name(name.front()) && std::ranges::all_of(name, continues_name);
  return is_plain ? std::string(name) : quoted(name);
}

template <typename Float>
std::string shortest(Float value) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string float_text(ScalarType type, std::uint64_t bits) {
  const double value = float_from_bits(type, bits);
  if (!std::isfinite(value)) return "bits " + std::to_string(bits);
  return type == ScalarType::F32 ? shortest(static_cast<float>(value)) : shortest(value);
}

std::string integer_text(ScalarType type, std::uint64_t bits) {
  if (!is_signed_integer(type)) return std::to_string(bits);
  const int unused = 64 - size_in_bits(type);
  return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::string constant_text(const Instruction& constant) {
  const ScalarType type = constant.type.scalar;
  std::string text = std::string(pykc::to_string(type)) + ' ';
  if (type == ScalarType::Bool) return text + (constant.constant != 0 ? "true" : "false");
  return text + (is_float(type) ? float_text(type, constant.constant) : integer_text(type, constant.constant));
}

std::string launch_text(const LaunchExpression& expression) {
  std::string text = "(";
  for (const LaunchExpression::Term& term : expression.terms) {
    if (text.size() > 1) text += ' ';
    if (term.op == LaunchExpression::Op::Constant)
      text += std::to_string(term.constant);
    else
      text += kLaunchWords[static_cast<std::size_t>(term.op) - 1];
  }
  return text + ')';
}

std::string element_text(const ElementType& type);

std::string field_text(const RecordField& field) {
  std::string text = name_text(field.name) + ": " + element_text(field.type);
  if (!field.extents.empty()) text += '[' + list_text(field.extents) + ']';
  return text + " at " + std::to_string(field.offset);
}

std::string element_text(const ElementType& type) {
  if (!type.is_record()) return std::string(pykc::to_string(type.scalar));
  const RecordType& record = *type.record;
  std::string text = std::string(kRecordWords[static_cast<std::size_t>(record.kind)]) + ' ' + name_text(record.name) +
                     " bytes " + std::to_string(record.bytes) + " align " + std::to_string(record.alignment);
  return text + " (" + list_text(record.fields, field_text) + ')';
}

std::string array_type_text(const ArrayType& type) {
  const auto extent_text = [](std::int64_t extent) {
    return extent == ArrayType::kDynamic ? "?" : std::to_string(extent);
  };
  return element_text(type.element) + '[' + list_text(type.extents, extent_text) + "] " +
         std::string(kLayoutWords[static_cast<std::size_t>(type.layout)]);
}

std::string storage_text(const ArrayStorage& array) {
  std::string text = name_text(array.name) + ": " + std::string(pykc::to_string(array.element));
  if (array.is_dynamic)
    text += " dynamic " + launch_text(array.dynamic_bytes);
  else
    text += '[' + std::to_string(array.count) + ']';
  return text + " align " + std::to_string(array.alignment) + (array.per_thread ? " per_thread" : "");
}

std::string local_type_text(const Local& local) {
  const Local anything;
  std::string text = to_string(local.type);
  if (local.minimum == anything.minimum && local.maximum == anything.maximum) return text;
  return text + " from " + std::to_string(local.minimum) + " to " + std::to_string(local.maximum);
}

/// Relaxed order and device scope, which are the rule, are left out.
std::string order_text(const Instruction& access) {
  std::string text;
  if (access.order != MemoryOrder::Relaxed)
    text += ' ' + std::string(kOrderWords[static_cast<std::size_t>(access.order)]);
  if (access.scope != MemoryScope::Device)
    text += ' ' + std::string(kScopeWords[static_cast<std::size_t>(access.scope)]);
  return text;
}

std::string foreign_text(const ForeignCode& code) {
  const std::string text = (code.is_function ? "external "
                            : code.is_tied   ? "tied_ptx_text "
                                             : "ptx_text ") +
                           quoted(code.text);
  const auto name_of = [](ScalarType type) { return pykc::to_string(type); };
  return code.results.empty() ? text : text + " : " + list_text(code.results, name_of);
}

class FunctionPrinter {
 public:
  FunctionPrinter(const Function& function, std::string& out, const Module* module = nullptr)
      : function_(function), out_(out), module_(module) {}
  void print();

 private:
  void print_signature();
  void print_kernel_info();
  void print_declarations();
  void print_block(const Block& block);
  void print_instruction(const Instruction& instruction);
  void print_blocks(const Instruction& instruction);
  void name_locals();
  bool has_value(const Instruction& instruction) const;
  std::string parameter_text(const Parameter& parameter) const;
  std::string detail_text(const Instruction& instruction);
  std::string operand_text(const Instruction* operand) const;
  std::string label_text(const Instruction* target) const;
  std::string local_text(const Local* local) const;
  std::string place_text(const Instruction& instruction) const;
  void line(const std::string& text) { out_ += std::string(static_cast<std::size_t>(indent_) * 2, ' ') + text + '\n'; }
  void line_if(bool condition, const std::string& text) {
    if (condition) line(text);
  }

  const Function& function_;
  std::string& out_;
  const Module* module_;  // of places in its source, if these are to be shown
  int indent_ = 0;
  std::unordered_map<const Instruction*, std::string> values_;
  std::unordered_map<const Instruction*, std::string> labels_;
  std::unordered_map<const Local*, std::string> local_names_;
};

void FunctionPrinter::print() {
  print_signature();
  ++indent_;
  print_kernel_info();
  print_declarations();
  print_block(function_.body);
  --indent_;
  line("}");
}

std::string FunctionPrinter::parameter_text(const Parameter& parameter) const {
  std::string text = '%' + name_text(parameter.name) + ": " + to_string(parameter.type);
  if (parameter.no_alias) text += " no_alias";
  if (parameter.read_only) text += " read_only";
  if (parameter.non_negative) text += " non_negative";
  if (parameter.alignment != 0) text += " align " + std::to_string(parameter.alignment);
  if (parameter.bytes != 0) text += " bytes " + std::to_string(parameter.bytes);
  return text;
}

void FunctionPrinter::print_signature() {
  const auto text_of = [&](const Parameter& parameter) { return parameter_text(parameter); };
  std::string text = (function_.is_kernel ? "kernel @" : "device @") + name_text(function_.symbol) + '(';
  text += list_text(function_.parameters, text_of) + ')';
  if (!function_.results.empty())
    text += " -> " + list_text(function_.results, [](Type type) { return to_string(type); });
  line(text + " {");
}

void FunctionPrinter::print_kernel_info() {
  const KernelInfo& kernel = function_.kernel;
  line_if(function_.name != function_.symbol, "name " + name_text(function_.name));
  for (const ParameterInfo& parameter : kernel.parameters)
    line("argument " + name_text(parameter.name) + ": " +
         (parameter.is_array ? array_type_text(parameter.array) : element_text(parameter.value)));
  line_if(kernel.max_threads_per_block != 0, "max_threads_per_block " + std::to_string(kernel.max_threads_per_block));
  line_if(function_.min_blocks_per_multiprocessor != 0,
          "min_blocks_per_multiprocessor " + std::to_string(function_.min_blocks_per_multiprocessor));
  line_if(function_.max_registers != 0, "max_registers " + std::to_string(function_.max_registers));
  const Dim3 cluster = function_.cluster;
  line_if(cluster != Dim3{},
          "cluster " + std::to_string(cluster.x) + ' ' + std::to_string(cluster.y) + ' ' + std::to_string(cluster.z));
  line_if(function_.part == FunctionPart::OfThread, "part_of_thread");
  line_if(function_.part == FunctionPart::OfBlock, "part_of_block");
  line_if(function_.runs_warps_apart, "warps_apart");
  line_if(function_.fast_math, "fast_math");
  line_if(!function_.contract, "no_contract");
  line_if(kernel.static_shared_bytes != 0, "static_shared_bytes " + std::to_string(kernel.static_shared_bytes));
  line_if(!kernel.dynamic_shared_bytes.terms.empty(),
          "dynamic_shared_bytes " + launch_text(kernel.dynamic_shared_bytes));
  line_if(kernel.uses_launch_shared_bytes, "uses_launch_shared_bytes");
  for (const TensorMapInfo& map : kernel.tensor_maps)
    line("tensor_map " + std::to_string(map.parameter) + ' ' + std::to_string(map.swizzle) + ": " + list_text(map.box));
  line_if(!kernel.scratch_bytes.terms.empty(), "scratch_bytes " + launch_text(kernel.scratch_bytes));
}

void FunctionPrinter::print_declarations() {
  name_locals();
  for (const Local& local : function_.locals) line("local " + local_text(&local) + ": " + local_type_text(local));
  for (const ArrayStorage& array : function_.local_arrays) line("local_array " + storage_text(array));
  for (const ArrayStorage& array : function_.shared_arrays) line("shared_array " + storage_text(array));
  for (const PrintFormat& format : function_.print_formats) line("format " + quoted(format.text));
  for (const ForeignCode& code : function_.foreign_codes) line(foreign_text(code));
  for (const TensorMapBox& box : function_.tensor_maps)
    line((box.is_written ? "written_tensor_box " : "tensor_box ") + std::to_string(box.swizzle) + ": " +
         list_text(box.extents));
  for (const Type slot : function_.slots) line("slot " + to_string(slot));
}

/// Several variables may have one name (passes copy bodies); the text tells them apart.
void FunctionPrinter::name_locals() {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> copies;
  for (const Local& local : function_.locals) {
    std::string name = local.name;
    while (!taken.insert(name).second) name = local.name + '.' + std::to_string(++copies[local.name]);
    local_names_[&local] = name;
  }
}

bool FunctionPrinter::has_value(const Instruction& instruction) const {
  if (instruction.opcode == Opcode::Foreign) {
    const auto index = static_cast<std::size_t>(instruction.index);
    return index < function_.foreign_codes.size() && !function_.foreign_codes[index].results.empty();
  }
  if (instruction.opcode == Opcode::Call) return instruction.callee != nullptr && !instruction.callee->results.empty();
  return !instruction.type.is_none();
}

void FunctionPrinter::print_block(const Block& block) {
  for (const Instruction* instruction : block.instructions)
    if (!is_written_in_place(instruction->opcode)) print_instruction(*instruction);
}

void FunctionPrinter::print_instruction(const Instruction& instruction) {
  const OpcodeInfo& opcode = info(instruction.opcode);
  std::string text(opcode.text);
  if (instruction.no_wrap) text += " no_wrap";
  if (instruction.is_packed) text += " packed";
  text += detail_text(instruction);
  if (!instruction.operands.empty())
    text += ' ' + list_text(instruction.operands, [&](const Instruction* operand) { return operand_text(operand); });
  if (opcode.result == ResultKind::Own && !instruction.type.is_none()) text += " : " + to_string(instruction.type);
  if (has_value(instruction)) {
    const std::string name = '%' + std::to_string(values_.size());
    values_[&instruction] = name;
    text = name + " = " + text;
  }
  if (instruction.blocks.empty()) return line(text + place_text(instruction));
  line(text + " {" + place_text(instruction));
  print_blocks(instruction);
}

void FunctionPrinter::print_blocks(const Instruction& instruction) {
  ++indent_;
  print_block(instruction.blocks[0]);
  --indent_;
  if (instruction.blocks.size() > 1 && !instruction.blocks[1].empty()) {
    line("} " + std::string(second_block_word(instruction.opcode)) + " {");
    ++indent_;
    print_block(instruction.blocks[1]);
    --indent_;
  }
  line("}");
}

std::string FunctionPrinter::detail_text(const Instruction& instruction) {
  switch (detail_of(instruction.opcode)) {
    case Detail::None:
      return {};
    case Detail::Builtin:
      return ' ' + std::string(info(instruction.builtin).name);
    case Detail::Atomic:
      return ' ' + std::string(to_string(instruction.atomic)) + order_text(instruction);
    case Detail::Order:
      return order_text(instruction);
    case Detail::Hint:
      return ' ' + std::string(kHintWords[static_cast<std::size_t>(instruction.hint)]);
    case Detail::Callee:
      return " @" + (instruction.callee == nullptr ? std::string("?") : name_text(instruction.callee->symbol));
    case Detail::Local:
      return ' ' + local_text(instruction.local) + (instruction.operands.empty() ? "" : ",");
    case Detail::Target:
      return ' ' + label_text(instruction.target);
    case Detail::Label:
      return ' ' + (labels_[&instruction] = 'L' + std::to_string(labels_.size()));
    case Detail::Index:
      return ' ' + std::to_string(instruction.index);
    case Detail::Exchange: {
      std::string text = ' ' + std::string(info(instruction.builtin).name) + " slots";
      for (const std::int64_t slot : instruction.slots) text += ' ' + std::to_string(slot);
      return instruction.index == 0 ? text : text + " fault " + std::to_string(instruction.index);
    }
  }
  return {};
}

std::string FunctionPrinter::operand_text(const Instruction* operand) const {
  if (operand == nullptr) return "%?";
  if (operand->opcode == Opcode::Constant) return constant_text(*operand);
  if (operand->opcode == Opcode::Parameter) {
    const auto index = static_cast<std::uint64_t>(operand->index);
    return index < function_.parameters.size() ? '%' + name_text(function_.parameters[index].name) : "%?";
  }
  const auto found = values_.find(operand);
  return found == values_.end() ? "%?" : found->second;
}

std::string FunctionPrinter::label_text(const Instruction* target) const {
  const auto found = labels_.find(target);
  return found == labels_.end() ? "?" : found->second;
}

std::string FunctionPrinter::local_text(const Local* local) const {
  const auto found = local_names_.find(local);
  return '$' + (found == local_names_.end() ? "?" : name_text(found->second));
}

std::string FunctionPrinter::place_text(const Instruction& instruction) const {
  if (module_ == nullptr) return {};
  const SourcePlace place = source_of(*module_, function_, &instruction).place(instruction.range);
  return "  // " + place.file + ':' + std::to_string(place.line);
}

void collect_callees(const Function& function, std::vector<const Function*>& found) {
  if (std::ranges::find(found, &function) != found.end()) return;
  found.push_back(&function);
  for_each_instruction(function.body, [&](const Instruction* i) {
    if (i->opcode == Opcode::Call) collect_callees(*i->callee, found);
  });
}

}  // namespace

std::string print_function(const Function& function) {
  std::string out;
  FunctionPrinter(function, out).print();
  return out;
}

std::string print_with_places(const Module& module, const Function& function) {
  std::vector<const Function*> functions;
  collect_callees(function, functions);
  std::string out;
  for (const Function* one : functions) {
    if (!out.empty()) out += '\n';
    FunctionPrinter(*one, out, &module).print();
  }
  return out;
}

std::string print_module(const Module& module) {
  std::string out = "module " + quoted(module.name) + '\n';
  for (const ConstantArray& array : module.constant_arrays) {
    out += std::string(array.host ? "host " : "") + "constant " + name_text(array.name) + ": " +
           std::string(pykc::to_string(array.element)) + " = \"";
    for (const char byte : array.bytes) out += hex_byte(byte);
    out += "\"\n";
  }
  for (const FaultSite& fault : module.faults)
    out += "fault " + quoted(fault.message) + ' ' + quoted(fault.file) + ' ' + std::to_string(fault.line) + ' ' +
           std::to_string(fault.column) + '\n';
  for (const std::unique_ptr<Function>& function : module.functions) out += '\n' + print_function(*function);
  return out;
}

}  // namespace pykc::ir
