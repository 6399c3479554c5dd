// What host code in CuPy's and Numba's manner has around arrays and launches: the device, its memory, decorators that
// are called, and CuPy's timer.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "script/functions/functions.h"
#include "script/functions/prototypes.h"
#include "script/values/scope.h"

namespace pykc::script {
namespace {

constexpr std::uint32_t kNumbaCuda = in(Library::Cuda);

// ---- the device ----

/// A program has one device, whose number is 0 whatever the machine calls it.
Outcome<Value> chosen_device(Run& run, const Arguments& arguments, bool is_cupy) {
  ASSIGN_OR_RETURN(const std::int64_t index, arguments.is_none(0) ? Outcome<std::int64_t>(0) : arguments.integer(0));
  ASSIGN_OR_RETURN(const Device device, run.device());
  if (index != 0)
    return fail(DiagnosticId::HostValueOutOfRange, std::to_string(index), "0")
        .note("a program has one device, number 0; `pykc run --device cuda:" + std::to_string(index) +
              "` runs it on another");
  return Value(DeviceValue{device, is_cupy});
}

Outcome<Value> host_cupy_device(Run& run, const Arguments& arguments) { return chosen_device(run, arguments, true); }
Outcome<Value> host_select_device(Run& run, const Arguments& arguments) { return chosen_device(run, arguments, false); }
Outcome<Value> host_current_device(Run& run, const Arguments&) {
  ASSIGN_OR_RETURN(const Device device, run.device());
  return Value(DeviceValue{device, false});
}
Outcome<Value> host_same_device(Run&, const Arguments& arguments) { return arguments[0]; }
Outcome<Value> host_device_synchronize(Run&, const Arguments& arguments) {
  RETURN_IF_FAILED(outcome_of(arguments[0].as<DeviceValue>()->device.synchronize()));
  return Value();
}

Outcome<Value> host_is_available(Run&, const Arguments&) { return Value(true); }

Outcome<Value> host_detect(Run& run, const Arguments&) {
  ASSIGN_OR_RETURN(const Device device, run.device());
  run.print("Found 1 device\nid 0    " + device.info().description + "    [" + device.info().name + "]\n");
  return Value(true);
}

Outcome<Value> host_does_nothing(Run&, const Arguments&) { return Value(); }
Outcome<Value> host_empty_context(Run&, const Arguments&) { return Value(ContextValue{}); }

// ---- memory ----

Outcome<Value> host_memory_pool(Run&, const Arguments&) { return Value(MemoryPoolValue{false}); }
Outcome<Value> host_pinned_pool(Run&, const Arguments&) { return Value(MemoryPoolValue{true}); }
Outcome<Value> host_no_blocks(Run&, const Arguments&) { return Value(std::int64_t{0}); }

Outcome<PoolStatistics> pool_statistics(Run& run) {
  ASSIGN_OR_RETURN(const Device device, run.device());
  RETURN_IF_FAILED(outcome_of(device.synchronize()));
  return outcome_of(device.pool().statistics());
}

Outcome<Value> host_used_bytes(Run& run, const Arguments&) {
  ASSIGN_OR_RETURN(const PoolStatistics statistics, pool_statistics(run));
  return Value(statistics.used);
}
Outcome<Value> host_total_bytes(Run& run, const Arguments&) {
  ASSIGN_OR_RETURN(const PoolStatistics statistics, pool_statistics(run));
  return Value(statistics.reserved);
}
Outcome<Value> host_free_bytes(Run& run, const Arguments&) {
  ASSIGN_OR_RETURN(const PoolStatistics statistics, pool_statistics(run));
  return Value(statistics.reserved - statistics.used);
}

Outcome<Value> host_free_all_blocks(Run& run, const Arguments&) {
  ASSIGN_OR_RETURN(const Device device, run.device());
  RETURN_IF_FAILED(outcome_of(device.synchronize()));
  RETURN_IF_FAILED(outcome_of(device.pool().trim()));
  return Value();
}

/// In bytes, or as a part of the device's memory; 0 is no limit.
Outcome<Value> host_set_limit(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Device device, run.device());
  if (arguments.is_none(1) == arguments.is_none(2))
    return arguments.wrong_type(1, "a number of bytes, or else `fraction` a part of the memory");
  std::int64_t bytes = 0;
  if (arguments.is_none(2)) {
    ASSIGN_OR_RETURN(bytes, arguments.integer(1));
    if (bytes < 0) return arguments.wrong_type(1, "0 or more");
  } else {
    ASSIGN_OR_RETURN(const double fraction, arguments.number(2));
    if (!(fraction >= 0 && fraction <= 1)) return arguments.wrong_type(2, "a number from 0 to 1");
    bytes = static_cast<std::int64_t>(fraction * static_cast<double>(device.info().memory_bytes));
  }
  const std::int64_t limit = bytes == 0 ? INT64_MAX : bytes;
  RETURN_IF_FAILED(outcome_of(device.pool().set_limit(limit)));
  run.memory_limit = bytes;
  return Value();
}
Outcome<Value> host_get_limit(Run& run, const Arguments&) { return Value(run.memory_limit); }

// ---- modules ----

Outcome<Value> host_array_module(Run&, const Arguments& arguments) {
  const bool is_cupy = std::ranges::any_of(arguments.rest, [](const Value& value) {
    const ArrayRef* array = value.as<ArrayRef>();
    return array && (*array)->storage->home();
  });
  return Value(LibraryValue{is_cupy ? Library::Cupy : Library::Numpy});
}

// ---- decorators, called ----

/// `fuse(f)` and `fuse()`: what it decorates computes the same without it.
Outcome<Value> host_fuse(Run&, const Arguments& arguments) {
  if (arguments.rest.empty()) return Value(DecoratorValue{FunctionValue::Kind::Host, nullptr});
  const bool is_function = arguments.rest.size() == 1 && arguments.rest[0].is<FunctionValue>();
  return is_function ? Outcome<Value>(arguments.rest[0])
                     : Outcome<Value>(fail(DiagnosticId::HostWrongType, "argument of `fuse", "a function",
                                           describe(arguments.rest[0])));
}

Outcome<std::vector<Prototype>> prototypes_in(const Value& given) {
  std::vector<Prototype> prototypes;
  const std::vector<Value>* const list = items_of(given);
  for (const Value& item : list ? *list : std::vector<Value>{given}) {
    const std::string* text = item.as<std::string>();
    if (!text) return fail(DiagnosticId::HostWrongType, "prototype of `@vectorize", "a string", describe(item));
    ASSIGN_OR_RETURN(Prototype prototype, parse_prototype(*text));
    prototypes.push_back(std::move(prototype));
  }
  return prototypes;
}

/// `vectorize([…])(f)`, `vectorize(f)`
Outcome<Value> host_vectorize(Run&, const Arguments& arguments) {
  auto context = std::make_shared<FunctionContext>();
  if (const auto* function = arguments[0].as<FunctionValue>())
    return decorate(DecoratorValue{FunctionValue::Kind::Vectorized, context}, Value(*function));
  if (!arguments.is_none(0)) {
    ASSIGN_OR_RETURN(context->prototypes, prototypes_in(arguments[0]));
  }
  if (!arguments.is_none(1)) RETURN_IF_FAILED(check_target(arguments[1]));
  return Value(DecoratorValue{FunctionValue::Kind::Vectorized, std::move(context)});
}

/// `guvectorize([…], "(n)->()")(f)`
Outcome<Value> host_guvectorize(Run&, const Arguments& arguments) {
  auto context = std::make_shared<FunctionContext>();
  const bool has_prototypes = !arguments.is_none(1);
  if (has_prototypes) {
    const std::vector<Value>* const list = items_of(arguments[0]);
    for (const Value& item : list ? *list : std::vector<Value>{arguments[0]}) {
      const std::string* text = item.as<std::string>();
      if (!text) return arguments.wrong_type(0, "a list of strings");
      ASSIGN_OR_RETURN(Prototype prototype, parse_array_prototype(*text));
      context->prototypes.push_back(std::move(prototype));
    }
  }
  ASSIGN_OR_RETURN(context->axes, arguments.text(has_prototypes ? 1 : 0));
  if (!arguments.is_none(2)) RETURN_IF_FAILED(check_target(arguments[2]));
  return Value(DecoratorValue{FunctionValue::Kind::Generalized, std::move(context)});
}

Outcome<Value> host_reduce(Run&, const Arguments& arguments) {
  return decorate(DecoratorValue{FunctionValue::Kind::Reduction, nullptr}, arguments[0]);
}

// ---- CuPy's timer ----

std::string name_of(const Value& function) {
  if (const auto* own = function.as<FunctionValue>())
    return own->definition->name == "lambda" ? "<lambda>" : own->definition->name;
  if (const auto* builtin = function.as<BuiltinValue>()) return std::string(builtin->function->name);
  if (const auto* object = function.as<InstanceValue>()) return object->instance->type->name;
  return "function";
}

/// "CPU:  157.941 us   +/-  5.933 (min:  150.755 / max:  232.530) us"
std::string statistics_text(const char* device, const std::vector<double>& seconds) {
  const auto count = static_cast<double>(seconds.size());
  double sum = 0, squares = 0;
  for (const double second : seconds) sum += second;
  for (const double second : seconds) squares += (second - sum / count) * (second - sum / count);
  char text[160];
  std::snprintf(text, sizeof(text), "    %s: %9.3f us", device, 1e6 * sum / count);
  std::string result = text;
  if (seconds.size() == 1) return result;
  const auto [least, most] = std::ranges::minmax(seconds);
  std::snprintf(text, sizeof(text), "   +/- %6.3f (min: %9.3f / max: %9.3f) us", 1e6 * std::sqrt(squares / count),
                1e6 * least, 1e6 * most);
  return result + text;
}

Outcome<ArrayRef> array_of_times(const std::vector<double>& seconds, Shape shape) {
  ASSIGN_OR_RETURN(const ArrayRef array, make_array(ScalarType::F64, std::move(shape)));
  ASSIGN_OR_RETURN(std::byte* const bytes, array->write());
  std::ranges::copy(seconds, reinterpret_cast<double*>(bytes));
  return array;
}

struct Times {
  std::vector<double> host, device;
};

/// One call: the time until it returns, and the time between events around it.
Status time_call(Run& run, const Device& device, const Value& function, const CallArguments& arguments, Times& times) {
  const Stream stream = run.streams.current ? *run.streams.current : device.default_stream();
  ASSIGN_OR_RETURN(const Event start, outcome_of(stream.record()));
  const auto begin = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const Value ignored, run.call(function, arguments));
  times.host.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  ASSIGN_OR_RETURN(const Event end, outcome_of(stream.record()));
  ASSIGN_OR_RETURN(const double milliseconds, outcome_of(end.milliseconds_since(start)));
  times.device.push_back(milliseconds / 1e3);
  return Done{};
}

