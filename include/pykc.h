/* pykc in C: compiles kernels, loads and launches them, copies arrays, and reports what is wrong. C99, and C++. What
 * each call does is what the C++ API (pykc/compiler.h, pykc/runtime.h) does by the same words; these headers tell the
 * details.
 *
 *   pykc_device* device = NULL;
 *   pykc_artifact* artifact = NULL;
 *   pykc_module* module = NULL;
 *   pykc_kernel* vecadd = NULL;
 *   pykc_error* error = pykc_device_open("", &device);               // the first GPU, or the CPU device
 *   pykc_compile_options options;
 *   pykc_compile_options_init(&options, sizeof options);
 *   if (!error) options.target = pykc_device_target(device);
 *   if (!error) error = pykc_compile_file("vecadd.pyk", &options, &artifact);
 *   if (!error) error = pykc_module_load(device, artifact, &module);
 *   if (!error) error = pykc_module_kernel(module, "vecadd", &vecadd);
 *   …
 *   if (error) fprintf(stderr, "%s\n", pykc_error_text(error));      // with every diagnostic of the source
 *   pykc_error_free(error);
 *
 * examples/c/vecadd.c is the whole program.
 *
 * ERRORS. A call that can fail returns a pykc_error, which the caller frees; NULL is success. Nothing is thrown, and no
 * call ends the process: where the host has no memory left, the error is PYKC_OUT_OF_MEMORY. A call that fails leaves
 * what it was to fill as it was.
 *
 * OWNERSHIP. What a call puts into its last parameter, a pointer to a handle, is the caller's: it is freed by the
 * handle's own _free function, in any order, for handles keep what they need (an array its device, a kernel its
 * module). NULL may be freed. A `const char*` or another pointer that a call returns belongs to the handle that it was
 * asked of, and goes with it. What a caller passes is read during the call alone, unless it says otherwise. Text is
 * UTF-8 that ends with a 0.
 *
 * THREADS. All calls may be made from many threads at once, also with one handle; a handle is freed when no other call
 * uses it. Work put on one stream runs in the order in which it was put there.
 *
 * STRUCTS. Every struct starts with its size, by which a later version of the library knows which of its fields the
 * caller has; fields are only ever added at the end. The caller sets it: of a struct that the library reads, by its
 * _init function, which sets the defaults, too; of one that the library fills, by hand. The structs that stand in
 * arrays, pykc_argument, pykc_constant and pykc_library, have no size and never change.
 *
 * NULL stands for a handle only where a call says so. */
#ifndef PYKC_H
#define PYKC_H

#include <stddef.h>
#include <stdint.h>

#include "pykc/version.h"

#if defined(__GNUC__)
#define PYKC_API __attribute__((visibility("default")))
#else
#define PYKC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pykc_error pykc_error;
typedef struct pykc_diagnostics pykc_diagnostics;
typedef struct pykc_text pykc_text;
typedef struct pykc_import_answer pykc_import_answer;
typedef struct pykc_output pykc_output;
typedef struct pykc_artifact pykc_artifact;
typedef struct pykc_kernel_info pykc_kernel_info;
typedef struct pykc_device_list pykc_device_list;
typedef struct pykc_device pykc_device;
typedef struct pykc_stream pykc_stream;
typedef struct pykc_event pykc_event;
typedef struct pykc_graph pykc_graph;
typedef struct pykc_array pykc_array;
typedef struct pykc_pinned pykc_pinned;
typedef struct pykc_module pykc_module;
typedef struct pykc_kernel pykc_kernel;
typedef struct pykc_source_module pykc_source_module;
typedef struct pykc_generic_kernel pykc_generic_kernel;

/* ---- Versions ---- */

/* "0.1.0": of the library, where PYKC_VERSION_STRING is that of the header. */
PYKC_API const char* pykc_version(void);
/* PYKC_VERSION of the library. */
PYKC_API int32_t pykc_version_number(void);

/* ---- Errors ---- */

