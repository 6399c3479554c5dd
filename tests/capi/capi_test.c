/* pykc.h from C99: every function, what it gives, and what it refuses. On the CPU device. */
#define _POSIX_C_SOURCE 200112L /* nanosleep */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pykc.h"

static int failures = 0;

static void expect(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "capi_test.c:%d: %s\n", line, what);
  ++failures;
}
#define EXPECT(condition) expect((condition) != 0, #condition, __LINE__)

static void expect_success(pykc_error* error, const char* call, int line) {
  if (error) fprintf(stderr, "%s\n", pykc_error_text(error));
  expect(error == NULL, call, line);
  pykc_error_free(error);
}
#define OK(call) expect_success(call, #call, __LINE__)

static void expect_failure(pykc_error* error, int32_t code, const char* part, const char* call, int line) {
  const int is_so = pykc_error_code(error) == code && strstr(pykc_error_text(error), part) != NULL;
  if (!is_so) fprintf(stderr, "code %d: %s\n", (int)pykc_error_code(error), pykc_error_text(error));
  expect(is_so, call, line);
  pykc_error_free(error);
}
#define FAILS(code, part, call) expect_failure(call, code, part, #call, __LINE__)

static const char kSource[] =
    "from pykc import *\n"
    "\n"
    "WEIGHTS = const.array(3, f32)\n"
    "\n"
    "@struct\n"
    "class Pair:\n"
    "    a: i32\n"
    "    b: f32\n"
    "\n"
    "@kernel\n"
    "def scale(y: f32[:], x: f32[:], factor: f32):\n"
    "    i = grid(1)\n"
    "    if i < len(x):\n"
    "        y[i] = factor * x[i] * weight(i)\n"
    "\n"
    "@kernel\n"
    "def spread(pairs: Pair[:], pair: Pair, turned: f64[::, ::]):\n"
    "    i = grid(1)\n"
    "    if i < len(pairs):\n"
    "        pairs[i].a = pair.a + i\n"
    "        pairs[i].b = pair.b\n"
    "        turned[i, 0] = OFFSET + WEIGHTS[i % 3]\n"
    "\n"
    "@kernel\n"
    "def fail(n: i32):\n"
    "    assert n > 2, 'n is too small'\n"
    "\n"
    "@kernel\n"
    "def say(n: i32):\n"
    "    print('n =', n)\n"
    "\n"
    "@kernel\n"
    "def spin(flag: i32[:]):\n"
    "    while atomic.load(flag, 0) == 0:\n"
    "        pass\n";

static void import_weight(void* context, const char* name, pykc_import_answer* answer) {
  ++*(int*)context;
  if (strcmp(name, "forbidden") == 0) pykc_import_fail(answer, "this one is not for you");
  if (strcmp(name, "weights") == 0) {
    const char text[] = "def weight(i):\n    return 2\n";
    pykc_import_reply(answer, text, strlen(text));
  }
}

static pykc_compile_options options_for(const pykc_constant* offset, int* imports) {
  pykc_compile_options options;
  pykc_compile_options_init(&options, sizeof options);
  options.target = "cpu";
  options.constants = offset;
  options.constant_count = 1;
  options.import = import_weight;
  options.import_context = imports;
  return options;
}

static pykc_constant number(const char* name, int32_t value) {
  pykc_constant constant;
  memset(&constant, 0, sizeof constant);
  constant.name = name;
  constant.kind = PYKC_CONSTANT_NUMBER;
  constant.type = PYKC_I32;
  constant.value.i32 = value;
  return constant;
}

static pykc_argument array_argument(const pykc_array* array) {
  pykc_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = PYKC_ARGUMENT_ARRAY;
  argument.value.array = array;
  return argument;
}

static pykc_argument f32_argument(float value) {
  pykc_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = PYKC_ARGUMENT_NUMBER;
  argument.type = PYKC_F32;
  argument.value.number.f32 = value;
  return argument;
}

static pykc_argument i32_argument(int32_t value) {
  pykc_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = PYKC_ARGUMENT_NUMBER;
  argument.type = PYKC_I32;
  argument.value.number.i32 = value;
  return argument;
}

static pykc_launch_config config_of(int64_t grid, int64_t block) {
  pykc_launch_config config;
  pykc_launch_config_init(&config, sizeof config);
  config.grid[0] = grid;
  config.block[0] = block;
  return config;
}

