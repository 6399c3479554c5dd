// Files: arrays as .npy, images as .pgm.
#include <algorithm>
#include <cmath>

#include "script/functions/functions.h"
#include "script/functions/run.h"
#include "script/values/npy.h"

namespace pykc::script {
namespace {

/// The file that the first argument names, where the source may use files.
Outcome<std::string> path_of(const Run& run, const Arguments& arguments, std::string_view function) {
  if (run.options().compile.untrusted)
    return fail(DiagnosticId::Untrusted, function)
        .note(
            "its host code reads and writes no files: take what it needs from `main`'s arguments, print what it gives");
  return arguments.text(0);
}

Outcome<Value> host_load(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string path, path_of(run, arguments, "load"));
  return load_npy(path);
}

Outcome<Value> host_save(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string path, path_of(run, arguments, "save"));
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.any_array(1));
  RETURN_IF_FAILED(save_npy(path.ends_with(".npy") ? path : path + ".npy", array));
  return Value();
}

/// Grey values 0 to 255, floats rounded and cut to that range, as a binary portable greymap that any viewer opens.
Outcome<Value> host_save_pgm(Run& run, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string path, path_of(run, arguments, "save_pgm"));
  ASSIGN_OR_RETURN(const ArrayRef array, arguments.array(1));
  if (array->rank() != 2) return arguments.wrong_type(1, "an array of rank 2");
  ASSIGN_OR_RETURN(const ArrayRef converted, convert_array(array, ScalarType::F64));
  ASSIGN_OR_RETURN(const ArrayRef grey, dense_array(converted));
  ASSIGN_OR_RETURN(const std::byte* address, grey->read());
  const auto* values = reinterpret_cast<const double*>(address);
  std::string bytes = "P5\n" + std::to_string(array->shape[1]) + " " + std::to_string(array->shape[0]) + "\n255\n";
  for (std::int64_t i = 0; i < grey->size(); ++i) {
    const double value = std::isnan(values[i]) ? 0 : std::clamp(values[i], 0.0, 255.0);
    bytes += static_cast<char>(static_cast<unsigned char>(std::lround(value)));
  }
  RETURN_IF_FAILED(write_bytes(path, bytes));
  return Value();
}

constexpr HostFunction kFileFunctions[] = {
    {"load", in(Library::Prelude, Library::Numpy), "file", host_load, "The array in a .npy file."},
    {"save", in(Library::Prelude, Library::Numpy), "file, a", host_save, "Writes an array as a .npy file."},
    {"save_pgm", in(Library::Prelude), "file, a", host_save_pgm,
     "Writes a matrix of grey values, 0 to 255, as an image."},
};

}  // namespace

std::span<const HostFunction> file_functions() { return kFileFunctions; }

}  // namespace pykc::script