/* What pykc_error_code returns; more may come. */
enum {
  PYKC_OK = 0,
  PYKC_INVALID_SOURCE = 1,     /* the source has errors: see pykc_error_diagnostics */
  PYKC_INVALID_ARGUMENT = 2,   /* a value passed to the API makes no sense */
  PYKC_INVALID_LAUNCH = 3,     /* launch configuration or arguments do not fit the kernel */
  PYKC_NOT_FOUND = 4,          /* no such file, kernel or device */
  PYKC_INPUT_OUTPUT = 5,       /* a file could not be read or written, or its contents are broken */
  PYKC_DRIVER_UNAVAILABLE = 6, /* no NVIDIA driver or no GPU */
  PYKC_DRIVER_ERROR = 7,       /* a call of the CUDA driver failed; the message names it */
  PYKC_OUT_OF_MEMORY = 8,      /* the device or the host has no memory left */
  PYKC_KERNEL_FAULT = 9,       /* an assert, a raise or a failed check inside a kernel */
  PYKC_UNSUPPORTED = 10,       /* the target cannot do this */
  PYKC_INTERNAL = 11,          /* a defect of pykc: please report it */
  PYKC_CANCELLED = 12,         /* the kernel was stopped by pykc_device_cancel */
  PYKC_TIMEOUT = 13            /* the kernel had no more time */
};

/* NULL is PYKC_OK, and has an empty message. */
PYKC_API int32_t pykc_error_code(const pykc_error* error);
/* One sentence, without the diagnostics. */
PYKC_API const char* pykc_error_message(const pykc_error* error);
/* The message and, below it, each diagnostic as a person reads it. */
PYKC_API const char* pykc_error_text(const pykc_error* error);
/* What is wrong with a source, of PYKC_INVALID_SOURCE; else none. */
PYKC_API const pykc_diagnostics* pykc_error_diagnostics(const pykc_error* error);
PYKC_API void pykc_error_free(pykc_error* error);

/* ---- Diagnostics ---- */

enum { PYKC_NOTE = 0, PYKC_WARNING = 1, PYKC_ERROR = 2 };

/* Lines and columns count from 1, columns in code points; the end column is one past the last. */
typedef struct pykc_diagnostic {
  size_t size;
  const char* code; /* stable: "E0203" */
  int32_t severity; /* PYKC_NOTE, PYKC_WARNING, PYKC_ERROR */
  const char* message;
  const char* file;
  int32_t line, column, end_line, end_column;
  const char* source_line; /* the text of `line` */
  const char* fix;         /* what to write instead; empty where nobody can know */
  size_t label_count;      /* see pykc_diagnostics_label */
  size_t note_count;       /* see pykc_diagnostics_note */
} pykc_diagnostic;

/* A second place that explains the first. */
typedef struct pykc_label {
  size_t size;
  const char* text;
  const char* file;
  int32_t line, column, end_line, end_column;
} pykc_label;

PYKC_API size_t pykc_diagnostics_count(const pykc_diagnostics* diagnostics);
/* These two fill the struct, whose `size` is set; an error where there is none of this number. The texts belong to the
 * diagnostics. */
PYKC_API pykc_error* pykc_diagnostics_get(const pykc_diagnostics* diagnostics, size_t index,
                                          pykc_diagnostic* diagnostic);
PYKC_API pykc_error* pykc_diagnostics_label(const pykc_diagnostics* diagnostics, size_t index, size_t label,
                                            pykc_label* filled);
/* NULL where there is none of this number. */
PYKC_API const char* pykc_diagnostics_note(const pykc_diagnostics* diagnostics, size_t index, size_t note);
/* One of them as a person reads it: message, source line, caret, notes; `color` adds ANSI colours. */
PYKC_API pykc_error* pykc_diagnostics_text(const pykc_diagnostics* diagnostics, size_t index, int32_t color,
                                           pykc_text** text);
/* All of them as a JSON array. */
PYKC_API pykc_error* pykc_diagnostics_json(const pykc_diagnostics* diagnostics, pykc_text** json);

