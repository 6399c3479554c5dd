// The practicals' kernels in CUDA C++, written as kernels.pyk writes them.
constexpr int TILE = 32, ROWS = 8, BLOCK = 256;

extern "C" __global__ void vecadd(double* z, const double* x, const double* y, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" __global__ void product_2d(float* z, const float* x, const float* y, int rows, int columns) {
  for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < rows; i += gridDim.y * blockDim.y)
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < columns; j += gridDim.x * blockDim.x) {
      size_t k = (size_t)i * columns + j;
      z[k] = x[k] * y[k];
    }
}

extern "C" __global__ void gemv_row_major(double* y, const double* a, const double* x, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  double total = 0;
  for (int j = 0; j < columns; ++j) total += a[(size_t)i * columns + j] * x[j];
  y[i] = total;
}

extern "C" __global__ void gemv_column_major(double* y, const double* a, const double* x, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  double total = 0;
  for (int j = 0; j < columns; ++j) total += a[(size_t)j * rows + i] * x[j];
  y[i] = total;
}

extern "C" __global__ void gemv_shared(double* y, const double* a, const double* x, int rows, int columns) {
  __shared__ double window[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  double total = 0;
  for (int start = 0; start < columns; start += BLOCK) {
    if (start + t < columns) window[t] = x[start + t];
    __syncthreads();
    if (i < rows)
      for (int j = 0; j < min(BLOCK, columns - start); ++j) total += a[(size_t)(start + j) * rows + i] * window[j];
    __syncthreads();
  }
  if (i < rows) y[i] = total;
}

extern "C" __global__ void transpose_naive(int* out, const int* x, int rows, int columns) {
  int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (row + j < rows && column < columns) out[(size_t)column * rows + row + j] = x[(size_t)(row + j) * columns + column];
}

extern "C" __global__ void transpose_shared(int* out, const int* x, int rows, int columns) {
  __shared__ int tile[TILE][TILE + 1];
  int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (row + j < rows && column < columns) tile[threadIdx.y + j][threadIdx.x] = x[(size_t)(row + j) * columns + column];
  __syncthreads();
  column = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (row + j < columns && column < rows) out[(size_t)(row + j) * rows + column] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void sum_blocks(float* result, const float* x, long long n) {
  __shared__ float partial[BLOCK];
  int t = threadIdx.x;
  float total = 0;
  for (long long i = (long long)blockIdx.x * blockDim.x + t; i < n; i += (long long)gridDim.x * blockDim.x) total += x[i];
  partial[t] = total;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(result, partial[0]);
}

extern "C" __global__ void l2norm_rows(float* norms, const float* a, int rows, int columns) {
  __shared__ float partial[BLOCK];
  int t = threadIdx.x;
  float total = 0;
  for (int j = t; j < columns; j += BLOCK) {
    float value = a[(size_t)blockIdx.x * columns + j];
    total += value * value;
  }
  partial[t] = total;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) norms[blockIdx.x] = sqrtf(partial[0]);
}

extern "C" __global__ void l2norm_columns(float* norms, const float* a, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float total = 0;
  for (int i = 0; i < rows; ++i) total += a[(size_t)i * columns + j] * a[(size_t)i * columns + j];
  norms[j] = sqrtf(total);
}

extern "C" __global__ void gaussian(float* out, const float* x, float mean, float sigma, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float z = (x[i] - mean) / sigma;
  out[i] = expf(-0.5f * z * z) / (sigma * 2.5066282746310002f);
}

extern "C" __global__ void squared_diff(float* z, const float* x, const float* y, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = (x[i] - y[i]) * (x[i] - y[i]);
}

extern "C" __global__ void histogram_global(int* counts, const int* values, long long n) {
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
    atomicAdd(&counts[values[i]], 1);
}

extern "C" __global__ void matmul_naive(float* c, const float* a, const float* b, int m, int k, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  float total = 0;
  for (int l = 0; l < k; ++l) total += a[(size_t)i * k + l] * b[(size_t)l * n + j];
  c[(size_t)i * n + j] = total;
}

extern "C" __global__ void matmul_tiled(float* c, const float* a, const float* b, int m, int k, int n) {
  constexpr int T = 16;
  __shared__ float tile_a[T][T], tile_b[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * T + tx, row = blockIdx.y * T + ty;
  float total = 0;
  for (int l = 0; l < k; l += T) {
    tile_a[ty][tx] = row < m && l + tx < k ? a[(size_t)row * k + l + tx] : 0;
    tile_b[ty][tx] = l + ty < k && column < n ? b[(size_t)(l + ty) * n + column] : 0;
    __syncthreads();
    for (int j = 0; j < T; ++j) total += tile_a[ty][j] * tile_b[j][tx];
    __syncthreads();
  }
  if (row < m && column < n) c[(size_t)row * n + column] = total;
}
