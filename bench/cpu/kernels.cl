// The works of kernels.pyk in OpenCL C, with the same structure.

#define TILE 16
#define MOVED 32
#define ROWS 8
#define BINS 256

kernel void matmul(global float* restrict c, global const float* restrict a, global const float* restrict b, int rows,
                   int columns, int depth) {
  local float tile_a[TILE][TILE];
  local float tile_b[TILE][TILE];
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int column = get_group_id(0) * TILE + tx, row = get_group_id(1) * TILE + ty;
  float total = 0;
  for (int k = 0; k < depth; k += TILE) {
    tile_a[ty][tx] = row < rows && k + tx < depth ? a[(size_t)row * depth + k + tx] : 0.0f;
    tile_b[ty][tx] = k + ty < depth && column < columns ? b[(size_t)(k + ty) * columns + column] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < TILE; ++j) total += tile_a[ty][j] * tile_b[j][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < rows && column < columns) c[(size_t)row * columns + column] = total;
}

kernel void block_sums(global float* restrict out, global const float* restrict x, int n, local float* temp) {
  const int tid = get_local_id(0);
  const size_t i = get_global_id(0);
  temp[tid] = i < n ? x[i] : 0.0f;
  for (int d = get_local_size(0) / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < d) temp[tid] += temp[tid + d];
  }
  if (tid == 0) out[get_group_id(0)] = temp[0];
}

kernel void transpose(global float* restrict b, global const float* restrict a, int rows, int columns) {
  local float tile[MOVED][MOVED + 1];
  const int tx = get_local_id(0), ty = get_local_id(1);
  int column = get_group_id(0) * MOVED + tx, row = get_group_id(1) * MOVED + ty;
  for (int j = 0; j < MOVED; j += ROWS)
    if (row + j < rows && column < columns) tile[ty + j][tx] = a[(size_t)(row + j) * columns + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  column = get_group_id(1) * MOVED + tx;
  row = get_group_id(0) * MOVED + ty;
  for (int j = 0; j < MOVED; j += ROWS)
    if (row + j < columns && column < rows) b[(size_t)(row + j) * rows + column] = tile[tx][ty + j];
}

kernel void histogram(global int* counts, global const uchar* restrict values, int n) {
  local int bins[BINS];
  for (int bin = get_local_id(0); bin < BINS; bin += get_local_size(0)) bins[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&bins[values[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int bin = get_local_id(0); bin < BINS; bin += get_local_size(0)) atomic_add(&counts[bin], bins[bin]);
}

float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const float polynomial =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * exp(-0.5f * d * d) * polynomial;
  return d > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(global float* restrict call, global float* restrict put, global const float* restrict price,
                          global const float* restrict strike, global const float* restrict years, int n, float rate,
                          float volatility) {
  const size_t i = get_global_id(0);
  if (i >= n) return;
  const float deviation = volatility * sqrt(years[i]);
  const float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
  const float p1 = normal_distribution(d1), p2 = normal_distribution(d1 - deviation);
  const float discounted = strike[i] * exp(-rate * years[i]);
  call[i] = price[i] * p1 - discounted * p2;
  put[i] = discounted * (1.0f - p2) - price[i] * (1.0f - p1);
}

kernel void mandelbrot(global int* restrict out, int height, int width, int limit) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const float cr = x * (3.0f / width) - 2.0f, ci = y * (2.0f / height) - 1.0f;
  float zr = 0, zi = 0;
  int n = 0;
  while (n < limit && zr * zr + zi * zi <= 4.0f) {
    const float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    ++n;
  }
  out[(size_t)y * width + x] = n;
}

kernel void scaled_sum(global float* restrict z, global const float* restrict x, global const float* restrict y, int n,
                       float a) {
  const size_t i = get_global_id(0);
  if (i < n) z[i] = a * x[i] + y[i];
}

kernel void stencil(global float* restrict out, global const float* restrict a, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x <= 0 || y <= 0 || x >= columns - 1 || y >= rows - 1) return;
  const size_t at = (size_t)y * columns + x;
  out[at] = 0.2f * (a[at] + a[at - columns] + a[at + columns] + a[at - 1] + a[at + 1]);
}

kernel void forces(global float* restrict out, global const float* restrict bodies, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  global const float *x = bodies, *y = x + n, *z = y + n, *mass = z + n;
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; ++j) {
    const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
    const float square = dx * dx + dy * dy + dz * dz + 0.01f;
    const float factor = mass[j] / (square * sqrt(square));
    ax += factor * dx;
    ay += factor * dy;
    az += factor * dz;
  }
  out[i] = ax;
  out[i + n] = ay;
  out[i + 2 * n] = az;
}

kernel void spmv(global float* restrict y, global const float* restrict values, global const int* restrict columns,
                 global const int* restrict starts, global const float* restrict x, int rows) {
  const int row = get_global_id(0);
  if (row >= rows) return;
  float total = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k) total += values[k] * x[columns[k]];
  y[row] = total;
}

kernel void convolve(global float* restrict out, global const float* restrict x, global const float* restrict weights,
                     int n, int count) {
  const size_t i = get_global_id(0);
  if (i >= n) return;
  float total = 0;
  for (int j = 0; j < count; ++j) total += weights[j] * x[i + j];
  out[i] = total;
}

kernel void nearest(global int* restrict label, global const float* restrict points,
                    global const float* restrict centers, int n, int count) {
  const int i = get_global_id(0);
  if (i >= n) return;
  float best = INFINITY;
  int which = 0;
  for (int c = 0; c < count; ++c) {
    const float dx = points[i] - centers[c], dy = points[i + n] - centers[c + count];
    const float distance = dx * dx + dy * dy;
    if (distance < best) {
      best = distance;
      which = c;
    }
  }
  label[i] = which;
}