/* Text or bytes; behind the last stands a 0 that does not count. */
PYKC_API const char* pykc_text_data(const pykc_text* text);
PYKC_API size_t pykc_text_size(const pykc_text* text);
PYKC_API void pykc_text_free(pykc_text* text);

/* ---- Types ---- */

/* Of elements and numbers. */
enum {
  PYKC_BOOL = 0,
  PYKC_I8 = 1,
  PYKC_I16 = 2,
  PYKC_I32 = 3,
  PYKC_I64 = 4,
  PYKC_U8 = 5,
  PYKC_U16 = 6,
  PYKC_U32 = 7,
  PYKC_U64 = 8,
  PYKC_F16 = 9,   /* as its 16 bits */
  PYKC_BF16 = 10, /* as its 16 bits */
  PYKC_F32 = 11,
  PYKC_F64 = 12,
  PYKC_C64 = 13,    /* two f32; of arrays alone */
  PYKC_C128 = 14,   /* two f64; of arrays alone */
  PYKC_RECORD = 15, /* see pykc_array_as_parameter */
  PYKC_F8E4M3 = 16, /* as its 8 bits */
  PYKC_F8E5M2 = 17  /* as its 8 bits */
};

/* "f32"; NULL for numbers that name no type, and for PYKC_RECORD. */
PYKC_API const char* pykc_type_name(int32_t type);
/* Bytes of an element; 0 likewise. */
PYKC_API size_t pykc_type_size(int32_t type);

/* A number of any of the types. */
typedef union pykc_value {
  uint8_t boolean; /* 0 or 1 */
  int8_t i8;
  int16_t i16;
  int32_t i32;
  int64_t i64;
  uint8_t u8;   /* of f8e4m3 and f8e5m2, too */
  uint16_t u16; /* of f16 and bf16, too */
  uint32_t u32;
  uint64_t u64;
  float f32;
  double f64;
} pykc_value;

/* ---- Compiling ----
 *
 * In the library that has the compiler; all other sections are in the runtime's as well. */

enum { PYKC_CONSTANT_NUMBER = 0, PYKC_CONSTANT_TYPE = 1 };

/* A number or a type that a program passes to a source by name: of kind PYKC_CONSTANT_NUMBER `value`, which is of
 * `type` (not of 8 or 16 bits); of kind PYKC_CONSTANT_TYPE `type` itself. */
typedef struct pykc_constant {
  const char* name;
  int32_t kind;
  int32_t type; /* PYKC_BOOL to PYKC_F64 */
  pykc_value value;
} pykc_constant;

/* Gives the text of a module that a source imports by this name, by pykc_import_reply, or says why it cannot, by
 * pykc_import_fail. Where it calls neither, the module is looked for in the library that is built in. It may be called
 * from another thread than the one that compiles, which waits for it; it must return (no longjmp, no exception). */
typedef void (*pykc_import_function)(void* context, const char* module_name, pykc_import_answer* answer);
/* Both copy the text. */
PYKC_API void pykc_import_reply(pykc_import_answer* answer, const char* text, size_t length);
PYKC_API void pykc_import_fail(pykc_import_answer* answer, const char* message);

/* A file of functions that somebody else compiled, which kernels declare with @extern. */
typedef struct pykc_library {
  const char* name; /* in messages */
  const void* bytes;
  size_t byte_count;
} pykc_library;

/* What a compilation may take: see pykc::CompileLimits. */
typedef struct pykc_compile_limits {
  size_t size;
  int64_t time_milliseconds;
  int64_t memory; /* bytes by which the process may grow meanwhile */
  int64_t source_bytes;
  int64_t specializations;
  int64_t unrolled_turns;
  int64_t unrolled_statements;
  int64_t operations;
  int64_t output_bytes;
  int64_t diagnostics;
} pykc_compile_limits;

/* Sets the defaults, or where `strict` is 1 what an untrusted source gets, and `size`; call it with
 * sizeof(pykc_compile_limits). */
PYKC_API void pykc_compile_limits_init(pykc_compile_limits* limits, size_t size, int32_t strict);