Outcome<Value> host_benchmark(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::int64_t repeats, arguments.integer(3));
  ASSIGN_OR_RETURN(const std::int64_t warmups, arguments.integer(5));
  ASSIGN_OR_RETURN(const double longest, arguments.is_none(6) ? Outcome<double>(INFINITY) : arguments.number(6));
  if (repeats < 1) return arguments.wrong_type(3, "1 or more");
  if (!arguments.is_none(2)) return arguments.wrong_type(2, "None: host code has no dictionaries");
  CallArguments call;
  if (!arguments.is_none(1)) {
    const std::vector<Value>* items = items_of(arguments[1]);
    if (!items) return arguments.wrong_type(1, "a tuple of arguments");
    call.positional = *items;
  }
  ASSIGN_OR_RETURN(const Device device, run.device());
  for (std::int64_t i = 0; i < warmups; ++i) {
    ASSIGN_OR_RETURN(const Value ignored, run.call(arguments[0], call));
  }
  RETURN_IF_FAILED(outcome_of(device.synchronize()));
  Times times;
  double total = 0;
  for (std::int64_t i = 0; i < repeats && total < longest; ++i) {
    RETURN_IF_FAILED(time_call(run, device, arguments[0], call, times));
    total += std::max(times.host.back(), times.device.back());
  }
  static const auto type = std::make_shared<const HostClass>(HostClass{"PerfCaseResult", {}});
  auto result = std::make_shared<Instance>(type);
  const std::string name = arguments.is_none(4) ? name_of(arguments[0]) : *arguments[4].as<std::string>();
  const auto count = static_cast<std::int64_t>(times.host.size());
  ASSIGN_OR_RETURN(const ArrayRef host_times, array_of_times(times.host, {count}));
  ASSIGN_OR_RETURN(const ArrayRef device_times, array_of_times(times.device, {1, count}));
  result->fields.emplace("name", Value(name));
  result->fields.emplace("cpu_times", Value(host_times));
  result->fields.emplace("gpu_times", Value(device_times));
  result->text = name + std::string(name.size() < 20 ? 20 - name.size() : 0, ' ') + ":" +
                 statistics_text("CPU", times.host) + " " + statistics_text("GPU-0", times.device);
  return Value(InstanceValue{std::move(result)});
}