static void test_versions(void) {
  EXPECT(strcmp(pykc_version(), PYKC_VERSION_STRING) == 0);
  EXPECT(pykc_version_number() == PYKC_VERSION);
  EXPECT(strlen(pykc_llvm_version()) > 0);
  EXPECT(strcmp(pykc_type_name(PYKC_F32), "f32") == 0 && pykc_type_size(PYKC_F32) == 4);
  EXPECT(strcmp(pykc_type_name(PYKC_C128), "c128") == 0 && pykc_type_size(PYKC_C128) == 16);
  EXPECT(strcmp(pykc_type_name(PYKC_F8E4M3), "f8e4m3") == 0 && pykc_type_size(PYKC_F8E5M2) == 1);
  EXPECT(pykc_type_name(99) == NULL && pykc_type_size(99) == 0 && pykc_type_name(PYKC_RECORD) == NULL);
}

static void test_devices(const pykc_device* device) {
  pykc_device_list* list = NULL;
  pykc_device* none = NULL;
  pykc_device_info info = {0};
  OK(pykc_device_list_create(&list));
  const size_t count = pykc_device_list_count(list);
  EXPECT(count >= 1);
  FAILS(PYKC_INVALID_ARGUMENT, "size", pykc_device_list_get(list, count - 1, &info));
  info.size = sizeof info;
  OK(pykc_device_list_get(list, count - 1, &info));
  EXPECT(strcmp(info.name, "cpu") == 0);
  FAILS(PYKC_NOT_FOUND, "no device", pykc_device_list_get(list, count, &info));
  pykc_device_list_free(list);

  OK(pykc_device_get_info(device, &info));
  EXPECT(strcmp(info.target, pykc_device_target(device)) == 0 && info.multiprocessors > 0 && info.memory_bytes > 0);
  EXPECT(pykc_device_is_cpu(device) == 1);
  /* A caller with an older, shorter struct. */
  pykc_device_info shorter = {0};
  shorter.size = offsetof(pykc_device_info, target);
  OK(pykc_device_get_info(device, &shorter));
  EXPECT(strcmp(shorter.name, "cpu") == 0 && shorter.target == NULL && shorter.driver == NULL);

  FAILS(PYKC_INVALID_ARGUMENT, "gpu", pykc_device_open("gpu", &none));
  EXPECT(none == NULL);
  FAILS(PYKC_INVALID_ARGUMENT, "NULL", pykc_device_open("cpu", NULL));
  OK(pykc_device_synchronize(device));
}

static void test_errors_of_a_source(void) {
  const char source[] =
      "from pykc import *\n\n@kernel\ndef k(x: f32[:]):\n    y = x[0]\n    y = missing\n    return zero\n";
  pykc_artifact* artifact = NULL;
  pykc_error* error = pykc_compile(source, strlen(source), "wrong.pyk", NULL, &artifact);
  EXPECT(artifact == NULL);
  EXPECT(pykc_error_code(error) == PYKC_INVALID_SOURCE);
  EXPECT(strlen(pykc_error_message(error)) > 0 && strstr(pykc_error_text(error), "y = missing") != NULL);
  const pykc_diagnostics* diagnostics = pykc_error_diagnostics(error);
  EXPECT(pykc_diagnostics_count(diagnostics) >= 1);
  pykc_diagnostic diagnostic = {0};
  diagnostic.size = sizeof diagnostic;
  OK(pykc_diagnostics_get(diagnostics, 0, &diagnostic));
  EXPECT(diagnostic.code[0] == 'E' && diagnostic.severity == PYKC_ERROR);
  EXPECT(strcmp(diagnostic.file, "wrong.pyk") == 0 && diagnostic.line == 6 && diagnostic.column == 9);
  EXPECT(diagnostic.end_column == 16 && strcmp(diagnostic.source_line, "    y = missing") == 0);
  EXPECT(strstr(diagnostic.message, "missing") != NULL);
  for (size_t i = 0; i < diagnostic.label_count; ++i) {
    pykc_label label = {0};
    label.size = sizeof label;
    OK(pykc_diagnostics_label(diagnostics, 0, i, &label));
    EXPECT(label.line > 0);
  }
  EXPECT(pykc_diagnostics_note(diagnostics, 0, diagnostic.note_count) == NULL);
  pykc_text* text = NULL;
  OK(pykc_diagnostics_text(diagnostics, 0, 0, &text));
  EXPECT(strstr(pykc_text_data(text), "wrong.pyk:6:9") != NULL && strlen(pykc_text_data(text)) == pykc_text_size(text));
  pykc_text_free(text);
  OK(pykc_diagnostics_json(diagnostics, &text));
  EXPECT(pykc_text_data(text)[0] == '[');
  pykc_text_free(text);
  FAILS(PYKC_INVALID_ARGUMENT, "no diagnostic 99", pykc_diagnostics_get(diagnostics, 99, &diagnostic));
  pykc_error_free(error);

  EXPECT(pykc_error_code(NULL) == PYKC_OK && pykc_error_text(NULL)[0] == '\0');
  EXPECT(pykc_diagnostics_count(pykc_error_diagnostics(NULL)) == 0);
  FAILS(PYKC_INPUT_OUTPUT, "nowhere.pyk", pykc_compile_file("nowhere.pyk", NULL, &artifact));
}