/* See pykc::CompileOptions. Flags are 0 or 1; the default is given. */
typedef struct pykc_compile_options {
  size_t size;
  const char* target;                   /* "sm_75" …, "cpu", "cpu:NAME"; NULL or "": "sm_80" */
  int32_t optimization;                 /* 0 to 3; 3 */
  int32_t fast_math;                    /* 0 */
  int32_t asserts;                      /* 1; 0: `assert` in kernels is compiled out */
  int32_t checked;                      /* 0; 1: an index out of bounds stops the kernel with an error */
  int32_t contract;                     /* 1; 0: a*b + c is never fused */
  int32_t line_info;                    /* 0 */
  int32_t cache;                        /* 1; 0: neither read nor written */
  int32_t warnings;                     /* 1 */
  int32_t warnings_are_errors;          /* 0 */
  const char* const* signatures;        /* "saxpy(f32, f32[:], f32[:])" */
  size_t signature_count;               /* 0 */
  const char* const* silenced_warnings; /* "W0505" */
  size_t silenced_warning_count;        /* 0 */
  const pykc_constant* constants;
  size_t constant_count; /* 0 */
  const pykc_library* libraries;
  size_t library_count;              /* 0 */
  pykc_import_function import;       /* NULL: the folder of the file, then the library that is built in */
  void* import_context;              /* passed to `import` */
  const pykc_compile_limits* limits; /* NULL: the defaults, or the strict ones where `untrusted` */
  int64_t untrusted;                 /* 0; 1: the source is a stranger's: see pykc::CompileOptions::untrusted */
} pykc_compile_options;

/* Sets the defaults, and `size`; call it with sizeof(pykc_compile_options). */
PYKC_API void pykc_compile_options_init(pykc_compile_options* options, size_t size);

/* Compiles a text of `length` bytes. `file_name` is what diagnostics show, and its folder is where modules are looked
 * for; NULL: "<memory>". `options` may be NULL, for the defaults. */
PYKC_API pykc_error* pykc_compile(const char* source, size_t length, const char* file_name,
                                  const pykc_compile_options* options, pykc_artifact** artifact);
PYKC_API pykc_error* pykc_compile_file(const char* path, const pykc_compile_options* options, pykc_artifact** artifact);

/* What to stop at, for people and tests. */
enum {
  PYKC_EMIT_TOKENS = 0,
  PYKC_EMIT_AST = 1,
  PYKC_EMIT_CHECKED = 2,
  PYKC_EMIT_IR = 3,
  PYKC_EMIT_CPU_IR = 4,
  PYKC_EMIT_LLVM = 5,
  PYKC_EMIT_ASSEMBLY = 6,
  PYKC_EMIT_CODE = 7 /* an artifact */
};

/* As pykc_compile, with the warnings, and with the text of any stage. The cache is left alone. */
PYKC_API pykc_error* pykc_compile_to(int32_t emit, const char* source, size_t length, const char* file_name,
                                     const pykc_compile_options* options, pykc_output** output);
/* What was emitted as text, empty for PYKC_EMIT_CODE; and the artifact, NULL but for PYKC_EMIT_CODE. Both belong to the
 * output. */
PYKC_API const char* pykc_output_text(const pykc_output* output);
PYKC_API const pykc_artifact* pykc_output_artifact(const pykc_output* output);
PYKC_API const pykc_diagnostics* pykc_output_warnings(const pykc_output* output);
PYKC_API void pykc_output_free(pykc_output* output);

/* LLVM's version. */
PYKC_API const char* pykc_llvm_version(void);

/* A source whose kernels are compiled when they are first launched, for the types of their arguments: see
 * pykc/source_module.h. */
PYKC_API pykc_error* pykc_source_module_load(const pykc_device* device, const char* source, size_t length,
                                             const char* file_name, const pykc_compile_options* options,
                                             pykc_source_module** module);
PYKC_API pykc_error* pykc_source_module_kernel(const pykc_source_module* module, const char* name,
                                               pykc_generic_kernel** kernel);
