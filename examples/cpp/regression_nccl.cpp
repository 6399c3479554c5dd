// Logistic regression by gradient descent on all GPUs of the machine: each has its part of the samples and the whole of
// the weights, and in every step NCCL adds up the gradients of all of them (all-reduce), between kernels of pykc on
// their streams. On one GPU, or on the CPU device, there is nothing to add.
//
//   regression_nccl [DEVICE [SIZE]]        SIZE samples on each device; DEVICE "": all GPUs
#include "regression_nccl.h"

#include "example.h"
#include "vendor_library.h"

using example::require;

namespace {

constexpr int kFeatures = 32, kSteps = 20;  // kFeatures as in regression_nccl.pyk
constexpr float kRate = 4;

struct Samples {
  std::vector<float> features, labels;
};
Samples make_samples(std::int64_t n, std::uint64_t seed) {
  Samples samples;
  example::Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    float score = 0;
    for (int k = 0; k < kFeatures; ++k) {
      samples.features.push_back(2 * random.next() - 1);
      score += samples.features.back() * static_cast<float>(k % 5 - 2);
    }
    samples.labels.push_back(score + 2 * random.next() - 1 > 0 ? 1.0F : 0.0F);
  }
  return samples;
}

std::vector<double> weights_on_the_host(const std::vector<Samples>& parts) {
  std::vector<double> weights(kFeatures);
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> gradient(kFeatures);
    std::size_t count = 0;
    for (const Samples& part : parts) {
      count += part.labels.size();
      for (std::size_t i = 0; i < part.labels.size(); ++i) {
        const float* x = &part.features[i * kFeatures];
        double score = 0;
        for (int k = 0; k < kFeatures; ++k) score += x[k] * weights[k];
        const double residual = 1 / (1 + std::exp(-score)) - part.labels[i];
        for (int k = 0; k < kFeatures; ++k) gradient[k] += residual * x[k];
      }
    }
    for (int k = 0; k < kFeatures; ++k) weights[k] -= kRate / static_cast<double>(count) * gradient[k];
  }
  return weights;
}

/// What one device has.
struct Worker {
  pykc::Device device;
  pykc::Stream stream;
  regression_nccl::Kernels kernels;
  pykc::Array<float> samples, labels, weights, gradient, partial;
};
Worker make_worker(const pykc::Device& device, const Samples& part) {
  const std::int64_t n = std::ssize(part.labels);
  const std::int64_t blocks = std::min<std::int64_t>((n + 31) / 32, 8 * device.info().multiprocessors);
  return {device,
          require(device.create_stream()),
          require(regression_nccl::load(device)),
          require(device.copy_from<float>(part.features, {n, kFeatures})),
          require(device.copy_from<float>(part.labels)),
          require(device.zeros<float>({kFeatures})),
          require(device.allocate<float>(kFeatures)),
          require(device.allocate<float>({blocks, kFeatures}))};
}

/// Sums over all devices, in place, on their streams.
class AllReduce {
 public:
  explicit AllReduce(const std::vector<Worker>& workers) : communicators_(workers.size()) {
    if (workers.size() == 1) return;
    if (!nccl_) example::fail("several GPUs, and no NCCL; name one of them: regression_nccl cuda:0");
    std::vector<int> ordinals;
    for (const Worker& worker : workers)
      ordinals.push_back(std::atoi(worker.device.info().name.c_str() + 5));  // cuda:N
    const auto init = nccl_.function<int(void**, int, const int*)>("ncclCommInitAll");
    nccl_.check(init(communicators_.data(), static_cast<int>(ordinals.size()), ordinals.data()), "ncclCommInitAll");
  }
  ~AllReduce() {
    for (void* communicator : communicators_)
      if (communicator != nullptr) nccl_.function<int(void*)>("ncclCommDestroy")(communicator);
  }
  AllReduce(const AllReduce&) = delete;
  AllReduce& operator=(const AllReduce&) = delete;

  void run(const std::vector<Worker>& workers) const {
    if (workers.size() == 1) return;
    const auto all_reduce =
        nccl_.function<int(const void*, void*, std::size_t, int, int, void*, void*)>("ncclAllReduce");
    constexpr int kFloat32 = 7, kSum = 0;
    nccl_.check(nccl_.function<int()>("ncclGroupStart")(), "ncclGroupStart");
    for (std::size_t i = 0; i < workers.size(); ++i) {
      const pykc::CurrentContext context = require(workers[i].device.make_current());  // of the GPU of this part
      const pykc::Array<float>& gradient = workers[i].gradient;
      nccl_.check(all_reduce(gradient.address(), gradient.address(), kFeatures, kFloat32, kSum, communicators_[i],
                             workers[i].stream.native_handle()),
                  "ncclAllReduce");
    }
    nccl_.check(nccl_.function<int()>("ncclGroupEnd")(), "ncclGroupEnd");
  }

 private:
  example::VendorLibrary nccl_{"nccl", {2}};
  std::vector<void*> communicators_;
};

}  // namespace

int main(int count, char** arguments) {
  const example::Options options =
      example::options(count, arguments, {.gpu = 1 << 21, .cpu = 1 << 16, .largest = 1 << 24});
  std::vector<pykc::Device> devices = {options.device};
  if (count < 2 || *arguments[1] == '\0')
    for (const pykc::DeviceInfo& info : pykc::Device::list())
      if (info.name.starts_with("cuda:") && info.name != "cuda:0")
        devices.push_back(require(pykc::Device::open(info.name)));
  std::vector<Samples> parts;
  std::vector<Worker> workers;
  for (const pykc::Device& device : devices) {
    parts.push_back(make_samples(options.size, 1 + parts.size()));
    workers.push_back(make_worker(device, parts.back()));
  }
  const double samples = static_cast<double>(options.size) * static_cast<double>(workers.size());
  example::Report report("logistic regression on " + std::to_string(workers.size()) + " device(s) with " +
                             std::to_string(options.size) + " samples each",
                         options.device);
  const AllReduce all_reduce(workers);

  const auto step = [&] {
    for (const Worker& w : workers) {
      require(w.kernels.add_gradients({.grid = {w.partial.shape()[0]}, .block = {256}, .stream = &w.stream}, w.partial,
                                      w.samples, w.labels, w.weights));
      require(
          w.kernels.sum_blocks({.grid = {1}, .block = {32 * kFeatures}, .stream = &w.stream}, w.gradient, w.partial));
    }
    all_reduce.run(workers);
    for (const Worker& w : workers)
      require(w.kernels.descend({.grid = {1}, .block = {kFeatures}, .stream = &w.stream}, w.weights, w.gradient,
                                kRate / static_cast<float>(samples)));
  };
  for (int i = 0; i < kSteps; ++i) step();
  const std::vector<double> expected = weights_on_the_host(parts);
  for (const Worker& worker : workers) {
    std::vector<float> weights(kFeatures);
    require(worker.stream.synchronize());
    require(worker.weights.copy_to(weights));
    report.check("the weights of " + worker.device.info().name + " after " + std::to_string(kSteps) + " steps",
                 example::largest_difference<float>(weights, expected), 1e-5);
  }
  const double ms = example::milliseconds(workers.front().stream, step);
  report.rate("a step", ms, 1e-6 * sizeof(float) * (kFeatures + 1) * samples / ms, "GB/s");
  return report.exit_code();
}