static void test_options(void) {
  const char source[] = "from pykc import *\n\n@kernel\ndef k(x: f32[:]):\n    x[0] = 1\n";
  const char imports_forbidden[] = "from forbidden import f\n";
  pykc_artifact* artifact = NULL;
  pykc_compile_options options;
  memset(&options, 0, sizeof options);
  FAILS(PYKC_INVALID_ARGUMENT, "pykc_compile_options_init",
        pykc_compile(source, strlen(source), NULL, &options, &artifact));

  /* A caller that is older: the import and all before it that it does not know keep their defaults. */
  pykc_compile_options_init(&options, offsetof(pykc_compile_options, asserts));
  EXPECT(options.optimization == 3 && options.asserts == 0);
  options.asserts = 77; /* not read */
  options.size -= 3;    /* ends within a field, as no version's does */
  FAILS(PYKC_INVALID_ARGUMENT, "no version", pykc_compile(source, strlen(source), NULL, &options, &artifact));
  options.size += 3;
  OK(pykc_compile(source, strlen(source), NULL, &options, &artifact));
  EXPECT(strcmp(pykc_artifact_target(artifact), "nvptx:sm_80") == 0);
  size_t size = 0;
  const char* ptx = pykc_artifact_code(artifact, &size);
  EXPECT(strstr(ptx, ".visible .entry k(") != NULL && strlen(ptx) == size);
  pykc_artifact_free(artifact);
  artifact = NULL;

  /* One that is newer: fine, as long as it does not ask for what this library lacks. */
  struct {
    pykc_compile_options known;
    int64_t later;
  } newer;
  pykc_compile_options_init(&newer.known, sizeof newer);
  EXPECT(newer.later == 0 && newer.known.size == sizeof newer);
  newer.known.target = "cpu";
  OK(pykc_compile(source, strlen(source), NULL, &newer.known, &artifact));
  pykc_artifact_free(artifact);
  artifact = NULL;
  newer.later = 1;
  FAILS(PYKC_UNSUPPORTED, "later version", pykc_compile(source, strlen(source), NULL, &newer.known, &artifact));

  int imports = 0;
  pykc_constant constant = number("OFFSET", 1);
  options = options_for(&constant, &imports);
  FAILS(PYKC_INVALID_SOURCE, "not for you",
        pykc_compile(imports_forbidden, strlen(imports_forbidden), NULL, &options, &artifact));
  EXPECT(imports > 0);
  constant.type = PYKC_F16;
  FAILS(PYKC_INVALID_ARGUMENT, "OFFSET", pykc_compile(source, strlen(source), NULL, &options, &artifact));
  constant.type = 1234;
  constant.kind = PYKC_CONSTANT_TYPE;
  FAILS(PYKC_INVALID_ARGUMENT, "invalid ScalarType", pykc_compile(source, strlen(source), NULL, &options, &artifact));
  options.constants = NULL;
  FAILS(PYKC_INVALID_ARGUMENT, "constants", pykc_compile(source, strlen(source), NULL, &options, &artifact));
  options.constant_count = 0;
  const char* const signatures[] = {"k(f32[:])"};
  options.signatures = signatures;
  options.signature_count = 1;
  OK(pykc_compile(source, strlen(source), NULL, &options, &artifact));
  pykc_artifact_free(artifact);
}

static void test_limits(void) {
  const char long_source[] =
      "from pykc import *\n\n@kernel\ndef k(x: f32[:]):\n    for i in unroll(range(400)):\n        x[i] = i\n";
  const char ptx_source[] = "from pykc import *\n\n@kernel\ndef k(x: f32[:]):\n    x[0] = ptx('', i32)\n";
  pykc_artifact* artifact = NULL;
  pykc_compile_options options;
  pykc_compile_limits limits;
  pykc_compile_options_init(&options, sizeof options);
  options.target = "cpu";
  OK(pykc_compile(long_source, strlen(long_source), NULL, &options, &artifact));
  pykc_artifact_free(artifact);
  artifact = NULL;
  options.untrusted = 1;
  FAILS(PYKC_INVALID_SOURCE, "", pykc_compile(long_source, strlen(long_source), NULL, &options, &artifact));
  FAILS(PYKC_INVALID_SOURCE, "", pykc_compile(ptx_source, strlen(ptx_source), NULL, &options, &artifact));
  pykc_compile_limits_init(&limits, sizeof limits, 1);
  EXPECT(limits.time_milliseconds < 10000 && limits.unrolled_turns < 400);
  limits.unrolled_turns = 500;
  limits.time_milliseconds = 60000; /* a busy machine is no fault of the compiler's */
  options.limits = &limits;
  OK(pykc_compile(long_source, strlen(long_source), NULL, &options, &artifact));
  pykc_artifact_free(artifact);
  artifact = NULL;
  options.untrusted = 0;
  limits.source_bytes = 10;
  FAILS(PYKC_INVALID_SOURCE, "", pykc_compile(long_source, strlen(long_source), NULL, &options, &artifact));
  limits.size = 5;
  FAILS(PYKC_INVALID_ARGUMENT, "pykc_compile_limits_init",
        pykc_compile(long_source, strlen(long_source), NULL, &options, &artifact));
}