PYKC_API void pykc_source_module_free(pykc_source_module* module);
/* The kernel with values for its parameters that are annotated `constexpr`, which launches leave out. */
PYKC_API pykc_error* pykc_generic_kernel_bind(const pykc_generic_kernel* kernel, const pykc_constant* constants,
                                              size_t count, pykc_generic_kernel** bound);
PYKC_API void pykc_generic_kernel_free(pykc_generic_kernel* kernel);

/* ---- Artifacts ---- */

/* Reads what pykc_artifact_serialize of this version wrote, and refuses anything else. */
PYKC_API pykc_error* pykc_artifact_parse(const void* bytes, size_t size, pykc_artifact** artifact);
PYKC_API pykc_error* pykc_artifact_serialize(const pykc_artifact* artifact, pykc_text** bytes);
/* "nvptx:sm_90", "cpu:znver4" */
PYKC_API const char* pykc_artifact_target(const pykc_artifact* artifact);
/* PTX text, which ends with a 0, or the bytes of an object file. */
PYKC_API const void* pykc_artifact_code(const pykc_artifact* artifact, size_t* size);
PYKC_API size_t pykc_artifact_kernel_count(const pykc_artifact* artifact);
/* NULL where there is none of this number. */
PYKC_API const pykc_kernel_info* pykc_artifact_kernel_info(const pykc_artifact* artifact, size_t index);
PYKC_API void pykc_artifact_free(pykc_artifact* artifact);

/* The description of a kernel; it belongs to what it was asked of. */
PYKC_API const char* pykc_kernel_info_name(const pykc_kernel_info* info);
/* Its entry point in the code. */
PYKC_API const char* pykc_kernel_info_symbol(const pykc_kernel_info* info);
PYKC_API size_t pykc_kernel_info_parameter_count(const pykc_kernel_info* info);

typedef struct pykc_parameter {
  size_t size;
  const char* name;
  const char* type_text; /* as a source spells it: "f32[:, :]" */
  int32_t is_array;
  int32_t type;          /* of the elements or the value */
  int32_t rank;          /* of an array */
  int32_t is_written;    /* an array that a launch may write to */
  int64_t element_bytes; /* of an element or the value */
} pykc_parameter;

/* Fills the struct, whose `size` is set; an error where there is no such parameter. */
PYKC_API pykc_error* pykc_kernel_info_parameter(const pykc_kernel_info* info, size_t index, pykc_parameter* parameter);

/* ---- Devices ---- */

/* Every device of this machine, the CPU device last. */
PYKC_API pykc_error* pykc_device_list_create(pykc_device_list** list);
PYKC_API size_t pykc_device_list_count(const pykc_device_list* list);

typedef struct pykc_device_info {
  size_t size;
  const char* name;        /* "cuda:0" or "cpu" */
  const char* description; /* "NVIDIA H200" or the processor's name */
  const char* target;      /* what to compile for: "sm_90" or "cpu" */
  const char* driver;      /* "CUDA driver 13.0", or what runs the threads */
  int32_t multiprocessors; /* or cores */
  int32_t max_threads_per_block;
  int64_t memory_bytes;
  int64_t max_shared_bytes_per_block;
} pykc_device_info;

/* Both fill the struct, whose `size` is set. */
PYKC_API pykc_error* pykc_device_list_get(const pykc_device_list* list, size_t index, pykc_device_info* info);
PYKC_API pykc_error* pykc_device_get_info(const pykc_device* device, pykc_device_info* info);
PYKC_API void pykc_device_list_free(pykc_device_list* list);