constexpr HostFunction kCupyFunctions[] = {
    {"Device", in(Library::CupyCuda), "device=None", host_cupy_device,
     "The program's device, number 0. `with` takes it, too."},
    {"select_device", kNumbaCuda, "device_id", host_select_device, "The program's device, number 0."},
    {"get_current_device", kNumbaCuda, "", host_current_device, "The program's device."},
    {"current_context", kNumbaCuda, "devnum=0", host_select_device,
     "The program's device, which has what a context tells of kernels."},
    {"is_available", kNumbaCuda, "", host_is_available, "True: where there is no GPU, the CPU device runs kernels."},
    {"is_available", in(Library::CupyCuda), "", host_is_available, "True."},
    {"detect", kNumbaCuda, "", host_detect, "Prints what the device is."},
    {"close", kNumbaCuda, "", host_does_nothing, "Does nothing: the device is let go at the end."},
    {"defer_cleanup", kNumbaCuda, "", host_empty_context,
     "For `with`: does nothing, memory goes back without waiting."},
    {"pinned", kNumbaCuda, "*arrays", host_empty_context,
     "For `with`: does nothing; `pinned_array` makes memory that copies are fast from."},
    {"use", in(Library::DeviceMethod), "self", host_same_device, "The device itself, which is always in use."},
    {"synchronize", in(Library::DeviceMethod), "self", host_device_synchronize, "Waits until the device is done."},
    {"reset", in(Library::DeviceMethod), "self", host_does_nothing, "Does nothing."},
    {"get_default_memory_pool", in(Library::Cupy), "", host_memory_pool, "The memory of arrays on the device."},
    {"get_default_pinned_memory_pool", in(Library::Cupy), "", host_pinned_pool,
     "Of host memory that the device reaches; it keeps nothing."},
    {"used_bytes", in(Library::MemoryPoolMethod), "self", host_used_bytes,
     "Bytes of the arrays that are on the device: those that a kernel or `to_device` has needed there."},
    {"total_bytes", in(Library::MemoryPoolMethod), "self", host_total_bytes, "Bytes that the pool holds."},
    {"free_bytes", in(Library::MemoryPoolMethod), "self", host_free_bytes, "Bytes that it holds and no array uses."},
    {"free_all_blocks", in(Library::MemoryPoolMethod), "self", host_free_all_blocks,
     "Gives what no array uses back to the system."},
    {"set_limit", in(Library::MemoryPoolMethod), "self, size=None, fraction=None", host_set_limit,
     "The most bytes that arrays may use, or that part of the memory; 0 is no limit."},
    {"get_limit", in(Library::MemoryPoolMethod), "self", host_get_limit, "The limit in bytes; 0 without."},
    {"n_free_blocks", in(Library::PinnedPoolMethod), "self", host_no_blocks, "0: the pool keeps nothing."},
    {"free_all_blocks", in(Library::PinnedPoolMethod), "self", host_does_nothing, "Does nothing."},
    {"get_array_module", in(Library::Cupy), "*args", host_array_module,
     "The module `cupy` where one of them is an array of the device, else `numpy`."},
    {"fuse", in(Library::Cupy), "*args, kernel_name=None", host_fuse,
     "A decorator that changes nothing: `@vectorize` and kernels are what runs on the device as one."},
    {"vectorize", in(Library::Numba, Library::Cuda, Library::Prelude),
     "signatures=None, target=None, nopython=True, cache=False, identity=None", host_vectorize,
     "`vectorize([…])(f)` applies the file's function `f` to elements, as the decorator does."},
    {"guvectorize", in(Library::Numba), "signatures, layout=None, target=None, nopython=True, cache=False",
     host_guvectorize,
     "`guvectorize([…], \"(n)->()\")(f)` applies `f` to the last axes of arrays, as the decorator does."},
    {"reduce", kNumbaCuda, "f", host_reduce,
     "A function of an array that puts its elements together by `f`: `total(x, size=None, res=None, init=0)`."},
    {"Reduce", kNumbaCuda, "f", host_reduce, "The same."},
    {"benchmark", in(Library::CupyxProfiler),
     "func, args=None, kwargs=None, n_repeat=10000, name=None, n_warmup=10, max_duration=None, devices=None",
     host_benchmark, "Calls `func(*args)` again and again; what it gives is printed as the times, and has them."},
};

}  // namespace