static void test_stages(void) {
  const char source[] = "from pykc import *\n\n@kernel\ndef k(x: f32[:]):\n    unused = 1\n    x[0] = 1\n";
  pykc_output* output = NULL;
  OK(pykc_compile_to(PYKC_EMIT_IR, source, strlen(source), "k.pyk", NULL, &output));
  EXPECT(strstr(pykc_output_text(output), "k") != NULL && pykc_output_artifact(output) == NULL);
  EXPECT(pykc_diagnostics_count(pykc_output_warnings(output)) == 1);
  pykc_output_free(output);
  OK(pykc_compile_to(PYKC_EMIT_CODE, source, strlen(source), "k.pyk", NULL, &output));
  EXPECT(pykc_artifact_kernel_count(pykc_output_artifact(output)) == 1);
  pykc_output_free(output);
  FAILS(PYKC_INVALID_ARGUMENT, "stage", pykc_compile_to(99, source, strlen(source), "k.pyk", NULL, &output));
}

typedef struct Pair {
  int32_t a;
  float b;
} Pair;

static void test_records(const pykc_device* device, const pykc_module* module) {
  pykc_kernel* spread = NULL;
  OK(pykc_module_kernel(module, "spread", &spread));
  const pykc_kernel_info* info = pykc_kernel_get_info(spread);
  pykc_parameter parameter = {0};
  parameter.size = sizeof parameter;
  OK(pykc_kernel_info_parameter(info, 0, &parameter));
  EXPECT(parameter.type == PYKC_RECORD && parameter.element_bytes == sizeof(Pair) && parameter.is_written == 1);
  OK(pykc_kernel_info_parameter(info, 2, &parameter));
  EXPECT(strcmp(parameter.type_text, "f64[::, ::]") == 0 && parameter.rank == 2 && parameter.type == PYKC_F64);

  const int64_t bytes = 4 * (int64_t)sizeof(Pair), shape[] = {2, 4}, odd = 7;
  pykc_array *raw = NULL, *pairs = NULL, *rows = NULL, *turned = NULL, *weights = NULL, *other = NULL;
  OK(pykc_array_zeros(device, PYKC_U8, 1, &bytes, &raw));
  OK(pykc_array_as_parameter(raw, info, 0, &pairs));
  EXPECT(pykc_array_type(pairs) == PYKC_RECORD && pykc_array_shape(pairs)[0] == 4);
  EXPECT(pykc_array_element_bytes(pairs) == sizeof(Pair) && pykc_array_address(pairs) == pykc_array_address(raw));
  FAILS(PYKC_INVALID_ARGUMENT, "no array", pykc_array_as_parameter(raw, info, 1, &other));
  OK(pykc_array_zeros(device, PYKC_U8, 1, &odd, &other));
  FAILS(PYKC_INVALID_ARGUMENT, "multiple", pykc_array_as_parameter(other, info, 0, &rows));
  pykc_array_free(other);

  const float values[] = {0.5F, 1.5F, 2.5F};
  OK(pykc_module_constant(module, "WEIGHTS", &weights));
  EXPECT(pykc_array_type(weights) == PYKC_F32 && pykc_array_size(weights) == 3);
  OK(pykc_array_copy_from_host(weights, NULL, values, sizeof values));
  FAILS(PYKC_NOT_FOUND, "HEIGHTS", pykc_module_constant(module, "HEIGHTS", &other));

  /* The transpose of (2, 4). */
  const int64_t turned_shape[] = {4, 2}, turned_strides[] = {1, 4};
  OK(pykc_array_zeros(device, PYKC_F64, 2, shape, &rows));
  OK(pykc_array_view(rows, 2, turned_shape, turned_strides, 0, &turned));
  FAILS(PYKC_INVALID_ARGUMENT, "leaves", pykc_array_view(rows, 2, turned_shape, turned_strides, 1, &other));
  FAILS(PYKC_INVALID_ARGUMENT, "axes", pykc_array_view(rows, 9, turned_shape, turned_strides, 0, &other));

  const Pair pair = {40, 0.25F};
  pykc_argument arguments[3] = {array_argument(pairs), array_argument(NULL), array_argument(turned)};
  arguments[1].kind = PYKC_ARGUMENT_RECORD;
  arguments[1].value.record = &pair;
  const pykc_launch_config config = config_of(1, 4);
  OK(pykc_kernel_launch(spread, &config, arguments, 3));
  Pair result[4];
  double sums[8];
  OK(pykc_array_copy_to_host(pairs, NULL, result, sizeof result));
  OK(pykc_array_copy_to_host(rows, NULL, sums, sizeof sums));
  for (int i = 0; i < 4; ++i) EXPECT(result[i].a == 40 + i && result[i].b == 0.25F);
  EXPECT(sums[0] == 7.5 && sums[1] == 8.5 && sums[2] == 9.5 && sums[3] == 7.5 && sums[4] == 0);
  arguments[0] = arguments[1];
  FAILS(PYKC_INVALID_ARGUMENT, "no record", pykc_kernel_launch(spread, &config, arguments, 3));

  pykc_array_free(weights);
  pykc_array_free(turned);
  pykc_array_free(rows);
  pykc_array_free(pairs);
  pykc_array_free(raw);
  pykc_kernel_free(spread);
}