/* "cuda:0", "cuda:1", …, "cpu"; NULL or "": the first GPU, or the CPU device where there is none. */
PYKC_API pykc_error* pykc_device_open(const char* name, pykc_device** device);
/* What to compile for, as in the device's info. */
PYKC_API const char* pykc_device_target(const pykc_device* device);
PYKC_API int32_t pykc_device_is_cpu(const pykc_device* device);
/* Waits for all work of the device, and reports the first fault. */
PYKC_API pykc_error* pykc_device_synchronize(const pykc_device* device);
/* Stops what other threads run on the CPU device, whose launches return PYKC_CANCELLED. An error on a GPU. */
PYKC_API pykc_error* pykc_device_cancel(const pykc_device* device);
/* Where `print` of kernels of the CPU device goes from now on: a line at a time, with its newline, on whatever thread;
 * NULL: to stdout. `output` must return, and neither launch nor call this. An error on a GPU. `context` must live until
 * another output is set, or the device is gone. */
PYKC_API pykc_error* pykc_device_set_output(const pykc_device* device,
                                            void (*output)(void* context, const char* text, size_t length),
                                            void* context);
/* 0 turns off that a kernel of the CPU device that ends the process by a fault is named on stderr, by handlers of
 * signals while it runs; 1 turns it on, as it is at first. Does nothing on a GPU. */
PYKC_API void pykc_device_set_crash_messages(const pykc_device* device, int32_t on);
/* Lets kernels of this GPU reach memory of another. */
PYKC_API pykc_error* pykc_device_enable_peer_access(const pykc_device* device, const pykc_device* other);
/* Work of the device goes on; its memory lives as long as the arrays do. */
PYKC_API void pykc_device_free(pykc_device* device);

/* ---- Streams, events, graphs ---- */

PYKC_API pykc_error* pykc_stream_create(const pykc_device* device, pykc_stream** stream);
/* The stream that launches use when none is given. */
PYKC_API pykc_error* pykc_stream_default(const pykc_device* device, pykc_stream** stream);
/* A `CUstream` or `cudaStream_t` that other code has made on this GPU; it is not destroyed, and must outlive the
 * handle. See pykc::Device::wrap_stream. */
PYKC_API pykc_error* pykc_stream_wrap(const pykc_device* device, void* native_handle, pykc_stream** stream);
/* A GPU's `CUstream`; NULL for the default stream and on the CPU device. */
PYKC_API void* pykc_stream_native_handle(const pykc_stream* stream);
PYKC_API pykc_error* pykc_stream_synchronize(const pykc_stream* stream);
/* Work that is put on the stream after this call waits for the event. */
PYKC_API pykc_error* pykc_stream_wait(const pykc_stream* stream, const pykc_event* event);
/* Calls `function` once the work before it is done; on a GPU from a thread of the driver, where it must not use a
 * device. It must return. `context` lives until then. */
PYKC_API pykc_error* pykc_stream_call(const pykc_stream* stream, void (*function)(void* context), void* context);
PYKC_API void pykc_stream_free(pykc_stream* stream);

/* A point in the stream's work. */
PYKC_API pykc_error* pykc_event_record(const pykc_stream* stream, pykc_event** event);
PYKC_API pykc_error* pykc_event_synchronize(const pykc_event* event);
/* From `earlier` to `event`; waits for both. */
PYKC_API pykc_error* pykc_event_milliseconds_since(const pykc_event* event, const pykc_event* earlier,
                                                   double* milliseconds);
PYKC_API void pykc_event_free(pykc_event* event);

/* What the stream is given between the two calls is not done but becomes a graph: see pykc::Stream::begin_capture. */
PYKC_API pykc_error* pykc_stream_begin_capture(const pykc_stream* stream);
PYKC_API pykc_error* pykc_stream_end_capture(const pykc_stream* stream, pykc_graph** graph);
/* Arrays that the work uses must outlive it. */
PYKC_API pykc_error* pykc_graph_launch(const pykc_graph* graph, const pykc_stream* stream);
PYKC_API pykc_error* pykc_graph_update(const pykc_graph* graph, const pykc_graph* other);
PYKC_API void pykc_graph_free(pykc_graph* graph);

/* ---- Arrays ----
 *
 * Elements on a device, with up to 8 axes. Strides count elements. A shape has `rank` extents and is copied; rank 0 is
 * one element, and its shape may be NULL. */

