// What the rooms of the generator share: the chance, the text so far, and what may be named at the current place.
//
// The rooms are functions on a Writer: expressions, values (complex numbers, vectors, records …), builtins, functions,
// memory, threads, loops, statements, and the kernel around them. All keep one promise: the program is right by
// construction. Every index is in range, nothing races, threads meet where all that live come, and no result depends on
// the order of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/random/features.h"
#include "tests/random/types.h"

namespace pykc::random_test {

struct Variable {
  std::string name;  // or an element that only this thread touches
  ValueType type;
  bool uniform = false;  // the same in all threads of the block
  bool assignable = false;
};

enum class Memory : unsigned char { Input, Local, Shared, Constant };

/// An array of which the current place may read every element.
struct ReadableArray {
  std::string name;
  ValueType element;
  std::vector<int> extents;  // one or two, powers of two
  Memory memory = Memory::Input;
  bool is_contiguous = true;  // row-major
};

/// An array of shared memory; between two barriers each thread writes its own elements.
struct SharedArray {
  std::string name;
  ValueType element;
  int size;  // elements; whole turns of the block or not
};

/// A global array whose element i only the thread i % total touches.
struct OwnedArray {
  std::string name, alias;  // alias: another name for its elements from `offset` on; or empty
  ValueType element;
  int offset = 0;
  std::string bound;  // not above the number of elements
};

struct Field {
  std::string name;
  ValueType type;
  int count = 0;  // of an array; 0: a single value
};
using Fields = std::vector<Field>;

struct EnumShape {
  int members;
  bool is_integer;  // an IntEnum
};

struct Function {
  enum class Kind : unsigned char { Typed, Generic, Variable, Defaults, Constant, Higher, Recursive, Array };
  Kind kind;
  std::string name;
  std::vector<ValueType> parameters;
  ValueType result;
  bool gives_pair = false;             // a generic one
  ScalarType array = ScalarType::F32;  // of a typed one: the elements of its first argument, an array of 16
};

/// A loop around the current place.
struct Region {
  bool uniform;  // all threads run it alike, so none may leave it alone
};

struct Launch {
  const char* text;  // as the `# run:` line spells it
  int blocks, threads, dimensions;
  const char* cluster = "";  // its blocks, as the option of the kernel spells them
};

struct Parameter {
  std::string name, annotation, run;  // run: what the `# run:` line says
};

/// What is known at the current place.
struct Place {
  bool in_kernel = false;
  bool uniform = true;  // all living threads of the block run it
  int depth = 0;        // of blocks
  std::vector<Variable> variables;
  std::vector<ReadableArray> arrays;
  std::vector<Region> loops;
  std::string hidden;  // a shared array that is being written
};

struct Writer {
  explicit Writer(std::uint64_t seed);

  Random random;
  Features features;
  bool is_enabled(Feature feature) const { return features.has(feature); }

  // ---- the program ----
  std::vector<ScalarType> types;    // the scalar types that the program uses
  std::vector<ValueType> composed;  // the others
  std::vector<Fields> records, tuples;
  std::vector<EnumShape> enums;
  std::vector<Function> functions;
  std::vector<SharedArray> shared;
  std::vector<OwnedArray> owned;
  std::vector<Parameter> parameters;
  Launch launch = {"grid=1 block=32", 1, 32, 1};
  int shared_bytes = 0;  // that the launch gives

  // ---- the current place ----
  Place place;
  int budget = 0;  // statements that may still come
  int rows = 0;    // of the outputs, used so far

  // ---- text ----
  std::string text;
  void line(const std::string& text_of_line);
  void blank_lines();
  /// A name that nothing has yet.
  std::string fresh(const char* prefix) { return prefix + std::to_string(++names_); }
  /// Writes `body` in a deeper block; what is first named there may not be there behind it.
  template <typename Body>
  void indented(Body body) {
    const std::size_t variables = place.variables.size(), arrays = place.arrays.size();
    ++place.depth;
    body();
    --place.depth;
    place.variables.resize(variables);
    place.arrays.resize(arrays);
  }

  int number(int below) { return random.number(below); }
  bool chance(int percent) { return random.chance(percent); }
  ScalarType any_type() { return random.pick(types); }
  /// Of `wanted`, one that the program uses if that can be.
  ScalarType any_of(std::span<const ScalarType> wanted);
  void add_variable(const std::string& name, ValueType type) { place.variables.push_back({name, type, false, true}); }

 private:
  int names_ = 0;
};

// ---- what rows of tables ask of a place ----
inline bool always(const Writer&) { return true; }
inline bool in_kernel(const Writer& w) { return w.place.in_kernel; }
inline bool has_composed(const Writer& w) { return !w.composed.empty(); }

/// The whole program, with its `# run:` line.
std::string write_program(std::uint64_t seed);

}  // namespace pykc::random_test