static void count_call(void* context) { ++*(int*)context; }

static void test_arrays(const pykc_device* device) {
  const int64_t n = 6, shape[] = {2, 3};
  const int32_t values[] = {1, 2, 3, 4, 5, 6}, seven = 7;
  int32_t back[6] = {0};
  pykc_array *x = NULL, *y = NULL, *scalar = NULL;
  pykc_stream* stream = NULL;
  OK(pykc_stream_create(device, &stream));
  OK(pykc_array_from_host(device, PYKC_I32, 2, shape, values, &x));
  EXPECT(pykc_array_rank(x) == 2 && pykc_array_strides(x)[0] == 3 && pykc_array_size(x) == 6);
  OK(pykc_array_allocate_on(stream, PYKC_I32, 2, shape, &y));
  OK(pykc_array_copy(y, stream, x));
  OK(pykc_stream_synchronize(stream));
  OK(pykc_array_copy_to_host(y, NULL, back, sizeof back));
  EXPECT(memcmp(back, values, sizeof back) == 0);
  FAILS(PYKC_INVALID_ARGUMENT, "24 bytes", pykc_array_copy_to_host(y, NULL, back, sizeof back - 1));
  OK(pykc_array_fill(y, stream, &seven));
  OK(pykc_stream_synchronize(stream));
  OK(pykc_array_copy_to_host(y, stream, back, sizeof back));
  OK(pykc_stream_synchronize(stream));
  EXPECT(back[0] == 7 && back[5] == 7);
  OK(pykc_array_fill_zero(y, NULL));
  pykc_array_free(y);

  OK(pykc_array_allocate(device, PYKC_F64, 0, NULL, &scalar));
  EXPECT(pykc_array_size(scalar) == 1);
  FAILS(PYKC_INVALID_ARGUMENT, "copied to f64", pykc_array_copy(scalar, NULL, x));
  pykc_array_free(scalar);
  FAILS(PYKC_INVALID_ARGUMENT, "no type 99", pykc_array_allocate(device, 99, 1, &n, &y));
  FAILS(PYKC_INVALID_ARGUMENT, "array_as_parameter", pykc_array_allocate(device, PYKC_RECORD, 1, &n, &y));
  FAILS(PYKC_INVALID_ARGUMENT, "shape", pykc_array_allocate(device, PYKC_I32, 1, NULL, &y));
  const int64_t negative = -1, huge = INT64_MAX / 8;
  FAILS(PYKC_INVALID_ARGUMENT, "-1", pykc_array_allocate(device, PYKC_I32, 1, &negative, &y));
  EXPECT(pykc_error_code(NULL) == PYKC_OK);
  pykc_error* error = pykc_array_allocate(device, PYKC_U8, 1, &huge, &y);
  EXPECT(error != NULL);
  pykc_error_free(error);

  for (int32_t memory = PYKC_DEVICE; memory <= PYKC_MAPPED; ++memory) {
    OK(pykc_array_allocate_in(device, memory, PYKC_I32, 1, &n, &y));
    int32_t* const host = pykc_array_host_address(y);
    EXPECT(host != NULL);
    memcpy(host, values, sizeof values);
    OK(pykc_array_copy_to_host(y, NULL, back, sizeof back));
    EXPECT(back[5] == 6);
    pykc_array_free(y);
  }
  FAILS(PYKC_INVALID_ARGUMENT, "memory", pykc_array_allocate_in(device, 3, PYKC_I32, 1, &n, &y));

  /* Memory of the caller's. */
  int releases = 0;
  const int64_t half = 3, every_other = 2;
  int32_t mine[] = {10, 20, 30, 40, 50, 60};
  OK(pykc_array_wrap(device, PYKC_I32, 1, &half, &every_other, mine, count_call, &releases, &y));
  EXPECT(pykc_array_address(y) == (void*)mine);
  OK(pykc_array_fill(y, NULL, &seven));
  EXPECT(mine[0] == 7 && mine[1] == 20 && mine[4] == 7 && mine[5] == 60 && releases == 0);
  pykc_array_free(y);
  EXPECT(releases == 1);
  FAILS(PYKC_INVALID_ARGUMENT, "aligned",
        pykc_array_wrap(device, PYKC_I32, 1, &half, NULL, (char*)mine + 1, count_call, &releases, &y));
  EXPECT(releases == 1);

  pykc_pinned* pinned = NULL;
  OK(pykc_pinned_allocate(device, 24, &pinned));
  OK(pykc_array_copy_to_host(x, NULL, pykc_pinned_data(pinned), 24));
  EXPECT(((int32_t*)pykc_pinned_data(pinned))[3] == 4);
  pykc_pinned_free(pinned);
  pykc_array_free(x);
  pykc_stream_free(stream);
}