/* See "Kinds of memory" in docs/embedding.md. */
enum {
  PYKC_DEVICE = 0,  /* on the device */
  PYKC_MANAGED = 1, /* where it was used last; the host reaches it */
  PYKC_MAPPED = 2   /* on the host; a GPU reaches it over the bus */
};

/* In row-major order; the elements are as they come. */
PYKC_API pykc_error* pykc_array_allocate(const pykc_device* device, int32_t type, int32_t rank, const int64_t* shape,
                                         pykc_array** array);
PYKC_API pykc_error* pykc_array_allocate_in(const pykc_device* device, int32_t memory, int32_t type, int32_t rank,
                                            const int64_t* shape, pykc_array** array);
/* From the device's pool, in the order of the stream: see pykc::Stream::allocate. */
PYKC_API pykc_error* pykc_array_allocate_on(const pykc_stream* stream, int32_t type, int32_t rank, const int64_t* shape,
                                            pykc_array** array);
PYKC_API pykc_error* pykc_array_zeros(const pykc_device* device, int32_t type, int32_t rank, const int64_t* shape,
                                      pykc_array** array);
/* A copy of elements of the host, in row-major order. */
PYKC_API pykc_error* pykc_array_from_host(const pykc_device* device, int32_t type, int32_t rank, const int64_t* shape,
                                          const void* elements, pykc_array** array);
/* Memory that somebody else has allocated on the device (of the CPU device: of the host), as an array; nothing is
 * copied. `first` is the element with indices 0; `strides` NULL: row-major. Where `release` is not NULL, it is called
 * with `context` once, from any thread, when the last handle is gone; else, and where this call fails, it is not
 * called, and the memory remains the caller's. */
PYKC_API pykc_error* pykc_array_wrap(const pykc_device* device, int32_t type, int32_t rank, const int64_t* shape,
                                     const int64_t* strides, void* first, void (*release)(void* context), void* context,
                                     pykc_array** array);
/* Elements of this array under another shape and strides, such as slices and transposes: the element with indices 0 is
 * the one `offset` elements behind the array's first. An error where that leaves the memory. */
PYKC_API pykc_error* pykc_array_view(const pykc_array* array, int32_t rank, const int64_t* shape,
                                     const int64_t* strides, int64_t offset, pykc_array** view);
/* A dense array of bytes as an array of what the kernel's parameter has for elements, a record: the last extent is
 * divided by element_bytes. The same memory. */
PYKC_API pykc_error* pykc_array_as_parameter(const pykc_array* bytes, const pykc_kernel_info* info, size_t parameter,
                                             pykc_array** records);
/* The memory goes with the last handle that names it. Wait before for the work that uses it, unless it was allocated on
 * the very stream that does the work. */
PYKC_API void pykc_array_free(pykc_array* array);

PYKC_API int32_t pykc_array_type(const pykc_array* array);
PYKC_API int64_t pykc_array_element_bytes(const pykc_array* array);
PYKC_API int32_t pykc_array_rank(const pykc_array* array);
PYKC_API const int64_t* pykc_array_shape(const pykc_array* array);
PYKC_API const int64_t* pykc_array_strides(const pykc_array* array);
/* Elements. */
PYKC_API int64_t pykc_array_size(const pykc_array* array);
/* Of the first element, on the device; NULL without memory. */
PYKC_API void* pykc_array_address(const pykc_array* array);
/* Of the first element, for the host: of managed and mapped memory, and on the CPU device; else NULL. */
PYKC_API void* pykc_array_host_address(const pykc_array* array);

/* Copies of all elements, on the host in row-major order; `byte_count` is that of all of them, or the call fails. With
 * a stream they are work of that stream, and host memory must stay as it is until the stream has got there; NULL: they
 * wait until all is done, and for every launch before. */
PYKC_API pykc_error* pykc_array_copy_from_host(const pykc_array* array, const pykc_stream* stream, const void* elements,
                                               size_t byte_count);
PYKC_API pykc_error* pykc_array_copy_to_host(const pykc_array* array, const pykc_stream* stream, void* elements,
                                             size_t byte_count);
