// Launches scale.pyk's kernel and checks what it computed.
#pragma once

#include <pykc/runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

inline int launch(const pykc::Device& device, const pykc::Artifact& artifact) {
  const pykc::Kernel scale = device.load(artifact).value().kernel("scale").value();
  std::vector<float> host(1000, 1.5F);
  const pykc::Array<float> x = device.copy_from<float>(host).value();
  scale.launch({.grid = {4}, .block = {256}}, x, 2.0F).value();
  x.copy_to(host).value();
  for (const float value : host)
    if (value != 3.0F) return 1;
  std::puts("1000 values are right");
  return 0;
}