static void test_launches(const pykc_device* device, const pykc_module* module) {
  pykc_kernel *scale = NULL, *fail = NULL;
  pykc_array *x = NULL, *y = NULL;
  const float values[] = {1, 2, 3};
  float back[3] = {0};
  const int64_t n = 3;
  OK(pykc_module_kernel(module, "scale", &scale));
  FAILS(PYKC_NOT_FOUND, "scail", pykc_module_kernel(module, "scail", &fail));
  const pykc_kernel_info* info = pykc_kernel_get_info(scale);
  EXPECT(strcmp(pykc_kernel_info_name(info), "scale") == 0 && strlen(pykc_kernel_info_symbol(info)) > 0);
  EXPECT(pykc_kernel_info_parameter_count(info) == 3);
  pykc_parameter parameter = {0};
  parameter.size = sizeof parameter;
  OK(pykc_kernel_info_parameter(info, 0, &parameter));
  EXPECT(strcmp(parameter.name, "y") == 0 && strcmp(parameter.type_text, "f32[:]") == 0 && parameter.is_array == 1);
  OK(pykc_kernel_info_parameter(info, 2, &parameter));
  EXPECT(strcmp(parameter.name, "factor") == 0 && parameter.is_array == 0 && parameter.element_bytes == 4);
  FAILS(PYKC_INVALID_ARGUMENT, "no parameter 3", pykc_kernel_info_parameter(info, 3, &parameter));
  int32_t threads = 0;
  OK(pykc_kernel_suggested_block_size(scale, 0, &threads));
  EXPECT(threads > 0);

  OK(pykc_array_from_host(device, PYKC_F32, 1, &n, values, &x));
  OK(pykc_array_zeros(device, PYKC_F32, 1, &n, &y));
  pykc_launch_config config = config_of(1, 32);
  pykc_argument arguments[] = {array_argument(y), array_argument(x), f32_argument(2.5F)};
  OK(pykc_kernel_launch(scale, &config, arguments, 3));
  OK(pykc_array_copy_to_host(y, NULL, back, sizeof back));
  EXPECT(back[0] == 5 && back[2] == 15);
  arguments[2] = i32_argument(3); /* exact as an f32 */
  OK(pykc_kernel_launch(scale, &config, arguments, 3));
  arguments[2].type = PYKC_F64;
  FAILS(PYKC_INVALID_LAUNCH, "`factor`: expected a scalar f32, given f64",
        pykc_kernel_launch(scale, &config, arguments, 3));
  arguments[2].type = 200;
  FAILS(PYKC_INVALID_ARGUMENT, "argument 2 is a number of type", pykc_kernel_launch(scale, &config, arguments, 3));
  arguments[2].kind = 9;
  FAILS(PYKC_INVALID_ARGUMENT, "no kind", pykc_kernel_launch(scale, &config, arguments, 3));
  FAILS(PYKC_INVALID_LAUNCH, "takes 3 arguments", pykc_kernel_launch(scale, &config, arguments, 2));
  arguments[1] = array_argument(NULL);
  FAILS(PYKC_INVALID_ARGUMENT, "NULL", pykc_kernel_launch(scale, &config, arguments, 3));
  FAILS(PYKC_INVALID_ARGUMENT, "NULL", pykc_kernel_launch(scale, &config, NULL, 3));
  config.block[0] = 4096;
  FAILS(PYKC_INVALID_LAUNCH, "block", pykc_kernel_launch(scale, &config, arguments, 0));
  config.size = 0;
  FAILS(PYKC_INVALID_ARGUMENT, "pykc_launch_config_init", pykc_kernel_launch(scale, &config, arguments, 3));
  const pykc_argument many[20] = {{0, 0, {{0}}}};
  config = config_of(1, 1);
  FAILS(PYKC_INVALID_LAUNCH, "20 given", pykc_kernel_launch(scale, &config, many, 20));

  /* A fault is told by the next call that waits. */
  const pykc_argument one = i32_argument(1);
  OK(pykc_module_kernel(module, "fail", &fail));
  {
    pykc_error* error = pykc_kernel_launch(fail, &config, &one, 1);
    if (!error) error = pykc_device_synchronize(device);
    EXPECT(pykc_error_code(error) == PYKC_KERNEL_FAULT && strstr(pykc_error_message(error), "n is too small") != NULL);
    pykc_error_free(error);
  }
  pykc_kernel_free(fail);
  pykc_array_free(y);
  pykc_array_free(x);
  pykc_kernel_free(scale);
}