std::span<const HostFunction> cupy_functions() { return kCupyFunctions; }

Status check_target(const Value& value) {
  constexpr std::string_view kTargets[] = {"cpu", "cuda", "parallel", "gpu"};  // the last is NumbaPro's
  const std::string* text = value.as<std::string>();
  if (text && std::ranges::find(kTargets, *text) != std::end(kTargets)) return Done{};
  return fail(DiagnosticId::HostWrongType, "target` of `@vectorize", "'cpu', 'cuda' or 'parallel'",
              text ? "'" + *text + "'" : describe(value))
      .note("the function runs on the program's device, `--device`, whichever it is");
}

Outcome<Value> decorate(const DecoratorValue& decorator, const Value& given) {
  const auto* function = given.as<FunctionValue>();
  const bool is_plain =
      function && (function->kind == FunctionValue::Kind::Host || function->kind == FunctionValue::Kind::Device ||
                   function->kind == FunctionValue::Kind::Compiled);
  if (!is_plain) return fail(DiagnosticId::HostWrongType, "function to decorate", "one of the file's", describe(given));
  FunctionValue made = *function;
  made.kind = decorator.kind;
  if (!decorator.context) return Value(std::move(made));
  auto context =
      function->context ? std::make_shared<FunctionContext>(*function->context) : std::make_shared<FunctionContext>();
  context->prototypes = decorator.context->prototypes;
  context->axes = decorator.context->axes;
  made.context = std::move(context);
  return Value(std::move(made));
}

}  // namespace pykc::script