/* Shapes and types must be equal. */
PYKC_API pykc_error* pykc_array_copy(const pykc_array* target, const pykc_stream* stream, const pykc_array* source);
PYKC_API pykc_error* pykc_array_fill_zero(const pykc_array* array, const pykc_stream* stream);
/* Sets all elements to the one that `element` points to. */
PYKC_API pykc_error* pykc_array_fill(const pykc_array* array, const pykc_stream* stream, const void* element);

/* Host memory that copies are fastest from and to. */
PYKC_API pykc_error* pykc_pinned_allocate(const pykc_device* device, size_t byte_count, pykc_pinned** memory);
PYKC_API void* pykc_pinned_data(const pykc_pinned* memory);
PYKC_API void pykc_pinned_free(pykc_pinned* memory);

/* ---- Modules, kernels, launches ---- */

PYKC_API pykc_error* pykc_module_load(const pykc_device* device, const pykc_artifact* artifact, pykc_module** module);
PYKC_API size_t pykc_module_kernel_count(const pykc_module* module);
/* NULL where there is none of this number. */
PYKC_API const pykc_kernel_info* pykc_module_kernel_info(const pykc_module* module, size_t index);
PYKC_API pykc_error* pykc_module_kernel(const pykc_module* module, const char* name, pykc_kernel** kernel);
/* The memory of a constant that the host fills, as an array: copy to and from it. */
PYKC_API pykc_error* pykc_module_constant(const pykc_module* module, const char* name, pykc_array** constant);
PYKC_API void pykc_module_free(pykc_module* module);

PYKC_API const pykc_kernel_info* pykc_kernel_get_info(const pykc_kernel* kernel);
/* Threads of a one-dimensional block with which the device keeps most threads running. */
PYKC_API pykc_error* pykc_kernel_suggested_block_size(const pykc_kernel* kernel, int64_t shared_bytes,
                                                      int32_t* threads);
PYKC_API void pykc_kernel_free(pykc_kernel* kernel);

/* See pykc::LaunchConfig. An extent 0 of the grid is an empty grid, whose launch does nothing. */
typedef struct pykc_launch_config {
  size_t size;
  int64_t grid[3];             /* 1, 1, 1 */
  int64_t block[3];            /* 1, 1, 1 */
  int64_t shared_bytes;        /* 0; for `shared.array(0, …)` */
  const pykc_stream* stream;   /* NULL: the device's default stream */
  int64_t timeout_nanoseconds; /* 0: none; else the launch waits, and returns PYKC_TIMEOUT when the time is over */
} pykc_launch_config;

/* Sets the defaults, and `size`; call it with sizeof(pykc_launch_config). */
PYKC_API void pykc_launch_config_init(pykc_launch_config* config, size_t size);

enum { PYKC_ARGUMENT_NUMBER = 0, PYKC_ARGUMENT_ARRAY = 1, PYKC_ARGUMENT_RECORD = 2 };

/* One argument of a launch. An integer is converted to the parameter's type where that holds its value exactly; else
 * the types must be equal. */
typedef struct pykc_argument {
  int32_t kind; /* PYKC_ARGUMENT_NUMBER: `value` as `type`; _ARRAY: `value.array`; _RECORD: the bytes at `value.record`,
                   as many as the parameter's element_bytes, laid out as C lays out such a struct */
  int32_t type; /* of a number: PYKC_BOOL to PYKC_F64 */
  union {
    pykc_value number;
    const pykc_array* array;
    const void* record;
  } value;
} pykc_argument;

/* Checks the configuration and the arguments, then launches; does not wait. */
PYKC_API pykc_error* pykc_kernel_launch(const pykc_kernel* kernel, const pykc_launch_config* config,
                                        const pykc_argument* arguments, size_t argument_count);
/* The first launch with new types compiles. It takes no records by value. */
PYKC_API pykc_error* pykc_generic_kernel_launch(const pykc_generic_kernel* kernel, const pykc_launch_config* config,
                                                const pykc_argument* arguments, size_t argument_count);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
