/* Compiles examples/vecadd.pyk and runs its kernel, from C: on the GPU if there is one, else on the CPU device. */
#include <stdio.h>
#include <stdlib.h>

#include "pykc.h"

enum { kElements = 1000003, kBlock = 256 };

typedef struct Vectors {
  float *x, *y, *z;
} Vectors;

static pykc_error* load_kernel(const pykc_device* device, const char* file, pykc_kernel** vecadd) {
  pykc_artifact* artifact = NULL;
  pykc_module* module = NULL;
  pykc_compile_options options;
  pykc_compile_options_init(&options, sizeof options);
  options.target = pykc_device_target(device);
  pykc_error* error = pykc_compile_file(file, &options, &artifact);
  if (!error) error = pykc_module_load(device, artifact, &module);
  if (!error) error = pykc_module_kernel(module, "vecadd", vecadd);
  pykc_module_free(module); /* the kernel keeps it loaded */
  pykc_artifact_free(artifact);
  return error;
}

static pykc_error* launch(const pykc_kernel* vecadd, const pykc_array* z, const pykc_array* x, const pykc_array* y) {
  pykc_launch_config config;
  pykc_launch_config_init(&config, sizeof config);
  config.grid[0] = (kElements + kBlock - 1) / kBlock;
  config.block[0] = kBlock;
  const pykc_array* arrays[] = {z, x, y};
  pykc_argument arguments[3];
  for (int i = 0; i < 3; ++i) {
    arguments[i].kind = PYKC_ARGUMENT_ARRAY;
    arguments[i].value.array = arrays[i];
  }
  return pykc_kernel_launch(vecadd, &config, arguments, 3);
}

static pykc_error* add(const pykc_device* device, const char* file, Vectors host) {
  const int64_t n = kElements;
  pykc_kernel* vecadd = NULL;
  pykc_array *x = NULL, *y = NULL, *z = NULL;
  pykc_error* error = load_kernel(device, file, &vecadd);
  if (!error) error = pykc_array_from_host(device, PYKC_F32, 1, &n, host.x, &x);
  if (!error) error = pykc_array_from_host(device, PYKC_F32, 1, &n, host.y, &y);
  if (!error) error = pykc_array_allocate(device, PYKC_F32, 1, &n, &z);
  if (!error) error = launch(vecadd, z, x, y);
  if (!error) error = pykc_array_copy_to_host(z, NULL, host.z, kElements * sizeof *host.z); /* waits for the kernel */
  pykc_array_free(z);
  pykc_array_free(y);
  pykc_array_free(x);
  pykc_kernel_free(vecadd);
  return error;
}

int main(int argc, char** argv) {
  Vectors host = {malloc(kElements * sizeof(float)), malloc(kElements * sizeof(float)),
                  malloc(kElements * sizeof(float))};
  if (!host.x || !host.y || !host.z) return 1;
  for (int i = 0; i < kElements; ++i) host.x[i] = (float)i, host.y[i] = 0.5F;

  pykc_device* device = NULL;
  pykc_error* error = pykc_device_open(argc > 2 ? argv[2] : "", &device);
  if (!error) error = add(device, argc > 1 ? argv[1] : "examples/vecadd.pyk", host);
  if (error) fprintf(stderr, "%s\n", pykc_error_text(error));
  int wrong = error != NULL;
  for (int i = 0; !wrong && i < kElements; ++i) wrong = host.z[i] != host.x[i] + host.y[i];
  if (!error) printf("%d sums %s\n", kElements, wrong ? "are wrong" : "are right");

  pykc_error_free(error);
  pykc_device_free(device);
  free(host.x);
  free(host.y);
  free(host.z);
  return wrong;
}