typedef struct Canceller {
  const pykc_device* device;
  volatile int is_done;
} Canceller;

/* Asks until the launch has ended: a launch that has not begun is not stopped. */
static void* cancel_until_done(void* context) {
  Canceller* const canceller = context;
  while (!canceller->is_done) {
    const struct timespec a_millisecond = {0, 1000000};
    nanosleep(&a_millisecond, NULL);
    OK(pykc_device_cancel(canceller->device));
  }
  return NULL;
}

static void test_stops(const pykc_device* device, const pykc_module* module) {
  pykc_kernel* spin = NULL;
  pykc_array* flag = NULL;
  const int64_t one = 1;
  OK(pykc_module_kernel(module, "spin", &spin));
  OK(pykc_array_zeros(device, PYKC_I32, 1, &one, &flag));
  const pykc_argument argument = array_argument(flag);
  pykc_launch_config config = config_of(1, 1);
  config.timeout_nanoseconds = 20000000;
  FAILS(PYKC_TIMEOUT, "spin", pykc_kernel_launch(spin, &config, &argument, 1));
  config.timeout_nanoseconds = 0;
  Canceller canceller = {device, 0};
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, cancel_until_done, &canceller) == 0);
  FAILS(PYKC_CANCELLED, "spin", pykc_kernel_launch(spin, &config, &argument, 1));
  canceller.is_done = 1;
  pthread_join(thread, NULL);
  pykc_array_free(flag);
  pykc_kernel_free(spin);
}

static void keep_text(void* context, const char* text, size_t length) { strncat(context, text, length); }

static void test_output(const pykc_device* device, const pykc_module* module) {
  char printed[64] = "";
  pykc_kernel* say = NULL;
  const pykc_launch_config config = config_of(1, 1);
  const pykc_argument number = i32_argument(42);
  OK(pykc_module_kernel(module, "say", &say));
  OK(pykc_device_set_output(device, keep_text, printed));
  OK(pykc_kernel_launch(say, &config, &number, 1));
  OK(pykc_device_synchronize(device));
  OK(pykc_device_set_output(device, NULL, NULL));
  EXPECT(strcmp(printed, "n = 42\n") == 0);
  pykc_device_set_crash_messages(device, 0);
  pykc_device_set_crash_messages(device, 1);
  pykc_kernel_free(say);
}

static void test_streams(const pykc_device* device, const pykc_module* module) {
  pykc_stream *stream = NULL, *main_stream = NULL;
  pykc_event *start = NULL, *end = NULL;
  pykc_graph *graph = NULL, *other = NULL;
  pykc_array* y = NULL;
  pykc_kernel* scale = NULL;
  const int64_t n = 3;
  const float ones[] = {1, 1, 1};
  float back[3];
  double milliseconds = -1;
  int calls = 0;
  OK(pykc_stream_create(device, &stream));
  OK(pykc_stream_default(device, &main_stream));
  EXPECT(pykc_stream_native_handle(stream) == NULL);
  FAILS(PYKC_INVALID_ARGUMENT, "CPU", pykc_stream_wrap(device, &calls, &stream));
  OK(pykc_event_record(stream, &start));
  OK(pykc_stream_call(stream, count_call, &calls));
  OK(pykc_event_record(stream, &end));
  OK(pykc_event_synchronize(end));
  EXPECT(calls == 1);
  OK(pykc_event_milliseconds_since(end, start, &milliseconds));
  EXPECT(milliseconds >= 0);
  OK(pykc_stream_wait(main_stream, end));

  OK(pykc_module_kernel(module, "scale", &scale));
  OK(pykc_array_from_host(device, PYKC_F32, 1, &n, ones, &y));
  const pykc_argument arguments[] = {array_argument(y), array_argument(y), f32_argument(1.5F)};
  pykc_launch_config config = config_of(1, 32);
  config.stream = stream;
  for (int i = 0; i < 2; ++i) {
    OK(pykc_stream_begin_capture(stream));
    OK(pykc_kernel_launch(scale, &config, arguments, 3));
    OK(pykc_stream_end_capture(stream, i == 0 ? &graph : &other));
  }
  OK(pykc_graph_update(graph, other));
  OK(pykc_graph_launch(graph, stream));
  OK(pykc_graph_launch(graph, stream));
  OK(pykc_stream_synchronize(stream));
  OK(pykc_array_copy_to_host(y, NULL, back, sizeof back));
  EXPECT(back[0] == 9);
  pykc_graph_free(other);
  pykc_graph_free(graph);
  pykc_kernel_free(scale);
  pykc_array_free(y);
  pykc_event_free(end);
  pykc_event_free(start);
  pykc_stream_free(main_stream);
  pykc_stream_free(stream);
}

