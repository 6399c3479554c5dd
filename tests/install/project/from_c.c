/* Reads an artifact with pykc.h and the runtime alone, and says what its kernel takes. */
#include <pykc.h>
#include <stdio.h>

int main(int argc, char** argv) {
  static char bytes[1 << 20];
  FILE* const file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file) return 2;
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  pykc_device* device = NULL;
  pykc_artifact* artifact = NULL;
  pykc_module* module = NULL;
  pykc_error* error = pykc_device_open("cpu", &device);
  if (!error) error = pykc_artifact_parse(bytes, size, &artifact);
  if (!error) error = pykc_module_load(device, artifact, &module);
  if (error) {
    fprintf(stderr, "%s\n", pykc_error_text(error));
    return 1;
  }
  const pykc_kernel_info* const info = pykc_module_kernel_info(module, 0);
  printf("pykc %s: %s(", pykc_version(), pykc_kernel_info_name(info));
  for (size_t i = 0; i < pykc_kernel_info_parameter_count(info); ++i) {
    pykc_parameter parameter = {sizeof parameter, NULL, NULL, 0, 0, 0, 0, 0};
    pykc_error_free(pykc_kernel_info_parameter(info, i, &parameter));
    printf("%s%s: %s", i == 0 ? "" : ", ", parameter.name, parameter.type_text);
  }
  printf(")\n");
  pykc_module_free(module);
  pykc_artifact_free(artifact);
  pykc_device_free(device);
  return 0;
}