static void test_generic_kernels(const pykc_device* device) {
  const char source[] =
      "from pykc import *\n"
      "\n"
      "@kernel\n"
      "def axpy(a, x, y, TIMES: constexpr):\n"
      "    i = grid(1)\n"
      "    if i < len(x):\n"
      "        for _ in range(TIMES):\n"
      "            y[i] += a * x[i]\n";
  pykc_source_module* module = NULL;
  pykc_generic_kernel *axpy = NULL, *twice = NULL;
  pykc_array* x = NULL;
  const int64_t n = 2;
  const double values[] = {1, 2};
  double back[2];
  OK(pykc_source_module_load(device, source, strlen(source), "axpy.pyk", NULL, &module));
  FAILS(PYKC_NOT_FOUND, "axpi", pykc_source_module_kernel(module, "axpi", &axpy));
  OK(pykc_source_module_kernel(module, "axpy", &axpy));
  pykc_source_module_free(module);
#ifndef __SANITIZE_ADDRESS__ /* which ends the program where there is no memory */
  FAILS(PYKC_OUT_OF_MEMORY, "memory", pykc_source_module_load(device, source, (size_t)1 << 46, NULL, NULL, &module));
  FAILS(PYKC_OUT_OF_MEMORY, "memory", pykc_source_module_load(device, source, SIZE_MAX, NULL, NULL, &module));
#endif
  const pykc_constant times = number("TIMES", 2);
  OK(pykc_generic_kernel_bind(axpy, &times, 1, &twice));
  OK(pykc_array_from_host(device, PYKC_F64, 1, &n, values, &x));
  const pykc_launch_config config = config_of(1, 32);
  pykc_argument arguments[] = {i32_argument(1), array_argument(x), array_argument(x)};
  OK(pykc_generic_kernel_launch(twice, &config, arguments, 3));
  OK(pykc_array_copy_to_host(x, NULL, back, sizeof back));
  EXPECT(back[0] == 4 && back[1] == 8);
  arguments[0] = array_argument(x);
  FAILS(PYKC_INVALID_SOURCE, "axpy.pyk:8", pykc_generic_kernel_launch(twice, &config, arguments, 3));
  arguments[0].kind = PYKC_ARGUMENT_RECORD;
  FAILS(PYKC_UNSUPPORTED, "record", pykc_generic_kernel_launch(twice, &config, arguments, 3));
  pykc_array_free(x);
  pykc_generic_kernel_free(twice);
  pykc_generic_kernel_free(axpy);
}

int main(void) {
  pykc_device* device = NULL;
  pykc_artifact *artifact = NULL, *read = NULL;
  pykc_module* module = NULL;
  pykc_text* bytes = NULL;
  OK(pykc_device_open("cpu", &device));
  test_versions();
  test_devices(device);
  test_errors_of_a_source();
  test_options();
  test_limits();
  test_stages();
  test_arrays(device);
  test_generic_kernels(device);

  int imports = 0;
  const pykc_constant offset = number("OFFSET", 7);
  const pykc_compile_options options = options_for(&offset, &imports);
  char source[2048];
  snprintf(source, sizeof source, "from weights import weight\n%s", kSource);
  OK(pykc_compile(source, strlen(source), "kernels.pyk", &options, &artifact));
  EXPECT(imports > 0 && pykc_artifact_kernel_count(artifact) == 5);
  EXPECT(pykc_artifact_kernel_info(artifact, 5) == NULL);
  OK(pykc_artifact_serialize(artifact, &bytes));
  OK(pykc_artifact_parse(pykc_text_data(bytes), pykc_text_size(bytes), &read));
  FAILS(PYKC_INPUT_OUTPUT, "", pykc_artifact_parse("nonsense", 8, &artifact));
  pykc_text_free(bytes);
  OK(pykc_module_load(device, read, &module));
  EXPECT(pykc_module_kernel_count(module) == 5 && pykc_module_kernel_info(module, 5) == NULL);
  test_records(device, module);
  test_launches(device, module);
  test_stops(device, module);
  test_output(device, module);
  test_streams(device, module);

  pykc_module_free(module);
  pykc_artifact_free(read);
  pykc_artifact_free(artifact);
  pykc_device_free(device);
  if (failures == 0) printf("all of pykc.h does what it says\n");
  return failures != 0;
}
